//! The calls on guanxi that search.

use super::WireError;
use crate::calls::Answer;
use crate::search::{Kind, POSTS_PAGE, SUGGESTED, SearchCall, USERS_PAGE};
use buffa::Message;
use guanxi_load::http1;
use guanxi_load::rpc::message;
use guanxi_proto::v1::{
    FoundUser, SearchPostsRequest, SearchPostsResponse, SearchUsersRequest, SearchUsersResponse,
    SuggestRequest, SuggestResponse,
};

/// The request of a call.
pub(super) fn request(call: &SearchCall) -> Vec<u8> {
    let (query, viewer) = (call.query.clone(), call.viewer);
    let (method, body) = match call.kind {
        Kind::Letter | Kind::Letters => {
            let page_size = SUGGESTED as i32;
            ("Suggest", SuggestRequest { query, viewer, page_size }.encode_to_vec())
        }
        kind if kind.is_of_posts() => {
            let page_size = POSTS_PAGE as i32;
            let request = SearchPostsRequest { query, viewer, page_size, ..Default::default() };
            ("SearchPosts", request.encode_to_vec())
        }
        _ => {
            let page_size = USERS_PAGE as i32;
            let request = SearchUsersRequest { query, viewer, page_size, ..Default::default() };
            ("SearchUsers", request.encode_to_vec())
        }
    };
    http1::post(&format!("/guanxi.v1.SearchService/{method}"), &body)
}

/// What a reply says: ids in their order.
///
/// # Errors
/// When it is no answer to the call.
pub(super) fn answer(call: &SearchCall, reply: &[u8]) -> Result<Answer, WireError> {
    let uids = |users: Vec<FoundUser>| users.iter().map(|found| found.user.uid).collect();
    Ok(Answer::Ids(match call.kind {
        Kind::Letter | Kind::Letters => uids(message::<SuggestResponse>(reply)?.users),
        kind if kind.is_of_posts() => {
            let posts = message::<SearchPostsResponse>(reply)?.posts;
            posts.iter().map(|found| found.post.post_id).collect()
        }
        _ => uids(message::<SearchUsersResponse>(reply)?.users),
    }))
}
