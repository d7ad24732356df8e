//! The lists of a user: whom it follows, who follows it, friends, blocks, mutes and requests that wait.

use guanxi_proto::v1;
use maud::{Markup, html};

use super::user::of_user;
use crate::answer::Trouble;
use crate::limits::PAGE_ROWS;
use crate::parts::{People, clock, deed_from, nothing, pager, relation};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

/// A page of a list.
#[derive(Default)]
struct Page {
    items: Vec<v1::ListItem>,
    next: String,
}

pub(super) async fn page(visit: &Visit) -> Shown {
    let (uid, list) = (visit.uid()?, visit.part("list"));
    if list == "requests" {
        return requests(visit, uid).await;
    }
    let Page { items, next } = read(visit, uid, list).await?;
    let people = People::load(visit, items.iter().map(|item| item.uid).chain([uid])).await?;
    let body = html! {
        (of_user(visit, uid))
        @if items.is_empty() { (nothing(visit)) } @else {
            div.scroll tabindex="0" { table {
                thead { tr { @for text in [Text::User, Text::Relation, Text::Time, Text::Action] { th scope="col" { (visit.say(text)) } } } }
                tbody { @for item in &items { tr {
                    td { (people.show(item.uid)) @if item.deactivated { " " span.badge.warn { (visit.say(Text::UserDeactivated)) } } }
                    td { @if let Some(of) = item.relation.as_option() { (relation(visit, of)) } }
                    td { (clock(visit.look, item.create_time.as_option())) }
                    td { div.row { @for (name, text) in deeds(list) {
                        (deed_from(visit, &format!("/user/{uid}/do/{name}/{}", item.uid), *text))
                    } } }
                } } }
            } }
        }
        (pager(visit, &next))
    };
    Ok(visit.page(&people.name(uid), &body))
}

/// What an operator may do for the user about a row of a list.
fn deeds(list: &str) -> &'static [(&'static str, Text)] {
    match list {
        "following" => &[("unfollow", Text::Unfollow)],
        "followers" => &[("remove-follower", Text::RemoveFollower)],
        "friends" => &[("unfollow", Text::Unfollow), ("remove-follower", Text::RemoveFollower)],
        "blocks" => &[("unblock", Text::Unblock)],
        "mutes" => &[("unmute", Text::Unmute)],
        _ => &[],
    }
}

async fn read(visit: &Visit, uid: u64, list: &str) -> Result<Page, Trouble> {
    let calls = visit.calls.main.relation();
    let page_token = visit.query.get("page").to_owned();
    // The relation of each item is shown as the user of the page has it.
    macro_rules! listed {
        ($call:ident($request:ident { $($viewer:ident)? }) -> $items:ident) => {{
            let request = v1::$request { uid, page_size: PAGE_ROWS, page_token, $($viewer: uid,)? ..Default::default() };
            let found = calls.$call(request).await?.into_owned();
            Page { items: found.$items, next: found.next_page_token }
        }};
    }
    Ok(match list {
        "following" => listed!(list_following(ListFollowingRequest { viewer }) -> following),
        "followers" => listed!(list_followers(ListFollowersRequest { viewer }) -> followers),
        "friends" => listed!(list_friends(ListFriendsRequest { viewer }) -> friends),
        "blocks" => listed!(list_blocks(ListBlocksRequest {}) -> blocks),
        "mutes" => listed!(list_mutes(ListMutesRequest {}) -> mutes),
        _ => return Err(Trouble::NotFound),
    })
}

/// Requests to follow and to be friends that wait for the user.
async fn requests(visit: &Visit, uid: u64) -> Shown {
    let calls = visit.calls.main.relation();
    let follows = v1::ListFollowRequestsRequest { uid, page_size: PAGE_ROWS, ..Default::default() };
    let friends = v1::ListFriendRequestsRequest { uid, page_size: PAGE_ROWS, ..Default::default() };
    let (follows, friends) =
        tokio::try_join!(calls.list_follow_requests(follows), calls.list_friend_requests(friends))?;
    let (follows, friends) = (follows.into_owned().requests, friends.into_owned().requests);
    let people =
        People::load(visit, follows.iter().chain(&friends).map(|item| item.uid).chain([uid])).await?;
    let body = html! {
        (of_user(visit, uid))
        h2 { (visit.say(Text::Following)) } (waiting(visit, &people, &follows))
        h2 { (visit.say(Text::Friends)) } (waiting(visit, &people, &friends))
    };
    Ok(visit.page(&people.name(uid), &body))
}

fn waiting(visit: &Visit, people: &People, requests: &[v1::RequestItem]) -> Markup {
    html! {
        @if requests.is_empty() { (nothing(visit)) }
        ul { @for item in requests {
            li {
                (people.show(item.uid)) " " (clock(visit.look, item.create_time.as_option()))
                @if !item.message.is_empty() { p.text dir="auto" { (item.message) } }
            }
        } }
    }
}
