//! `guanxi.v1.PostService`: from requests to the post center and back.

mod fingerprint;
pub(crate) mod lists;
mod read;
pub(crate) mod shape;
mod write;

use connectrpc::{ConnectError, RequestContext};
use guanxi_centers::post::PostCenter;
use guanxi_proto::v1;

use crate::page_token::PageTokens;
use crate::request::{ListReader, caller, unary};

/// The handlers. Each is a line: what it reads from the request is in the functions it calls.
pub(crate) struct PostApi {
    center: PostCenter,
    pages: PageTokens,
}

impl PostApi {
    pub(crate) const fn new(center: PostCenter, pages: PageTokens) -> Self {
        Self { center, pages }
    }

    /// The caller of a call, who may read lists.
    fn caller<'a>(&'a self, ctx: &'a RequestContext) -> Result<ListReader<'a>, ConnectError> {
        caller(ctx).map(|caller| ListReader::new(caller, &self.pages))
    }
}

impl v1::PostService for PostApi {
    unary! {
        write::create_post(CreatePostRequest) -> WritePostResponse;
        write::update_post(UpdatePostRequest) -> WritePostResponse;
        write::delete_post(DeletePostRequest) -> WritePostResponse;
        write::restore_post(RestorePostRequest) -> WritePostResponse;
        write::like_post(LikePostRequest) -> WritePostResponse;
        write::unlike_post(UnlikePostRequest) -> WritePostResponse;
        write::undo_repost(UndoRepostRequest) -> WritePostResponse;
        read::get_post(GetPostRequest) -> GetPostResponse;
        read::batch_get_posts(BatchGetPostsRequest) -> BatchGetPostsResponse;
        read::list_post_revisions(ListPostRevisionsRequest) -> ListPostRevisionsResponse;
        read::list_author_posts(ListAuthorPostsRequest) -> ListAuthorPostsResponse;
        read::list_likers(ListLikersRequest) -> ListLikersResponse;
        read::list_reposters(ListRepostersRequest) -> ListRepostersResponse;
        read::batch_get_post_stats(BatchGetPostStatsRequest) -> BatchGetPostStatsResponse;
    }
}
