//! The timeline of a group.

use guanxi_centers::feed::FeedCenter;
use guanxi_model::limits::{PAGE_SIZE_MAX, POSTS_MAX};
use guanxi_model::{Error, GroupId, Reason, Result};
use guanxi_proto::v1::{self, get_group_timeline_request::View};

use crate::convert::at_least;
use crate::page_token::ListScope;
use crate::post::lists::post_page;
use crate::post::shape::shown;
use crate::request::ListReader;

/// The kind of list that seals page tokens of these timelines, with the owner and the group.
const LIST_KIND: u8 = 0x48;

pub(super) async fn get_group_timeline(
    center: &FeedCenter,
    caller: &ListReader<'_>,
    request: &v1::GetGroupTimelineRequestView<'_>,
) -> Result<v1::GetGroupTimelineResponse> {
    let viewer = caller.uid(request.viewer, "viewer")?;
    let id = GroupId::new(request.group_id)?;
    let position = at_least(request.token)?;
    let tokens = caller.page_tokens(ListScope::new(LIST_KIND, viewer.get(), id.get().into()));
    let page = |limit| post_page(request.page_size, limit, request.page_token, &tokens);
    let (page, post_ids, posts) = match request.view.as_known() {
        Some(View::IDS) => {
            let page = center.group(viewer, id, page(PAGE_SIZE_MAX)?, position).await?;
            let ids = page.ids.iter().map(|id| id.get()).collect();
            (page, ids, Vec::new())
        }
        Some(View::VIEW_UNSPECIFIED | View::POSTS) => {
            let found = center.group_posts(viewer, id, page(POSTS_MAX)?, position).await?;
            let posts = found.posts.iter().map(|post| shown(post, Some(viewer))).collect();
            (found.page, Vec::new(), posts)
        }
        None => return Err(Error::new(Reason::InvalidField { field: "view" })),
    };
    caller.pay_for_rows(page.scanned.into());
    Ok(v1::GetGroupTimelineResponse {
        post_ids,
        posts,
        next_page_token: tokens.below(page.next),
        token: page.position.to_token(),
    })
}
