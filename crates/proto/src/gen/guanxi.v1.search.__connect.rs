/// Full service name for this service.
pub const SEARCH_SERVICE_SERVICE_NAME: &str = "guanxi.v1.SearchService";
/// Static [`Spec`](::connectrpc::Spec) for the `SearchPosts` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const SEARCH_SERVICE_SEARCH_POSTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.SearchService/SearchPosts",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `SearchUsers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const SEARCH_SERVICE_SEARCH_USERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.SearchService/SearchUsers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `Suggest` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const SEARCH_SERVICE_SUGGEST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.SearchService/Suggest",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Searches posts and users.
///
/// An end user searches as itself. A service searches as any user, with the scope `search.read`. A service that names no
/// viewer searches public posts and all users that are not deleted.
///
/// The index follows the acknowledged writes by about half a second. Each answer has the position of the index.
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
pub trait SearchService: Send + Sync + 'static {
    /// Returns a page of the posts that match a query and that `viewer` may see (see PostService), newest or best first.
    ///
    /// The search leaves out posts of users whom the viewer mutes, and plain reposts. It finds posts for followers,
    /// friends or a group only if the viewer follows the author, is in a group of the author, or is the author.
    ///
    /// Errors: BAD_QUERY {position, expected}, PAGE_TOO_LARGE {limit}, STALE_CURSOR, SEARCH_BEHIND {retry_after_ms} when
    /// the index does not reach the position of the token in time, SEARCH_UNAVAILABLE.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn search_posts<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, SearchPostsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<SearchPostsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns a page of the users whose names match, of at most 200 users, the best match first.
    ///
    /// The kinds of match, in order:
    /// - the whole name;
    /// - the beginning of the name, or of a word of it;
    /// - the name as it is read in pinyin;
    /// - a similar name.
    ///
    /// Within one kind of match the order is:
    /// - friends of the viewer;
    /// - users whom the viewer follows;
    /// - users with whom the viewer has the highest affinity;
    /// - users with the most followers among the users whom the viewer follows;
    /// - users with the most followers.
    ///
    /// An end user finds itself. It also finds users that are active and `discoverable` and do not block it. It finds them
    /// by nickname, or by a login name that is given whole. A service finds all users that are not deleted, and finds
    /// login names in the same way as nicknames.
    ///
    /// Errors: BAD_QUERY {position, expected}, PAGE_TOO_LARGE {limit}, STALE_CURSOR, SEARCH_BEHIND {retry_after_ms},
    /// SEARCH_UNAVAILABLE.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn search_users<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, SearchUsersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<SearchUsersResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the first users that SearchUsers finds, while a user still types the name. One letter is enough.
    ///
    /// Errors: as SearchUsers, without STALE_CURSOR.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn suggest<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, SuggestRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<SuggestResponse> + Send + use<'a, Self>,
        >,
    > + Send;
}
/// Monomorphic dispatcher for `SearchService`.
///
/// Unlike `.register(Router)` which type-erases each method into an `Arc<dyn ErasedHandler>` stored in a `HashMap`, this struct dispatches via a compile-time `match` on method name: no vtable, no hash lookup.
///
/// # Example
///
/// ```rust,ignore
/// use connectrpc::ConnectRpcService;
///
/// let server = SearchServiceServer::new(MyImpl);
/// let service = ConnectRpcService::new(server);
/// // hand `service` to axum/hyper as a fallback_service
/// ```
pub struct SearchServiceServer<T> {
    inner: ::std::sync::Arc<T>,
}
impl<T: SearchService> SearchServiceServer<T> {
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
impl<T> Clone for SearchServiceServer<T> {
    fn clone(&self) -> Self {
        Self {
            inner: ::std::sync::Arc::clone(&self.inner),
        }
    }
}
impl<T: SearchService> ::connectrpc::Dispatcher for SearchServiceServer<T> {
    #[inline]
    fn lookup(
        &self,
        path: &str,
    ) -> Option<::connectrpc::dispatcher::codegen::MethodDescriptor> {
        let method = path.strip_prefix("guanxi.v1.SearchService/")?;
        match method {
            "SearchPosts" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(SEARCH_SERVICE_SEARCH_POSTS_SPEC),
                )
            }
            "SearchUsers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(SEARCH_SERVICE_SEARCH_USERS_SPEC),
                )
            }
            "Suggest" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(SEARCH_SERVICE_SUGGEST_SPEC),
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
        let Some(method) = path.strip_prefix("guanxi.v1.SearchService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_unary(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
            "SearchPosts" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        SearchPostsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::SearchPostsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        SearchPostsRequest,
                    >::from_parts(&req, &body);
                    svc.search_posts(ctx, req)
                        .await?
                        .encode::<SearchPostsResponse>(format)
                })
            }
            "SearchUsers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        SearchUsersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::SearchUsersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        SearchUsersRequest,
                    >::from_parts(&req, &body);
                    svc.search_users(ctx, req)
                        .await?
                        .encode::<SearchUsersResponse>(format)
                })
            }
            "Suggest" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        SuggestRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::SuggestRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        SuggestRequest,
                    >::from_parts(&req, &body);
                    svc.suggest(ctx, req).await?.encode::<SuggestResponse>(format)
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
        let Some(method) = path.strip_prefix("guanxi.v1.SearchService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_streaming(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
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
        let Some(method) = path.strip_prefix("guanxi.v1.SearchService/") else {
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
        let Some(method) = path.strip_prefix("guanxi.v1.SearchService/") else {
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
/// let client = SearchServiceClient::new(conn, config);
/// let response = client.search_posts(request).await?;
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
/// let client = SearchServiceClient::new(http, config);
/// let response = client.search_posts(request).await?;
/// ```
///
/// # Working with the response
///
/// Unary calls return [`UnaryResponse<OwnedView<FooView>>`](::connectrpc::client::UnaryResponse).
/// [`view()`](::connectrpc::client::UnaryResponse::view) borrows the response
/// message, so field access is zero-copy:
///
/// ```rust,ignore
/// let resp = client.search_posts(request).await?;
/// let name: &str = resp.view().name;  // borrow into the response buffer
/// ```
///
/// If you need the owned struct (e.g. to store or pass by value), use
/// [`into_owned()`](::connectrpc::client::UnaryResponse::into_owned):
///
/// ```rust,ignore
/// let owned = client.search_posts(request).await?.into_owned();
/// ```
///
/// [`into_view()`](::connectrpc::client::UnaryResponse::into_view) keeps the
/// zero-copy decoded body (an `OwnedView`) without copying; field access on it
/// goes through `.reborrow()`. Streaming responses yield one
/// [`StreamMessage`](::connectrpc::StreamMessage) per received message from
/// `.message().await` — read fields zero-copy through the generated accessor
/// methods (`msg.name()`) or `.view()`, or convert with `.to_owned_message()`.
#[derive(Clone)]
pub struct SearchServiceClient<T> {
    transport: T,
    config: ::connectrpc::client::ClientConfig,
}
impl<T> SearchServiceClient<T>
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
    /// Call the SearchPosts RPC. Sends a request to /guanxi.v1.SearchService/SearchPosts.
    pub async fn search_posts(
        &self,
        request: SearchPostsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SearchPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.search_posts_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the SearchPosts RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn search_posts_with_options(
        &self,
        request: SearchPostsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SearchPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                SEARCH_SERVICE_SEARCH_POSTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the SearchUsers RPC. Sends a request to /guanxi.v1.SearchService/SearchUsers.
    pub async fn search_users(
        &self,
        request: SearchUsersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SearchUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.search_users_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the SearchUsers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn search_users_with_options(
        &self,
        request: SearchUsersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SearchUsersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                SEARCH_SERVICE_SEARCH_USERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the Suggest RPC. Sends a request to /guanxi.v1.SearchService/Suggest.
    pub async fn suggest(
        &self,
        request: SuggestRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SuggestResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.suggest_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the Suggest RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn suggest_with_options(
        &self,
        request: SuggestRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::SuggestResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                SEARCH_SERVICE_SUGGEST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
}
