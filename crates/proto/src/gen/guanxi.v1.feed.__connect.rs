/// Full service name for this service.
pub const FEED_SERVICE_SERVICE_NAME: &str = "guanxi.v1.FeedService";
/// Static [`Spec`](::connectrpc::Spec) for the `GetHomeTimeline` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const FEED_SERVICE_GET_HOME_TIMELINE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.FeedService/GetHomeTimeline",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `GetGroupTimeline` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const FEED_SERVICE_GET_GROUP_TIMELINE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.FeedService/GetGroupTimeline",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `PollHomeTimeline` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const FEED_SERVICE_POLL_HOME_TIMELINE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.FeedService/PollHomeTimeline",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `StreamHomeTimeline` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const FEED_SERVICE_STREAM_HOME_TIMELINE_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.FeedService/StreamHomeTimeline",
        ::connectrpc::StreamType::ServerStream,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `MarkSeen` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const FEED_SERVICE_MARK_SEEN_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.FeedService/MarkSeen",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetUnread` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const FEED_SERVICE_GET_UNREAD_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.FeedService/GetUnread",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ExplainFeed` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const FEED_SERVICE_EXPLAIN_FEED_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.FeedService/ExplainFeed",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Home timelines: pages, new items, unread items, and explanations.
///
/// An end user reads only its own home. A service reads the home of any user with the scope `feed.read`, and marks it as
/// seen with `feed.write`.
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
pub trait FeedService: Send + Sync + 'static {
    /// Returns a page of the home of `viewer`. A follow, block, mute, edit or deletion takes effect with its
    /// acknowledgement. Send the token of that write to be sure that the page includes it.
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
    fn get_home_timeline<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetHomeTimelineRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetHomeTimelineResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns a page of the posts of the members of a group of `viewer`, newest first. The rules are those of home, with
    /// the members in place of the users whom the viewer follows. Members need not be followed. A change of members takes
    /// effect with its acknowledgement.
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
    fn get_group_timeline<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetGroupTimelineRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetGroupTimelineResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the items that are new on top of the home since a position. The call answers at once.
    ///
    /// Errors: MISSING_FIELD {field: token}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn poll_home_timeline<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, PollHomeTimelineRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<HomeNews> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Streams the items that become new on top of the home after a position, for as long as the caller listens.
    ///
    /// The first answer comes at once. It is empty when there is nothing new. Keep the `token` of each answer. To go on
    /// after a break, send it in a new call. When nothing happens for 15 seconds, the server sends an empty answer.
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call (until the response stream is returned);
    /// message fields are read directly on it (zero-copy). Data the
    /// returned stream needs must be copied out or converted via
    /// `.to_owned_message()`.
    fn stream_home_timeline(
        &self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, StreamHomeTimelineRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            ::connectrpc::ServiceStream<
                impl ::connectrpc::Encodable<HomeNews> + Send + use<Self>,
            >,
        >,
    > + Send;
    /// Notes that the viewer has seen its home up to a position. The mark only rises.
    ///
    /// Errors: MISSING_FIELD {field: seen}, TOKEN_AHEAD.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn mark_seen<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, MarkSeenRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<MarkSeenResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Counts the items of other users that came to the home after the mark and are visible now. Items of the viewer
    /// itself count as seen.
    ///
    /// Errors: INVALID_FIELD {field: cap}.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_unread<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetUnreadRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetUnreadResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Explains why a post is in the home of a viewer, or why it is not.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn explain_feed<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ExplainFeedRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ExplainFeedResponse> + Send + use<'a, Self>,
        >,
    > + Send;
}
/// Monomorphic dispatcher for `FeedService`.
///
/// Unlike `.register(Router)` which type-erases each method into an `Arc<dyn ErasedHandler>` stored in a `HashMap`, this struct dispatches via a compile-time `match` on method name: no vtable, no hash lookup.
///
/// # Example
///
/// ```rust,ignore
/// use connectrpc::ConnectRpcService;
///
/// let server = FeedServiceServer::new(MyImpl);
/// let service = ConnectRpcService::new(server);
/// // hand `service` to axum/hyper as a fallback_service
/// ```
pub struct FeedServiceServer<T> {
    inner: ::std::sync::Arc<T>,
}
impl<T: FeedService> FeedServiceServer<T> {
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
impl<T> Clone for FeedServiceServer<T> {
    fn clone(&self) -> Self {
        Self {
            inner: ::std::sync::Arc::clone(&self.inner),
        }
    }
}
impl<T: FeedService> ::connectrpc::Dispatcher for FeedServiceServer<T> {
    #[inline]
    fn lookup(
        &self,
        path: &str,
    ) -> Option<::connectrpc::dispatcher::codegen::MethodDescriptor> {
        let method = path.strip_prefix("guanxi.v1.FeedService/")?;
        match method {
            "GetHomeTimeline" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(FEED_SERVICE_GET_HOME_TIMELINE_SPEC),
                )
            }
            "GetGroupTimeline" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(FEED_SERVICE_GET_GROUP_TIMELINE_SPEC),
                )
            }
            "PollHomeTimeline" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(FEED_SERVICE_POLL_HOME_TIMELINE_SPEC),
                )
            }
            "StreamHomeTimeline" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::server_streaming()
                        .with_spec(FEED_SERVICE_STREAM_HOME_TIMELINE_SPEC),
                )
            }
            "MarkSeen" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(FEED_SERVICE_MARK_SEEN_SPEC),
                )
            }
            "GetUnread" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(FEED_SERVICE_GET_UNREAD_SPEC),
                )
            }
            "ExplainFeed" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(FEED_SERVICE_EXPLAIN_FEED_SPEC),
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
        let Some(method) = path.strip_prefix("guanxi.v1.FeedService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_unary(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
            "GetHomeTimeline" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetHomeTimelineRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetHomeTimelineRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetHomeTimelineRequest,
                    >::from_parts(&req, &body);
                    svc.get_home_timeline(ctx, req)
                        .await?
                        .encode::<GetHomeTimelineResponse>(format)
                })
            }
            "GetGroupTimeline" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetGroupTimelineRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetGroupTimelineRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetGroupTimelineRequest,
                    >::from_parts(&req, &body);
                    svc.get_group_timeline(ctx, req)
                        .await?
                        .encode::<GetGroupTimelineResponse>(format)
                })
            }
            "PollHomeTimeline" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        PollHomeTimelineRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::PollHomeTimelineRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        PollHomeTimelineRequest,
                    >::from_parts(&req, &body);
                    svc.poll_home_timeline(ctx, req).await?.encode::<HomeNews>(format)
                })
            }
            "MarkSeen" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        MarkSeenRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::MarkSeenRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        MarkSeenRequest,
                    >::from_parts(&req, &body);
                    svc.mark_seen(ctx, req).await?.encode::<MarkSeenResponse>(format)
                })
            }
            "GetUnread" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetUnreadRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetUnreadRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetUnreadRequest,
                    >::from_parts(&req, &body);
                    svc.get_unread(ctx, req).await?.encode::<GetUnreadResponse>(format)
                })
            }
            "ExplainFeed" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ExplainFeedRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ExplainFeedRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ExplainFeedRequest,
                    >::from_parts(&req, &body);
                    svc.explain_feed(ctx, req)
                        .await?
                        .encode::<ExplainFeedResponse>(format)
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
        let Some(method) = path.strip_prefix("guanxi.v1.FeedService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_streaming(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
            "StreamHomeTimeline" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        StreamHomeTimelineRequest,
                    >(request, format)?;
                    let req: __buffa::view::StreamHomeTimelineRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        StreamHomeTimelineRequest,
                    >::from_parts(&req, &body);
                    let resp = svc.stream_home_timeline(ctx, req).await?;
                    Ok(
                        resp
                            .map_body(|s| ::connectrpc::dispatcher::codegen::encode_response_stream::<
                                HomeNews,
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
        let Some(method) = path.strip_prefix("guanxi.v1.FeedService/") else {
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
        let Some(method) = path.strip_prefix("guanxi.v1.FeedService/") else {
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
/// let client = FeedServiceClient::new(conn, config);
/// let response = client.get_home_timeline(request).await?;
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
/// let client = FeedServiceClient::new(http, config);
/// let response = client.get_home_timeline(request).await?;
/// ```
///
/// # Working with the response
///
/// Unary calls return [`UnaryResponse<OwnedView<FooView>>`](::connectrpc::client::UnaryResponse).
/// [`view()`](::connectrpc::client::UnaryResponse::view) borrows the response
/// message, so field access is zero-copy:
///
/// ```rust,ignore
/// let resp = client.get_home_timeline(request).await?;
/// let name: &str = resp.view().name;  // borrow into the response buffer
/// ```
///
/// If you need the owned struct (e.g. to store or pass by value), use
/// [`into_owned()`](::connectrpc::client::UnaryResponse::into_owned):
///
/// ```rust,ignore
/// let owned = client.get_home_timeline(request).await?.into_owned();
/// ```
///
/// [`into_view()`](::connectrpc::client::UnaryResponse::into_view) keeps the
/// zero-copy decoded body (an `OwnedView`) without copying; field access on it
/// goes through `.reborrow()`. Streaming responses yield one
/// [`StreamMessage`](::connectrpc::StreamMessage) per received message from
/// `.message().await` — read fields zero-copy through the generated accessor
/// methods (`msg.name()`) or `.view()`, or convert with `.to_owned_message()`.
#[derive(Clone)]
pub struct FeedServiceClient<T> {
    transport: T,
    config: ::connectrpc::client::ClientConfig,
}
impl<T> FeedServiceClient<T>
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
    /// Call the GetHomeTimeline RPC. Sends a request to /guanxi.v1.FeedService/GetHomeTimeline.
    pub async fn get_home_timeline(
        &self,
        request: GetHomeTimelineRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetHomeTimelineResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_home_timeline_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetHomeTimeline RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_home_timeline_with_options(
        &self,
        request: GetHomeTimelineRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetHomeTimelineResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                FEED_SERVICE_GET_HOME_TIMELINE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetGroupTimeline RPC. Sends a request to /guanxi.v1.FeedService/GetGroupTimeline.
    pub async fn get_group_timeline(
        &self,
        request: GetGroupTimelineRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::GetGroupTimelineResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_group_timeline_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetGroupTimeline RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_group_timeline_with_options(
        &self,
        request: GetGroupTimelineRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::GetGroupTimelineResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                FEED_SERVICE_GET_GROUP_TIMELINE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the PollHomeTimeline RPC. Sends a request to /guanxi.v1.FeedService/PollHomeTimeline.
    pub async fn poll_home_timeline(
        &self,
        request: PollHomeTimelineRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::HomeNewsView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.poll_home_timeline_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the PollHomeTimeline RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn poll_home_timeline_with_options(
        &self,
        request: PollHomeTimelineRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::HomeNewsView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                FEED_SERVICE_POLL_HOME_TIMELINE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the StreamHomeTimeline RPC. Sends a request to /guanxi.v1.FeedService/StreamHomeTimeline.
    pub async fn stream_home_timeline(
        &self,
        request: StreamHomeTimelineRequest,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::HomeNewsView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.stream_home_timeline_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the StreamHomeTimeline RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn stream_home_timeline_with_options(
        &self,
        request: StreamHomeTimelineRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        ::connectrpc::client::ServerStream<
            T::ResponseBody,
            __buffa::view::HomeNewsView<'static>,
        >,
        ::connectrpc::ConnectError,
    > {
        ::connectrpc::client::call_server_stream(
                &self.transport,
                &self.config,
                FEED_SERVICE_STREAM_HOME_TIMELINE_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the MarkSeen RPC. Sends a request to /guanxi.v1.FeedService/MarkSeen.
    pub async fn mark_seen(
        &self,
        request: MarkSeenRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::MarkSeenResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.mark_seen_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the MarkSeen RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn mark_seen_with_options(
        &self,
        request: MarkSeenRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::MarkSeenResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                FEED_SERVICE_MARK_SEEN_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetUnread RPC. Sends a request to /guanxi.v1.FeedService/GetUnread.
    pub async fn get_unread(
        &self,
        request: GetUnreadRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetUnreadResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_unread_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the GetUnread RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_unread_with_options(
        &self,
        request: GetUnreadRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetUnreadResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                FEED_SERVICE_GET_UNREAD_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ExplainFeed RPC. Sends a request to /guanxi.v1.FeedService/ExplainFeed.
    pub async fn explain_feed(
        &self,
        request: ExplainFeedRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ExplainFeedResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.explain_feed_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ExplainFeed RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn explain_feed_with_options(
        &self,
        request: ExplainFeedRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ExplainFeedResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                FEED_SERVICE_EXPLAIN_FEED_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
}
