//! Tokens of before scopes had names: what each bit let a service call then, it lets it call now.

use guanxi_model::{Principal, Scopes};

use crate::caller::Caller;
use crate::rules::{RULES, Rule};

/// What the bit to read let in.
const READ: &[&str] = &[
    "RelationService/ListFollowing",
    "RelationService/ListFollowers",
    "RelationService/ListFriends",
    "RelationService/ListBlocks",
    "RelationService/ListMutes",
    "RelationService/ListKnownFollowers",
    "RelationService/ListMutualFollowing",
    "RelationService/GetRelation",
    "RelationService/BatchGetRelations",
    "RelationService/BatchCheckPairs",
    "RelationService/GetCounts",
    "RelationService/BatchGetCounts",
    "RelationService/Watch",
    "PostService/GetPost",
    "PostService/BatchGetPosts",
    "PostService/ListPostRevisions",
    "PostService/ListAuthorPosts",
    "PostService/ListLikers",
    "PostService/BatchGetPostStats",
    "FeedService/GetHomeTimeline",
    "FeedService/PollHomeTimeline",
    "FeedService/StreamHomeTimeline",
    "FeedService/GetUnread",
    "FeedService/ExplainFeed",
];

/// What the bit to write let in.
const WRITE: &[&str] = &[
    "RelationService/Follow",
    "RelationService/Unfollow",
    "RelationService/RemoveFollower",
    "RelationService/BatchFollow",
    "RelationService/Block",
    "RelationService/Unblock",
    "RelationService/Mute",
    "RelationService/Unmute",
    "PostService/CreatePost",
    "PostService/UpdatePost",
    "PostService/DeletePost",
    "PostService/RestorePost",
    "PostService/LikePost",
    "PostService/UnlikePost",
    "FeedService/MarkSeen",
];

/// What neither let in.
const NEITHER: &[&str] = &[
    "AdminService/Verify",
    "AdminService/ImportEdges",
    "AdminService/ImportPosts",
    "AdminService/GetImportJob",
    "AdminService/ExportEdges",
    "AdminService/SetFollowLimit",
    "AdminService/GetFollowLimit",
    "AdminService/VerifyFeed",
    "AdminService/GetFanoutStatus",
    "AdminService/PutFanoutPolicy",
    "AdminService/GetFanoutPolicy",
    "AdminService/CreateToken",
    "AdminService/ListTokens",
    "AdminService/RevokeToken",
    "AdminService/Backup",
    "AdminService/Stats",
];

fn rule(method: &str) -> &'static Rule {
    let mut rules = RULES.iter();
    rules.find(|rule| rule.path.strip_prefix("guanxi.v1.") == Some(method)).expect(method)
}

#[test]
fn a_token_of_two_bits_calls_what_it_could_call() {
    assert_eq!((READ.len(), WRITE.len(), NEITHER.len()), (24, 15, 16), "all methods of that program");
    for (read, write) in [(false, false), (true, false), (false, true), (true, true)] {
        let caller = Caller::named(Principal::Service(Scopes::of_first_bits(read, write)), "old", [0; 32]);
        for (methods, could) in [(READ, read), (WRITE, write), (NEITHER, false)] {
            for method in methods {
                let can = caller.enter(rule(method).access).is_ok();
                assert_eq!(can, could, "{method}, with the bits read {read}, write {write}");
            }
        }
    }
}
