/// Full service name for this service.
pub const POST_SERVICE_SERVICE_NAME: &str = "guanxi.v1.PostService";
/// Static [`Spec`](::connectrpc::Spec) for the `CreatePost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_CREATE_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/CreatePost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `GetPost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_GET_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/GetPost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchGetPosts` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_BATCH_GET_POSTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/BatchGetPosts",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `UpdatePost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_UPDATE_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/UpdatePost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListPostRevisions` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_LIST_POST_REVISIONS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/ListPostRevisions",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `DeletePost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_DELETE_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/DeletePost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `RestorePost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_RESTORE_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/RestorePost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListAuthorPosts` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_LIST_AUTHOR_POSTS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/ListAuthorPosts",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `LikePost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_LIKE_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/LikePost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `UnlikePost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_UNLIKE_POST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/UnlikePost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `UndoRepost` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_UNDO_REPOST_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/UndoRepost",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::Unknown);
/// Static [`Spec`](::connectrpc::Spec) for the `ListLikers` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_LIST_LIKERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/ListLikers",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `ListReposters` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_LIST_REPOSTERS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/ListReposters",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Static [`Spec`](::connectrpc::Spec) for the `BatchGetPostStats` RPC, as seen by the server; the generated client passes it with [`origin`](::connectrpc::Spec::origin) `Client` (compare across sides with [`Spec::same_method`](::connectrpc::Spec::same_method)).
pub const POST_SERVICE_BATCH_GET_POST_STATS_SPEC: ::connectrpc::Spec = ::connectrpc::Spec::server(
        "/guanxi.v1.PostService/BatchGetPostStats",
        ::connectrpc::StreamType::Unary,
    )
    .with_idempotency_level(::connectrpc::IdempotencyLevel::NoSideEffects);
/// Posts, replies, reposts, revisions and likes.
///
/// A viewer sees a post if all of these hold:
/// - the post is not deleted;
/// - its visibility includes the viewer;
/// - neither the author nor the viewer blocks the other;
/// - if the post is a plain repost, the viewer sees its original, too.
///
/// A write that changes one of these takes effect with its acknowledgement.
///
/// An end user reads as itself. A service reads as the `viewer` that it names. A service that names no viewer sees every
/// post that is not deleted.
///
/// A deleted post answers POST_DELETED or DELETED to users who would see it otherwise. All other users get
/// POST_FORBIDDEN or FORBIDDEN, in the same way as for a post that is not deleted. A user may like, reply to or repost a
/// post if it sees the post.
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
pub trait PostService: Send + Sync + 'static {
    /// Creates a post.
    ///
    /// - With `reply_to` it is a reply.
    /// - With `repost_of` and no text or attachments it is a plain repost.
    /// - With `repost_of` and a text or attachments it is a quote.
    ///
    /// A plain repost stands for its original: replies and reposts of it go to the original. A user has at most one plain
    /// repost of an original at a time. Another call returns the existing repost, with `changed: false`. After UndoRepost
    /// or DeletePost the user can repost again.
    ///
    /// A quote is a post of its own: users like it, reply to it, repost it and quote it. It stays when the quoted post is
    /// gone.
    ///
    /// A post is empty if it has no attachment and its text has no visible character. The server keeps the text as given.
    /// A character is invisible if it is:
    /// - white space or a control, as Unicode defines them;
    /// - a default ignorable character of Unicode below U+3000: U+00AD, U+034F, U+061C, U+115F and U+1160, U+17B4 and
    ///   U+17B5, U+180B to U+180F, U+200B to U+200F, U+202A to U+202E, U+2060 to U+206F;
    /// - a default ignorable character of Unicode above U+3000: U+3164, U+FE00 to U+FE0F, U+FEFF, U+FFA0, U+FFF0 to
    ///   U+FFF8, U+1BCA0 to U+1BCA3, U+1D173 to U+1D17A, U+E0000 to U+E0FFF;
    /// - U+2800, or U+FFF9 to U+FFFB.
    ///
    /// Errors:
    /// - MISSING_FIELD {field: text} for an empty post;
    /// - TEXT_TOO_LONG {limit}, TOO_LONG {field, limit}, and BATCH_TOO_LARGE {limit} for too many attachments;
    /// - INVALID_FIELD {field: repost_of} if `reply_to` is given, too;
    /// - GROUP_NOT_FOUND, and MISSING_FIELD {field: group_id} for a post to GROUP without a group;
    /// - POST_NOT_FOUND, POST_DELETED or POST_FORBIDDEN for the post that it replies to or reposts;
    /// - POST_FORBIDDEN, too, for a repost of another author's post that is not public;
    /// - IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn create_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, CreatePostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WritePostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns a post with its counters. A repost or quote comes with its original.
    ///
    /// Errors: POST_NOT_FOUND, POST_DELETED, POST_FORBIDDEN.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn get_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, GetPostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<GetPostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns up to 200 posts, each with its own status, all at one position. Posts beyond about 3 MiB are OMITTED.
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
    fn batch_get_posts<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchGetPostsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<BatchGetPostsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Changes a post of the author. The server keeps the earlier revision. An update that changes nothing answers
    /// `changed: false` and makes no revision.
    ///
    /// An update never changes `reply_to` and `repost_of`. It cannot add a text or attachments to a plain repost.
    ///
    /// Errors:
    /// - POST_NOT_FOUND, POST_DELETED, POST_TAKEN_DOWN, and POST_FORBIDDEN for a post of another author;
    /// - REVISION_MISMATCH {revision};
    /// - LIMIT_REACHED {limit} after 1,000 revisions, but not for an update that only narrows `visibility`;
    /// - INVALID_FIELD {field: update_mask}, and INVALID_FIELD {field: text} for a text of a plain repost;
    /// - the errors of CreatePost for the content and the group;
    /// - IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn update_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UpdatePostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WritePostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the earlier revisions of a post, newest first, without the present one. It leaves out revisions that the
    /// viewer could not have seen.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, POST_NOT_FOUND, POST_DELETED, POST_FORBIDDEN.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_post_revisions<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListPostRevisionsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                ListPostRevisionsResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
    /// Deletes a post of the author. RestorePost can bring it back. Replies to it stay. Deleting twice changes nothing.
    ///
    /// Errors: POST_NOT_FOUND, POST_FORBIDDEN for a post of another author, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn delete_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, DeletePostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WritePostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Restores a deleted post to its place, with its likes. A restored post is new to no user.
    ///
    /// The call changes nothing if the post is not deleted. It also changes nothing for a plain repost while the author
    /// has another plain repost of the same original. Then the answer has the `post_id` of that other repost.
    ///
    /// Errors:
    /// - POST_NOT_FOUND, POST_FORBIDDEN for a post of another author;
    /// - POST_DELETED for a post that was imported as deleted;
    /// - POST_DELETED for a post that is purged, as deleted posts are after `deleted_posts_days` (never unless set);
    /// - POST_TAKEN_DOWN while the post is taken down;
    /// - IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn restore_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, RestorePostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WritePostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the posts of an author that the viewer may see, newest first.
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
    fn list_author_posts<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListAuthorPostsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListAuthorPostsResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Likes a post that the user may see. The user may like its own posts. Liking twice changes nothing.
    ///
    /// Errors: POST_NOT_FOUND, POST_DELETED, POST_FORBIDDEN, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn like_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, LikePostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WritePostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Takes a like back, also when the user no longer sees the post. Unliking twice changes nothing.
    ///
    /// Errors: POST_NOT_FOUND, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn unlike_post<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UnlikePostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WritePostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Deletes the user's plain repost of a post, also when the user no longer sees the post. Without such a repost the
    /// call changes nothing. If `post_id` is a plain repost itself, the call is about its original.
    ///
    /// Errors: POST_NOT_FOUND, IDEMPOTENCY_MISMATCH.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn undo_repost<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, UndoRepostRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<WritePostResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the users who like a post, newest like first. It leaves out users with a block between them and the viewer.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR, POST_NOT_FOUND, POST_DELETED, POST_FORBIDDEN.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_likers<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListLikersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListLikersResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Lists the users who reposted or quoted a post, newest first. It leaves out reposts that the viewer may not see. A
    /// user with several reposts and quotes has an item for each. A plain repost has no reposts: they belong to its
    /// original.
    ///
    /// Errors: PAGE_TOO_LARGE {limit}, STALE_CURSOR, POST_NOT_FOUND, POST_DELETED, POST_FORBIDDEN.
    ///
    /// `'a` lets the response body borrow from `&self` (e.g. server-resident state).
    ///
    /// `request` is borrowed from the request body and is valid for the
    /// duration of the call; message fields are read directly on it
    /// (zero-copy). The response cannot borrow from `request` — use
    /// `.to_owned_message()` (or copy the specific fields) for anything
    /// returned, stored, or moved into `tokio::spawn`.
    fn list_reposters<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, ListRepostersRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<ListRepostersResponse> + Send + use<'a, Self>,
        >,
    > + Send;
    /// Returns the exact counters of up to 200 posts, without the posts. Each item has its own status. All are at one
    /// position.
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
    fn batch_get_post_stats<'a>(
        &'a self,
        ctx: ::connectrpc::RequestContext,
        request: ::connectrpc::ServiceRequest<'_, BatchGetPostStatsRequest>,
    ) -> impl ::std::future::Future<
        Output = ::connectrpc::ServiceResult<
            impl ::connectrpc::Encodable<
                BatchGetPostStatsResponse,
            > + Send + use<'a, Self>,
        >,
    > + Send;
}
/// Monomorphic dispatcher for `PostService`.
///
/// Unlike `.register(Router)` which type-erases each method into an `Arc<dyn ErasedHandler>` stored in a `HashMap`, this struct dispatches via a compile-time `match` on method name: no vtable, no hash lookup.
///
/// # Example
///
/// ```rust,ignore
/// use connectrpc::ConnectRpcService;
///
/// let server = PostServiceServer::new(MyImpl);
/// let service = ConnectRpcService::new(server);
/// // hand `service` to axum/hyper as a fallback_service
/// ```
pub struct PostServiceServer<T> {
    inner: ::std::sync::Arc<T>,
}
impl<T: PostService> PostServiceServer<T> {
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
impl<T> Clone for PostServiceServer<T> {
    fn clone(&self) -> Self {
        Self {
            inner: ::std::sync::Arc::clone(&self.inner),
        }
    }
}
impl<T: PostService> ::connectrpc::Dispatcher for PostServiceServer<T> {
    #[inline]
    fn lookup(
        &self,
        path: &str,
    ) -> Option<::connectrpc::dispatcher::codegen::MethodDescriptor> {
        let method = path.strip_prefix("guanxi.v1.PostService/")?;
        match method {
            "CreatePost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(POST_SERVICE_CREATE_POST_SPEC),
                )
            }
            "GetPost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(POST_SERVICE_GET_POST_SPEC),
                )
            }
            "BatchGetPosts" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(POST_SERVICE_BATCH_GET_POSTS_SPEC),
                )
            }
            "UpdatePost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(POST_SERVICE_UPDATE_POST_SPEC),
                )
            }
            "ListPostRevisions" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(POST_SERVICE_LIST_POST_REVISIONS_SPEC),
                )
            }
            "DeletePost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(POST_SERVICE_DELETE_POST_SPEC),
                )
            }
            "RestorePost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(POST_SERVICE_RESTORE_POST_SPEC),
                )
            }
            "ListAuthorPosts" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(POST_SERVICE_LIST_AUTHOR_POSTS_SPEC),
                )
            }
            "LikePost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(POST_SERVICE_LIKE_POST_SPEC),
                )
            }
            "UnlikePost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(POST_SERVICE_UNLIKE_POST_SPEC),
                )
            }
            "UndoRepost" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(false)
                        .with_spec(POST_SERVICE_UNDO_REPOST_SPEC),
                )
            }
            "ListLikers" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(POST_SERVICE_LIST_LIKERS_SPEC),
                )
            }
            "ListReposters" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(POST_SERVICE_LIST_REPOSTERS_SPEC),
                )
            }
            "BatchGetPostStats" => {
                Some(
                    ::connectrpc::dispatcher::codegen::MethodDescriptor::unary(true)
                        .with_spec(POST_SERVICE_BATCH_GET_POST_STATS_SPEC),
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
        let Some(method) = path.strip_prefix("guanxi.v1.PostService/") else {
            return ::connectrpc::dispatcher::codegen::unimplemented_unary(path);
        };
        let _ = (&ctx, &request, &format);
        match method {
            "CreatePost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        CreatePostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::CreatePostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        CreatePostRequest,
                    >::from_parts(&req, &body);
                    svc.create_post(ctx, req).await?.encode::<WritePostResponse>(format)
                })
            }
            "GetPost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        GetPostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::GetPostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        GetPostRequest,
                    >::from_parts(&req, &body);
                    svc.get_post(ctx, req).await?.encode::<GetPostResponse>(format)
                })
            }
            "BatchGetPosts" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchGetPostsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchGetPostsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchGetPostsRequest,
                    >::from_parts(&req, &body);
                    svc.batch_get_posts(ctx, req)
                        .await?
                        .encode::<BatchGetPostsResponse>(format)
                })
            }
            "UpdatePost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UpdatePostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UpdatePostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UpdatePostRequest,
                    >::from_parts(&req, &body);
                    svc.update_post(ctx, req).await?.encode::<WritePostResponse>(format)
                })
            }
            "ListPostRevisions" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListPostRevisionsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListPostRevisionsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListPostRevisionsRequest,
                    >::from_parts(&req, &body);
                    svc.list_post_revisions(ctx, req)
                        .await?
                        .encode::<ListPostRevisionsResponse>(format)
                })
            }
            "DeletePost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        DeletePostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::DeletePostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        DeletePostRequest,
                    >::from_parts(&req, &body);
                    svc.delete_post(ctx, req).await?.encode::<WritePostResponse>(format)
                })
            }
            "RestorePost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        RestorePostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::RestorePostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        RestorePostRequest,
                    >::from_parts(&req, &body);
                    svc.restore_post(ctx, req).await?.encode::<WritePostResponse>(format)
                })
            }
            "ListAuthorPosts" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListAuthorPostsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListAuthorPostsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListAuthorPostsRequest,
                    >::from_parts(&req, &body);
                    svc.list_author_posts(ctx, req)
                        .await?
                        .encode::<ListAuthorPostsResponse>(format)
                })
            }
            "LikePost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        LikePostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::LikePostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        LikePostRequest,
                    >::from_parts(&req, &body);
                    svc.like_post(ctx, req).await?.encode::<WritePostResponse>(format)
                })
            }
            "UnlikePost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UnlikePostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UnlikePostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UnlikePostRequest,
                    >::from_parts(&req, &body);
                    svc.unlike_post(ctx, req).await?.encode::<WritePostResponse>(format)
                })
            }
            "UndoRepost" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        UndoRepostRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::UndoRepostRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        UndoRepostRequest,
                    >::from_parts(&req, &body);
                    svc.undo_repost(ctx, req).await?.encode::<WritePostResponse>(format)
                })
            }
            "ListLikers" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListLikersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListLikersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListLikersRequest,
                    >::from_parts(&req, &body);
                    svc.list_likers(ctx, req).await?.encode::<ListLikersResponse>(format)
                })
            }
            "ListReposters" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        ListRepostersRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::ListRepostersRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        ListRepostersRequest,
                    >::from_parts(&req, &body);
                    svc.list_reposters(ctx, req)
                        .await?
                        .encode::<ListRepostersResponse>(format)
                })
            }
            "BatchGetPostStats" => {
                let svc = ::std::sync::Arc::clone(&self.inner);
                Box::pin(async move {
                    let body = ::connectrpc::dispatcher::codegen::request_proto_bytes::<
                        BatchGetPostStatsRequest,
                    >(request.encoded()?, format)?;
                    let req: __buffa::view::BatchGetPostStatsRequestView<'_> = ::connectrpc::dispatcher::codegen::decode_borrowed_request_view(
                        &body,
                        ctx.decode_options(),
                    )?;
                    let req = ::connectrpc::ServiceRequest::<
                        BatchGetPostStatsRequest,
                    >::from_parts(&req, &body);
                    svc.batch_get_post_stats(ctx, req)
                        .await?
                        .encode::<BatchGetPostStatsResponse>(format)
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
        let Some(method) = path.strip_prefix("guanxi.v1.PostService/") else {
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
        let Some(method) = path.strip_prefix("guanxi.v1.PostService/") else {
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
        let Some(method) = path.strip_prefix("guanxi.v1.PostService/") else {
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
/// let client = PostServiceClient::new(conn, config);
/// let response = client.create_post(request).await?;
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
/// let client = PostServiceClient::new(http, config);
/// let response = client.create_post(request).await?;
/// ```
///
/// # Working with the response
///
/// Unary calls return [`UnaryResponse<OwnedView<FooView>>`](::connectrpc::client::UnaryResponse).
/// [`view()`](::connectrpc::client::UnaryResponse::view) borrows the response
/// message, so field access is zero-copy:
///
/// ```rust,ignore
/// let resp = client.create_post(request).await?;
/// let name: &str = resp.view().name;  // borrow into the response buffer
/// ```
///
/// If you need the owned struct (e.g. to store or pass by value), use
/// [`into_owned()`](::connectrpc::client::UnaryResponse::into_owned):
///
/// ```rust,ignore
/// let owned = client.create_post(request).await?.into_owned();
/// ```
///
/// [`into_view()`](::connectrpc::client::UnaryResponse::into_view) keeps the
/// zero-copy decoded body (an `OwnedView`) without copying; field access on it
/// goes through `.reborrow()`. Streaming responses yield one
/// [`StreamMessage`](::connectrpc::StreamMessage) per received message from
/// `.message().await` — read fields zero-copy through the generated accessor
/// methods (`msg.name()`) or `.view()`, or convert with `.to_owned_message()`.
#[derive(Clone)]
pub struct PostServiceClient<T> {
    transport: T,
    config: ::connectrpc::client::ClientConfig,
}
impl<T> PostServiceClient<T>
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
    /// Call the CreatePost RPC. Sends a request to /guanxi.v1.PostService/CreatePost.
    pub async fn create_post(
        &self,
        request: CreatePostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.create_post_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the CreatePost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn create_post_with_options(
        &self,
        request: CreatePostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_CREATE_POST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the GetPost RPC. Sends a request to /guanxi.v1.PostService/GetPost.
    pub async fn get_post(
        &self,
        request: GetPostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetPostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.get_post_with_options(request, ::connectrpc::client::CallOptions::default())
            .await
    }
    /// Call the GetPost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn get_post_with_options(
        &self,
        request: GetPostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::GetPostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_GET_POST_SPEC.with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchGetPosts RPC. Sends a request to /guanxi.v1.PostService/BatchGetPosts.
    pub async fn batch_get_posts(
        &self,
        request: BatchGetPostsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchGetPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_get_posts_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchGetPosts RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_get_posts_with_options(
        &self,
        request: BatchGetPostsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::BatchGetPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_BATCH_GET_POSTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the UpdatePost RPC. Sends a request to /guanxi.v1.PostService/UpdatePost.
    pub async fn update_post(
        &self,
        request: UpdatePostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.update_post_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the UpdatePost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn update_post_with_options(
        &self,
        request: UpdatePostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_UPDATE_POST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListPostRevisions RPC. Sends a request to /guanxi.v1.PostService/ListPostRevisions.
    pub async fn list_post_revisions(
        &self,
        request: ListPostRevisionsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListPostRevisionsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_post_revisions_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListPostRevisions RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_post_revisions_with_options(
        &self,
        request: ListPostRevisionsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::ListPostRevisionsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_LIST_POST_REVISIONS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the DeletePost RPC. Sends a request to /guanxi.v1.PostService/DeletePost.
    pub async fn delete_post(
        &self,
        request: DeletePostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.delete_post_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the DeletePost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn delete_post_with_options(
        &self,
        request: DeletePostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_DELETE_POST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the RestorePost RPC. Sends a request to /guanxi.v1.PostService/RestorePost.
    pub async fn restore_post(
        &self,
        request: RestorePostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.restore_post_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the RestorePost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn restore_post_with_options(
        &self,
        request: RestorePostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_RESTORE_POST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListAuthorPosts RPC. Sends a request to /guanxi.v1.PostService/ListAuthorPosts.
    pub async fn list_author_posts(
        &self,
        request: ListAuthorPostsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListAuthorPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_author_posts_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListAuthorPosts RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_author_posts_with_options(
        &self,
        request: ListAuthorPostsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListAuthorPostsResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_LIST_AUTHOR_POSTS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the LikePost RPC. Sends a request to /guanxi.v1.PostService/LikePost.
    pub async fn like_post(
        &self,
        request: LikePostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.like_post_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the LikePost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn like_post_with_options(
        &self,
        request: LikePostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_LIKE_POST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the UnlikePost RPC. Sends a request to /guanxi.v1.PostService/UnlikePost.
    pub async fn unlike_post(
        &self,
        request: UnlikePostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.unlike_post_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the UnlikePost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn unlike_post_with_options(
        &self,
        request: UnlikePostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_UNLIKE_POST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the UndoRepost RPC. Sends a request to /guanxi.v1.PostService/UndoRepost.
    pub async fn undo_repost(
        &self,
        request: UndoRepostRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.undo_repost_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the UndoRepost RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn undo_repost_with_options(
        &self,
        request: UndoRepostRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::WritePostResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_UNDO_REPOST_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListLikers RPC. Sends a request to /guanxi.v1.PostService/ListLikers.
    pub async fn list_likers(
        &self,
        request: ListLikersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListLikersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_likers_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListLikers RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_likers_with_options(
        &self,
        request: ListLikersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListLikersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_LIST_LIKERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the ListReposters RPC. Sends a request to /guanxi.v1.PostService/ListReposters.
    pub async fn list_reposters(
        &self,
        request: ListRepostersRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListRepostersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        self.list_reposters_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the ListReposters RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn list_reposters_with_options(
        &self,
        request: ListRepostersRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<__buffa::view::ListRepostersResponseView<'static>>,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_LIST_REPOSTERS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
    /// Call the BatchGetPostStats RPC. Sends a request to /guanxi.v1.PostService/BatchGetPostStats.
    pub async fn batch_get_post_stats(
        &self,
        request: BatchGetPostStatsRequest,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::BatchGetPostStatsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        self.batch_get_post_stats_with_options(
                request,
                ::connectrpc::client::CallOptions::default(),
            )
            .await
    }
    /// Call the BatchGetPostStats RPC with explicit per-call options. Options override [`ClientConfig`](::connectrpc::client::ClientConfig) defaults.
    pub async fn batch_get_post_stats_with_options(
        &self,
        request: BatchGetPostStatsRequest,
        options: ::connectrpc::client::CallOptions,
    ) -> Result<
        crate::unary::UnaryAnswer<
            ::buffa::view::OwnedView<
                __buffa::view::BatchGetPostStatsResponseView<'static>,
            >,
        >,
        ::connectrpc::ConnectError,
    > {
        crate::unary::call(
                &self.transport,
                &self.config,
                POST_SERVICE_BATCH_GET_POST_STATS_SPEC
                    .with_origin(::connectrpc::SpecOrigin::Client),
                request,
                options,
            )
            .await
    }
}
