//! Who may call what: one table that names every RPC. A call that is not in it is refused, and a test fails.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::meters::Meter;

/// What a caller needs to be let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nothing, not even a token.
    Open,
    /// An end user, or a service with `relation.read`.
    Read,
    /// An end user, or a service with `relation.write`.
    Write,
    /// A service with `relation.read`.
    Service,
    /// The operator, on the admin listener.
    Admin,
}

/// The rule of one RPC.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// `package.Service/Method`.
    pub path: &'static str,
    /// What a caller needs to be let in.
    pub scope: Scope,
    /// The field in which an end user can only give itself; the handlers check it, and a test calls them all.
    pub own: Option<&'static str>,
}

const fn rule(path: &'static str, scope: Scope, own: Option<&'static str>) -> Rule {
    Rule { path, scope, own }
}

/// The table.
pub const RULES: &[Rule] = &[
    rule("guanxi.v1.RelationService/Follow", Scope::Write, Some("subject")),
    rule("guanxi.v1.RelationService/Unfollow", Scope::Write, Some("subject")),
    rule("guanxi.v1.RelationService/RemoveFollower", Scope::Write, Some("subject")),
    rule("guanxi.v1.RelationService/BatchFollow", Scope::Write, Some("subject")),
    rule("guanxi.v1.RelationService/Block", Scope::Write, Some("subject")),
    rule("guanxi.v1.RelationService/Unblock", Scope::Write, Some("subject")),
    rule("guanxi.v1.RelationService/Mute", Scope::Write, Some("subject")),
    rule("guanxi.v1.RelationService/Unmute", Scope::Write, Some("subject")),
    rule("guanxi.v1.RelationService/ListFollowing", Scope::Read, Some("viewer")),
    rule("guanxi.v1.RelationService/ListFollowers", Scope::Read, Some("viewer")),
    rule("guanxi.v1.RelationService/ListFriends", Scope::Read, Some("viewer")),
    rule("guanxi.v1.RelationService/ListBlocks", Scope::Read, Some("uid")),
    rule("guanxi.v1.RelationService/ListMutes", Scope::Read, Some("uid")),
    rule("guanxi.v1.RelationService/ListKnownFollowers", Scope::Read, Some("viewer")),
    rule("guanxi.v1.RelationService/ListMutualFollowing", Scope::Read, None),
    rule("guanxi.v1.RelationService/GetRelation", Scope::Read, None),
    rule("guanxi.v1.RelationService/BatchGetRelations", Scope::Read, None),
    rule("guanxi.v1.RelationService/BatchCheckPairs", Scope::Read, None),
    rule("guanxi.v1.RelationService/GetCounts", Scope::Read, None),
    rule("guanxi.v1.RelationService/BatchGetCounts", Scope::Read, None),
    rule("guanxi.v1.RelationService/Watch", Scope::Service, None),
    rule("guanxi.v1.PostService/CreatePost", Scope::Write, Some("author")),
    rule("guanxi.v1.PostService/GetPost", Scope::Read, Some("viewer")),
    rule("guanxi.v1.PostService/BatchGetPosts", Scope::Read, Some("viewer")),
    rule("guanxi.v1.PostService/UpdatePost", Scope::Write, Some("author")),
    rule("guanxi.v1.PostService/ListPostRevisions", Scope::Read, Some("viewer")),
    rule("guanxi.v1.PostService/DeletePost", Scope::Write, Some("author")),
    rule("guanxi.v1.PostService/RestorePost", Scope::Write, Some("author")),
    rule("guanxi.v1.PostService/ListAuthorPosts", Scope::Read, Some("viewer")),
    rule("guanxi.v1.PostService/LikePost", Scope::Write, Some("uid")),
    rule("guanxi.v1.PostService/UnlikePost", Scope::Write, Some("uid")),
    rule("guanxi.v1.PostService/UndoRepost", Scope::Write, Some("uid")),
    rule("guanxi.v1.PostService/ListLikers", Scope::Read, Some("viewer")),
    rule("guanxi.v1.PostService/BatchGetPostStats", Scope::Read, Some("viewer")),
    rule("guanxi.v1.FeedService/GetHomeTimeline", Scope::Read, Some("viewer")),
    rule("guanxi.v1.FeedService/PollHomeTimeline", Scope::Read, Some("viewer")),
    rule("guanxi.v1.FeedService/StreamHomeTimeline", Scope::Read, Some("viewer")),
    rule("guanxi.v1.FeedService/MarkSeen", Scope::Write, Some("viewer")),
    rule("guanxi.v1.FeedService/GetUnread", Scope::Read, Some("viewer")),
    rule("guanxi.v1.FeedService/ExplainFeed", Scope::Read, Some("viewer")),
    rule("guanxi.v1.AdminService/Verify", Scope::Admin, None),
    rule("guanxi.v1.AdminService/ImportEdges", Scope::Admin, None),
    rule("guanxi.v1.AdminService/ImportPosts", Scope::Admin, None),
    rule("guanxi.v1.AdminService/GetImportJob", Scope::Admin, None),
    rule("guanxi.v1.AdminService/ExportEdges", Scope::Admin, None),
    rule("guanxi.v1.AdminService/SetFollowLimit", Scope::Admin, None),
    rule("guanxi.v1.AdminService/GetFollowLimit", Scope::Admin, None),
    rule("guanxi.v1.AdminService/VerifyFeed", Scope::Admin, None),
    rule("guanxi.v1.AdminService/GetFanoutStatus", Scope::Admin, None),
    rule("guanxi.v1.AdminService/PutFanoutPolicy", Scope::Admin, None),
    rule("guanxi.v1.AdminService/GetFanoutPolicy", Scope::Admin, None),
    rule("guanxi.v1.AdminService/CreateToken", Scope::Admin, None),
    rule("guanxi.v1.AdminService/ListTokens", Scope::Admin, None),
    rule("guanxi.v1.AdminService/RevokeToken", Scope::Admin, None),
    rule("guanxi.v1.AdminService/Backup", Scope::Admin, None),
    rule("guanxi.v1.AdminService/Stats", Scope::Admin, None),
    rule("grpc.health.v1.Health/Check", Scope::Open, None),
    rule("grpc.health.v1.Health/Watch", Scope::Open, None),
    rule("grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Scope::Open, None),
    rule("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Scope::Open, None),
];

/// A rule with the meter of its method.
pub(crate) struct Method {
    pub(crate) rule: Rule,
    pub(crate) meter: Meter,
}

/// The methods by path, built once.
pub(crate) fn method(path: &str) -> Option<&'static Method> {
    static METHODS: LazyLock<HashMap<&'static str, Method>> = LazyLock::new(|| {
        RULES.iter().map(|rule| (rule.path, Method { rule: *rule, meter: Meter::new(rule.path) })).collect()
    });
    METHODS.get(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use buffa::Message as _;
    use guanxi_proto::DESCRIPTORS;

    #[test]
    fn every_rpc_has_exactly_one_rule() {
        let set = connectrpc_reflection::Reflector::from_descriptor_set_bytes(DESCRIPTORS).unwrap();
        let mut paths: Vec<String> = Vec::new();
        for service in set.pool().services() {
            for method in service.methods() {
                paths.push(format!("{}/{}", service.full_name(), method.name()));
            }
        }
        assert!(paths.len() > 50, "{paths:?}");
        for path in &paths {
            let rules = RULES.iter().filter(|rule| rule.path == path).count();
            assert_eq!(rules, 1, "{path} has {rules} rules");
        }
        for rule in RULES.iter().filter(|rule| rule.path.starts_with("guanxi.")) {
            assert!(paths.iter().any(|path| path == rule.path), "{} is no RPC", rule.path);
        }
        let _ = guanxi_proto::v1::FollowRequest::default().encode_to_vec();
    }

    #[test]
    fn nothing_of_ours_is_open() {
        assert!(RULES.iter().all(|rule| rule.scope != Scope::Open || !rule.path.starts_with("guanxi.")));
    }
}
