//! Calls with one answer: one function per method.

use buffa::{EnumValue, MessageField};
use guanxi_centers::feed::{FeedCenter, HomeUpdates, Verdict};
use guanxi_model::limits::{PAGE_SIZE_MAX, POLL_ITEMS_MAX, POSTS_MAX, UNREAD_CAP_DEFAULT};
use guanxi_model::post::Hidden;
use guanxi_model::{Error, Position, Reason, Result, Uid};
use guanxi_proto::v1::{self, explain_feed_response::Verdict as Shown, get_home_timeline_request::View};
use guanxi_rim::Caller;

use crate::convert::{at_least, time};
use crate::post::lists::{home_scope, post_page};
use crate::post::shape::{post_id, shown};
use crate::request::ListReader;

pub(super) async fn get_home_timeline(
    center: &FeedCenter,
    caller: &ListReader<'_>,
    request: &v1::GetHomeTimelineRequestView<'_>,
) -> Result<v1::GetHomeTimelineResponse> {
    let viewer = caller.uid(request.viewer, "viewer")?;
    let position = at_least(request.token)?;
    let tokens = caller.page_tokens(home_scope(viewer));
    let page = |limit| post_page(request.page_size, limit, request.page_token, &tokens);
    let (page, post_ids, posts) = match request.view.as_known() {
        Some(View::IDS) => {
            let page = center.home(viewer, page(PAGE_SIZE_MAX)?, position).await?;
            let ids = page.ids.iter().map(|id| id.get()).collect();
            (page, ids, Vec::new())
        }
        Some(View::VIEW_UNSPECIFIED | View::POSTS) => {
            let found = center.home_posts(viewer, page(POSTS_MAX)?, position).await?;
            let posts = found.posts.iter().map(|post| shown(post, Some(viewer))).collect();
            (found.page, Vec::new(), posts)
        }
        None => return Err(Error::new(Reason::InvalidField { field: "view" })),
    };
    Ok(v1::GetHomeTimelineResponse {
        post_ids,
        posts,
        next_page_token: tokens.below(page.next),
        token: page.position.to_token(),
    })
}

/// HomeUpdates as the wire has them.
pub(super) fn news(news: &HomeUpdates) -> v1::HomeNews {
    v1::HomeNews {
        post_ids: news.ids.iter().map(|id| id.get()).collect(),
        reset: news.reset,
        token: news.position.to_token(),
    }
}

/// A token that a request cannot do without.
fn required_token(token: &str, field: &'static str) -> Result<Position> {
    at_least(token)?.ok_or(Error::new(Reason::MissingField { field }))
}

pub(super) async fn poll_home_timeline(
    center: &FeedCenter,
    caller: &Caller,
    request: &v1::PollHomeTimelineRequestView<'_>,
) -> Result<v1::HomeNews> {
    let viewer = caller.uid(request.viewer, "viewer")?;
    let since = required_token(request.token, "token")?;
    center.poll(viewer, since, POLL_ITEMS_MAX as usize).await.map(|found| news(&found))
}

pub(super) async fn mark_seen(
    center: &FeedCenter,
    caller: &Caller,
    request: &v1::MarkSeenRequestView<'_>,
) -> Result<v1::MarkSeenResponse> {
    let viewer = caller.uid(request.viewer, "viewer")?;
    let position = center.mark_seen(viewer, required_token(request.seen, "seen")?).await?;
    Ok(v1::MarkSeenResponse { token: position.to_token() })
}

pub(super) async fn get_unread(
    center: &FeedCenter,
    caller: &Caller,
    request: &v1::GetUnreadRequestView<'_>,
) -> Result<v1::GetUnreadResponse> {
    let viewer = caller.uid(request.viewer, "viewer")?;
    let cap = if request.cap == 0 { UNREAD_CAP_DEFAULT } else { request.cap };
    let unread = center.unread(viewer, cap, at_least(request.token)?).await?;
    Ok(v1::GetUnreadResponse {
        count: Some(unread.count),
        capped: unread.capped,
        token: unread.position.to_token(),
    })
}

pub(super) async fn explain_feed(
    center: &FeedCenter,
    caller: &Caller,
    request: &v1::ExplainFeedRequestView<'_>,
) -> Result<v1::ExplainFeedResponse> {
    let viewer = caller.uid(request.viewer, "viewer")?;
    let id = post_id(request.post_id)?;
    let found = center.explain(caller.viewer(), viewer, id, at_least(request.token)?).await?;
    Ok(v1::ExplainFeedResponse {
        verdict: EnumValue::from(verdict(found.verdict)),
        author: found.author.map_or(0, Uid::get),
        follow_time: found
            .followed_since
            .map_or_else(MessageField::none, |since| MessageField::some(time(since))),
        from_inbox: found.from_inbox,
        token: found.position.to_token(),
    })
}

const fn verdict(verdict: Verdict) -> Shown {
    match verdict {
        Verdict::Shown => Shown::SHOWN,
        Verdict::NotFound => Shown::NOT_FOUND,
        Verdict::Hidden(hidden) => match hidden {
            Hidden::Deleted => Shown::DELETED,
            Hidden::Blocked => Shown::BLOCKED,
            Hidden::NotFollower => Shown::NOT_FOLLOWER,
            Hidden::NotFriend => Shown::NOT_FRIEND,
            Hidden::NotInGroup => Shown::NOT_IN_GROUP,
            Hidden::OriginalGone => Shown::ORIGINAL_GONE,
            Hidden::OriginalHidden => Shown::ORIGINAL_HIDDEN,
            Hidden::NotFollowed => Shown::NOT_FOLLOWED,
            Hidden::Muted => Shown::MUTED,
            Hidden::RepostMuted => Shown::REPOST_MUTED,
            Hidden::OriginalMuted => Shown::ORIGINAL_MUTED,
            Hidden::ReplyToStranger => Shown::REPLY_TO_STRANGER,
        },
    }
}
