//! The rules of who may call what: one table that names every RPC. A call that is not in it is refused, and a test fails.

pub(crate) mod audited;
mod events;
mod methods;

pub use methods::{ApiMethod, methods};

use std::sync::LazyLock;

use guanxi_model::Scope;
use guanxi_rim::rules::{CallTable, Methods};

pub use guanxi_rim::rules::{Access, Budget, Registrants, Rule};

/// The method that makes accounts.
const REGISTER: &str = "guanxi.v1.UserService/Register";

/// The method by which any client may have a password compared.
const LOGIN: &str = "guanxi.v1.UserService/Login";

const fn rule(path: &'static str, access: Access, own: Option<&'static str>, budget: Budget) -> Rule {
    Rule { path, access, own, budget }
}

/// The table.
pub const RULES: &[Rule] = &[
    rule(
        "guanxi.v1.RelationService/Follow",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Follows,
    ),
    rule(
        "guanxi.v1.RelationService/Unfollow",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/RemoveFollower",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/BatchFollow",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Follows,
    ),
    rule(
        "guanxi.v1.RelationService/BatchUnfollow",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/Block",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/Unblock",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/Mute",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/Unmute",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/SendFriendRequest",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Follows,
    ),
    rule(
        "guanxi.v1.RelationService/AcceptFriendRequest",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Follows,
    ),
    rule(
        "guanxi.v1.RelationService/RejectFriendRequest",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/CancelFriendRequest",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/RemoveFriend",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/ApproveFollow",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/BatchApproveFollow",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/RejectFollow",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/BatchRejectFollow",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/ListFriendRequests",
        Access::User(Scope::RelationRead),
        Some("uid"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListFollowRequests",
        Access::User(Scope::RelationRead),
        Some("uid"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/GetUnseenRequests",
        Access::User(Scope::RelationRead),
        Some("uid"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/MarkRequestsSeen",
        Access::User(Scope::RelationWrite),
        Some("uid"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/ListFollowing",
        Access::User(Scope::RelationRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListFollowers",
        Access::User(Scope::RelationRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListFriends",
        Access::User(Scope::RelationRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListBlocks",
        Access::User(Scope::RelationRead),
        Some("uid"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListMutes",
        Access::User(Scope::RelationRead),
        Some("uid"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListKnownFollowers",
        Access::User(Scope::RelationRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListMutualFollowing",
        Access::User(Scope::RelationRead),
        None,
        Budget::Reads,
    ),
    rule("guanxi.v1.RelationService/GetRelation", Access::User(Scope::RelationRead), None, Budget::Reads),
    rule(
        "guanxi.v1.RelationService/BatchGetRelations",
        Access::User(Scope::RelationRead),
        None,
        Budget::Reads,
    ),
    rule("guanxi.v1.RelationService/BatchCheckPairs", Access::User(Scope::RelationRead), None, Budget::Reads),
    rule(
        "guanxi.v1.RelationService/ListSuggestions",
        Access::User(Scope::RelationRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/DismissSuggestion",
        Access::User(Scope::RelationWrite),
        Some("viewer"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/UndoDismissal",
        Access::User(Scope::RelationWrite),
        Some("viewer"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/ListDismissed",
        Access::User(Scope::RelationRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/RecordInteractions",
        Access::Service(Scope::AffinityWrite),
        None,
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/ListTopAffinity",
        Access::Service(Scope::AffinityRead),
        None,
        Budget::Reads,
    ),
    rule("guanxi.v1.RelationService/GetCounts", Access::User(Scope::RelationRead), None, Budget::Reads),
    rule("guanxi.v1.RelationService/BatchGetCounts", Access::User(Scope::RelationRead), None, Budget::Reads),
    rule(
        "guanxi.v1.RelationService/CreateGroup",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/UpdateGroup",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/DeleteGroup",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/SetGroupMembers",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/AddGroupMembers",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Writes,
    ),
    rule(
        "guanxi.v1.RelationService/RemoveGroupMembers",
        Access::User(Scope::RelationWrite),
        Some("subject"),
        Budget::Free,
    ),
    rule(
        "guanxi.v1.RelationService/GetGroup",
        Access::User(Scope::RelationRead),
        Some("subject"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListGroups",
        Access::User(Scope::RelationRead),
        Some("subject"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListGroupMembers",
        Access::User(Scope::RelationRead),
        Some("subject"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.RelationService/ListGroupsWithMember",
        Access::User(Scope::RelationRead),
        Some("subject"),
        Budget::Reads,
    ),
    rule("guanxi.v1.RelationService/Watch", Access::Service(Scope::Watch), None, Budget::Reads),
    rule("guanxi.v1.PostService/CreatePost", Access::User(Scope::PostWrite), Some("author"), Budget::Posts),
    rule("guanxi.v1.PostService/GetPost", Access::User(Scope::PostRead), Some("viewer"), Budget::Reads),
    rule("guanxi.v1.PostService/BatchGetPosts", Access::User(Scope::PostRead), Some("viewer"), Budget::Reads),
    rule("guanxi.v1.PostService/UpdatePost", Access::User(Scope::PostWrite), Some("author"), Budget::Writes),
    rule(
        "guanxi.v1.PostService/ListPostRevisions",
        Access::User(Scope::PostRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule("guanxi.v1.PostService/DeletePost", Access::User(Scope::PostWrite), Some("author"), Budget::Free),
    rule("guanxi.v1.PostService/RestorePost", Access::User(Scope::PostWrite), Some("author"), Budget::Writes),
    rule(
        "guanxi.v1.PostService/ListAuthorPosts",
        Access::User(Scope::PostRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule("guanxi.v1.PostService/LikePost", Access::User(Scope::PostWrite), Some("uid"), Budget::Writes),
    rule("guanxi.v1.PostService/UnlikePost", Access::User(Scope::PostWrite), Some("uid"), Budget::Free),
    rule("guanxi.v1.PostService/UndoRepost", Access::User(Scope::PostWrite), Some("uid"), Budget::Free),
    rule("guanxi.v1.PostService/ListLikers", Access::User(Scope::PostRead), Some("viewer"), Budget::Reads),
    rule("guanxi.v1.PostService/ListReposters", Access::User(Scope::PostRead), Some("viewer"), Budget::Reads),
    rule(
        "guanxi.v1.PostService/BatchGetPostStats",
        Access::User(Scope::PostRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.FeedService/GetHomeTimeline",
        Access::User(Scope::FeedRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.FeedService/GetGroupTimeline",
        Access::User(Scope::FeedRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.FeedService/PollHomeTimeline",
        Access::User(Scope::FeedRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.FeedService/StreamHomeTimeline",
        Access::User(Scope::FeedRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule("guanxi.v1.FeedService/MarkSeen", Access::User(Scope::FeedWrite), Some("viewer"), Budget::Writes),
    rule("guanxi.v1.FeedService/GetUnread", Access::User(Scope::FeedRead), Some("viewer"), Budget::Reads),
    rule("guanxi.v1.FeedService/ExplainFeed", Access::User(Scope::FeedRead), Some("viewer"), Budget::Reads),
    rule(REGISTER, Access::Service(Scope::UserWrite), None, Budget::Writes),
    rule(LOGIN, Access::Open, None, Budget::Address),
    rule("guanxi.v1.UserService/ChangePassword", Access::User(Scope::UserWrite), Some("uid"), Budget::Writes),
    rule("guanxi.v1.UserService/SetPassword", Access::Service(Scope::UserWrite), None, Budget::Writes),
    rule("guanxi.v1.UserService/GetUser", Access::User(Scope::UserRead), None, Budget::Reads),
    rule("guanxi.v1.UserService/BatchGetUsers", Access::User(Scope::UserRead), None, Budget::Reads),
    rule("guanxi.v1.UserService/LookupUser", Access::User(Scope::UserRead), None, Budget::Reads),
    rule("guanxi.v1.UserService/ResolveIds", Access::Service(Scope::UserRead), None, Budget::Reads),
    rule("guanxi.v1.UserService/UpdateUser", Access::User(Scope::UserWrite), Some("uid"), Budget::Writes),
    rule("guanxi.v1.UserService/SetPrivacy", Access::User(Scope::UserWrite), Some("uid"), Budget::Writes),
    rule("guanxi.v1.UserService/Deactivate", Access::User(Scope::UserWrite), Some("uid"), Budget::Writes),
    rule("guanxi.v1.UserService/PurgePost", Access::Service(Scope::UserWrite), None, Budget::Writes),
    rule("guanxi.v1.UserService/DeleteUser", Access::User(Scope::UserWrite), Some("uid"), Budget::Writes),
    rule("guanxi.v1.UserService/EraseUser", Access::Service(Scope::UserWrite), None, Budget::Writes),
    rule("guanxi.v1.UserService/ExportUser", Access::User(Scope::UserWrite), Some("uid"), Budget::Reads),
    rule("guanxi.v1.UserService/Reactivate", Access::Service(Scope::UserWrite), None, Budget::Writes),
    rule("guanxi.v1.UserService/BindPhone", Access::Service(Scope::UserWrite), None, Budget::Writes),
    rule("guanxi.v1.UserService/BindEmail", Access::Service(Scope::UserWrite), None, Budget::Writes),
    rule("guanxi.v1.UserService/UnbindPhone", Access::Service(Scope::UserWrite), None, Budget::Free),
    rule("guanxi.v1.UserService/UnbindEmail", Access::Service(Scope::UserWrite), None, Budget::Free),
    rule("guanxi.v1.UserService/RefreshSession", Access::Open, None, Budget::Address),
    rule("guanxi.v1.UserService/ListSessions", Access::User(Scope::UserRead), Some("uid"), Budget::Reads),
    rule("guanxi.v1.UserService/RevokeSession", Access::User(Scope::UserWrite), Some("uid"), Budget::Free),
    rule("guanxi.v1.UserService/Logout", Access::User(Scope::UserWrite), None, Budget::Free),
    rule(
        "guanxi.v1.UserService/CreateStreamTicket",
        Access::User(Scope::FeedRead),
        Some("uid"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.SearchService/SearchPosts",
        Access::User(Scope::SearchRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule(
        "guanxi.v1.SearchService/SearchUsers",
        Access::User(Scope::SearchRead),
        Some("viewer"),
        Budget::Reads,
    ),
    rule("guanxi.v1.SearchService/Suggest", Access::User(Scope::SearchRead), Some("viewer"), Budget::Reads),
    rule("guanxi.v1.AdminService/Verify", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ImportEdges", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ImportPosts", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ImportLikes", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ImportUsers", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ExportPosts", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ExportLikes", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ImportRequests", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ExportRequests", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ExportUsers", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ExportUser", Access::Admin, Some("uid"), Budget::Free),
    rule("guanxi.v1.AdminService/GetImportJob", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ExportEdges", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/SetFollowLimit", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/GetFollowLimit", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/RebuildSearch", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/QueryUsers", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/QueryPosts", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/StartExport", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/GetExport", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ListExports", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/CancelExport", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ReadExport", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/TakeDownPost", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ReinstatePost", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/TakeDownUser", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ReinstateUser", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/VerifyFeed", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/VerifySearch", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/GetFanoutStatus", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/PutFanoutPolicy", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/GetFanoutPolicy", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ResolveIds", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/CreateToken", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ListErasedUsers", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ListTokens", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/RevokeToken", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/ListAuditEntries", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/Backup", Access::Admin, None, Budget::Free),
    rule("guanxi.v1.AdminService/Stats", Access::Admin, None, Budget::Free),
    rule("grpc.health.v1.Health/Check", Access::Open, None, Budget::Address),
    rule("grpc.health.v1.Health/Watch", Access::Open, None, Budget::Address),
    rule("grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Access::Open, None, Budget::Address),
    rule(
        "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        Access::Open,
        None,
        Budget::Address,
    ),
];

/// The methods with their rules, built when they are first asked for.
pub(crate) static METHODS: LazyLock<Methods> = LazyLock::new(|| {
    Methods::new(&CallTable { rules: RULES, events: events::EVENTS, register: REGISTER, login: LOGIN })
});

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
    fn every_call_is_paid_for_unless_it_undoes_or_is_the_operators() {
        let undoes = |path: &str| {
            let (_, method) = path.split_once('/').unwrap();
            let method = method.strip_prefix("Batch").unwrap_or(method);
            ["Un", "Remove", "Reject", "Cancel", "DeletePost", "DeleteGroup", "RevokeSession", "Logout"]
                .iter()
                .any(|word| method.starts_with(word))
        };
        for Rule { path, access, budget, .. } in RULES {
            let is_free = *access == Access::Admin || undoes(path);
            assert_eq!(*budget == Budget::Free, is_free, "{path}");
            assert_eq!(*budget == Budget::Address, *access == Access::Open, "{path}");
            let writes =
                matches!(access, Access::User(Scope::RelationWrite | Scope::PostWrite | Scope::FeedWrite));
            assert!(*budget != Budget::Reads || !writes, "{path} is a write");
        }
        let of = |name: &str| RULES.iter().find(|rule| rule.path.ends_with(name)).unwrap().budget;
        assert_eq!((of("/Follow"), of("/BatchFollow")), (Budget::Follows, Budget::Follows));
        assert_eq!(of("/CreatePost"), Budget::Posts);
    }

    #[test]
    fn nothing_of_ours_is_open_but_the_ways_in() {
        let ours = RULES.iter().filter(|rule| rule.path.starts_with("guanxi."));
        let open = ours.filter(|rule| rule.access == Access::Open).map(|rule| rule.path);
        assert_eq!(
            open.collect::<Vec<_>>(),
            ["guanxi.v1.UserService/Login", "guanxi.v1.UserService/RefreshSession"]
        );
    }
}
