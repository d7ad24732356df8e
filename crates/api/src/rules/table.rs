//! The table: who may call what, and what a call costs. It names every RPC. A call that is not in it is refused, and a test
//! fails. `cargo xtask codegen` reads the column `own`.

use guanxi_model::Scope;
use guanxi_rim::rules::{Access, Budget, PasswordUse, Rule};

/// A row for each RPC: its path; who may call it; the field of the acting user (`own`), if there is one; the budget that pays;
/// and whether a caller without a credential has a password hashed.
macro_rules! rules {
    (@own) => { None };
    (@own $own:literal) => { Some($own) };
    (@password) => { PasswordUse::No };
    (@password compares_a_password) => { PasswordUse::Login };
    (@password makes_an_account) => { PasswordUse::Register };
    ($(
        $path:literal $access:ident $(($scope:ident))? $(own $own:literal)? => $budget:ident $($password:ident)?;
    )*) => {
        &[$(Rule {
            path: $path,
            access: Access::$access $((Scope::$scope))?,
            own: rules!(@own $($own)?),
            budget: Budget::$budget,
            password: rules!(@password $($password)?),
        }),*]
    };
}

/// The table.
pub const RULES: &[Rule] = rules! {
    "guanxi.v1.RelationService/Follow"               User(RelationWrite)     own "subject" => Follows;
    "guanxi.v1.RelationService/Unfollow"             User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/RemoveFollower"       User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/BatchFollow"          User(RelationWrite)     own "subject" => Follows;
    "guanxi.v1.RelationService/BatchUnfollow"        User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/Block"                User(RelationWrite)     own "subject" => Writes;
    "guanxi.v1.RelationService/Unblock"              User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/Mute"                 User(RelationWrite)     own "subject" => Writes;
    "guanxi.v1.RelationService/Unmute"               User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/SendFriendRequest"    User(RelationWrite)     own "subject" => Follows;
    "guanxi.v1.RelationService/AcceptFriendRequest"  User(RelationWrite)     own "subject" => Follows;
    "guanxi.v1.RelationService/RejectFriendRequest"  User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/CancelFriendRequest"  User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/RemoveFriend"         User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/ApproveFollow"        User(RelationWrite)     own "subject" => Writes;
    "guanxi.v1.RelationService/BatchApproveFollow"   User(RelationWrite)     own "subject" => Writes;
    "guanxi.v1.RelationService/RejectFollow"         User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/BatchRejectFollow"    User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/ListFriendRequests"   User(RelationRead)      own "uid"     => Reads;
    "guanxi.v1.RelationService/ListFollowRequests"   User(RelationRead)      own "uid"     => Reads;
    "guanxi.v1.RelationService/GetUnseenRequests"    User(RelationRead)      own "uid"     => Reads;
    "guanxi.v1.RelationService/MarkRequestsSeen"     User(RelationWrite)     own "uid"     => Writes;
    "guanxi.v1.RelationService/ListFollowing"        User(RelationRead)      own "viewer"  => Reads;
    "guanxi.v1.RelationService/ListFollowers"        User(RelationRead)      own "viewer"  => Reads;
    "guanxi.v1.RelationService/ListFriends"          User(RelationRead)      own "viewer"  => Reads;
    "guanxi.v1.RelationService/ListBlocks"           User(RelationRead)      own "uid"     => Reads;
    "guanxi.v1.RelationService/ListMutes"            User(RelationRead)      own "uid"     => Reads;
    "guanxi.v1.RelationService/ListKnownFollowers"   User(RelationRead)      own "viewer"  => Reads;
    "guanxi.v1.RelationService/ListMutualFollowing"  User(RelationRead)                    => Reads;
    "guanxi.v1.RelationService/GetRelation"          User(RelationRead)                    => Reads;
    "guanxi.v1.RelationService/BatchGetRelations"    User(RelationRead)                    => Reads;
    "guanxi.v1.RelationService/BatchCheckPairs"      User(RelationRead)                    => Reads;
    "guanxi.v1.RelationService/ListSuggestions"      User(RelationRead)      own "viewer"  => Reads;
    "guanxi.v1.RelationService/DismissSuggestion"    User(RelationWrite)     own "viewer"  => Writes;
    "guanxi.v1.RelationService/UndoDismissal"        User(RelationWrite)     own "viewer"  => Free;
    "guanxi.v1.RelationService/ListDismissed"        User(RelationRead)      own "viewer"  => Reads;
    "guanxi.v1.RelationService/RecordInteractions"   Service(AffinityWrite)                => Writes;
    "guanxi.v1.RelationService/ListTopAffinity"      Service(AffinityRead)                 => Reads;
    "guanxi.v1.RelationService/GetCounts"            User(RelationRead)                    => Reads;
    "guanxi.v1.RelationService/BatchGetCounts"       User(RelationRead)                    => Reads;
    "guanxi.v1.RelationService/CreateGroup"          User(RelationWrite)     own "subject" => Writes;
    "guanxi.v1.RelationService/UpdateGroup"          User(RelationWrite)     own "subject" => Writes;
    "guanxi.v1.RelationService/DeleteGroup"          User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/SetGroupMembers"      User(RelationWrite)     own "subject" => Writes;
    "guanxi.v1.RelationService/AddGroupMembers"      User(RelationWrite)     own "subject" => Writes;
    "guanxi.v1.RelationService/RemoveGroupMembers"   User(RelationWrite)     own "subject" => Free;
    "guanxi.v1.RelationService/GetGroup"             User(RelationRead)      own "subject" => Reads;
    "guanxi.v1.RelationService/ListGroups"           User(RelationRead)      own "subject" => Reads;
    "guanxi.v1.RelationService/ListGroupMembers"     User(RelationRead)      own "subject" => Reads;
    "guanxi.v1.RelationService/ListGroupsWithMember" User(RelationRead)      own "subject" => Reads;
    "guanxi.v1.RelationService/Watch"                Service(Watch)                        => Reads;

    "guanxi.v1.PostService/CreatePost"               User(PostWrite)         own "author"  => Posts;
    "guanxi.v1.PostService/GetPost"                  User(PostRead)          own "viewer"  => Reads;
    "guanxi.v1.PostService/BatchGetPosts"            User(PostRead)          own "viewer"  => Reads;
    "guanxi.v1.PostService/UpdatePost"               User(PostWrite)         own "author"  => Writes;
    "guanxi.v1.PostService/ListPostRevisions"        User(PostRead)          own "viewer"  => Reads;
    "guanxi.v1.PostService/DeletePost"               User(PostWrite)         own "author"  => Free;
    "guanxi.v1.PostService/RestorePost"              User(PostWrite)         own "author"  => Writes;
    "guanxi.v1.PostService/ListAuthorPosts"          User(PostRead)          own "viewer"  => Reads;
    "guanxi.v1.PostService/LikePost"                 User(PostWrite)         own "uid"     => Writes;
    "guanxi.v1.PostService/UnlikePost"               User(PostWrite)         own "uid"     => Free;
    "guanxi.v1.PostService/UndoRepost"               User(PostWrite)         own "uid"     => Free;
    "guanxi.v1.PostService/ListLikers"               User(PostRead)          own "viewer"  => Reads;
    "guanxi.v1.PostService/ListReposters"            User(PostRead)          own "viewer"  => Reads;
    "guanxi.v1.PostService/BatchGetPostStats"        User(PostRead)          own "viewer"  => Reads;

    "guanxi.v1.FeedService/GetHomeTimeline"          User(FeedRead)          own "viewer"  => Reads;
    "guanxi.v1.FeedService/GetGroupTimeline"         User(FeedRead)          own "viewer"  => Reads;
    "guanxi.v1.FeedService/PollHomeTimeline"         User(FeedRead)          own "viewer"  => Reads;
    "guanxi.v1.FeedService/StreamHomeTimeline"       User(FeedRead)          own "viewer"  => Reads;
    "guanxi.v1.FeedService/MarkSeen"                 User(FeedWrite)         own "viewer"  => Writes;
    "guanxi.v1.FeedService/GetUnread"                User(FeedRead)          own "viewer"  => Reads;
    "guanxi.v1.FeedService/ExplainFeed"              User(FeedRead)          own "viewer"  => Reads;

    "guanxi.v1.UserService/Register"                 Service(UserWrite)                    => Writes makes_an_account;
    "guanxi.v1.UserService/Login"                    Open                                  => Address compares_a_password;
    "guanxi.v1.UserService/ChangePassword"           User(UserWrite)         own "uid"     => Writes;
    "guanxi.v1.UserService/SetPassword"              Service(UserWrite)                    => Writes;
    "guanxi.v1.UserService/GetUser"                  User(UserRead)                        => Reads;
    "guanxi.v1.UserService/BatchGetUsers"            User(UserRead)                        => Reads;
    "guanxi.v1.UserService/LookupUser"               User(UserRead)                        => Reads;
    "guanxi.v1.UserService/ResolveIds"               Service(UserRead)                     => Reads;
    "guanxi.v1.UserService/UpdateUser"               User(UserWrite)         own "uid"     => Writes;
    "guanxi.v1.UserService/SetPrivacy"               User(UserWrite)         own "uid"     => Writes;
    "guanxi.v1.UserService/Deactivate"               User(UserWrite)         own "uid"     => Writes;
    "guanxi.v1.UserService/PurgePost"                Service(UserWrite)                    => Writes;
    "guanxi.v1.UserService/DeleteUser"               User(UserWrite)         own "uid"     => Writes;
    "guanxi.v1.UserService/EraseUser"                Service(UserWrite)                    => Writes;
    "guanxi.v1.UserService/ExportUser"               User(UserWrite)         own "uid"     => Reads;
    "guanxi.v1.UserService/Reactivate"               Service(UserWrite)                    => Writes;
    "guanxi.v1.UserService/BindPhone"                Service(UserWrite)                    => Writes;
    "guanxi.v1.UserService/BindEmail"                Service(UserWrite)                    => Writes;
    "guanxi.v1.UserService/UnbindPhone"              Service(UserWrite)                    => Free;
    "guanxi.v1.UserService/UnbindEmail"              Service(UserWrite)                    => Free;
    "guanxi.v1.UserService/RefreshSession"           Open                                  => Address;
    "guanxi.v1.UserService/ListSessions"             User(UserRead)          own "uid"     => Reads;
    "guanxi.v1.UserService/RevokeSession"            User(UserWrite)         own "uid"     => Free;
    "guanxi.v1.UserService/Logout"                   User(UserWrite)                       => Free;
    "guanxi.v1.UserService/CreateStreamTicket"       User(FeedRead)          own "uid"     => Reads;

    "guanxi.v1.SearchService/SearchPosts"            User(SearchRead)        own "viewer"  => Reads;
    "guanxi.v1.SearchService/SearchUsers"            User(SearchRead)        own "viewer"  => Reads;
    "guanxi.v1.SearchService/Suggest"                User(SearchRead)        own "viewer"  => Reads;

    "guanxi.v1.AdminService/Verify"                  AdminRead                             => Free;
    "guanxi.v1.AdminService/Repair"                  Admin                                 => Free;
    "guanxi.v1.AdminService/ImportEdges"             Admin                                 => Free;
    "guanxi.v1.AdminService/ImportPosts"             Admin                                 => Free;
    "guanxi.v1.AdminService/ImportLikes"             Admin                                 => Free;
    "guanxi.v1.AdminService/ImportUsers"             Admin                                 => Free;
    "guanxi.v1.AdminService/ExportPosts"             Admin                                 => Free;
    "guanxi.v1.AdminService/ExportLikes"             Admin                                 => Free;
    "guanxi.v1.AdminService/ImportRequests"          Admin                                 => Free;
    "guanxi.v1.AdminService/ExportRequests"          Admin                                 => Free;
    "guanxi.v1.AdminService/ExportUsers"             Admin                                 => Free;
    "guanxi.v1.AdminService/ExportUser"              Admin                   own "uid"     => Free;
    "guanxi.v1.AdminService/GetImportJob"            AdminRead                             => Free;
    "guanxi.v1.AdminService/ExportEdges"             Admin                                 => Free;
    "guanxi.v1.AdminService/SetFollowLimit"          Admin                                 => Free;
    "guanxi.v1.AdminService/GetFollowLimit"          AdminRead                             => Free;
    "guanxi.v1.AdminService/RebuildSearch"           Admin                                 => Free;
    "guanxi.v1.AdminService/QueryUsers"              AdminRead                             => Free;
    "guanxi.v1.AdminService/QueryPosts"              AdminRead                             => Free;
    "guanxi.v1.AdminService/StartExport"             Admin                                 => Free;
    "guanxi.v1.AdminService/GetExport"               AdminRead                             => Free;
    "guanxi.v1.AdminService/ListExports"             AdminRead                             => Free;
    "guanxi.v1.AdminService/CancelExport"            Admin                                 => Free;
    "guanxi.v1.AdminService/ReadExport"              Admin                                 => Free;
    "guanxi.v1.AdminService/TakeDownPost"            Admin                                 => Free;
    "guanxi.v1.AdminService/ReinstatePost"           Admin                                 => Free;
    "guanxi.v1.AdminService/TakeDownUser"            Admin                                 => Free;
    "guanxi.v1.AdminService/ReinstateUser"           Admin                                 => Free;
    "guanxi.v1.AdminService/VerifyFeed"              AdminRead                             => Free;
    "guanxi.v1.AdminService/VerifySearch"            AdminRead                             => Free;
    "guanxi.v1.AdminService/GetFanoutStatus"         AdminRead                             => Free;
    "guanxi.v1.AdminService/PutFanoutPolicy"         Admin                                 => Free;
    "guanxi.v1.AdminService/GetFanoutPolicy"         AdminRead                             => Free;
    "guanxi.v1.AdminService/ResolveIds"              Admin                                 => Free;
    "guanxi.v1.AdminService/CreateToken"             Admin                                 => Free;
    "guanxi.v1.AdminService/ListErasedUsers"         AdminRead                             => Free;
    "guanxi.v1.AdminService/ListTokens"              AdminRead                             => Free;
    "guanxi.v1.AdminService/RevokeToken"             Admin                                 => Free;
    "guanxi.v1.AdminService/ListAuditEntries"        AdminRead                             => Free;
    "guanxi.v1.AdminService/ListUserEvents"          AdminRead                             => Free;
    "guanxi.v1.AdminService/Backup"                  Admin                                 => Free;
    "guanxi.v1.AdminService/Stats"                   AdminRead                             => Free;
    "guanxi.v1.AdminService/GetOverview"             AdminRead                             => Free;
    "guanxi.v1.AdminService/GetShardMap"             AdminRead                             => Free;
    "guanxi.v1.AdminService/CreateConsoleCode"       AdminRead                             => Free;

    "grpc.health.v1.Health/Check"                    Open                                  => Address;
    "grpc.health.v1.Health/Watch"                    Open                                  => Address;

    "grpc.reflection.v1.ServerReflection/ServerReflectionInfo" Open                                  => Address;

    "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo" Open                                  => Address;
};
