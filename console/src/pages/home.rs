//! Home as a user sees it, why a post is in it or not, and the posts of a user.

use futures::future::join_all;
use guanxi_proto::v1;
use maud::{Markup, html};

use super::user::of_user;
use crate::answer::Trouble;
use crate::live;
use crate::parts::{People, clock, nothing, pager, post};
use crate::texts::Text;
use crate::visit::{Shown, Visit, post_id};

/// Posts of a page of home. Each is explained by a call of its own, so there are fewer than rows of a list.
const HOME_POSTS: i32 = 20;

pub(super) async fn page(visit: &Visit) -> Shown {
    let uid = visit.uid()?;
    let is_first = visit.query.get("page").is_empty();
    let region = if is_first {
        visit.looked("GetHomeTimeline", uid, region(visit)).await?
    } else {
        region(visit).await?
    };
    let people = People::load(visit, [uid]).await?;
    let body = html! {
        (of_user(visit, uid))
        (ask(visit, uid))
        div data-live=[is_first.then(|| format!("/user/{uid}/home/live"))] { (region) }
    };
    Ok(visit.page(&visit.look.fill(Text::HomeOf, &[&people.name(uid)]), &body))
}

/// The first page of home, as it changes.
pub(super) async fn live(visit: &Visit) -> Shown {
    visit.uid()?;
    Ok(live::redrawn(visit, |visit| Box::pin(region(visit))))
}

async fn region(visit: &Visit) -> Result<Markup, Trouble> {
    let (uid, page) = (visit.uid()?, visit.query.get("page"));
    let Shelf { posts, next } = shelf(visit, uid, HOME_POSTS, page, |_| html! {}).await?;
    Ok(html! {
        (posts.unwrap_or_else(|| nothing(visit)))
        (pager(visit, &next))
    })
}

/// Posts of a home.
pub(super) struct Shelf {
    /// The posts with their sources; `None` if there are none.
    pub(super) posts: Option<Markup>,
    /// The token of the next page.
    pub(super) next: String,
}

/// Asks for a page of home, and why each post is in it. `more` is shown at the foot of each post.
pub(super) async fn shelf(
    visit: &Visit,
    uid: u64,
    size: i32,
    page: &str,
    more: impl Fn(&v1::PostItem) -> Markup,
) -> Result<Shelf, Trouble> {
    let request = v1::GetHomeTimelineRequest {
        viewer: uid,
        page_size: size,
        page_token: page.to_owned(),
        view: v1::get_home_timeline_request::View::POSTS.into(),
        ..Default::default()
    };
    let found = visit.calls.main.feed().get_home_timeline(request).await?.into_owned();
    let whys = join_all(found.posts.iter().map(|item| explained(visit, uid, item.post_id))).await;
    let people = People::load(visit, authors(&found.posts)).await?;
    let posts = html! {
        @for (item, why) in found.posts.iter().zip(&whys) {
            (post(visit, &people, item, &html! { @if let Ok(why) = why { (source(visit, why)) } (more(item)) }))
        }
    };
    Ok(Shelf { posts: (!found.posts.is_empty()).then_some(posts), next: found.next_page_token })
}

/// Users that posts name.
fn authors(items: &[v1::PostItem]) -> impl Iterator<Item = u64> {
    let of = |item: &v1::PostItem| item.post.as_option().map_or(0, |post| post.author);
    items.iter().flat_map(move |item| [of(item), item.original.as_option().map_or(0, of)])
}

async fn explained(visit: &Visit, viewer: u64, post_id: u64) -> Result<v1::ExplainFeedResponse, Trouble> {
    let request = v1::ExplainFeedRequest { viewer, post_id, ..Default::default() };
    Ok(visit.calls.main.feed().explain_feed(request).await?.into_owned())
}

/// Why an item is in home, and from where it comes.
fn source(visit: &Visit, why: &v1::ExplainFeedResponse) -> Markup {
    html! {
        span.badge { (visit.say(if why.from_inbox { Text::FromInbox } else { Text::Pulled })) }
        @if let Some(at) = why.follow_time.as_option() {
            span { (since(visit, at)) }
        }
    }
}

fn since(visit: &Visit, at: &buffa_types::google::protobuf::Timestamp) -> Markup {
    let (before, after) = visit.say(Text::FollowedSince).split_once("{}").unwrap_or_default();
    html! { (before) (clock(visit.look, Some(at))) (after) }
}

fn ask(visit: &Visit, uid: u64) -> Markup {
    html! {
        form.row action={ "/user/" (uid) "/explain" } method="get" {
            label for="post" { (visit.say(Text::WhyNot)) " " (visit.say(Text::PostId)) }
            input #post name="post" inputmode="numeric" value=(visit.query.get("post")) required;
            button { (visit.say(Text::Ask)) }
        }
    }
}

/// Why a post is in the home of a user, or is not.
pub(super) async fn explain(visit: &Visit) -> Shown {
    let (uid, post) = (visit.uid()?, post_id(visit.query.get("post"))?);
    let why = visit.looked("ExplainFeed", uid, explained(visit, uid, post)).await?;
    let people = People::load(visit, [uid, why.author]).await?;
    let is_shown = why.verdict.as_known() == Some(v1::explain_feed_response::Verdict::SHOWN);
    let body = html! {
        (of_user(visit, uid))
        (ask(visit, uid))
        p class=(if is_shown { "fine" } else { "problem warn" }) { (visit.say(verdict(&why))) }
        p {
            a href={ "/post/" (post) } { (post) }
            @if why.author != 0 { " " (people.show(why.author)) }
            " " @if is_shown { (source(visit, &why)) }
        }
    };
    Ok(visit.page(&visit.look.fill(Text::HomeOf, &[&people.name(uid)]), &body))
}

fn verdict(why: &v1::ExplainFeedResponse) -> Text {
    use v1::explain_feed_response::Verdict;
    match why.verdict.as_known().unwrap_or(Verdict::VERDICT_UNSPECIFIED) {
        Verdict::SHOWN => Text::VerdictShown,
        Verdict::DELETED => Text::VerdictDeleted,
        Verdict::BLOCKED => Text::VerdictBlocked,
        Verdict::NOT_FOLLOWED => Text::VerdictNotFollowed,
        Verdict::NOT_FOLLOWER => Text::VerdictNotFollower,
        Verdict::NOT_FRIEND => Text::VerdictNotFriend,
        Verdict::ORIGINAL_GONE => Text::VerdictOriginalGone,
        Verdict::ORIGINAL_HIDDEN => Text::VerdictOriginalHidden,
        Verdict::MUTED => Text::VerdictMuted,
        Verdict::ORIGINAL_MUTED => Text::VerdictOriginalMuted,
        Verdict::REPLY_TO_STRANGER => Text::VerdictReplyToStranger,
        Verdict::REPOST_MUTED => Text::VerdictRepostMuted,
        Verdict::NOT_IN_GROUP => Text::VerdictNotInGroup,
        Verdict::NOT_FOUND | Verdict::VERDICT_UNSPECIFIED => Text::VerdictNotFound,
    }
}

/// The posts of a user, as the operator may see them.
pub(super) async fn posts_of(visit: &Visit) -> Shown {
    let uid = visit.uid()?;
    let page_token = visit.query.get("page").to_owned();
    let is_first = page_token.is_empty();
    let request = v1::ListAuthorPostsRequest {
        author: uid,
        filter: v1::list_author_posts_request::Filter::ALL.into(),
        page_size: HOME_POSTS,
        page_token,
        ..Default::default()
    };
    let call = visit.calls.main.post().list_author_posts(request);
    let found = if is_first { visit.looked("ListAuthorPosts", uid, call).await? } else { call.await? };
    let found = found.into_owned();
    let people = People::load(visit, authors(&found.posts).chain([uid])).await?;
    let body = html! {
        (of_user(visit, uid))
        @if found.posts.is_empty() { (nothing(visit)) }
        @for item in &found.posts { (post(visit, &people, item, &html! {})) }
        (pager(visit, &found.next_page_token))
    };
    Ok(visit.page(&visit.look.fill(Text::PostsOf, &[&people.name(uid)]), &body))
}
