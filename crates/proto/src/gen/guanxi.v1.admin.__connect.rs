/// Full service name for this service.
pub const ADMIN_SERVICE_SERVICE_NAME: &str = "guanxi.v1.AdminService";
/// Static [`Spec`](::connectrpc::Spec) for the `Verify` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_VERIFY_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/Verify",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Repair` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_REPAIR_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/Repair",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ImportEdges` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_IMPORT_EDGES_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ImportEdges",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ImportPosts` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_IMPORT_POSTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ImportPosts",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ImportLikes` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_IMPORT_LIKES_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ImportLikes",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ImportUsers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_IMPORT_USERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ImportUsers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ImportRequests` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_IMPORT_REQUESTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ImportRequests",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ExportRequests` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_EXPORT_REQUESTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ExportRequests",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetImportJob` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_GET_IMPORT_JOB_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/GetImportJob",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ExportEdges` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_EXPORT_EDGES_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ExportEdges",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ExportPosts` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_EXPORT_POSTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ExportPosts",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ExportLikes` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_EXPORT_LIKES_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ExportLikes",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ExportUsers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_EXPORT_USERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ExportUsers",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListErasedUsers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_LIST_ERASED_USERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ListErasedUsers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `SetFollowLimit` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_SET_FOLLOW_LIMIT_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/SetFollowLimit",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetFollowLimit` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_GET_FOLLOW_LIMIT_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/GetFollowLimit",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `VerifyFeed` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_VERIFY_FEED_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/VerifyFeed",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `VerifySearch` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_VERIFY_SEARCH_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/VerifySearch",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetFanoutStatus` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_GET_FANOUT_STATUS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/GetFanoutStatus",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `PutFanoutPolicy` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_PUT_FANOUT_POLICY_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/PutFanoutPolicy",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetFanoutPolicy` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_GET_FANOUT_POLICY_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/GetFanoutPolicy",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ResolveIds` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_RESOLVE_IDS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ResolveIds",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `RebuildSearch` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_REBUILD_SEARCH_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/RebuildSearch",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `QueryUsers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_QUERY_USERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/QueryUsers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `QueryPosts` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_QUERY_POSTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/QueryPosts",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `StartExport` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_START_EXPORT_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/StartExport",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetExport` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_GET_EXPORT_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/GetExport",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListExports` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_LIST_EXPORTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ListExports",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `CancelExport` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_CANCEL_EXPORT_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/CancelExport",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ReadExport` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_READ_EXPORT_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ReadExport",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `TakeDownPost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_TAKE_DOWN_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/TakeDownPost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ReinstatePost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_REINSTATE_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ReinstatePost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `TakeDownUser` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_TAKE_DOWN_USER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/TakeDownUser",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ReinstateUser` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_REINSTATE_USER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ReinstateUser",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `CreateToken` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_CREATE_TOKEN_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/CreateToken",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListTokens` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_LIST_TOKENS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ListTokens",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `RevokeToken` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_REVOKE_TOKEN_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/RevokeToken",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListAuditEntries` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_LIST_AUDIT_ENTRIES_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ListAuditEntries",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListUserEvents` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_LIST_USER_EVENTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ListUserEvents",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ExportUser` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_EXPORT_USER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/ExportUser",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Backup` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_BACKUP_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/Backup",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Stats` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_STATS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/Stats",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `CreateConsoleCode` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_CREATE_CONSOLE_CODE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/CreateConsoleCode",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetOverview` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_GET_OVERVIEW_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/GetOverview",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `GetShardMap` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const ADMIN_SERVICE_GET_SHARD_MAP_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.AdminService/GetShardMap",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Verification, import and export, limits, the fan-out of home timelines, queries, takedowns, tokens, backup.
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
pub trait AdminService: Send + Sync + 'static {
    /// Compares stored rows with each other on the disk, at one snapshot, while the server serves: forward edges, reverse
    /// edges, counters, mutual marks, and posts with their derived rows. Messages with the progress come first, the report
    /// last.
    ///
    /// Errors: DAMAGED when the store cannot be read. A difference is a finding, not an error.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn verify(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, VerifyRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<VerifyResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Mends what Verify finds wrong with derived rows, while the server serves: reverse edges, mutual marks, counters, and
    /// the lists of users that block, mute or have unfollowed a user. A cluster also mends derived rows of posts. Messages
    /// with the progress come first, the report last.
    ///
    /// The server derives each row anew from the facts as they are when it writes the row. So it never undoes a change. A
    /// second call finds nothing to mend. A call whose caller leaves goes on to its end.
    ///
    /// Errors: OVERLOADED while another long task runs; TOO_LONG {field: reason}; DISK_FULL; DAMAGED when the store cannot
    /// be read.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn repair(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RepairRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<RepairResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Writes a batch of follows, blocks or mutes with given times. With a job, the same commit stores the position of the
    /// batch. So an interrupted import goes on without repeating or losing an edge.
    ///
    /// A row that is refused does not keep the other rows from being written. A row with a uid that may not be named is
    /// refused with UID_NOT_MINTED.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, IMPORT_POSITION_MISMATCH {position}, DISK_FULL.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn import_edges<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ImportEdgesRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ImportEdgesResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Writes a batch of posts with given times and with keys of their source. A post whose author and key were imported
    /// before changes nothing, so a retry does no harm. With a job, the same commit stores the position of the batch.
    ///
    /// Imported posts never count as new: they raise no unread count and wake no stream.
    ///
    /// A row that is refused does not keep the other rows from being written. A row with a uid that may not be named is
    /// refused with UID_NOT_MINTED.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, IMPORT_POSITION_MISMATCH {position}, DISK_FULL.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn import_posts<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ImportPostsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ImportPostsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Writes a batch of likes with given times. A like that exists keeps its own time. With a job, the same commit stores
    /// the position of the batch.
    ///
    /// The posts must exist. The call does not check whether the users may see them, because they could see them when they
    /// liked them.
    ///
    /// A row that is refused does not keep the other rows from being written. A row with a uid that may not be named is
    /// refused with UID_NOT_MINTED.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, IMPORT_POSITION_MISMATCH {position}, DISK_FULL.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn import_likes<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ImportLikesRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ImportLikesResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Writes a batch of users from elsewhere: accounts with the hashes of their passwords, profiles, and other data of
    /// each user. A user is imported as a whole, in one step, or not at all. A user that exists stays as it is, so a retry
    /// does no harm. With a job, the same commit stores the position of the batch.
    ///
    /// A row that is refused does not keep the other rows from being written. A row with a uid that may not be named is
    /// refused with UID_NOT_MINTED.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, IMPORT_POSITION_MISMATCH {position}, DISK_FULL.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn import_users<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ImportUsersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ImportUsersResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Makes a batch of requests that wait elsewhere, as SendFriendRequest and Follow make them. A request to follow a
    /// user that is not locked here is refused with INVALID_FIELD {field: kind}. A request that waits already, or whose
    /// time is over, changes nothing. With a job, the same commit stores the position of the batch.
    ///
    /// A row that is refused does not keep the other rows from being written. A row with a uid that may not be named is
    /// refused with UID_NOT_MINTED.
    ///
    /// Errors: BATCH_TOO_LARGE {limit}, IMPORT_POSITION_MISMATCH {position}, DISK_FULL.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn import_requests<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ImportRequestsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ImportRequestsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Streams all waiting requests at one position, in the form that ImportRequests takes. Requests that end first come
    /// first. It leaves out requests from or to users that are deleted or deactivated.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn export_requests(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ExportRequestsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<ExportRequestsResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Returns the position of an import job.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_import_job<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetImportJobRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetImportJobResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Streams all active follows, blocks or mutes at one position, in the order of (source, target). It leaves out edges
    /// that name deleted users. None of the three exports has rows of deleted users.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn export_edges(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ExportEdgesRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<ExportEdgesResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Streams all posts at one position, in the form that ImportPosts takes, deleted posts too. Each post comes after the
    /// post that it refers to.
    ///
    /// The stream has rounds, each in the order of ids. The first round has nearly all posts. Only imported posts can
    /// refer to a post with a higher id. Such a post comes in the round after the round of that other post.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn export_posts(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ExportPostsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<ExportPostsResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Streams all likes at one position, in the order of post and user, in the form that ImportLikes takes.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn export_likes(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ExportLikesRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<ExportLikesResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Streams all users of whom data is kept, at one position, in the order of uids, in the form that ImportUsers takes.
    /// It includes the hashes of their passwords. It leaves out deleted users, and users that have only relations, posts
    /// or an external id.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn export_users(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ExportUsersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<ExportUsersResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Lists the users that are erased, in the order of uids. The server keeps only their uids, so that they are not used
    /// again. `guanxi restore --erased` takes the list, so that an older backup does not bring these users back.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_erased_users<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListErasedUsersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListErasedUsersResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Sets or clears a follow limit for one user. Follows beyond a lower limit stay, and new ones are refused.
    ///
    /// Errors: INVALID_FIELD {field: limit} above 60,000.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn set_follow_limit<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, SetFollowLimitRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<SetFollowLimitResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the follow limit of a user.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_follow_limit<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetFollowLimitRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetFollowLimitResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Compares home timelines, page by page as the server answers them, with their definition, which is read only from
    /// stored facts. The stream has one message for each viewer.
    ///
    /// Errors: INVALID_FIELD {field: sample} if viewers are given, too; BATCH_TOO_LARGE {limit} for more than 1,000
    /// viewers. A difference is a finding, not an error.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn verify_feed(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, VerifyFeedRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<VerifyFeedResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Compares the search indexes of this process with the facts, while both change: the documents of all users and
    /// posts, with their numbers, words and places of words. Counters are compared where no update is due.
    ///
    /// Each message of the stream is about some documents. They are in the order of their ids, users first.
    ///
    /// Errors:
    /// - SEARCH_UNAVAILABLE when this process keeps no index;
    /// - SEARCH_BEHIND {retry_after_ms} when a document differs, and the index does not reach the present position within
    ///   5 minutes.
    ///
    /// A difference is a finding, not an error.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn verify_search(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, VerifySearchRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<VerifySearchResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Returns the state of the fan-out: its position, its queue, and the size of the inboxes.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_fanout_status<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetFanoutStatusRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetFanoutStatusResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Sets the policy by which home timelines are pushed, effective at once. The policy moves work between writes and
    /// reads, and changes no page. Any change drops all inboxes. Each inbox is built again at the next visit of its
    /// viewer.
    ///
    /// Errors: INVALID_FIELD {field}, MISSING_FIELD {field: policy}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn put_fanout_policy<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, PutFanoutPolicyRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<PutFanoutPolicyResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the policy by which home timelines are pushed.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_fanout_policy<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetFanoutPolicyRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetFanoutPolicyResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Does the same as UserService.ResolveIds, for imports.
    ///
    /// Errors: those of UserService.ResolveIds.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn resolve_ids<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ResolveIdsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ResolveIdsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Begins to build the search indexes anew from all posts and users. The present indexes answer until the new ones
    /// replace them. `guanxi_search_builds_total` counts each replacement.
    ///
    /// Errors: SEARCH_UNAVAILABLE if this process keeps no index.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn rebuild_search<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RebuildSearchRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<RebuildSearchResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Counts, lists and sums up the users that match a filter. A filter combines any known values of users.
    ///
    /// All pages of a walk are of one moment of the search index. So the pages skip and repeat no user, and `total` and
    /// the sums are exact. Texts are read at the time of the page. A user that was erased meanwhile has none.
    ///
    /// Errors:
    /// - SEARCH_UNAVAILABLE, BAD_QUERY, INVALID_FIELD {field}, PAGE_TOO_LARGE {limit}, BATCH_TOO_LARGE {limit};
    /// - STALE_CURSOR after 10 minutes, after eight newer walks, or after an erasure;
    /// - LIMIT_REACHED {limit} for a sum with too many steps or values.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn query_users<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, QueryUsersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<QueryUsersResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Counts, lists and sums up the posts that match a filter, as QueryUsers does for users. It includes deleted posts
    /// and posts for any group. It leaves out plain reposts.
    ///
    /// Errors: as QueryUsers.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn query_posts<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, QueryPostsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<QueryPostsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Queues a job on all rows of a query. The job writes the rows to a file of the server, which ReadExport reads, or
    /// only counts them and sums them up.
    ///
    /// - A job holds one moment of the search index for as long as it runs, at most 6 hours.
    /// - Two jobs run at once, and 8 wait.
    /// - The file is kept for `export_keep_minutes`.
    /// - An erasure or a purge removes all files with that kind of rows at once. Running jobs of that kind begin anew, at
    ///   most three times.
    /// - Jobs and files belong to one process, and end with it.
    ///
    /// Errors:
    /// - MISSING_FIELD {field: query} if neither users nor posts are asked for;
    /// - INVALID_FIELD {field}, TOO_LONG {field: request_id}, IDEMPOTENCY_MISMATCH;
    /// - OVERLOADED while 8 jobs wait;
    /// - SEARCH_UNAVAILABLE if this process keeps no index;
    /// - the errors of QueryUsers.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn start_export<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, StartExportRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<StartExportResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the state of a job.
    ///
    /// Errors: NOT_FOUND if this process has no such job; MISSING_FIELD {field: job}; SEARCH_UNAVAILABLE.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_export<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetExportRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetExportResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists all jobs, newest first: the jobs that wait and run, and the last 64 jobs that have ended.
    ///
    /// Errors: SEARCH_UNAVAILABLE.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_exports<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListExportsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListExportsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Cancels a job that waits or runs, and removes its file. If the job is done, the call removes its file. A job that
    /// has ended in another way stays as it is.
    ///
    /// Errors: as GetExport.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn cancel_export<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, CancelExportRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<CancelExportResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns a range of the file of a job that is done.
    ///
    /// Errors:
    /// - those of GetExport;
    /// - NOT_FOUND, too, while the job is not done, and when its file is removed;
    /// - INVALID_FIELD {field: offset} after the end of the file.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn read_export<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ReadExportRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ReadExportResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Takes a post down. From the acknowledgement on other users no longer see it, as if it were deleted: in homes,
    /// lists, timelines and search. The counters of the post that it replies to or shares no longer count it.
    ///
    /// The author sees the post with the reason, and can only delete it. A post that is taken down already keeps its first
    /// reason, and the call answers `changed: false`.
    ///
    /// Errors: POST_NOT_FOUND; POST_DELETED if no content of the post is kept; MISSING_FIELD, TOO_LONG {field: reason}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn take_down_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, TakeDownPostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<TakeDownPostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Ends the takedown of a post. The post is back as it was, unless its author has deleted it meanwhile. The call
    /// answers `changed: false` if the post was not taken down.
    ///
    /// Errors: POST_NOT_FOUND.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn reinstate_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ReinstatePostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ReinstatePostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Takes a user down. It looks deactivated to all users, and the same commit ends its sessions, tokens and JWTs. Login
    /// and Reactivate answer USER_TAKEN_DOWN {reason}. A user that is taken down already keeps its first reason, and the
    /// call answers `changed: false`.
    ///
    /// Errors: USER_DELETED; MISSING_FIELD, TOO_LONG {field: reason}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn take_down_user<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, TakeDownUserRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<TakeDownUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Ends the takedown of a user. The user is active or deactivated again, as it was before or as it has become
    /// meanwhile. It must log in anew. The call answers `changed: false` if the user was not taken down.
    ///
    /// Errors: USER_DELETED.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn reinstate_user<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ReinstateUserRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ReinstateUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Makes a bearer token. The server keeps only a hash, so this answer is the only one with the secret.
    ///
    /// Errors: ALREADY_EXISTS, LIMIT_REACHED {limit}; MISSING_FIELD {field: principal} for no kind, INVALID_FIELD {field:
    /// principal} for several kinds.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn create_token<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, CreateTokenRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<CreateTokenResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists all tokens by name, without their secrets.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_tokens<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListTokensRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListTokensResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Revokes a token, effective at once.
    ///
    /// Errors: NOT_FOUND.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn revoke_token<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RevokeTokenRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<RevokeTokenResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the actions of operators, newest first: each call that changes something or lets data out. An entry has the
    /// name of the operator's token, the ids of the objects, and the outcome.
    ///
    /// The log has no calls that only read, and no calls that were refused before they began to work. Entries are kept for
    /// ever unless `audit_days` is set.
    ///
    /// Errors: INVALID_FIELD {field: target}, PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_audit_entries<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListAuditEntriesRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListAuditEntriesResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists what the log still tells of a user, newest first: what the user did, and what other users did to it or to its
    /// posts. A user without events in the log has an empty list, and so has a uid that no user has.
    ///
    /// The log has no index of users, so a page searches the log backward and has a budget. `end` says why a page ends.
    /// Each walk over pages is in the audit log, as one action.
    ///
    /// Errors: INVALID_FIELD {field: scan_max}, PAGE_TOO_LARGE {limit}, STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_user_events<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListUserEventsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListUserEventsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Streams all data that the server keeps of a user, in the same way as UserService.ExportUser.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn export_user(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ExportUserRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<ExportUserResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Streams a consistent dump of the whole store, taken while the server serves. Write the chunks to a file one after
    /// the other. The dump is complete only if the last answer has a token.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn backup(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BackupRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<BackupResponse> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Returns the version and the load of the server. Time series are at /metrics.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn stats<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, StatsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<StatsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Makes a code that signs the caller in to the console of the process that answers, once and within five minutes.
    /// `guanxi console` prints the address with it. NOT_SERVED where the console is turned off.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn create_console_code<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, CreateConsoleCodeRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                CreateConsoleCodeResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the overview of the process that answers: its newest samples of load, latency, memory, disk and lag, and
    /// what is wrong. `guanxi top` shows it.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_overview<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetOverviewRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetOverviewResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns which database has which gene, how far each database is behind the logs, and which processes serve. On one
    /// machine one database has all genes. A database that does not answer is no error: the answer says so.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_shard_map<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetShardMapRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetShardMapResponse> + Send + use<'a, Self>,
        >,
    > + Send;
}
/// Monomorphic dispatcher for `AdminService`.
///
/// Unlike `.register(Router)` which type-erases each method into an `Arc<dyn ErasedHandler>` stored in a `HashMap`, this struct dispatches via a compile-time `match` on method name: no vtable, no hash lookup.
///
/// # Example
///
/// ```rust,ignore
/// use connectrpc::ConnectRpcService;
///
/// let server = AdminServiceServer::new(MyImpl);
/// let service = ConnectRpcService::new(server);
/// // hand `service` to axum/hyper as a fallback_service
/// ```
pub struct AdminServiceServer<T> {
    inner: ::std::sync::Arc<T>,
}
impl<T: AdminService> AdminServiceServer<T> {
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
impl<T> Clone for AdminServiceServer<T> {
    fn clone(&self) -> Self {
        Self {
            inner: ::std::sync::Arc::clone(&self.inner),
        }
    }
}
impl<T: AdminService> ::connectrpc::Dispatcher for AdminServiceServer<T> {
    #[inline]
    fn lookup(
        &self,
        path: &str,
    ) -> Option<::connectrpc::dispatcher::codegen::MethodDescriptor> {
        let method = path.strip_prefix("guanxi.v1.AdminService/")?;
        match method {
            "Verify" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_VERIFY_SPEC),
                )
            }
            "Repair" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_REPAIR_SPEC),
                )
            }
            "ImportEdges" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_IMPORT_EDGES_SPEC),
                )
            }
            "ImportPosts" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_IMPORT_POSTS_SPEC),
                )
            }
            "ImportLikes" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_IMPORT_LIKES_SPEC),
                )
            }
            "ImportUsers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_IMPORT_USERS_SPEC),
                )
            }
            "ImportRequests" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_IMPORT_REQUESTS_SPEC),
                )
            }
            "ExportRequests" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_EXPORT_REQUESTS_SPEC),
                )
            }
            "GetImportJob" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_GET_IMPORT_JOB_SPEC),
                )
            }
            "ExportEdges" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_EXPORT_EDGES_SPEC),
                )
            }
            "ExportPosts" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_EXPORT_POSTS_SPEC),
                )
            }
            "ExportLikes" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_EXPORT_LIKES_SPEC),
                )
            }
            "ExportUsers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_EXPORT_USERS_SPEC),
                )
            }
            "ListErasedUsers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_LIST_ERASED_USERS_SPEC),
                )
            }
            "SetFollowLimit" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_SET_FOLLOW_LIMIT_SPEC),
                )
            }
            "GetFollowLimit" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_GET_FOLLOW_LIMIT_SPEC),
                )
            }
            "VerifyFeed" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_VERIFY_FEED_SPEC),
                )
            }
            "VerifySearch" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_VERIFY_SEARCH_SPEC),
                )
            }
            "GetFanoutStatus" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_GET_FANOUT_STATUS_SPEC),
                )
            }
            "PutFanoutPolicy" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_PUT_FANOUT_POLICY_SPEC),
                )
            }
            "GetFanoutPolicy" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_GET_FANOUT_POLICY_SPEC),
                )
            }
            "ResolveIds" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_RESOLVE_IDS_SPEC),
                )
            }
            "RebuildSearch" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_REBUILD_SEARCH_SPEC),
                )
            }
            "QueryUsers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_QUERY_USERS_SPEC),
                )
            }
            "QueryPosts" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_QUERY_POSTS_SPEC),
                )
            }
            "StartExport" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_START_EXPORT_SPEC),
                )
            }
            "GetExport" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_GET_EXPORT_SPEC),
                )
            }
            "ListExports" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_LIST_EXPORTS_SPEC),
                )
            }
            "CancelExport" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_CANCEL_EXPORT_SPEC),
                )
            }
            "ReadExport" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_READ_EXPORT_SPEC),
                )
            }
            "TakeDownPost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_TAKE_DOWN_POST_SPEC),
                )
            }
            "ReinstatePost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_REINSTATE_POST_SPEC),
                )
            }
            "TakeDownUser" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_TAKE_DOWN_USER_SPEC),
                )
            }
            "ReinstateUser" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_REINSTATE_USER_SPEC),
                )
            }
            "CreateToken" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_CREATE_TOKEN_SPEC),
                )
            }
            "ListTokens" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_LIST_TOKENS_SPEC),
                )
            }
            "RevokeToken" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_REVOKE_TOKEN_SPEC),
                )
            }
            "ListAuditEntries" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_LIST_AUDIT_ENTRIES_SPEC),
                )
            }
            "ListUserEvents" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_LIST_USER_EVENTS_SPEC),
                )
            }
            "ExportUser" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_EXPORT_USER_SPEC),
                )
            }
            "Backup" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(ADMIN_SERVICE_BACKUP_SPEC),
                )
            }
            "Stats" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_STATS_SPEC),
                )
            }
            "CreateConsoleCode" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(ADMIN_SERVICE_CREATE_CONSOLE_CODE_SPEC),
                )
            }
            "GetOverview" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_GET_OVERVIEW_SPEC),
                )
            }
            "GetShardMap" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(ADMIN_SERVICE_GET_SHARD_MAP_SPEC),
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
        let Some(method) = path.strip_prefix("guanxi.v1.AdminService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_unary(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
            "ImportEdges" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ImportEdgesRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ImportEdgesRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ImportEdgesRequest,
                    >::from_parts(&req, &body);
                    svc.import_edges(ctx, req)
                        .await?
                        .encode::<ImportEdgesResponse>(format)
                })
            }
            "ImportPosts" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ImportPostsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ImportPostsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ImportPostsRequest,
                    >::from_parts(&req, &body);
                    svc.import_posts(ctx, req)
                        .await?
                        .encode::<ImportPostsResponse>(format)
                })
            }
            "ImportLikes" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ImportLikesRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ImportLikesRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ImportLikesRequest,
                    >::from_parts(&req, &body);
                    svc.import_likes(ctx, req)
                        .await?
                        .encode::<ImportLikesResponse>(format)
                })
            }
            "ImportUsers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ImportUsersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ImportUsersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ImportUsersRequest,
                    >::from_parts(&req, &body);
                    svc.import_users(ctx, req)
                        .await?
                        .encode::<ImportUsersResponse>(format)
                })
            }
            "ImportRequests" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ImportRequestsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ImportRequestsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ImportRequestsRequest,
                    >::from_parts(&req, &body);
                    svc.import_requests(ctx, req)
                        .await?
                        .encode::<ImportRequestsResponse>(format)
                })
            }
            "GetImportJob" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetImportJobRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetImportJobRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetImportJobRequest,
                    >::from_parts(&req, &body);
                    svc.get_import_job(ctx, req)
                        .await?
                        .encode::<GetImportJobResponse>(format)
                })
            }
            "ListErasedUsers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListErasedUsersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListErasedUsersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListErasedUsersRequest,
                    >::from_parts(&req, &body);
                    svc.list_erased_users(ctx, req)
                        .await?
                        .encode::<ListErasedUsersResponse>(format)
                })
            }
            "SetFollowLimit" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        SetFollowLimitRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::SetFollowLimitRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        SetFollowLimitRequest,
                    >::from_parts(&req, &body);
                    svc.set_follow_limit(ctx, req)
                        .await?
                        .encode::<SetFollowLimitResponse>(format)
                })
            }
            "GetFollowLimit" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetFollowLimitRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetFollowLimitRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetFollowLimitRequest,
                    >::from_parts(&req, &body);
                    svc.get_follow_limit(ctx, req)
                        .await?
                        .encode::<GetFollowLimitResponse>(format)
                })
            }
            "GetFanoutStatus" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetFanoutStatusRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetFanoutStatusRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetFanoutStatusRequest,
                    >::from_parts(&req, &body);
                    svc.get_fanout_status(ctx, req)
                        .await?
                        .encode::<GetFanoutStatusResponse>(format)
                })
            }
            "PutFanoutPolicy" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        PutFanoutPolicyRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::PutFanoutPolicyRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        PutFanoutPolicyRequest,
                    >::from_parts(&req, &body);
                    svc.put_fanout_policy(ctx, req)
                        .await?
                        .encode::<PutFanoutPolicyResponse>(format)
                })
            }
            "GetFanoutPolicy" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetFanoutPolicyRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetFanoutPolicyRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetFanoutPolicyRequest,
                    >::from_parts(&req, &body);
                    svc.get_fanout_policy(ctx, req)
                        .await?
                        .encode::<GetFanoutPolicyResponse>(format)
                })
            }
            "ResolveIds" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ResolveIdsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ResolveIdsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ResolveIdsRequest,
                    >::from_parts(&req, &body);
                    svc.resolve_ids(ctx, req).await?.encode::<ResolveIdsResponse>(format)
                })
            }
            "RebuildSearch" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RebuildSearchRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RebuildSearchRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RebuildSearchRequest,
                    >::from_parts(&req, &body);
                    svc.rebuild_search(ctx, req)
                        .await?
                        .encode::<RebuildSearchResponse>(format)
                })
            }
            "QueryUsers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        QueryUsersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::QueryUsersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        QueryUsersRequest,
                    >::from_parts(&req, &body);
                    svc.query_users(ctx, req).await?.encode::<QueryUsersResponse>(format)
                })
            }
            "QueryPosts" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        QueryPostsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::QueryPostsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        QueryPostsRequest,
                    >::from_parts(&req, &body);
                    svc.query_posts(ctx, req).await?.encode::<QueryPostsResponse>(format)
                })
            }
            "StartExport" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        StartExportRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::StartExportRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        StartExportRequest,
                    >::from_parts(&req, &body);
                    svc.start_export(ctx, req)
                        .await?
                        .encode::<StartExportResponse>(format)
                })
            }
            "GetExport" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetExportRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetExportRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetExportRequest,
                    >::from_parts(&req, &body);
                    svc.get_export(ctx, req).await?.encode::<GetExportResponse>(format)
                })
            }
            "ListExports" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListExportsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListExportsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListExportsRequest,
                    >::from_parts(&req, &body);
                    svc.list_exports(ctx, req)
                        .await?
                        .encode::<ListExportsResponse>(format)
                })
            }
            "CancelExport" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        CancelExportRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::CancelExportRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        CancelExportRequest,
                    >::from_parts(&req, &body);
                    svc.cancel_export(ctx, req)
                        .await?
                        .encode::<CancelExportResponse>(format)
                })
            }
            "ReadExport" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ReadExportRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ReadExportRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ReadExportRequest,
                    >::from_parts(&req, &body);
                    svc.read_export(ctx, req).await?.encode::<ReadExportResponse>(format)
                })
            }
            "TakeDownPost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        TakeDownPostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::TakeDownPostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        TakeDownPostRequest,
                    >::from_parts(&req, &body);
                    svc.take_down_post(ctx, req)
                        .await?
                        .encode::<TakeDownPostResponse>(format)
                })
            }
            "ReinstatePost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ReinstatePostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ReinstatePostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ReinstatePostRequest,
                    >::from_parts(&req, &body);
                    svc.reinstate_post(ctx, req)
                        .await?
                        .encode::<ReinstatePostResponse>(format)
                })
            }
            "TakeDownUser" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        TakeDownUserRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::TakeDownUserRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        TakeDownUserRequest,
                    >::from_parts(&req, &body);
                    svc.take_down_user(ctx, req)
                        .await?
                        .encode::<TakeDownUserResponse>(format)
                })
            }
            "ReinstateUser" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ReinstateUserRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ReinstateUserRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ReinstateUserRequest,
                    >::from_parts(&req, &body);
                    svc.reinstate_user(ctx, req)
                        .await?
                        .encode::<ReinstateUserResponse>(format)
                })
            }
            "CreateToken" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        CreateTokenRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::CreateTokenRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        CreateTokenRequest,
                    >::from_parts(&req, &body);
                    svc.create_token(ctx, req)
                        .await?
                        .encode::<CreateTokenResponse>(format)
                })
            }
            "ListTokens" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListTokensRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListTokensRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListTokensRequest,
                    >::from_parts(&req, &body);
                    svc.list_tokens(ctx, req).await?.encode::<ListTokensResponse>(format)
                })
            }
            "RevokeToken" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RevokeTokenRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RevokeTokenRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RevokeTokenRequest,
                    >::from_parts(&req, &body);
                    svc.revoke_token(ctx, req)
                        .await?
                        .encode::<RevokeTokenResponse>(format)
                })
            }
            "ListAuditEntries" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListAuditEntriesRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListAuditEntriesRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListAuditEntriesRequest,
                    >::from_parts(&req, &body);
                    svc.list_audit_entries(ctx, req)
                        .await?
                        .encode::<ListAuditEntriesResponse>(format)
                })
            }
            "ListUserEvents" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListUserEventsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListUserEventsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListUserEventsRequest,
                    >::from_parts(&req, &body);
                    svc.list_user_events(ctx, req)
                        .await?
                        .encode::<ListUserEventsResponse>(format)
                })
            }
            "Stats" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        StatsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::StatsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        StatsRequest,
                    >::from_parts(&req, &body);
                    svc.stats(ctx, req).await?.encode::<StatsResponse>(format)
                })
            }
            "CreateConsoleCode" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        CreateConsoleCodeRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::CreateConsoleCodeRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        CreateConsoleCodeRequest,
                    >::from_parts(&req, &body);
                    svc.create_console_code(ctx, req)
                        .await?
                        .encode::<CreateConsoleCodeResponse>(format)
                })
            }
            "GetOverview" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetOverviewRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetOverviewRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetOverviewRequest,
                    >::from_parts(&req, &body);
                    svc.get_overview(ctx, req)
                        .await?
                        .encode::<GetOverviewResponse>(format)
                })
            }
            "GetShardMap" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetShardMapRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetShardMapRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetShardMapRequest,
                    >::from_parts(&req, &body);
                    svc.get_shard_map(ctx, req)
                        .await?
                        .encode::<GetShardMapResponse>(format)
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
        let Some(method) = path.strip_prefix("guanxi.v1.AdminService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_streaming(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
            "Verify" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        VerifyRequest,
                    >(request, format)?;
                    let req: __buffa::view::VerifyRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        VerifyRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.verify(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                VerifyResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "Repair" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RepairRequest,
                    >(request, format)?;
                    let req: __buffa::view::RepairRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RepairRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.repair(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                RepairResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "ExportRequests" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ExportRequestsRequest,
                    >(request, format)?;
                    let req: __buffa::view::ExportRequestsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ExportRequestsRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.export_requests(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                ExportRequestsResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "ExportEdges" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ExportEdgesRequest,
                    >(request, format)?;
                    let req: __buffa::view::ExportEdgesRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ExportEdgesRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.export_edges(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                ExportEdgesResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "ExportPosts" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ExportPostsRequest,
                    >(request, format)?;
                    let req: __buffa::view::ExportPostsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ExportPostsRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.export_posts(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                ExportPostsResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "ExportLikes" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ExportLikesRequest,
                    >(request, format)?;
                    let req: __buffa::view::ExportLikesRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ExportLikesRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.export_likes(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                ExportLikesResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "ExportUsers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ExportUsersRequest,
                    >(request, format)?;
                    let req: __buffa::view::ExportUsersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ExportUsersRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.export_users(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                ExportUsersResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "VerifyFeed" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        VerifyFeedRequest,
                    >(request, format)?;
                    let req: __buffa::view::VerifyFeedRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        VerifyFeedRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.verify_feed(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                VerifyFeedResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "VerifySearch" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        VerifySearchRequest,
                    >(request, format)?;
                    let req: __buffa::view::VerifySearchRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        VerifySearchRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.verify_search(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                VerifySearchResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "ExportUser" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ExportUserRequest,
                    >(request, format)?;
                    let req: __buffa::view::ExportUserRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ExportUserRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.export_user(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                ExportUserResponse,
                                _,
                                _,
                            >(s, format)),
                    )
                })
            }
            "Backup" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BackupRequest,
                    >(request, format)?;
                    let req: __buffa::view::BackupRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BackupRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.backup(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                BackupResponse,
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
        let Some(method) = path.strip_prefix("guanxi.v1.AdminService/") else {
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
        let Some(method) = path.strip_prefix("guanxi.v1.AdminService/") else {
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
/// let client = AdminServiceClient::new(conn, config);
/// let response = client.verify(request).await?;
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
/// let client = AdminServiceClient::new(http, config);
/// let response = client.verify(request).await?;
/// ```
///
/// # Working with the response
///
/// Unary calls return [`UnaryResponse<OwnedView<FooView>>`](::connectrpc::client::UnaryResponse).
/// [`view()`](::connectrpc::client::UnaryResponse::view) borrows the response
/// message, so field access is zero-copy:
///
/// ```rust,ignore
/// let resp = client.verify(request).await?;
/// let name: &str = resp.view().name;  // borrow into the response buffer
/// ```
///
/// If you need the owned struct (e.g. to store or pass by value), use
/// [`into_owned()`](::connectrpc::client::UnaryResponse::into_owned):
///
/// ```rust,ignore
/// let owned = client.verify(request).await?.into_owned();
/// ```
///
/// [`into_view()`](::connectrpc::client::UnaryResponse::into_view) keeps the
/// zero-copy decoded body (an `OwnedView`) without copying; field access on it
/// goes through `.reborrow()`. Streaming responses yield one
/// [`StreamMessage`](::connectrpc::StreamMessage) per received message from
/// `.message().await` — read fields zero-copy through the generated accessor
/// methods (`msg.name()`) or `.view()`, or convert with `.to_owned_message()`.
#[derive(Clone)]
pub struct AdminServiceClient<T> {
    transport: T,
    config: ::connectrpc::client::ClientConfig,
}
impl<T> AdminServiceClient<T>
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
    /// Call the Verify RPC. Sends a request to /guanxi.v1.AdminService/Verify.
    pub async fn verify(
        &self,
        request: VerifyRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::VerifyResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.verify_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Verify RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn verify_with_options(
        &self,
        request: VerifyRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::VerifyResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_VERIFY_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Repair RPC. Sends a request to /guanxi.v1.AdminService/Repair.
    pub async fn repair(
        &self,
        request: RepairRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::RepairResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.repair_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Repair RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn repair_with_options(
        &self,
        request: RepairRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::RepairResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_REPAIR_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ImportEdges RPC. Sends a request to /guanxi.v1.AdminService/ImportEdges.
    pub async fn import_edges(
        &self,
        request: ImportEdgesRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportEdgesResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.import_edges_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ImportEdges RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn import_edges_with_options(
        &self,
        request: ImportEdgesRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportEdgesResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_IMPORT_EDGES_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ImportPosts RPC. Sends a request to /guanxi.v1.AdminService/ImportPosts.
    pub async fn import_posts(
        &self,
        request: ImportPostsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.import_posts_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ImportPosts RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn import_posts_with_options(
        &self,
        request: ImportPostsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_IMPORT_POSTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ImportLikes RPC. Sends a request to /guanxi.v1.AdminService/ImportLikes.
    pub async fn import_likes(
        &self,
        request: ImportLikesRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportLikesResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.import_likes_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ImportLikes RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn import_likes_with_options(
        &self,
        request: ImportLikesRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportLikesResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_IMPORT_LIKES_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ImportUsers RPC. Sends a request to /guanxi.v1.AdminService/ImportUsers.
    pub async fn import_users(
        &self,
        request: ImportUsersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.import_users_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ImportUsers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn import_users_with_options(
        &self,
        request: ImportUsersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_IMPORT_USERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ImportRequests RPC. Sends a request to /guanxi.v1.AdminService/ImportRequests.
    pub async fn import_requests(
        &self,
        request: ImportRequestsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportRequestsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.import_requests_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ImportRequests RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn import_requests_with_options(
        &self,
        request: ImportRequestsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ImportRequestsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_IMPORT_REQUESTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ExportRequests RPC. Sends a request to /guanxi.v1.AdminService/ExportRequests.
    pub async fn export_requests(
        &self,
        request: ExportRequestsRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportRequestsResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.export_requests_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ExportRequests RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn export_requests_with_options(
        &self,
        request: ExportRequestsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportRequestsResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_EXPORT_REQUESTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetImportJob RPC. Sends a request to /guanxi.v1.AdminService/GetImportJob.
    pub async fn get_import_job(
        &self,
        request: GetImportJobRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetImportJobResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_import_job_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetImportJob RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_import_job_with_options(
        &self,
        request: GetImportJobRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetImportJobResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_GET_IMPORT_JOB_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ExportEdges RPC. Sends a request to /guanxi.v1.AdminService/ExportEdges.
    pub async fn export_edges(
        &self,
        request: ExportEdgesRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportEdgesResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.export_edges_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ExportEdges RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn export_edges_with_options(
        &self,
        request: ExportEdgesRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportEdgesResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_EXPORT_EDGES_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ExportPosts RPC. Sends a request to /guanxi.v1.AdminService/ExportPosts.
    pub async fn export_posts(
        &self,
        request: ExportPostsRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportPostsResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.export_posts_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ExportPosts RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn export_posts_with_options(
        &self,
        request: ExportPostsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportPostsResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_EXPORT_POSTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ExportLikes RPC. Sends a request to /guanxi.v1.AdminService/ExportLikes.
    pub async fn export_likes(
        &self,
        request: ExportLikesRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportLikesResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.export_likes_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ExportLikes RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn export_likes_with_options(
        &self,
        request: ExportLikesRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportLikesResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_EXPORT_LIKES_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ExportUsers RPC. Sends a request to /guanxi.v1.AdminService/ExportUsers.
    pub async fn export_users(
        &self,
        request: ExportUsersRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportUsersResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.export_users_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ExportUsers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn export_users_with_options(
        &self,
        request: ExportUsersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportUsersResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_EXPORT_USERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListErasedUsers RPC. Sends a request to /guanxi.v1.AdminService/ListErasedUsers.
    pub async fn list_erased_users(
        &self,
        request: ListErasedUsersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListErasedUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_erased_users_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListErasedUsers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_erased_users_with_options(
        &self,
        request: ListErasedUsersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListErasedUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_LIST_ERASED_USERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the SetFollowLimit RPC. Sends a request to /guanxi.v1.AdminService/SetFollowLimit.
    pub async fn set_follow_limit(
        &self,
        request: SetFollowLimitRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SetFollowLimitResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.set_follow_limit_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the SetFollowLimit RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn set_follow_limit_with_options(
        &self,
        request: SetFollowLimitRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SetFollowLimitResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_SET_FOLLOW_LIMIT_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetFollowLimit RPC. Sends a request to /guanxi.v1.AdminService/GetFollowLimit.
    pub async fn get_follow_limit(
        &self,
        request: GetFollowLimitRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetFollowLimitResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_follow_limit_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetFollowLimit RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_follow_limit_with_options(
        &self,
        request: GetFollowLimitRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetFollowLimitResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_GET_FOLLOW_LIMIT_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the VerifyFeed RPC. Sends a request to /guanxi.v1.AdminService/VerifyFeed.
    pub async fn verify_feed(
        &self,
        request: VerifyFeedRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::VerifyFeedResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.verify_feed_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the VerifyFeed RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn verify_feed_with_options(
        &self,
        request: VerifyFeedRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::VerifyFeedResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_VERIFY_FEED_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the VerifySearch RPC. Sends a request to /guanxi.v1.AdminService/VerifySearch.
    pub async fn verify_search(
        &self,
        request: VerifySearchRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::VerifySearchResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.verify_search_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the VerifySearch RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn verify_search_with_options(
        &self,
        request: VerifySearchRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::VerifySearchResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_VERIFY_SEARCH_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetFanoutStatus RPC. Sends a request to /guanxi.v1.AdminService/GetFanoutStatus.
    pub async fn get_fanout_status(
        &self,
        request: GetFanoutStatusRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetFanoutStatusResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_fanout_status_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetFanoutStatus RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_fanout_status_with_options(
        &self,
        request: GetFanoutStatusRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetFanoutStatusResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_GET_FANOUT_STATUS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the PutFanoutPolicy RPC. Sends a request to /guanxi.v1.AdminService/PutFanoutPolicy.
    pub async fn put_fanout_policy(
        &self,
        request: PutFanoutPolicyRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::PutFanoutPolicyResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.put_fanout_policy_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the PutFanoutPolicy RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn put_fanout_policy_with_options(
        &self,
        request: PutFanoutPolicyRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::PutFanoutPolicyResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_PUT_FANOUT_POLICY_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetFanoutPolicy RPC. Sends a request to /guanxi.v1.AdminService/GetFanoutPolicy.
    pub async fn get_fanout_policy(
        &self,
        request: GetFanoutPolicyRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetFanoutPolicyResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_fanout_policy_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetFanoutPolicy RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_fanout_policy_with_options(
        &self,
        request: GetFanoutPolicyRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetFanoutPolicyResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_GET_FANOUT_POLICY_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ResolveIds RPC. Sends a request to /guanxi.v1.AdminService/ResolveIds.
    pub async fn resolve_ids(
        &self,
        request: ResolveIdsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ResolveIdsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.resolve_ids_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ResolveIds RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn resolve_ids_with_options(
        &self,
        request: ResolveIdsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ResolveIdsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_RESOLVE_IDS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RebuildSearch RPC. Sends a request to /guanxi.v1.AdminService/RebuildSearch.
    pub async fn rebuild_search(
        &self,
        request: RebuildSearchRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RebuildSearchResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.rebuild_search_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RebuildSearch RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn rebuild_search_with_options(
        &self,
        request: RebuildSearchRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RebuildSearchResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_REBUILD_SEARCH_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the QueryUsers RPC. Sends a request to /guanxi.v1.AdminService/QueryUsers.
    pub async fn query_users(
        &self,
        request: QueryUsersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::QueryUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.query_users_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the QueryUsers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn query_users_with_options(
        &self,
        request: QueryUsersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::QueryUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_QUERY_USERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the QueryPosts RPC. Sends a request to /guanxi.v1.AdminService/QueryPosts.
    pub async fn query_posts(
        &self,
        request: QueryPostsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::QueryPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.query_posts_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the QueryPosts RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn query_posts_with_options(
        &self,
        request: QueryPostsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::QueryPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_QUERY_POSTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the StartExport RPC. Sends a request to /guanxi.v1.AdminService/StartExport.
    pub async fn start_export(
        &self,
        request: StartExportRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::StartExportResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.start_export_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the StartExport RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn start_export_with_options(
        &self,
        request: StartExportRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::StartExportResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_START_EXPORT_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetExport RPC. Sends a request to /guanxi.v1.AdminService/GetExport.
    pub async fn get_export(
        &self,
        request: GetExportRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetExportResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_export_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetExport RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_export_with_options(
        &self,
        request: GetExportRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetExportResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_GET_EXPORT_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListExports RPC. Sends a request to /guanxi.v1.AdminService/ListExports.
    pub async fn list_exports(
        &self,
        request: ListExportsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListExportsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_exports_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListExports RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_exports_with_options(
        &self,
        request: ListExportsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListExportsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_LIST_EXPORTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the CancelExport RPC. Sends a request to /guanxi.v1.AdminService/CancelExport.
    pub async fn cancel_export(
        &self,
        request: CancelExportRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::CancelExportResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.cancel_export_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the CancelExport RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn cancel_export_with_options(
        &self,
        request: CancelExportRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::CancelExportResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_CANCEL_EXPORT_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ReadExport RPC. Sends a request to /guanxi.v1.AdminService/ReadExport.
    pub async fn read_export(
        &self,
        request: ReadExportRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ReadExportResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.read_export_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ReadExport RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn read_export_with_options(
        &self,
        request: ReadExportRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ReadExportResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_READ_EXPORT_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the TakeDownPost RPC. Sends a request to /guanxi.v1.AdminService/TakeDownPost.
    pub async fn take_down_post(
        &self,
        request: TakeDownPostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::TakeDownPostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.take_down_post_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the TakeDownPost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn take_down_post_with_options(
        &self,
        request: TakeDownPostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::TakeDownPostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_TAKE_DOWN_POST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ReinstatePost RPC. Sends a request to /guanxi.v1.AdminService/ReinstatePost.
    pub async fn reinstate_post(
        &self,
        request: ReinstatePostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ReinstatePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.reinstate_post_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ReinstatePost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn reinstate_post_with_options(
        &self,
        request: ReinstatePostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ReinstatePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_REINSTATE_POST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the TakeDownUser RPC. Sends a request to /guanxi.v1.AdminService/TakeDownUser.
    pub async fn take_down_user(
        &self,
        request: TakeDownUserRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::TakeDownUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.take_down_user_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the TakeDownUser RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn take_down_user_with_options(
        &self,
        request: TakeDownUserRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::TakeDownUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_TAKE_DOWN_USER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ReinstateUser RPC. Sends a request to /guanxi.v1.AdminService/ReinstateUser.
    pub async fn reinstate_user(
        &self,
        request: ReinstateUserRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ReinstateUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.reinstate_user_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ReinstateUser RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn reinstate_user_with_options(
        &self,
        request: ReinstateUserRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ReinstateUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_REINSTATE_USER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the CreateToken RPC. Sends a request to /guanxi.v1.AdminService/CreateToken.
    pub async fn create_token(
        &self,
        request: CreateTokenRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::CreateTokenResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.create_token_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the CreateToken RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn create_token_with_options(
        &self,
        request: CreateTokenRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::CreateTokenResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_CREATE_TOKEN_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListTokens RPC. Sends a request to /guanxi.v1.AdminService/ListTokens.
    pub async fn list_tokens(
        &self,
        request: ListTokensRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListTokensResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_tokens_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListTokens RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_tokens_with_options(
        &self,
        request: ListTokensRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListTokensResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_LIST_TOKENS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RevokeToken RPC. Sends a request to /guanxi.v1.AdminService/RevokeToken.
    pub async fn revoke_token(
        &self,
        request: RevokeTokenRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RevokeTokenResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.revoke_token_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RevokeToken RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn revoke_token_with_options(
        &self,
        request: RevokeTokenRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RevokeTokenResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_REVOKE_TOKEN_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListAuditEntries RPC. Sends a request to /guanxi.v1.AdminService/ListAuditEntries.
    pub async fn list_audit_entries(
        &self,
        request: ListAuditEntriesRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListAuditEntriesResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_audit_entries_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListAuditEntries RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_audit_entries_with_options(
        &self,
        request: ListAuditEntriesRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListAuditEntriesResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_LIST_AUDIT_ENTRIES_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListUserEvents RPC. Sends a request to /guanxi.v1.AdminService/ListUserEvents.
    pub async fn list_user_events(
        &self,
        request: ListUserEventsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListUserEventsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_user_events_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListUserEvents RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_user_events_with_options(
        &self,
        request: ListUserEventsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListUserEventsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_LIST_USER_EVENTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ExportUser RPC. Sends a request to /guanxi.v1.AdminService/ExportUser.
    pub async fn export_user(
        &self,
        request: ExportUserRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportUserResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.export_user_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ExportUser RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn export_user_with_options(
        &self,
        request: ExportUserRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::ExportUserResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_EXPORT_USER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Backup RPC. Sends a request to /guanxi.v1.AdminService/Backup.
    pub async fn backup(
        &self,
        request: BackupRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::BackupResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.backup_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Backup RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn backup_with_options(
        &self,
        request: BackupRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::BackupResponseView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_BACKUP_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Stats RPC. Sends a request to /guanxi.v1.AdminService/Stats.
    pub async fn stats(
        &self,
        request: StatsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::StatsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.stats_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Stats RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn stats_with_options(
        &self,
        request: StatsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::StatsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_STATS_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the CreateConsoleCode RPC. Sends a request to /guanxi.v1.AdminService/CreateConsoleCode.
    pub async fn create_console_code(
        &self,
        request: CreateConsoleCodeRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::CreateConsoleCodeResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.create_console_code_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the CreateConsoleCode RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn create_console_code_with_options(
        &self,
        request: CreateConsoleCodeRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::CreateConsoleCodeResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_CREATE_CONSOLE_CODE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetOverview RPC. Sends a request to /guanxi.v1.AdminService/GetOverview.
    pub async fn get_overview(
        &self,
        request: GetOverviewRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetOverviewResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_overview_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetOverview RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_overview_with_options(
        &self,
        request: GetOverviewRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetOverviewResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_GET_OVERVIEW_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetShardMap RPC. Sends a request to /guanxi.v1.AdminService/GetShardMap.
    pub async fn get_shard_map(
        &self,
        request: GetShardMapRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetShardMapResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_shard_map_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetShardMap RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_shard_map_with_options(
        &self,
        request: GetShardMapRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetShardMapResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                ADMIN_SERVICE_GET_SHARD_MAP_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
}
