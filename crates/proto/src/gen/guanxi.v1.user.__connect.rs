/// Full service name for this service.
pub const USER_SERVICE_SERVICE_NAME: &str = "guanxi.v1.UserService";
/// Static [`Spec`](::connectrpc::Spec) for the `Register` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_REGISTER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/Register",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Login` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_LOGIN_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/Login",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ChangePassword` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_CHANGE_PASSWORD_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/ChangePassword",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `SetPassword` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_SET_PASSWORD_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/SetPassword",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetUser` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_GET_USER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/GetUser",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchGetUsers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_BATCH_GET_USERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/BatchGetUsers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `LookupUser` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_LOOKUP_USER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/LookupUser",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ResolveIds` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_RESOLVE_IDS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/ResolveIds",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `UpdateUser` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_UPDATE_USER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/UpdateUser",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `SetPrivacy` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_SET_PRIVACY_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/SetPrivacy",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Deactivate` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_DEACTIVATE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/Deactivate",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `PurgePost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_PURGE_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/PurgePost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `DeleteUser` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_DELETE_USER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/DeleteUser",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `EraseUser` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_ERASE_USER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/EraseUser",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ExportUser` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_EXPORT_USER_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/ExportUser",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Reactivate` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_REACTIVATE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/Reactivate",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `BindPhone` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_BIND_PHONE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/BindPhone",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `BindEmail` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_BIND_EMAIL_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/BindEmail",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `UnbindPhone` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_UNBIND_PHONE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/UnbindPhone",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `UnbindEmail` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_UNBIND_EMAIL_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/UnbindEmail",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `RefreshSession` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_REFRESH_SESSION_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/RefreshSession",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListSessions` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_LIST_SESSIONS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/ListSessions",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `RevokeSession` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_REVOKE_SESSION_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/RevokeSession",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `Logout` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_LOGOUT_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/Logout",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `CreateStreamTicket` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const USER_SERVICE_CREATE_STREAM_TICKET_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.UserService/CreateStreamTicket",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Accounts, profiles, sessions, and credentials of programs that act for one user.
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
pub trait UserService: Send + Sync + 'static {
    /// Registers an account: a login name, which never changes, and a uid. The shard of the uid follows from the login
    /// name.
    ///
    /// Services may call it. With the server's setting `registration = open` callers without a token may call it, too,
    /// within a budget for each address.
    ///
    /// Errors:
    /// - MISSING_FIELD, TOO_LONG or INVALID_FIELD {field: login_name}, and LOGIN_NAME_TAKEN;
    /// - PASSWORD_TOO_SHORT, PASSWORD_TOO_COMMON, TOO_LONG or INVALID_FIELD for the password;
    /// - TOO_LONG or INVALID_FIELD {field: nickname};
    /// - IDEMPOTENCY_MISMATCH for a retry with another password.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn register<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RegisterRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<RegisterResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Logs in by login name, phone or email. Needs no token.
    ///
    /// The answer has an access token, which calls carry for an hour, and a refresh token, with which RefreshSession gets
    /// new tokens. The attempts for a name and from an address are limited. A user has at most 100 sessions: one more
    /// login ends the login that was used least recently.
    ///
    /// Errors:
    /// - ONE_NAME_NEEDED;
    /// - LOGIN_FAILED for an unknown name and for a wrong password alike;
    /// - USER_DEACTIVATED, USER_TAKEN_DOWN {reason} or USER_DELETED with the right password;
    /// - RATE_LIMITED, and OVERLOADED when too many users log in.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn login<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, LoginRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<LoginResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Changes the password of a user who knows the old one. All sessions of the user end, and so does every JWT that was
    /// issued to it until now. The answer has a new session.
    ///
    /// Errors:
    /// - LOGIN_FAILED when the old password is wrong;
    /// - PASSWORD_TOO_SHORT, PASSWORD_TOO_COMMON, TOO_LONG or INVALID_FIELD for the new password.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn change_password<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ChangePasswordRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<LoginResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Sets the password of an account, after the user has proved its identity to you. All sessions of the user end, and
    /// so does every JWT that was issued to it until now. Only services may call it.
    ///
    /// Errors: USER_NOT_FOUND; PASSWORD_TOO_SHORT, PASSWORD_TOO_COMMON, TOO_LONG or INVALID_FIELD.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn set_password<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, SetPasswordRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<SetPasswordResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the profile of a user, and the data of its account.
    ///
    /// Any uid may have relations and posts without an account and a profile. For such a user the answer has only the uid,
    /// as in BatchGetUsers.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_user<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetUserRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns up to 1,000 users, as GetUser does. Users beyond about 3 MiB are `omitted`.
    ///
    /// Errors: MISSING_FIELD {field: uids}, BATCH_TOO_LARGE {limit}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn batch_get_users<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchGetUsersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<BatchGetUsersResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Finds a user by its login name, or for services by phone or email. An end user finds itself and users that are
    /// discoverable.
    ///
    /// Errors:
    /// - ONE_NAME_NEEDED;
    /// - TOO_LONG or INVALID_FIELD with the field;
    /// - USER_NOT_FOUND;
    /// - PERMISSION_DENIED when an end user gives a phone or email, whether a user has it or not.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn lookup_user<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, LookupUserRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<LookupUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Maps your external ids to uids, and uids to your external ids: up to 1,000 of both together, in order. Only
    /// services may call it.
    ///
    /// With `create`, an external id without a uid gets one, and keeps it. A service needs the scope `user.write` for
    /// that. Concurrent calls with the same id get the same uid. A retry changes nothing. An id whose user was erased
    /// begins a new user, unless `listed` is set.
    ///
    /// Errors:
    /// - MISSING_FIELD {field: external_ids}, BATCH_TOO_LARGE {limit};
    /// - MISSING_FIELD, TOO_LONG {limit} or INVALID_FIELD {field: external_ids} for a text that is no id;
    /// - PERMISSION_DENIED for `create` without the scope.
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
    /// Changes the profile of a user: the fields that `update_mask` names, or without a mask the fields that are not
    /// empty.
    ///
    /// Errors:
    /// - TOO_LONG, INVALID_FIELD or BATCH_TOO_LARGE for a value that is not allowed;
    /// - INVALID_FIELD {field: update_mask};
    /// - REVISION_MISMATCH {revision}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn update_user<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UpdateUserRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Sets the privacy settings of a user. Settings that are absent stay as they are.
    ///
    /// Errors: MISSING_FIELD {field: privacy} when no setting is given.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn set_privacy<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, SetPrivacyRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Deactivates a user, with an account or without.
    ///
    /// From the answer on:
    /// - the user's profile, posts and likes are hidden from all users;
    /// - its sessions and tokens are ended;
    /// - the user does nothing new, and no user begins to follow it;
    /// - its edges stay in lists and counts, marked as `deactivated`.
    ///
    /// No data is lost: Reactivate restores all of it.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn deactivate<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, DeactivateRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Deletes a post for good, deleted already or not: its text, its earlier revisions, its likes, and the key of an
    /// imported post. The post cannot be restored. Its id stays taken, and replies and reposts of other users stay in
    /// their places. The call answers `changed: false` if nothing of the post was there.
    ///
    /// The first commit removes the content, also if the deadline of the call passes. The call takes back at most 1,024
    /// likes before it answers. A job takes back all others. No user sees them in the meantime.
    ///
    /// Errors: POST_NOT_FOUND; POST_FORBIDDEN for a post of another author.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn purge_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, PurgePostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<PurgePostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Deletes a user for good, with an account or without. Deleting twice changes nothing.
    ///
    /// - From the answer on the user is hidden as after Deactivate, and cannot be reactivated.
    /// - Then a job removes its follows, followers, blocks, mutes and likes one by one. So lists and counts agree at each
    ///   moment.
    /// - Its content stays hidden, and its names stay taken, for `deleted_users_days` (30 by default). Then the user is
    ///   erased.
    ///
    /// An end user whose account has a password must give it, with any credential. So a stolen session cannot delete the
    /// user. Attempts are limited as those of Login. Services, and users without a password, give none.
    ///
    /// Errors, for an end user with a password:
    /// - MISSING_FIELD or TOO_LONG {field: password};
    /// - LOGIN_FAILED for a wrong password;
    /// - RATE_LIMITED, and OVERLOADED when too many passwords wait for their check.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn delete_user<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, DeleteUserRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Erases a user. It does the same as DeleteUser, and the job goes on at once. The job also removes the content,
    /// earlier revisions, names, contacts, external id, password, sessions and credentials. Only services with
    /// `user.write` may call it.
    ///
    /// Watch tells the end (`USER_ERASED`), and GetUser has it as the status. These rows stay, and say nothing of the
    /// user:
    /// - that the uid is erased, and since when;
    /// - the ids of its posts, and the uid in posts of others that refer to them;
    /// - answers remembered for request ids, which hold only numbers and expire within a day.
    ///
    /// Backups keep their data. `guanxi restore --erased` erases the user from restored data.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn erase_user<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, EraseUserRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Streams all data that the server keeps of a user: one record in each message. The first record is the account, and
    /// the last one is `end`. A stream without `end` is incomplete: call again from the beginning.
    ///
    /// The export has the acts of the user, and the users in its lists. It does not have:
    /// - profiles of other users;
    /// - settings of other users about the user, such as their blocks and mutes;
    /// - secrets, or hashes of secrets.
    ///
    /// The server reads the parts one after the other, each as new as the one before. A record that does not change
    /// meanwhile is there exactly once. The call counts as one of the caller's streams.
    ///
    /// For a deleted user the export has the data that is left. For an erased user it has an account that says so, and the
    /// ids of its posts. An end user exports itself. A service needs `user.write`, because this is all data.
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
    /// Reactivates a user. Only services with `user.write` may call it, because a deactivated user cannot call.
    ///
    /// Errors: USER_DELETED for a deleted user; USER_TAKEN_DOWN {reason} for a user that an operator has taken down.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn reactivate<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ReactivateRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Binds a phone number to a user, in place of an earlier one. From then on the user can log in with it, and services
    /// find the user by it. The user needs no account. Binding the same number twice changes nothing.
    ///
    /// Only services may call it. By the call the service states that it has verified the number.
    ///
    /// Errors:
    /// - MISSING_FIELD {field: uid or phone};
    /// - TOO_LONG or INVALID_FIELD {field: phone};
    /// - CONTACT_TAKEN.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn bind_phone<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BindPhoneRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Binds a mail address to a user, in the same way as BindPhone.
    ///
    /// Errors:
    /// - MISSING_FIELD {field: uid or email};
    /// - TOO_LONG or INVALID_FIELD {field: email};
    /// - CONTACT_TAKEN.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn bind_email<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BindEmailRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Removes the phone number from a user, if it has one. The number no longer leads to the user, and other users may
    /// bind it. Only services may call it.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn unbind_phone<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UnbindPhoneRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Removes the mail address from a user, in the same way as UnbindPhone.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn unbind_email<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UnbindEmailRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WriteUserResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Exchanges a refresh token for a new pair of tokens. Needs no token beside it.
    ///
    /// The session stays the same. The old access token is valid for 30 seconds more, so calls in flight go on. For the
    /// same time a retry with the old refresh token gets the same answer. So a lost answer or a second browser tab does no
    /// harm.
    ///
    /// The replaced refresh token after these 30 seconds, or an earlier one at any time, shows that two parties have it.
    /// Then the session ends with all its tokens.
    ///
    /// Errors:
    /// - MISSING_FIELD {field: refresh_token};
    /// - UNAUTHENTICATED when the session has ended or never existed;
    /// - REFRESH_REUSED when the session ends now because the token was exchanged before.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn refresh_session<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RefreshSessionRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<LoginResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the sessions of a user, newest first. There are no pages: a user has at most 100 sessions. Tokens that an
    /// operator made for the user are in the list.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_sessions<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListSessionsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListSessionsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Ends a session of a user at once, with its tokens and the streams that they opened. With `everywhere` it signs the
    /// user out: all its sessions end, and so does every JWT that was issued to it until now.
    ///
    /// Errors: MISSING_FIELD or INVALID_FIELD {field: session_id}; USER_DELETED with `everywhere`.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn revoke_session<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RevokeSessionRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<RevokeSessionResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Ends the session of the call. With `everywhere` it signs the user out: all its sessions end, and so does every JWT
    /// that was issued to it until now. Without `everywhere` a JWT does not end.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn logout<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, LogoutRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<LogoutResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Makes a ticket with which a web page opens one stream of one user. A page needs it because an EventSource cannot
    /// send a token.
    ///
    /// Send the ticket as `?ticket=` of a GET with `accept: text/event-stream`. The call needs nothing else. A ticket is
    /// valid for an hour, and no longer than the credential that made it. A stream that was opened with it ends then, too.
    ///
    /// An end user makes tickets for itself. A service makes tickets for any user, with the scope `feed.read`.
    ///
    /// Errors: MISSING_FIELD {field: stream}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn create_stream_ticket<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, CreateStreamTicketRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                CreateStreamTicketResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
}
/// Monomorphic dispatcher for `UserService`.
///
/// Unlike `.register(Router)` which type-erases each method into an `Arc<dyn ErasedHandler>` stored in a `HashMap`, this struct dispatches via a compile-time `match` on method name: no vtable, no hash lookup.
///
/// # Example
///
/// ```rust,ignore
/// use connectrpc::ConnectRpcService;
///
/// let server = UserServiceServer::new(MyImpl);
/// let service = ConnectRpcService::new(server);
/// // hand `service` to axum/hyper as a fallback_service
/// ```
pub struct UserServiceServer<T> {
    inner: ::std::sync::Arc<T>,
}
impl<T: UserService> UserServiceServer<T> {
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
impl<T> Clone for UserServiceServer<T> {
    fn clone(&self) -> Self {
        Self {
            inner: ::std::sync::Arc::clone(&self.inner),
        }
    }
}
impl<T: UserService> ::connectrpc::Dispatcher for UserServiceServer<T> {
    #[inline]
    fn lookup(
        &self,
        path: &str,
    ) -> Option<::connectrpc::dispatcher::codegen::MethodDescriptor> {
        let method = path.strip_prefix("guanxi.v1.UserService/")?;
        match method {
            "Register" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_REGISTER_SPEC),
                )
            }
            "Login" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_LOGIN_SPEC),
                )
            }
            "ChangePassword" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_CHANGE_PASSWORD_SPEC),
                )
            }
            "SetPassword" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_SET_PASSWORD_SPEC),
                )
            }
            "GetUser" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(USER_SERVICE_GET_USER_SPEC),
                )
            }
            "BatchGetUsers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(USER_SERVICE_BATCH_GET_USERS_SPEC),
                )
            }
            "LookupUser" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(USER_SERVICE_LOOKUP_USER_SPEC),
                )
            }
            "ResolveIds" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_RESOLVE_IDS_SPEC),
                )
            }
            "UpdateUser" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_UPDATE_USER_SPEC),
                )
            }
            "SetPrivacy" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_SET_PRIVACY_SPEC),
                )
            }
            "Deactivate" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_DEACTIVATE_SPEC),
                )
            }
            "PurgePost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_PURGE_POST_SPEC),
                )
            }
            "DeleteUser" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_DELETE_USER_SPEC),
                )
            }
            "EraseUser" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_ERASE_USER_SPEC),
                )
            }
            "ExportUser" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(USER_SERVICE_EXPORT_USER_SPEC),
                )
            }
            "Reactivate" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_REACTIVATE_SPEC),
                )
            }
            "BindPhone" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_BIND_PHONE_SPEC),
                )
            }
            "BindEmail" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_BIND_EMAIL_SPEC),
                )
            }
            "UnbindPhone" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_UNBIND_PHONE_SPEC),
                )
            }
            "UnbindEmail" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_UNBIND_EMAIL_SPEC),
                )
            }
            "RefreshSession" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_REFRESH_SESSION_SPEC),
                )
            }
            "ListSessions" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(USER_SERVICE_LIST_SESSIONS_SPEC),
                )
            }
            "RevokeSession" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_REVOKE_SESSION_SPEC),
                )
            }
            "Logout" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_LOGOUT_SPEC),
                )
            }
            "CreateStreamTicket" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(USER_SERVICE_CREATE_STREAM_TICKET_SPEC),
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
        let Some(method) = path.strip_prefix("guanxi.v1.UserService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_unary(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
            "Register" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RegisterRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RegisterRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RegisterRequest,
                    >::from_parts(&req, &body);
                    svc.register(ctx, req).await?.encode::<RegisterResponse>(format)
                })
            }
            "Login" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        LoginRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::LoginRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        LoginRequest,
                    >::from_parts(&req, &body);
                    svc.login(ctx, req).await?.encode::<LoginResponse>(format)
                })
            }
            "ChangePassword" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ChangePasswordRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ChangePasswordRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ChangePasswordRequest,
                    >::from_parts(&req, &body);
                    svc.change_password(ctx, req).await?.encode::<LoginResponse>(format)
                })
            }
            "SetPassword" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        SetPasswordRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::SetPasswordRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        SetPasswordRequest,
                    >::from_parts(&req, &body);
                    svc.set_password(ctx, req)
                        .await?
                        .encode::<SetPasswordResponse>(format)
                })
            }
            "GetUser" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetUserRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetUserRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetUserRequest,
                    >::from_parts(&req, &body);
                    svc.get_user(ctx, req).await?.encode::<GetUserResponse>(format)
                })
            }
            "BatchGetUsers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchGetUsersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchGetUsersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchGetUsersRequest,
                    >::from_parts(&req, &body);
                    svc.batch_get_users(ctx, req)
                        .await?
                        .encode::<BatchGetUsersResponse>(format)
                })
            }
            "LookupUser" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        LookupUserRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::LookupUserRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        LookupUserRequest,
                    >::from_parts(&req, &body);
                    svc.lookup_user(ctx, req).await?.encode::<LookupUserResponse>(format)
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
            "UpdateUser" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UpdateUserRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UpdateUserRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UpdateUserRequest,
                    >::from_parts(&req, &body);
                    svc.update_user(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "SetPrivacy" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        SetPrivacyRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::SetPrivacyRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        SetPrivacyRequest,
                    >::from_parts(&req, &body);
                    svc.set_privacy(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "Deactivate" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        DeactivateRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::DeactivateRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        DeactivateRequest,
                    >::from_parts(&req, &body);
                    svc.deactivate(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "PurgePost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        PurgePostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::PurgePostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        PurgePostRequest,
                    >::from_parts(&req, &body);
                    svc.purge_post(ctx, req).await?.encode::<PurgePostResponse>(format)
                })
            }
            "DeleteUser" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        DeleteUserRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::DeleteUserRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        DeleteUserRequest,
                    >::from_parts(&req, &body);
                    svc.delete_user(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "EraseUser" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        EraseUserRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::EraseUserRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        EraseUserRequest,
                    >::from_parts(&req, &body);
                    svc.erase_user(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "Reactivate" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ReactivateRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ReactivateRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ReactivateRequest,
                    >::from_parts(&req, &body);
                    svc.reactivate(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "BindPhone" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BindPhoneRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BindPhoneRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BindPhoneRequest,
                    >::from_parts(&req, &body);
                    svc.bind_phone(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "BindEmail" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BindEmailRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BindEmailRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BindEmailRequest,
                    >::from_parts(&req, &body);
                    svc.bind_email(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "UnbindPhone" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UnbindPhoneRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UnbindPhoneRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UnbindPhoneRequest,
                    >::from_parts(&req, &body);
                    svc.unbind_phone(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "UnbindEmail" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UnbindEmailRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UnbindEmailRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UnbindEmailRequest,
                    >::from_parts(&req, &body);
                    svc.unbind_email(ctx, req).await?.encode::<WriteUserResponse>(format)
                })
            }
            "RefreshSession" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RefreshSessionRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RefreshSessionRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RefreshSessionRequest,
                    >::from_parts(&req, &body);
                    svc.refresh_session(ctx, req).await?.encode::<LoginResponse>(format)
                })
            }
            "ListSessions" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListSessionsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListSessionsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListSessionsRequest,
                    >::from_parts(&req, &body);
                    svc.list_sessions(ctx, req)
                        .await?
                        .encode::<ListSessionsResponse>(format)
                })
            }
            "RevokeSession" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RevokeSessionRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RevokeSessionRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RevokeSessionRequest,
                    >::from_parts(&req, &body);
                    svc.revoke_session(ctx, req)
                        .await?
                        .encode::<RevokeSessionResponse>(format)
                })
            }
            "Logout" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        LogoutRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::LogoutRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        LogoutRequest,
                    >::from_parts(&req, &body);
                    svc.logout(ctx, req).await?.encode::<LogoutResponse>(format)
                })
            }
            "CreateStreamTicket" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        CreateStreamTicketRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::CreateStreamTicketRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        CreateStreamTicketRequest,
                    >::from_parts(&req, &body);
                    svc.create_stream_ticket(ctx, req)
                        .await?
                        .encode::<CreateStreamTicketResponse>(format)
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
        let Some(method) = path.strip_prefix("guanxi.v1.UserService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_streaming(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
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
        let Some(method) = path.strip_prefix("guanxi.v1.UserService/") else {
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
        let Some(method) = path.strip_prefix("guanxi.v1.UserService/") else {
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
/// let client = UserServiceClient::new(conn, config);
/// let response = client.register(request).await?;
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
/// let client = UserServiceClient::new(http, config);
/// let response = client.register(request).await?;
/// ```
///
/// # Working with the response
///
/// Unary calls return [`UnaryResponse<OwnedView<FooView>>`](::connectrpc::client::UnaryResponse).
/// [`view()`](::connectrpc::client::UnaryResponse::view) borrows the response
/// message, so field access is zero-copy:
///
/// ```rust,ignore
/// let resp = client.register(request).await?;
/// let name: &str = resp.view().name;  // borrow into the response buffer
/// ```
///
/// If you need the owned struct (e.g. to store or pass by value), use
/// [`into_owned()`](::connectrpc::client::UnaryResponse::into_owned):
///
/// ```rust,ignore
/// let owned = client.register(request).await?.into_owned();
/// ```
///
/// [`into_view()`](::connectrpc::client::UnaryResponse::into_view) keeps the
/// zero-copy decoded body (an `OwnedView`) without copying; field access on it
/// goes through `.reborrow()`. Streaming responses yield one
/// [`StreamMessage`](::connectrpc::StreamMessage) per received message from
/// `.message().await` — read fields zero-copy through the generated accessor
/// methods (`msg.name()`) or `.view()`, or convert with `.to_owned_message()`.
#[derive(Clone)]
pub struct UserServiceClient<T> {
    transport: T,
    config: ::connectrpc::client::ClientConfig,
}
impl<T> UserServiceClient<T>
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
    /// Call the Register RPC. Sends a request to /guanxi.v1.UserService/Register.
    pub async fn register(
        &self,
        request: RegisterRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RegisterResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.register_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Register RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn register_with_options(
        &self,
        request: RegisterRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RegisterResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_REGISTER_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Login RPC. Sends a request to /guanxi.v1.UserService/Login.
    pub async fn login(
        &self,
        request: LoginRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LoginResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.login_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Login RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn login_with_options(
        &self,
        request: LoginRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LoginResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_LOGIN_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ChangePassword RPC. Sends a request to /guanxi.v1.UserService/ChangePassword.
    pub async fn change_password(
        &self,
        request: ChangePasswordRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LoginResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.change_password_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ChangePassword RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn change_password_with_options(
        &self,
        request: ChangePasswordRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LoginResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_CHANGE_PASSWORD_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the SetPassword RPC. Sends a request to /guanxi.v1.UserService/SetPassword.
    pub async fn set_password(
        &self,
        request: SetPasswordRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SetPasswordResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.set_password_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the SetPassword RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn set_password_with_options(
        &self,
        request: SetPasswordRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SetPasswordResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_SET_PASSWORD_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetUser RPC. Sends a request to /guanxi.v1.UserService/GetUser.
    pub async fn get_user(
        &self,
        request: GetUserRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_user_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the GetUser RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_user_with_options(
        &self,
        request: GetUserRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_GET_USER_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchGetUsers RPC. Sends a request to /guanxi.v1.UserService/BatchGetUsers.
    pub async fn batch_get_users(
        &self,
        request: BatchGetUsersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchGetUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_get_users_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchGetUsers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_get_users_with_options(
        &self,
        request: BatchGetUsersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchGetUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_BATCH_GET_USERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the LookupUser RPC. Sends a request to /guanxi.v1.UserService/LookupUser.
    pub async fn lookup_user(
        &self,
        request: LookupUserRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LookupUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.lookup_user_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the LookupUser RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn lookup_user_with_options(
        &self,
        request: LookupUserRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LookupUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_LOOKUP_USER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ResolveIds RPC. Sends a request to /guanxi.v1.UserService/ResolveIds.
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
                USER_SERVICE_RESOLVE_IDS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the UpdateUser RPC. Sends a request to /guanxi.v1.UserService/UpdateUser.
    pub async fn update_user(
        &self,
        request: UpdateUserRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.update_user_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the UpdateUser RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn update_user_with_options(
        &self,
        request: UpdateUserRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_UPDATE_USER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the SetPrivacy RPC. Sends a request to /guanxi.v1.UserService/SetPrivacy.
    pub async fn set_privacy(
        &self,
        request: SetPrivacyRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.set_privacy_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the SetPrivacy RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn set_privacy_with_options(
        &self,
        request: SetPrivacyRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_SET_PRIVACY_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Deactivate RPC. Sends a request to /guanxi.v1.UserService/Deactivate.
    pub async fn deactivate(
        &self,
        request: DeactivateRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.deactivate_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the Deactivate RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn deactivate_with_options(
        &self,
        request: DeactivateRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_DEACTIVATE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the PurgePost RPC. Sends a request to /guanxi.v1.UserService/PurgePost.
    pub async fn purge_post(
        &self,
        request: PurgePostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::PurgePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.purge_post_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the PurgePost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn purge_post_with_options(
        &self,
        request: PurgePostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::PurgePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_PURGE_POST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the DeleteUser RPC. Sends a request to /guanxi.v1.UserService/DeleteUser.
    pub async fn delete_user(
        &self,
        request: DeleteUserRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.delete_user_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the DeleteUser RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn delete_user_with_options(
        &self,
        request: DeleteUserRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_DELETE_USER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the EraseUser RPC. Sends a request to /guanxi.v1.UserService/EraseUser.
    pub async fn erase_user(
        &self,
        request: EraseUserRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.erase_user_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the EraseUser RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn erase_user_with_options(
        &self,
        request: EraseUserRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_ERASE_USER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ExportUser RPC. Sends a request to /guanxi.v1.UserService/ExportUser.
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
                USER_SERVICE_EXPORT_USER_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Reactivate RPC. Sends a request to /guanxi.v1.UserService/Reactivate.
    pub async fn reactivate(
        &self,
        request: ReactivateRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.reactivate_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the Reactivate RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn reactivate_with_options(
        &self,
        request: ReactivateRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_REACTIVATE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BindPhone RPC. Sends a request to /guanxi.v1.UserService/BindPhone.
    pub async fn bind_phone(
        &self,
        request: BindPhoneRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.bind_phone_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BindPhone RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn bind_phone_with_options(
        &self,
        request: BindPhoneRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_BIND_PHONE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BindEmail RPC. Sends a request to /guanxi.v1.UserService/BindEmail.
    pub async fn bind_email(
        &self,
        request: BindEmailRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.bind_email_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BindEmail RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn bind_email_with_options(
        &self,
        request: BindEmailRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_BIND_EMAIL_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the UnbindPhone RPC. Sends a request to /guanxi.v1.UserService/UnbindPhone.
    pub async fn unbind_phone(
        &self,
        request: UnbindPhoneRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.unbind_phone_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the UnbindPhone RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn unbind_phone_with_options(
        &self,
        request: UnbindPhoneRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_UNBIND_PHONE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the UnbindEmail RPC. Sends a request to /guanxi.v1.UserService/UnbindEmail.
    pub async fn unbind_email(
        &self,
        request: UnbindEmailRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.unbind_email_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the UnbindEmail RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn unbind_email_with_options(
        &self,
        request: UnbindEmailRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WriteUserResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_UNBIND_EMAIL_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RefreshSession RPC. Sends a request to /guanxi.v1.UserService/RefreshSession.
    pub async fn refresh_session(
        &self,
        request: RefreshSessionRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LoginResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.refresh_session_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RefreshSession RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn refresh_session_with_options(
        &self,
        request: RefreshSessionRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LoginResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_REFRESH_SESSION_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListSessions RPC. Sends a request to /guanxi.v1.UserService/ListSessions.
    pub async fn list_sessions(
        &self,
        request: ListSessionsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListSessionsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_sessions_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListSessions RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_sessions_with_options(
        &self,
        request: ListSessionsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListSessionsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_LIST_SESSIONS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RevokeSession RPC. Sends a request to /guanxi.v1.UserService/RevokeSession.
    pub async fn revoke_session(
        &self,
        request: RevokeSessionRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RevokeSessionResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.revoke_session_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RevokeSession RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn revoke_session_with_options(
        &self,
        request: RevokeSessionRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::RevokeSessionResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_REVOKE_SESSION_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Logout RPC. Sends a request to /guanxi.v1.UserService/Logout.
    pub async fn logout(
        &self,
        request: LogoutRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LogoutResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.logout_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Logout RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn logout_with_options(
        &self,
        request: LogoutRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::LogoutResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_LOGOUT_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the CreateStreamTicket RPC. Sends a request to /guanxi.v1.UserService/CreateStreamTicket.
    pub async fn create_stream_ticket(
        &self,
        request: CreateStreamTicketRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::CreateStreamTicketResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.create_stream_ticket_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the CreateStreamTicket RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn create_stream_ticket_with_options(
        &self,
        request: CreateStreamTicketRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::CreateStreamTicketResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                USER_SERVICE_CREATE_STREAM_TICKET_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
}
