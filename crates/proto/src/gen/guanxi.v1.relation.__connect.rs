/// Full service name for this service.
pub const RELATION_SERVICE_SERVICE_NAME: &str = "guanxi.v1.RelationService";
/// Static [`Spec`](::connectrpc::Spec) for the `Follow` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_FOLLOW_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/Follow",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Unfollow` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_UNFOLLOW_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/Unfollow",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `RemoveFollower` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_REMOVE_FOLLOWER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/RemoveFollower",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchFollow` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_BATCH_FOLLOW_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/BatchFollow",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchUnfollow` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_BATCH_UNFOLLOW_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/BatchUnfollow",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListFollowing` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_FOLLOWING_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListFollowing",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListFollowers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_FOLLOWERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListFollowers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListFriends` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_FRIENDS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListFriends",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `GetRelation` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_GET_RELATION_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/GetRelation",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchGetRelations` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_BATCH_GET_RELATIONS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/BatchGetRelations",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchCheckPairs` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_BATCH_CHECK_PAIRS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/BatchCheckPairs",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListKnownFollowers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_KNOWN_FOLLOWERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListKnownFollowers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListMutualFollowing` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_MUTUAL_FOLLOWING_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListMutualFollowing",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListSuggestions` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_SUGGESTIONS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListSuggestions",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `DismissSuggestion` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_DISMISS_SUGGESTION_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/DismissSuggestion",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `UndoDismissal` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_UNDO_DISMISSAL_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/UndoDismissal",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListDismissed` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_DISMISSED_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListDismissed",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `RecordInteractions` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_RECORD_INTERACTIONS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/RecordInteractions",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListTopAffinity` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_TOP_AFFINITY_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListTopAffinity",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `GetCounts` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_GET_COUNTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/GetCounts",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchGetCounts` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_BATCH_GET_COUNTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/BatchGetCounts",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `Block` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_BLOCK_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/Block",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Unblock` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_UNBLOCK_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/Unblock",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListBlocks` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_BLOCKS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListBlocks",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `Mute` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_MUTE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/Mute",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Unmute` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_UNMUTE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/Unmute",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListMutes` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_MUTES_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListMutes",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `SendFriendRequest` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_SEND_FRIEND_REQUEST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/SendFriendRequest",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `AcceptFriendRequest` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_ACCEPT_FRIEND_REQUEST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/AcceptFriendRequest",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `RejectFriendRequest` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_REJECT_FRIEND_REQUEST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/RejectFriendRequest",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `CancelFriendRequest` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_CANCEL_FRIEND_REQUEST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/CancelFriendRequest",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `RemoveFriend` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_REMOVE_FRIEND_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/RemoveFriend",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListFriendRequests` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_FRIEND_REQUESTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListFriendRequests",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ApproveFollow` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_APPROVE_FOLLOW_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ApproveFollow",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchApproveFollow` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_BATCH_APPROVE_FOLLOW_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/BatchApproveFollow",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `RejectFollow` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_REJECT_FOLLOW_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/RejectFollow",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchRejectFollow` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_BATCH_REJECT_FOLLOW_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/BatchRejectFollow",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListFollowRequests` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_FOLLOW_REQUESTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListFollowRequests",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `GetUnseenRequests` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_GET_UNSEEN_REQUESTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/GetUnseenRequests",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `MarkRequestsSeen` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_MARK_REQUESTS_SEEN_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/MarkRequestsSeen",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Watch` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_WATCH_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/Watch",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `CreateGroup` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_CREATE_GROUP_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/CreateGroup",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `UpdateGroup` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_UPDATE_GROUP_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/UpdateGroup",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `DeleteGroup` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_DELETE_GROUP_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/DeleteGroup",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `SetGroupMembers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_SET_GROUP_MEMBERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/SetGroupMembers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `AddGroupMembers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_ADD_GROUP_MEMBERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/AddGroupMembers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `RemoveGroupMembers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_REMOVE_GROUP_MEMBERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/RemoveGroupMembers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetGroup` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_GET_GROUP_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/GetGroup",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListGroups` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_GROUPS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListGroups",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListGroupMembers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_GROUP_MEMBERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListGroupMembers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListGroupsWithMember` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const RELATION_SERVICE_LIST_GROUPS_WITH_MEMBER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.RelationService/ListGroupsWithMember",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Follows, lists, checks, requests, blocks, mutes, groups, suggestions, and the stream of changes of relations, posts,
/// likes and users.
///
/// An end user acts only as itself. No end user learns which users block it. A service acts for any user, within its
/// scopes: it reads with `relation.read`, writes with `relation.write`, and opens the stream with `watch`.
///
/// # Implementing handlers
///
/// Implement methods with plain `async fn`; the returned future satisfies
/// the `Send` bound automatically.
///
/// **Unary and server-streaming requests** arrive as
/// [`ServiceRequest<'_, Req>`](::connectrpc::ServiceRequest): a zero-copy
/// view of the request plus its body, valid for the duration of the call.
/// Fields are read directly (`request.name` is a `&str` into the decoded
/// buffer) and the borrow may be held across `.await` points. Anything
/// that must outlive the call — `tokio::spawn`, channels, server state,
/// or data captured by a returned response stream — takes owned data:
/// call `request.to_owned_message()` (or copy the specific fields)
/// first.
///
/// **Client-streaming and bidi requests** arrive as
/// [`InboundStream<Req>`](::connectrpc::InboundStream) — a
/// `ServiceStream` of [`StreamMessage`](::connectrpc::StreamMessage)s.
/// Each item owns its decoded buffer and is `Send + 'static`, so items
/// can be buffered or moved into spawned tasks; read fields zero-copy
/// through the generated accessor methods (`item.name()`) or `.view()`,
/// convert with `.to_owned_message()`, or yield an item back unchanged —
/// `StreamMessage<M>` implements `Encodable<M>`.
///
/// Request types resolved through `extern_path` (e.g. well-known types
/// from another crate) use the same wrappers; the crate that owns the
/// type must be generated with buffa ≥ 0.9.0 and views enabled so the
/// backing `HasMessageView` impl exists.
///
/// The `impl Encodable<Out>` return bound accepts the owned `Out`, the
/// generated `OutView<'_>` / `OwnedOutView`,
/// [`MaybeBorrowed`](::connectrpc::MaybeBorrowed), or
/// [`PreEncoded`](::connectrpc::PreEncoded) for handlers that encode a
/// non-`'static` view internally and pass the bytes across the handler
/// boundary. View bodies are not emitted for output types mapped via
/// `extern_path` (the impl would be an orphan); return owned for
/// WKT/extern outputs.
///
/// Server-streaming and bidi-streaming methods return
/// `ServiceStream<impl Encodable<Out> + Send + use<Self>>`. The
/// `use<Self>` precise-capturing clause excludes `&self`'s lifetime and
/// the request's lifetime (unary methods use `use<'a, Self>` and may
/// borrow from `&self`), so stream items must be `'static` and cannot
/// borrow from the request. To stream view-encoded data, encode each
/// item inside the stream body and yield
/// [`PreEncoded`](::connectrpc::PreEncoded) — see its `# Streaming
/// example` doc.
#[allow(clippy::type_complexity)]
pub trait RelationService: Send + Sync + 'static {
    /// Begins to follow `object`.
    ///
    /// - If `subject` follows already, the call changes nothing and answers `changed: false`.
    /// - If `object` is locked, the call makes a request instead. `requested` of the relation says so until the request is
    ///   approved or rejected, or 30 days are over. A waiting request counts for the follow limit of `subject`.
    /// - If `object` has asked `subject` to be friends, `subject` follows at once, also a locked `object`.
    ///
    /// Errors:
    /// - SELF, LIMIT_REACHED {limit}, USER_DEACTIVATED, USER_DELETED, IDEMPOTENCY_MISMATCH;
    /// - BLOCKED to the blocking user and to services, NOT_ALLOWED to an end user that is blocked;
    /// - REQUEST_REJECTED {until_ms} when `object` is locked and has rejected `subject` less than 7 days ago.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn follow<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, FollowRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<FollowResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Stops following `object`, or takes back a request to follow. Unfollowing twice changes nothing.
    ///
    /// Errors: SELF, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn unfollow<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UnfollowRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<UnfollowResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Makes `object` stop following `subject`. `object` may follow again.
    ///
    /// Errors: SELF, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn remove_follower<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RemoveFollowerRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<RemoveFollowerResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Follows up to 1,000 users, in order and in one commit. Each item has its own outcome. A refused item does not stop
    /// the others.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn batch_follow<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchFollowRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<BatchFollowResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Unfollows up to 1,000 users, in order. Each item does the same as a call of Unfollow.
    ///
    /// On one machine the batch is one commit. In a cluster each request that is taken back is a commit of its own.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn batch_unfollow<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchUnfollowRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<BatchUnfollowResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the users that a user follows, newest follow first.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_following<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListFollowingRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListFollowingResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the followers of a user, newest follow first. The cost of a page does not depend on its place in the list.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_followers<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListFollowersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListFollowersResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the friends of a user: the users that follow it and that it follows. The list is in the order in which the
    /// friendships began, newest first.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_friends<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListFriendsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListFriendsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the relation of `subject` to `object`, in both directions. The relation of a user to itself is empty.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_relation<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetRelationRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetRelationResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the relations of `subject` to up to 1,000 objects, all at one position.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn batch_get_relations<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchGetRelationsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                BatchGetRelationsResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the relation of the subject to the object in each of up to 1,000 pairs, all at one position.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn batch_check_pairs<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchCheckPairsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<BatchCheckPairsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the users that `viewer` follows and that follow `target`, with their exact count. The list is in the order of
    /// the viewer's following list.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_known_followers<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListKnownFollowersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                ListKnownFollowersResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the users that both `subject` and `object` follow, with their exact count. The list is in the order of the
    /// subject's following list.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_mutual_following<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListMutualFollowingRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                ListMutualFollowingResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Suggests users that `viewer` may want to follow, each with its reasons.
    ///
    /// The suggested users are:
    /// - friends of friends, with an exact count;
    /// - followers of the viewer that the viewer does not follow;
    /// - users that are among the 20 latest follows of at least two of the users whom the viewer follows.
    ///
    /// These users are never suggested:
    /// - users that the viewer follows, blocks, mutes or has dismissed;
    /// - users that block the viewer, or have a waiting request to or from the viewer;
    /// - users that are deactivated, taken down, deleted or not discoverable.
    ///
    /// The answer tells an end user of no follow that one of its two ends hides.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, INVALID_FIELD {field: kinds}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_suggestions<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListSuggestionsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListSuggestionsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Keeps `target` from being suggested to `viewer`. The server does not tell `target`. A viewer has at most 1,000
    /// dismissals: one more removes the oldest.
    ///
    /// Errors: SELF, USER_DELETED, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn dismiss_suggestion<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, DismissSuggestionRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                DismissSuggestionResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Takes a dismissal back.
    ///
    /// Errors: SELF, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn undo_dismissal<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UndoDismissalRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<UndoDismissalResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the users that `viewer` has dismissed from its suggestions, newest first. Only the viewer itself and services
    /// may call it.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_dismissed<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListDismissedRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListDismissedResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Records acts of users about each other, such as visits, messages, and other acts outside this server. The call
    /// records all of them or none. Only services with the scope `affinity.write` may call it.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, SELF, MISSING_FIELD, INVALID_FIELD {field: kind, count or time},
    /// IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn record_interactions<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RecordInteractionsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                RecordInteractionsResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the users with whom a user has the highest affinity, with their scores. Only services with the scope
    /// `affinity.read` may call it: no end user learns a score.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_top_affinity<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListTopAffinityRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListTopAffinityResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the exact counters of a user. All counters are zero for a user without edges.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_counts<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetCountsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetCountsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the exact counters of up to 1,000 users, all at one position.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn batch_get_counts<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchGetCountsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<BatchGetCountsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Blocks `object`.
    ///
    /// From the acknowledgement on:
    /// - neither of the two follows the other, and new follows are refused in both directions;
    /// - neither of the two is in a group of the other;
    /// - no request waits between the two.
    ///
    /// Errors: SELF, LIMIT_REACHED {limit}, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn block<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BlockRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<BlockResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Ends a block: follows are allowed again. The call restores no follow, request or membership that the block ended.
    ///
    /// Errors: SELF, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn unblock<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UnblockRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<UnblockResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the users that a user blocks, newest first. Only the user itself and services may call it.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_blocks<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListBlocksRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListBlocksResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Mutes `object`: its items are not in the subject's home. A mute changes no follow, and is never visible to
    /// `object`.
    ///
    /// If `subject` mutes `object` already, the call replaces the terms of the mute, and the mute keeps its place in the
    /// list.
    ///
    /// Errors: SELF, LIMIT_REACHED {limit}, INVALID_FIELD {duration}, USER_DELETED, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn mute<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, MuteRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<MuteResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Ends a mute.
    ///
    /// Errors: SELF, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn unmute<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UnmuteRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<UnmuteResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the users that a user mutes, newest first. Only the user itself and services may call it.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_mutes<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListMutesRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListMutesResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Asks `object` to be friends. The request waits until it is accepted, rejected or cancelled, or its time is over. A
    /// waiting request counts for the follow limit of `subject`.
    ///
    /// - If `object` has asked `subject` to be friends before, the call accepts that request.
    /// - If `object` has asked to follow `subject`, the call approves that request.
    ///
    /// At most 1,000 requests of a user wait at a time. Requests to follow are included.
    ///
    /// Errors:
    /// - SELF, LIMIT_REACHED {limit}, USER_DEACTIVATED, USER_DELETED, IDEMPOTENCY_MISMATCH;
    /// - BLOCKED or NOT_ALLOWED, as in Follow;
    /// - REQUEST_REJECTED {until_ms} when `object` has rejected `subject` less than 7 days ago.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn send_friend_request<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, SendFriendRequestRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                SendFriendRequestResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Accepts the friend request of `object`: the two users follow each other from one commit on. Only the follow limit
    /// of `subject`, the accepting user, is checked.
    ///
    /// The call answers `changed: false` for a request that was cancelled, rejected or expired before.
    ///
    /// Errors: SELF, LIMIT_REACHED {limit}, USER_DELETED, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn accept_friend_request<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, AcceptFriendRequestRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                AcceptFriendRequestResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Rejects the friend request of `object`. `object` cannot ask again for 7 days.
    ///
    /// Errors: SELF, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn reject_friend_request<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RejectFriendRequestRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                RejectFriendRequestResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Takes back the friend request of `subject` to `object`.
    ///
    /// Errors: SELF, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn cancel_friend_request<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, CancelFriendRequestRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                CancelFriendRequestResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Ends a friendship: neither of the two follows the other any more.
    ///
    /// Errors: SELF, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn remove_friend<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RemoveFriendRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<RemoveFriendResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the waiting friend requests of a user, newest first. Only the user itself and services may call it.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_friend_requests<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListFriendRequestsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                ListFriendRequestsResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Approves the request of `object` to follow `subject`. A user that unlocks its account need not call it: the server
    /// then approves all waiting requests by itself.
    ///
    /// Errors: SELF, USER_DELETED, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn approve_follow<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ApproveFollowRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ApproveFollowResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Approves up to 1,000 requests to follow, in order and in one commit. Each item does the same as a call of
    /// ApproveFollow. The follows are in effect for all these users before the answer. Each item has its own outcome. A
    /// refused item does not stop the others.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn batch_approve_follow<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchApproveFollowRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                BatchApproveFollowResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Rejects the request of `object` to follow `subject`. `object` cannot ask again for 7 days.
    ///
    /// Errors: SELF, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn reject_follow<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RejectFollowRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<RejectFollowResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Rejects up to 1,000 requests to follow, in order and in one commit. Each item does the same as a call of
    /// RejectFollow. The rejections are in effect for all these users before the answer. Each item has its own outcome. A
    /// refused item does not stop the others.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn batch_reject_follow<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchRejectFollowRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                BatchRejectFollowResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the waiting requests to follow of a user, newest first. Unfollow takes back a request of one's own. Only the
    /// user itself and services may call it.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_follow_requests<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListFollowRequestsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                ListFollowRequestsResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Counts the requests that came after the ones that the user has seen. The cost of the call is proportional to the
    /// count. Only the user itself and services may call it.
    ///
    /// Errors: INVALID_FIELD {cap}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_unseen_requests<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetUnseenRequestsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                GetUnseenRequestsResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Notes up to which request a user has seen its requests. The mark only rises.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn mark_requests_seen<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, MarkRequestsSeenRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<MarkRequestsSeenResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Streams the changes after a position, without a gap or a repeat, for as long as the caller listens. Only services
    /// may call it.
    ///
    /// The first answer comes at once: it has the first events, or is empty when there are none yet. Keep the `token` of
    /// each answer together with the data that you make of its events. To go on after a break, send the token in a new
    /// call.
    ///
    /// Errors: TRIMMED when the log no longer holds the position. Build your data anew from the lists, then call Watch
    /// without a token.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn watch(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, WatchRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<WatchResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Makes a group: a list or circle of users that only its owner sees. A user has at most 100 groups.
    ///
    /// Errors: LIMIT_REACHED {limit}, USER_DELETED, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn create_group<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, CreateGroupRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteGroupResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Gives a group another name.
    ///
    /// Errors: GROUP_NOT_FOUND, REVISION_MISMATCH {revision}, USER_DELETED, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn update_group<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UpdateGroupRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteGroupResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Removes a group with its members. The call changes nothing when there is no such group.
    ///
    /// Errors: IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn delete_group<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, DeleteGroupRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteGroupResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Makes up to 500 users the members of a group, and removes all other members, in one commit. A user that is a member
    /// already keeps its place in the list. Members need not be followed. One user that is refused as a member refuses the
    /// whole call.
    ///
    /// Errors:
    /// - GROUP_NOT_FOUND, REVISION_MISMATCH {revision}, BATCH_TOO_LARGE {limit}, SELF, USER_DELETED, IDEMPOTENCY_MISMATCH;
    /// - when the owner and a user block each other on either side: BLOCKED to services, NOT_ALLOWED to an end user.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn set_group_members<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, SetGroupMembersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteGroupResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Adds up to 500 members to a group, all or none of them. A group has at most 500 members.
    ///
    /// Errors:
    /// - GROUP_NOT_FOUND, LIMIT_REACHED {limit}, BATCH_TOO_LARGE {limit}, SELF, USER_DELETED, IDEMPOTENCY_MISMATCH;
    /// - when the owner and a user block each other on either side: BLOCKED to services, NOT_ALLOWED to an end user.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn add_group_members<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, AddGroupMembersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteGroupResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Removes up to 500 members from a group.
    ///
    /// Errors: GROUP_NOT_FOUND, BATCH_TOO_LARGE {limit}, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn remove_group_members<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RemoveGroupMembersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteGroupResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns a group, without its members. Only its owner and services may call it.
    ///
    /// Errors: GROUP_NOT_FOUND.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_group<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetGroupRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetGroupResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists all groups of a user, oldest first. Only the user itself and services may call it.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_groups<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListGroupsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListGroupsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the members of a group, newest member first. Only the owner and services may call it.
    ///
    /// Errors: GROUP_NOT_FOUND, PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_group_members<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListGroupMembersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListGroupMembersResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Tells for each of up to 1,000 users in which groups of the owner it is. Only the owner and services may call it.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_groups_with_member<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListGroupsWithMemberRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                ListGroupsWithMemberResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
}
/// Monomorphic dispatcher for `RelationService`.
///
/// Unlike `.register(Router)` which type-erases each method into an `Arc<dyn ErasedHandler>` stored in a `HashMap`, this struct dispatches via a compile-time `match` on method name: no vtable, no hash lookup.
///
/// # Example
///
/// ```rust,ignore
/// use connectrpc::ConnectRpcService;
///
/// let server = RelationServiceServer::new(MyImpl);
/// let service = ConnectRpcService::new(server);
/// // hand `service` to axum/hyper as a fallback_service
/// ```
pub struct RelationServiceServer<T> {
    inner: ::std::sync::Arc<T>,
}
impl<T: RelationService> RelationServiceServer<T> {
    /// Wrap a service implementation in a monomorphic dispatcher.
    pub fn new(service: T) -> Self {
        Self {
            inner: ::std::sync::Arc::new(service),
        }
    }
    /// Wrap an already-`Arc`'d service implementation.
    pub fn from_arc(inner: ::std::sync::Arc<T>) -> Self {
        Self { inner }
    }
}
impl<T> Clone for RelationServiceServer<T> {
    fn clone(&self) -> Self {
        Self {
            inner: ::std::sync::Arc::clone(&self.inner),
        }
    }
}
impl<T: RelationService> ::connectrpc::Dispatcher for RelationServiceServer<T> {
    #[inline]
    fn lookup(
        &self,
        path: &str,
    ) -> Option<::connectrpc::dispatcher::codegen::MethodDescriptor> {
        let method = path.strip_prefix("guanxi.v1.RelationService/")?;
        match method {
            "Follow" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_FOLLOW_SPEC),
                )
            }
            "Unfollow" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_UNFOLLOW_SPEC),
                )
            }
            "RemoveFollower" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_REMOVE_FOLLOWER_SPEC),
                )
            }
            "BatchFollow" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_BATCH_FOLLOW_SPEC),
                )
            }
            "BatchUnfollow" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_BATCH_UNFOLLOW_SPEC),
                )
            }
            "ListFollowing" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_FOLLOWING_SPEC),
                )
            }
            "ListFollowers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_FOLLOWERS_SPEC),
                )
            }
            "ListFriends" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_FRIENDS_SPEC),
                )
            }
            "GetRelation" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_GET_RELATION_SPEC),
                )
            }
            "BatchGetRelations" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_BATCH_GET_RELATIONS_SPEC),
                )
            }
            "BatchCheckPairs" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_BATCH_CHECK_PAIRS_SPEC),
                )
            }
            "ListKnownFollowers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_KNOWN_FOLLOWERS_SPEC),
                )
            }
            "ListMutualFollowing" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_MUTUAL_FOLLOWING_SPEC),
                )
            }
            "ListSuggestions" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_SUGGESTIONS_SPEC),
                )
            }
            "DismissSuggestion" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_DISMISS_SUGGESTION_SPEC),
                )
            }
            "UndoDismissal" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_UNDO_DISMISSAL_SPEC),
                )
            }
            "ListDismissed" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_DISMISSED_SPEC),
                )
            }
            "RecordInteractions" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_RECORD_INTERACTIONS_SPEC),
                )
            }
            "ListTopAffinity" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_TOP_AFFINITY_SPEC),
                )
            }
            "GetCounts" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_GET_COUNTS_SPEC),
                )
            }
            "BatchGetCounts" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_BATCH_GET_COUNTS_SPEC),
                )
            }
            "Block" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_BLOCK_SPEC),
                )
            }
            "Unblock" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_UNBLOCK_SPEC),
                )
            }
            "ListBlocks" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_BLOCKS_SPEC),
                )
            }
            "Mute" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_MUTE_SPEC),
                )
            }
            "Unmute" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_UNMUTE_SPEC),
                )
            }
            "ListMutes" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_MUTES_SPEC),
                )
            }
            "SendFriendRequest" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_SEND_FRIEND_REQUEST_SPEC),
                )
            }
            "AcceptFriendRequest" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_ACCEPT_FRIEND_REQUEST_SPEC),
                )
            }
            "RejectFriendRequest" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_REJECT_FRIEND_REQUEST_SPEC),
                )
            }
            "CancelFriendRequest" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_CANCEL_FRIEND_REQUEST_SPEC),
                )
            }
            "RemoveFriend" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_REMOVE_FRIEND_SPEC),
                )
            }
            "ListFriendRequests" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_FRIEND_REQUESTS_SPEC),
                )
            }
            "ApproveFollow" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_APPROVE_FOLLOW_SPEC),
                )
            }
            "BatchApproveFollow" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_BATCH_APPROVE_FOLLOW_SPEC),
                )
            }
            "RejectFollow" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_REJECT_FOLLOW_SPEC),
                )
            }
            "BatchRejectFollow" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_BATCH_REJECT_FOLLOW_SPEC),
                )
            }
            "ListFollowRequests" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_FOLLOW_REQUESTS_SPEC),
                )
            }
            "GetUnseenRequests" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_GET_UNSEEN_REQUESTS_SPEC),
                )
            }
            "MarkRequestsSeen" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_MARK_REQUESTS_SEEN_SPEC),
                )
            }
            "Watch" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(RELATION_SERVICE_WATCH_SPEC),
                )
            }
            "CreateGroup" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_CREATE_GROUP_SPEC),
                )
            }
            "UpdateGroup" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_UPDATE_GROUP_SPEC),
                )
            }
            "DeleteGroup" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_DELETE_GROUP_SPEC),
                )
            }
            "SetGroupMembers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_SET_GROUP_MEMBERS_SPEC),
                )
            }
            "AddGroupMembers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_ADD_GROUP_MEMBERS_SPEC),
                )
            }
            "RemoveGroupMembers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(RELATION_SERVICE_REMOVE_GROUP_MEMBERS_SPEC),
                )
            }
            "GetGroup" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_GET_GROUP_SPEC),
                )
            }
            "ListGroups" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_GROUPS_SPEC),
                )
            }
            "ListGroupMembers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_GROUP_MEMBERS_SPEC),
                )
            }
            "ListGroupsWithMember" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(RELATION_SERVICE_LIST_GROUPS_WITH_MEMBER_SPEC),
                )
            }
            _ => None,
        }
    }
    fn call_unary(
        &self,
        path: &str,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::Payload,
        format: ::connectrpc::CodecFormat,
    ) -> ::connectrpc::dispatcher::codegen::UnaryResult {
        let Some(method) = path.strip_prefix("guanxi.v1.RelationService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_unary(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
            "Follow" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        FollowRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::FollowRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        FollowRequest,
                    >::from_parts(&req, &body);
                    svc.follow(ctx, req).await?.encode::<FollowResponse>(format)
                })
            }
            "Unfollow" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UnfollowRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UnfollowRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UnfollowRequest,
                    >::from_parts(&req, &body);
                    svc.unfollow(ctx, req).await?.encode::<UnfollowResponse>(format)
                })
            }
            "RemoveFollower" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RemoveFollowerRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RemoveFollowerRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RemoveFollowerRequest,
                    >::from_parts(&req, &body);
                    svc.remove_follower(ctx, req)
                        .await?
                        .encode::<RemoveFollowerResponse>(format)
                })
            }
            "BatchFollow" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchFollowRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchFollowRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchFollowRequest,
                    >::from_parts(&req, &body);
                    svc.batch_follow(ctx, req)
                        .await?
                        .encode::<BatchFollowResponse>(format)
                })
            }
            "BatchUnfollow" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchUnfollowRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchUnfollowRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchUnfollowRequest,
                    >::from_parts(&req, &body);
                    svc.batch_unfollow(ctx, req)
                        .await?
                        .encode::<BatchUnfollowResponse>(format)
                })
            }
            "ListFollowing" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListFollowingRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListFollowingRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListFollowingRequest,
                    >::from_parts(&req, &body);
                    svc.list_following(ctx, req)
                        .await?
                        .encode::<ListFollowingResponse>(format)
                })
            }
            "ListFollowers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListFollowersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListFollowersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListFollowersRequest,
                    >::from_parts(&req, &body);
                    svc.list_followers(ctx, req)
                        .await?
                        .encode::<ListFollowersResponse>(format)
                })
            }
            "ListFriends" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListFriendsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListFriendsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListFriendsRequest,
                    >::from_parts(&req, &body);
                    svc.list_friends(ctx, req)
                        .await?
                        .encode::<ListFriendsResponse>(format)
                })
            }
            "GetRelation" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetRelationRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetRelationRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetRelationRequest,
                    >::from_parts(&req, &body);
                    svc.get_relation(ctx, req)
                        .await?
                        .encode::<GetRelationResponse>(format)
                })
            }
            "BatchGetRelations" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchGetRelationsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchGetRelationsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchGetRelationsRequest,
                    >::from_parts(&req, &body);
                    svc.batch_get_relations(ctx, req)
                        .await?
                        .encode::<BatchGetRelationsResponse>(format)
                })
            }
            "BatchCheckPairs" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchCheckPairsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchCheckPairsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchCheckPairsRequest,
                    >::from_parts(&req, &body);
                    svc.batch_check_pairs(ctx, req)
                        .await?
                        .encode::<BatchCheckPairsResponse>(format)
                })
            }
            "ListKnownFollowers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListKnownFollowersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListKnownFollowersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListKnownFollowersRequest,
                    >::from_parts(&req, &body);
                    svc.list_known_followers(ctx, req)
                        .await?
                        .encode::<ListKnownFollowersResponse>(format)
                })
            }
            "ListMutualFollowing" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListMutualFollowingRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListMutualFollowingRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListMutualFollowingRequest,
                    >::from_parts(&req, &body);
                    svc.list_mutual_following(ctx, req)
                        .await?
                        .encode::<ListMutualFollowingResponse>(format)
                })
            }
            "ListSuggestions" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListSuggestionsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListSuggestionsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListSuggestionsRequest,
                    >::from_parts(&req, &body);
                    svc.list_suggestions(ctx, req)
                        .await?
                        .encode::<ListSuggestionsResponse>(format)
                })
            }
            "DismissSuggestion" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        DismissSuggestionRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::DismissSuggestionRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        DismissSuggestionRequest,
                    >::from_parts(&req, &body);
                    svc.dismiss_suggestion(ctx, req)
                        .await?
                        .encode::<DismissSuggestionResponse>(format)
                })
            }
            "UndoDismissal" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UndoDismissalRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UndoDismissalRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UndoDismissalRequest,
                    >::from_parts(&req, &body);
                    svc.undo_dismissal(ctx, req)
                        .await?
                        .encode::<UndoDismissalResponse>(format)
                })
            }
            "ListDismissed" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListDismissedRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListDismissedRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListDismissedRequest,
                    >::from_parts(&req, &body);
                    svc.list_dismissed(ctx, req)
                        .await?
                        .encode::<ListDismissedResponse>(format)
                })
            }
            "RecordInteractions" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RecordInteractionsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RecordInteractionsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RecordInteractionsRequest,
                    >::from_parts(&req, &body);
                    svc.record_interactions(ctx, req)
                        .await?
                        .encode::<RecordInteractionsResponse>(format)
                })
            }
            "ListTopAffinity" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListTopAffinityRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListTopAffinityRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListTopAffinityRequest,
                    >::from_parts(&req, &body);
                    svc.list_top_affinity(ctx, req)
                        .await?
                        .encode::<ListTopAffinityResponse>(format)
                })
            }
            "GetCounts" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetCountsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetCountsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetCountsRequest,
                    >::from_parts(&req, &body);
                    svc.get_counts(ctx, req).await?.encode::<GetCountsResponse>(format)
                })
            }
            "BatchGetCounts" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchGetCountsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchGetCountsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchGetCountsRequest,
                    >::from_parts(&req, &body);
                    svc.batch_get_counts(ctx, req)
                        .await?
                        .encode::<BatchGetCountsResponse>(format)
                })
            }
            "Block" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BlockRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BlockRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BlockRequest,
                    >::from_parts(&req, &body);
                    svc.block(ctx, req).await?.encode::<BlockResponse>(format)
                })
            }
            "Unblock" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UnblockRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UnblockRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UnblockRequest,
                    >::from_parts(&req, &body);
                    svc.unblock(ctx, req).await?.encode::<UnblockResponse>(format)
                })
            }
            "ListBlocks" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListBlocksRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListBlocksRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListBlocksRequest,
                    >::from_parts(&req, &body);
                    svc.list_blocks(ctx, req).await?.encode::<ListBlocksResponse>(format)
                })
            }
            "Mute" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        MuteRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::MuteRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        MuteRequest,
                    >::from_parts(&req, &body);
                    svc.mute(ctx, req).await?.encode::<MuteResponse>(format)
                })
            }
            "Unmute" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UnmuteRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UnmuteRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UnmuteRequest,
                    >::from_parts(&req, &body);
                    svc.unmute(ctx, req).await?.encode::<UnmuteResponse>(format)
                })
            }
            "ListMutes" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListMutesRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListMutesRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListMutesRequest,
                    >::from_parts(&req, &body);
                    svc.list_mutes(ctx, req).await?.encode::<ListMutesResponse>(format)
                })
            }
            "SendFriendRequest" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        SendFriendRequestRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::SendFriendRequestRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        SendFriendRequestRequest,
                    >::from_parts(&req, &body);
                    svc.send_friend_request(ctx, req)
                        .await?
                        .encode::<SendFriendRequestResponse>(format)
                })
            }
            "AcceptFriendRequest" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        AcceptFriendRequestRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::AcceptFriendRequestRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        AcceptFriendRequestRequest,
                    >::from_parts(&req, &body);
                    svc.accept_friend_request(ctx, req)
                        .await?
                        .encode::<AcceptFriendRequestResponse>(format)
                })
            }
            "RejectFriendRequest" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RejectFriendRequestRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RejectFriendRequestRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RejectFriendRequestRequest,
                    >::from_parts(&req, &body);
                    svc.reject_friend_request(ctx, req)
                        .await?
                        .encode::<RejectFriendRequestResponse>(format)
                })
            }
            "CancelFriendRequest" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        CancelFriendRequestRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::CancelFriendRequestRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        CancelFriendRequestRequest,
                    >::from_parts(&req, &body);
                    svc.cancel_friend_request(ctx, req)
                        .await?
                        .encode::<CancelFriendRequestResponse>(format)
                })
            }
            "RemoveFriend" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RemoveFriendRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RemoveFriendRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RemoveFriendRequest,
                    >::from_parts(&req, &body);
                    svc.remove_friend(ctx, req)
                        .await?
                        .encode::<RemoveFriendResponse>(format)
                })
            }
            "ListFriendRequests" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListFriendRequestsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListFriendRequestsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListFriendRequestsRequest,
                    >::from_parts(&req, &body);
                    svc.list_friend_requests(ctx, req)
                        .await?
                        .encode::<ListFriendRequestsResponse>(format)
                })
            }
            "ApproveFollow" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ApproveFollowRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ApproveFollowRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ApproveFollowRequest,
                    >::from_parts(&req, &body);
                    svc.approve_follow(ctx, req)
                        .await?
                        .encode::<ApproveFollowResponse>(format)
                })
            }
            "BatchApproveFollow" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchApproveFollowRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchApproveFollowRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchApproveFollowRequest,
                    >::from_parts(&req, &body);
                    svc.batch_approve_follow(ctx, req)
                        .await?
                        .encode::<BatchApproveFollowResponse>(format)
                })
            }
            "RejectFollow" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RejectFollowRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RejectFollowRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RejectFollowRequest,
                    >::from_parts(&req, &body);
                    svc.reject_follow(ctx, req)
                        .await?
                        .encode::<RejectFollowResponse>(format)
                })
            }
            "BatchRejectFollow" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchRejectFollowRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchRejectFollowRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchRejectFollowRequest,
                    >::from_parts(&req, &body);
                    svc.batch_reject_follow(ctx, req)
                        .await?
                        .encode::<BatchRejectFollowResponse>(format)
                })
            }
            "ListFollowRequests" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListFollowRequestsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListFollowRequestsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListFollowRequestsRequest,
                    >::from_parts(&req, &body);
                    svc.list_follow_requests(ctx, req)
                        .await?
                        .encode::<ListFollowRequestsResponse>(format)
                })
            }
            "GetUnseenRequests" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetUnseenRequestsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetUnseenRequestsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetUnseenRequestsRequest,
                    >::from_parts(&req, &body);
                    svc.get_unseen_requests(ctx, req)
                        .await?
                        .encode::<GetUnseenRequestsResponse>(format)
                })
            }
            "MarkRequestsSeen" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        MarkRequestsSeenRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::MarkRequestsSeenRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        MarkRequestsSeenRequest,
                    >::from_parts(&req, &body);
                    svc.mark_requests_seen(ctx, req)
                        .await?
                        .encode::<MarkRequestsSeenResponse>(format)
                })
            }
            "CreateGroup" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        CreateGroupRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::CreateGroupRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        CreateGroupRequest,
                    >::from_parts(&req, &body);
                    svc.create_group(ctx, req)
                        .await?
                        .encode::<WriteGroupResponse>(format)
                })
            }
            "UpdateGroup" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UpdateGroupRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UpdateGroupRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UpdateGroupRequest,
                    >::from_parts(&req, &body);
                    svc.update_group(ctx, req)
                        .await?
                        .encode::<WriteGroupResponse>(format)
                })
            }
            "DeleteGroup" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        DeleteGroupRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::DeleteGroupRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        DeleteGroupRequest,
                    >::from_parts(&req, &body);
                    svc.delete_group(ctx, req)
                        .await?
                        .encode::<WriteGroupResponse>(format)
                })
            }
            "SetGroupMembers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        SetGroupMembersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::SetGroupMembersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        SetGroupMembersRequest,
                    >::from_parts(&req, &body);
                    svc.set_group_members(ctx, req)
                        .await?
                        .encode::<WriteGroupResponse>(format)
                })
            }
            "AddGroupMembers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        AddGroupMembersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::AddGroupMembersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        AddGroupMembersRequest,
                    >::from_parts(&req, &body);
                    svc.add_group_members(ctx, req)
                        .await?
                        .encode::<WriteGroupResponse>(format)
                })
            }
            "RemoveGroupMembers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RemoveGroupMembersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RemoveGroupMembersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RemoveGroupMembersRequest,
                    >::from_parts(&req, &body);
                    svc.remove_group_members(ctx, req)
                        .await?
                        .encode::<WriteGroupResponse>(format)
                })
            }
            "GetGroup" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetGroupRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetGroupRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetGroupRequest,
                    >::from_parts(&req, &body);
                    svc.get_group(ctx, req).await?.encode::<GetGroupResponse>(format)
                })
            }
            "ListGroups" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListGroupsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListGroupsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListGroupsRequest,
                    >::from_parts(&req, &body);
                    svc.list_groups(ctx, req).await?.encode::<ListGroupsResponse>(format)
                })
            }
            "ListGroupMembers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListGroupMembersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListGroupMembersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListGroupMembersRequest,
                    >::from_parts(&req, &body);
                    svc.list_group_members(ctx, req)
                        .await?
                        .encode::<ListGroupMembersResponse>(format)
                })
            }
            "ListGroupsWithMember" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListGroupsWithMemberRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListGroupsWithMemberRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListGroupsWithMemberRequest,
                    >::from_parts(&req, &body);
                    svc.list_groups_with_member(ctx, req)
                        .await?
                        .encode::<ListGroupsWithMemberResponse>(format)
                })
            }
            _ => ::connectrpc::dispatcher::codegen::unimplemented_unary(path),
        }
    }
    fn call_server_streaming(
        &self,
        path: &str,
        ctx: ::connectrpc::RequestContext,
        request: ::buffa::bytes::Bytes,
        format: ::connectrpc::CodecFormat,
    ) -> ::connectrpc::dispatcher::codegen::StreamingResult {
        let Some(method) = path.strip_prefix("guanxi.v1.RelationService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_streaming(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
            "Watch" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        WatchRequest,
                    >(request, format)?;
                    let req: __buffa::view::WatchRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        WatchRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.watch(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                WatchResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            _ => ::connectrpc::dispatcher::codegen::unimplemented_streaming(path),
        }
    }
    fn call_client_streaming(
        &self,
        path: &str,
        ctx: ::connectrpc::RequestContext,
        requests: ::connectrpc::dispatcher::codegen::RequestStream,
        format: ::connectrpc::CodecFormat,
    ) -> ::connectrpc::dispatcher::codegen::UnaryResult {
        let Some(method) = path.strip_prefix("guanxi.v1.RelationService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_unary(path);
        };
        let _ = (&ctx, &requests, &format);
        match method {
            _ => ::connectrpc::dispatcher::codegen::unimplemented_unary(path),
        }
    }
    fn call_bidi_streaming(
        &self,
        path: &str,
        ctx: ::connectrpc::RequestContext,
        requests: ::connectrpc::dispatcher::codegen::RequestStream,
        format: ::connectrpc::CodecFormat,
    ) -> ::connectrpc::dispatcher::codegen::StreamingResult {
        let Some(method) = path.strip_prefix("guanxi.v1.RelationService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_streaming(path);
        };
        let _ = (&ctx, &requests, &format);
        match method {
            _ => ::connectrpc::dispatcher::codegen::unimplemented_streaming(path),
        }
    }
}
/// Client for this service.
///
/// Generic over `T: ClientTransport`. For **gRPC** (HTTP/2), use
/// `Http2Connection` — it has honest `poll_ready` and composes with
/// `tower::balance` for multi-connection load balancing. For **Connect
/// over HTTP/1.1** (or unknown protocol), use `HttpClient`.
///
/// # Example (gRPC / HTTP/2)
///
/// ```rust,ignore
/// use connectrpc::client::{Http2Connection, ClientConfig};
/// use connectrpc::Protocol;
///
/// let uri: http::Uri = "http://localhost:8080".parse()?;
/// let conn = Http2Connection::connect_plaintext(uri.clone()).await?.shared(1024);
/// let config = ClientConfig::new(uri).with_protocol(Protocol::Grpc);
///
/// let client = RelationServiceClient::new(conn, config);
/// let response = client.follow(request).await?;
/// ```
///
/// # Example (Connect / HTTP/1.1 or ALPN)
///
/// ```rust,ignore
/// use connectrpc::client::{HttpClient, ClientConfig};
///
/// let http = HttpClient::plaintext();  // cleartext http:// only
/// let config = ClientConfig::new("http://localhost:8080".parse()?);
///
/// let client = RelationServiceClient::new(http, config);
/// let response = client.follow(request).await?;
/// ```
///
/// # Working with the response
///
/// Unary calls return [`UnaryResponse<OwnedView<FooView>>`](::connectrpc::client::UnaryResponse).
/// [`view()`](::connectrpc::client::UnaryResponse::view) borrows the response
/// message, so field access is zero-copy:
///
/// ```rust,ignore
/// let resp = client.follow(request).await?;
/// let name: &str = resp.view().name;  // borrow into the response buffer
/// ```
///
/// If you need the owned struct (e.g. to store or pass by value), use
/// [`into_owned()`](::connectrpc::client::UnaryResponse::into_owned):
///
/// ```rust,ignore
/// let owned = client.follow(request).await?.into_owned();
/// ```
///
/// [`into_view()`](::connectrpc::client::UnaryResponse::into_view) keeps the
/// zero-copy decoded body (an `OwnedView`) without copying; field access on it
/// goes through `.reborrow()`. Streaming responses yield one
/// [`StreamMessage`](::connectrpc::StreamMessage) per received message from
/// `.message().await` — read fields zero-copy through the generated accessor
/// methods (`msg.name()`) or `.view()`, or convert with `.to_owned_message()`.
#[derive(Clone)]
pub struct RelationServiceClient<T> {
    transport: T,
    config: ::connectrpc::client::ClientConfig,
}
impl<T> RelationServiceClient<T>
where
    T: ::connectrpc::client::ClientTransport,
    <T::ResponseBody as ::connectrpc::http_body::Body>::Error: ::std::fmt::Display,
{
    /// Create a new client with the given transport and configuration.
    pub fn new(transport: T, config: ::connectrpc::client::ClientConfig) -> Self {
        Self { transport, config }
    }
    /// Get the client configuration.
    pub fn config(&self) -> &::connectrpc::client::ClientConfig {
        &self.config
    }
    /// Get a mutable reference to the client configuration.
    pub fn config_mut(&mut self) -> &mut ::connectrpc::client::ClientConfig {
        &mut self.config
    }
    /// Call the Follow RPC. Sends a request to /guanxi.v1.RelationService/Follow.
    pub async fn follow(
        &self,
        request: FollowRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::FollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.follow_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Follow RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn follow_with_options(
        &self,
        request: FollowRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::FollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_FOLLOW_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Unfollow RPC. Sends a request to /guanxi.v1.RelationService/Unfollow.
    pub async fn unfollow(
        &self,
        request: UnfollowRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::UnfollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.unfollow_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Unfollow RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn unfollow_with_options(
        &self,
        request: UnfollowRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::UnfollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_UNFOLLOW_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RemoveFollower RPC. Sends a request to /guanxi.v1.RelationService/RemoveFollower.
    pub async fn remove_follower(
        &self,
        request: RemoveFollowerRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RemoveFollowerResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.remove_follower_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RemoveFollower RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn remove_follower_with_options(
        &self,
        request: RemoveFollowerRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RemoveFollowerResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_REMOVE_FOLLOWER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchFollow RPC. Sends a request to /guanxi.v1.RelationService/BatchFollow.
    pub async fn batch_follow(
        &self,
        request: BatchFollowRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchFollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_follow_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchFollow RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_follow_with_options(
        &self,
        request: BatchFollowRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchFollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_BATCH_FOLLOW_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchUnfollow RPC. Sends a request to /guanxi.v1.RelationService/BatchUnfollow.
    pub async fn batch_unfollow(
        &self,
        request: BatchUnfollowRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchUnfollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_unfollow_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchUnfollow RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_unfollow_with_options(
        &self,
        request: BatchUnfollowRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchUnfollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_BATCH_UNFOLLOW_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListFollowing RPC. Sends a request to /guanxi.v1.RelationService/ListFollowing.
    pub async fn list_following(
        &self,
        request: ListFollowingRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListFollowingResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_following_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListFollowing RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_following_with_options(
        &self,
        request: ListFollowingRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListFollowingResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_FOLLOWING_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListFollowers RPC. Sends a request to /guanxi.v1.RelationService/ListFollowers.
    pub async fn list_followers(
        &self,
        request: ListFollowersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListFollowersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_followers_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListFollowers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_followers_with_options(
        &self,
        request: ListFollowersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListFollowersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_FOLLOWERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListFriends RPC. Sends a request to /guanxi.v1.RelationService/ListFriends.
    pub async fn list_friends(
        &self,
        request: ListFriendsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListFriendsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_friends_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListFriends RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_friends_with_options(
        &self,
        request: ListFriendsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListFriendsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_FRIENDS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetRelation RPC. Sends a request to /guanxi.v1.RelationService/GetRelation.
    pub async fn get_relation(
        &self,
        request: GetRelationRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetRelationResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_relation_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetRelation RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_relation_with_options(
        &self,
        request: GetRelationRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetRelationResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_GET_RELATION_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchGetRelations RPC. Sends a request to /guanxi.v1.RelationService/BatchGetRelations.
    pub async fn batch_get_relations(
        &self,
        request: BatchGetRelationsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::BatchGetRelationsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_get_relations_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchGetRelations RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_get_relations_with_options(
        &self,
        request: BatchGetRelationsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::BatchGetRelationsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_BATCH_GET_RELATIONS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchCheckPairs RPC. Sends a request to /guanxi.v1.RelationService/BatchCheckPairs.
    pub async fn batch_check_pairs(
        &self,
        request: BatchCheckPairsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchCheckPairsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_check_pairs_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchCheckPairs RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_check_pairs_with_options(
        &self,
        request: BatchCheckPairsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchCheckPairsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_BATCH_CHECK_PAIRS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListKnownFollowers RPC. Sends a request to /guanxi.v1.RelationService/ListKnownFollowers.
    pub async fn list_known_followers(
        &self,
        request: ListKnownFollowersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListKnownFollowersResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_known_followers_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListKnownFollowers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_known_followers_with_options(
        &self,
        request: ListKnownFollowersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListKnownFollowersResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_KNOWN_FOLLOWERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListMutualFollowing RPC. Sends a request to /guanxi.v1.RelationService/ListMutualFollowing.
    pub async fn list_mutual_following(
        &self,
        request: ListMutualFollowingRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListMutualFollowingResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_mutual_following_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListMutualFollowing RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_mutual_following_with_options(
        &self,
        request: ListMutualFollowingRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListMutualFollowingResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_MUTUAL_FOLLOWING_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListSuggestions RPC. Sends a request to /guanxi.v1.RelationService/ListSuggestions.
    pub async fn list_suggestions(
        &self,
        request: ListSuggestionsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListSuggestionsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_suggestions_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListSuggestions RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_suggestions_with_options(
        &self,
        request: ListSuggestionsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListSuggestionsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_SUGGESTIONS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the DismissSuggestion RPC. Sends a request to /guanxi.v1.RelationService/DismissSuggestion.
    pub async fn dismiss_suggestion(
        &self,
        request: DismissSuggestionRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::DismissSuggestionResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.dismiss_suggestion_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the DismissSuggestion RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn dismiss_suggestion_with_options(
        &self,
        request: DismissSuggestionRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::DismissSuggestionResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_DISMISS_SUGGESTION_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the UndoDismissal RPC. Sends a request to /guanxi.v1.RelationService/UndoDismissal.
    pub async fn undo_dismissal(
        &self,
        request: UndoDismissalRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::UndoDismissalResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.undo_dismissal_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the UndoDismissal RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn undo_dismissal_with_options(
        &self,
        request: UndoDismissalRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::UndoDismissalResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_UNDO_DISMISSAL_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListDismissed RPC. Sends a request to /guanxi.v1.RelationService/ListDismissed.
    pub async fn list_dismissed(
        &self,
        request: ListDismissedRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListDismissedResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_dismissed_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListDismissed RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_dismissed_with_options(
        &self,
        request: ListDismissedRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListDismissedResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_DISMISSED_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RecordInteractions RPC. Sends a request to /guanxi.v1.RelationService/RecordInteractions.
    pub async fn record_interactions(
        &self,
        request: RecordInteractionsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::RecordInteractionsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.record_interactions_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RecordInteractions RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn record_interactions_with_options(
        &self,
        request: RecordInteractionsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::RecordInteractionsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_RECORD_INTERACTIONS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListTopAffinity RPC. Sends a request to /guanxi.v1.RelationService/ListTopAffinity.
    pub async fn list_top_affinity(
        &self,
        request: ListTopAffinityRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListTopAffinityResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_top_affinity_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListTopAffinity RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_top_affinity_with_options(
        &self,
        request: ListTopAffinityRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListTopAffinityResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_TOP_AFFINITY_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetCounts RPC. Sends a request to /guanxi.v1.RelationService/GetCounts.
    pub async fn get_counts(
        &self,
        request: GetCountsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetCountsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_counts_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetCounts RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_counts_with_options(
        &self,
        request: GetCountsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetCountsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_GET_COUNTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchGetCounts RPC. Sends a request to /guanxi.v1.RelationService/BatchGetCounts.
    pub async fn batch_get_counts(
        &self,
        request: BatchGetCountsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchGetCountsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_get_counts_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchGetCounts RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_get_counts_with_options(
        &self,
        request: BatchGetCountsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchGetCountsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_BATCH_GET_COUNTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Block RPC. Sends a request to /guanxi.v1.RelationService/Block.
    pub async fn block(
        &self,
        request: BlockRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BlockResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.block_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Block RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn block_with_options(
        &self,
        request: BlockRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BlockResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_BLOCK_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Unblock RPC. Sends a request to /guanxi.v1.RelationService/Unblock.
    pub async fn unblock(
        &self,
        request: UnblockRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::UnblockResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.unblock_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Unblock RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn unblock_with_options(
        &self,
        request: UnblockRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::UnblockResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_UNBLOCK_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListBlocks RPC. Sends a request to /guanxi.v1.RelationService/ListBlocks.
    pub async fn list_blocks(
        &self,
        request: ListBlocksRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListBlocksResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_blocks_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListBlocks RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_blocks_with_options(
        &self,
        request: ListBlocksRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListBlocksResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_BLOCKS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Mute RPC. Sends a request to /guanxi.v1.RelationService/Mute.
    pub async fn mute(
        &self,
        request: MuteRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::MuteResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.mute_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Mute RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn mute_with_options(
        &self,
        request: MuteRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::MuteResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_MUTE_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Unmute RPC. Sends a request to /guanxi.v1.RelationService/Unmute.
    pub async fn unmute(
        &self,
        request: UnmuteRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::UnmuteResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.unmute_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Unmute RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn unmute_with_options(
        &self,
        request: UnmuteRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::UnmuteResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_UNMUTE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListMutes RPC. Sends a request to /guanxi.v1.RelationService/ListMutes.
    pub async fn list_mutes(
        &self,
        request: ListMutesRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListMutesResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_mutes_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListMutes RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_mutes_with_options(
        &self,
        request: ListMutesRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListMutesResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_MUTES_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the SendFriendRequest RPC. Sends a request to /guanxi.v1.RelationService/SendFriendRequest.
    pub async fn send_friend_request(
        &self,
        request: SendFriendRequestRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::SendFriendRequestResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.send_friend_request_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the SendFriendRequest RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn send_friend_request_with_options(
        &self,
        request: SendFriendRequestRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::SendFriendRequestResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_SEND_FRIEND_REQUEST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the AcceptFriendRequest RPC. Sends a request to /guanxi.v1.RelationService/AcceptFriendRequest.
    pub async fn accept_friend_request(
        &self,
        request: AcceptFriendRequestRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::AcceptFriendRequestResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.accept_friend_request_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the AcceptFriendRequest RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn accept_friend_request_with_options(
        &self,
        request: AcceptFriendRequestRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::AcceptFriendRequestResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_ACCEPT_FRIEND_REQUEST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RejectFriendRequest RPC. Sends a request to /guanxi.v1.RelationService/RejectFriendRequest.
    pub async fn reject_friend_request(
        &self,
        request: RejectFriendRequestRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::RejectFriendRequestResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.reject_friend_request_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RejectFriendRequest RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn reject_friend_request_with_options(
        &self,
        request: RejectFriendRequestRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::RejectFriendRequestResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_REJECT_FRIEND_REQUEST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the CancelFriendRequest RPC. Sends a request to /guanxi.v1.RelationService/CancelFriendRequest.
    pub async fn cancel_friend_request(
        &self,
        request: CancelFriendRequestRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::CancelFriendRequestResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.cancel_friend_request_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the CancelFriendRequest RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn cancel_friend_request_with_options(
        &self,
        request: CancelFriendRequestRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::CancelFriendRequestResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_CANCEL_FRIEND_REQUEST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RemoveFriend RPC. Sends a request to /guanxi.v1.RelationService/RemoveFriend.
    pub async fn remove_friend(
        &self,
        request: RemoveFriendRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RemoveFriendResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.remove_friend_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RemoveFriend RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn remove_friend_with_options(
        &self,
        request: RemoveFriendRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RemoveFriendResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_REMOVE_FRIEND_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListFriendRequests RPC. Sends a request to /guanxi.v1.RelationService/ListFriendRequests.
    pub async fn list_friend_requests(
        &self,
        request: ListFriendRequestsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListFriendRequestsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_friend_requests_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListFriendRequests RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_friend_requests_with_options(
        &self,
        request: ListFriendRequestsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListFriendRequestsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_FRIEND_REQUESTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ApproveFollow RPC. Sends a request to /guanxi.v1.RelationService/ApproveFollow.
    pub async fn approve_follow(
        &self,
        request: ApproveFollowRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ApproveFollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.approve_follow_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ApproveFollow RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn approve_follow_with_options(
        &self,
        request: ApproveFollowRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ApproveFollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_APPROVE_FOLLOW_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchApproveFollow RPC. Sends a request to /guanxi.v1.RelationService/BatchApproveFollow.
    pub async fn batch_approve_follow(
        &self,
        request: BatchApproveFollowRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::BatchApproveFollowResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_approve_follow_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchApproveFollow RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_approve_follow_with_options(
        &self,
        request: BatchApproveFollowRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::BatchApproveFollowResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_BATCH_APPROVE_FOLLOW_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RejectFollow RPC. Sends a request to /guanxi.v1.RelationService/RejectFollow.
    pub async fn reject_follow(
        &self,
        request: RejectFollowRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RejectFollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.reject_follow_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RejectFollow RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn reject_follow_with_options(
        &self,
        request: RejectFollowRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RejectFollowResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_REJECT_FOLLOW_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchRejectFollow RPC. Sends a request to /guanxi.v1.RelationService/BatchRejectFollow.
    pub async fn batch_reject_follow(
        &self,
        request: BatchRejectFollowRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::BatchRejectFollowResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_reject_follow_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchRejectFollow RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_reject_follow_with_options(
        &self,
        request: BatchRejectFollowRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::BatchRejectFollowResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_BATCH_REJECT_FOLLOW_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListFollowRequests RPC. Sends a request to /guanxi.v1.RelationService/ListFollowRequests.
    pub async fn list_follow_requests(
        &self,
        request: ListFollowRequestsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListFollowRequestsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_follow_requests_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListFollowRequests RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_follow_requests_with_options(
        &self,
        request: ListFollowRequestsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListFollowRequestsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_FOLLOW_REQUESTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetUnseenRequests RPC. Sends a request to /guanxi.v1.RelationService/GetUnseenRequests.
    pub async fn get_unseen_requests(
        &self,
        request: GetUnseenRequestsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::GetUnseenRequestsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_unseen_requests_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetUnseenRequests RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_unseen_requests_with_options(
        &self,
        request: GetUnseenRequestsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::GetUnseenRequestsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_GET_UNSEEN_REQUESTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the MarkRequestsSeen RPC. Sends a request to /guanxi.v1.RelationService/MarkRequestsSeen.
    pub async fn mark_requests_seen(
        &self,
        request: MarkRequestsSeenRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::MarkRequestsSeenResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.mark_requests_seen_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the MarkRequestsSeen RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn mark_requests_seen_with_options(
        &self,
        request: MarkRequestsSeenRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::MarkRequestsSeenResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_MARK_REQUESTS_SEEN_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Watch RPC. Sends a request to /guanxi.v1.RelationService/Watch.
    pub async fn watch(
        &self,
        request: WatchRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::WatchResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.watch_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Watch RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn watch_with_options(
        &self,
        request: WatchRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::WatchResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                RELATION_SERVICE_WATCH_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the CreateGroup RPC. Sends a request to /guanxi.v1.RelationService/CreateGroup.
    pub async fn create_group(
        &self,
        request: CreateGroupRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.create_group_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the CreateGroup RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn create_group_with_options(
        &self,
        request: CreateGroupRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_CREATE_GROUP_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the UpdateGroup RPC. Sends a request to /guanxi.v1.RelationService/UpdateGroup.
    pub async fn update_group(
        &self,
        request: UpdateGroupRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.update_group_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the UpdateGroup RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn update_group_with_options(
        &self,
        request: UpdateGroupRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_UPDATE_GROUP_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the DeleteGroup RPC. Sends a request to /guanxi.v1.RelationService/DeleteGroup.
    pub async fn delete_group(
        &self,
        request: DeleteGroupRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.delete_group_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the DeleteGroup RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn delete_group_with_options(
        &self,
        request: DeleteGroupRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_DELETE_GROUP_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the SetGroupMembers RPC. Sends a request to /guanxi.v1.RelationService/SetGroupMembers.
    pub async fn set_group_members(
        &self,
        request: SetGroupMembersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.set_group_members_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the SetGroupMembers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn set_group_members_with_options(
        &self,
        request: SetGroupMembersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_SET_GROUP_MEMBERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the AddGroupMembers RPC. Sends a request to /guanxi.v1.RelationService/AddGroupMembers.
    pub async fn add_group_members(
        &self,
        request: AddGroupMembersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.add_group_members_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the AddGroupMembers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn add_group_members_with_options(
        &self,
        request: AddGroupMembersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_ADD_GROUP_MEMBERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RemoveGroupMembers RPC. Sends a request to /guanxi.v1.RelationService/RemoveGroupMembers.
    pub async fn remove_group_members(
        &self,
        request: RemoveGroupMembersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.remove_group_members_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RemoveGroupMembers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn remove_group_members_with_options(
        &self,
        request: RemoveGroupMembersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_REMOVE_GROUP_MEMBERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetGroup RPC. Sends a request to /guanxi.v1.RelationService/GetGroup.
    pub async fn get_group(
        &self,
        request: GetGroupRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_group_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetGroup RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_group_with_options(
        &self,
        request: GetGroupRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetGroupResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_GET_GROUP_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListGroups RPC. Sends a request to /guanxi.v1.RelationService/ListGroups.
    pub async fn list_groups(
        &self,
        request: ListGroupsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListGroupsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_groups_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListGroups RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_groups_with_options(
        &self,
        request: ListGroupsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListGroupsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_GROUPS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListGroupMembers RPC. Sends a request to /guanxi.v1.RelationService/ListGroupMembers.
    pub async fn list_group_members(
        &self,
        request: ListGroupMembersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListGroupMembersResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_group_members_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListGroupMembers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_group_members_with_options(
        &self,
        request: ListGroupMembersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListGroupMembersResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_GROUP_MEMBERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListGroupsWithMember RPC. Sends a request to /guanxi.v1.RelationService/ListGroupsWithMember.
    pub async fn list_groups_with_member(
        &self,
        request: ListGroupsWithMemberRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListGroupsWithMemberResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_groups_with_member_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListGroupsWithMember RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_groups_with_member_with_options(
        &self,
        request: ListGroupsWithMemberRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListGroupsWithMemberResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                RELATION_SERVICE_LIST_GROUPS_WITH_MEMBER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
}
