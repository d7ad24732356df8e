//! One user: profile, surroundings, suggestions and sessions.

use guanxi_proto::v1;
use maud::{Markup, html};

use crate::limits::{EGO_USERS_MAX, PAGE_ROWS};
use crate::parts::{People, clock, deed, in_path, nothing, number, relation, tabs};
use crate::picture::{Neighbour, avatar, rings};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

/// The tabs of a user's pages.
pub(super) fn of_user(visit: &Visit, uid: u64) -> Markup {
    let at = |rest: &str| format!("/user/{uid}{rest}");
    tabs(
        visit,
        &[
            (at(""), Text::Profile),
            (at("/around"), Text::Surroundings),
            (at("/list/following"), Text::Following),
            (at("/list/followers"), Text::Followers),
            (at("/list/friends"), Text::Friends),
            (at("/list/blocks"), Text::Blocks),
            (at("/list/mutes"), Text::Mutes),
            (at("/list/requests"), Text::Requests),
            (at("/home"), Text::Home),
            (at("/posts"), Text::AuthorTimeline),
            (at("/suggestions"), Text::Suggestions),
            (at("/sessions"), Text::Sessions),
            (at("/history"), Text::History),
        ],
    )
}

pub(super) async fn page(visit: &Visit) -> Shown {
    let uid = visit.uid()?;
    let user = visit.calls.main.user().get_user(v1::GetUserRequest { uid, ..Default::default() });
    let counts = visit.calls.main.relation().get_counts(v1::GetCountsRequest { uid, ..Default::default() });
    let ids = v1::ResolveIdsRequest { uids: vec![uid], ..Default::default() };
    let ids = visit.calls.main.user().resolve_ids(ids);
    let (user, counts, ids) = tokio::join!(user, counts, ids);
    // Any uid may be in the graph: one without an account has relations and no profile.
    let user = user.ok().map(|user| user.into_owned().user);
    let counts = counts?.into_owned().counts;
    let external = ids.ok().and_then(|ids| ids.into_owned().by_uid.into_iter().next());
    let external = external.map(|id| id.external_id).filter(|id| !id.is_empty());
    let user = user.as_ref().and_then(|user| user.as_option());
    let title = user.map_or_else(|| uid.to_string(), crate::parts::name);
    let body = html! {
        (of_user(visit, uid))
        div.two {
            section { (profile(visit, uid, user, external.as_deref())) }
            section { (counted(visit, counts.as_option())) }
        }
        (question(visit, uid))
        p.row {
            @if user.is_some_and(|user| user.takedown_reason.is_empty()) {
                (deed(visit, &format!("/do/take-down-user/{uid}"), Text::TakeDown))
            } @else if user.is_some() {
                (deed(visit, &format!("/do/reinstate-user/{uid}"), Text::Reinstate))
            }
        }
    };
    Ok(visit.page(&title, &body))
}

fn profile(visit: &Visit, uid: u64, user: Option<&v1::User>, external: Option<&str>) -> Markup {
    let line = |text: Text, value: &str| {
        html! { @if !value.is_empty() { dt { (visit.say(text)) } dd dir="auto" { (value) } } }
    };
    html! {
        h2 { (visit.say(Text::Profile)) }
        p { (avatar(uid, 64)) }
        dl {
            dt { "uid" } dd { (uid) }
            @if let Some(id) = external { (line(Text::ExternalId, id)) }
            @if let Some(user) = user {
                dt { (visit.say(Text::State)) } dd { (state(visit, user)) }
                (line(Text::LoginName, &user.login_name))
                (line(Text::Nickname, &user.nickname))
                (line(Text::Bio, &user.bio))
                // As text: nothing of a user is fetched.
                (line(Text::Avatar, &user.avatar))
                (line(Text::LastLogin, &user.last_login_date))
                dt { (visit.say(Text::Created)) } dd { (clock(visit.look, user.create_time.as_option())) }
                @for (key, value) in &user.attributes { dt dir="auto" { (key) } dd dir="auto" { (value) } }
                @if let Some(privacy) = user.privacy.as_option() { (private(visit, privacy)) }
            }
        }
    }
}

pub(super) fn state(visit: &Visit, user: &v1::User) -> Markup {
    use v1::user::Status;
    let (text, kind) = match user.status.as_known() {
        Some(Status::DEACTIVATED) => (Text::UserDeactivated, "warn"),
        Some(Status::DELETED) => (Text::UserDeleted, "bad"),
        Some(Status::ERASED) => (Text::UserErased, "bad"),
        _ => (Text::UserActive, "good"),
    };
    html! {
        span class={ "badge " (kind) } { (visit.say(text)) }
        @if !user.takedown_reason.is_empty() {
            " " span.badge.bad { (visit.look.fill(Text::TakenDown, &[&user.takedown_reason])) }
        }
    }
}

fn private(visit: &Visit, privacy: &v1::Privacy) -> Markup {
    html! {
        @if privacy.locked == Some(true) || privacy.discoverable == Some(false) {
            dt { (visit.say(Text::Privacy)) }
            dd {
                @if privacy.locked == Some(true) { span.badge { (visit.say(Text::PrivacyLocked)) } }
                @if privacy.discoverable == Some(false) { span.badge { (visit.say(Text::PrivacyHidden)) } }
            }
        }
    }
}

fn counted(visit: &Visit, counts: Option<&v1::Counts>) -> Markup {
    let counts = counts.cloned().unwrap_or_default();
    let rows = [
        (Text::Following, counts.following),
        (Text::Followers, counts.followers),
        (Text::Friends, counts.friends),
        (Text::Blocks, counts.blocks),
        (Text::Mutes, counts.mutes),
    ];
    html! {
        h2 { (visit.say(Text::Relations)) }
        div.cards {
            @for (text, count) in rows {
                @if let Some(count) = count {
                    div.card { h3 { (visit.say(text)) } div.number { (number(u64::from(count))) } }
                }
            }
        }
    }
}

/// The form that asks what is between two users.
pub(super) fn question(visit: &Visit, uid: u64) -> Markup {
    html! {
        section {
            h2 { (visit.say(Text::RelationTo)) }
            form.row action={ "/user/" (uid) "/relation" } method="get" {
                label for="to" { "B" }
                input #to name="to" inputmode="numeric" value=(visit.query.get("to")) required;
                button { (visit.say(Text::Ask)) }
            }
        }
    }
}

/// The surroundings as a picture, and the same as a list.
pub(super) async fn around(visit: &Visit) -> Shown {
    let uid = visit.uid()?;
    let following = v1::ListFollowingRequest {
        uid,
        viewer: uid,
        page_size: EGO_USERS_MAX.try_into().unwrap_or(i32::MAX),
        order: v1::list_item::Order::AFFINITY.into(),
        ..Default::default()
    };
    let near = visit.calls.main.relation().list_following(following).await?.into_owned().following;
    let people = People::load(visit, near.iter().map(|item| item.uid).chain([uid])).await?;
    let is_friend = |item: &v1::ListItem| {
        let state = item.relation.as_option().and_then(|relation| relation.state.as_known());
        state == Some(v1::relation::State::MUTUAL)
    };
    let neighbours: Vec<Neighbour> = near
        .iter()
        .map(|item| Neighbour { uid: item.uid, name: people.name(item.uid), is_friend: is_friend(item) })
        .collect();
    let body = html! {
        (of_user(visit, uid))
        @if neighbours.is_empty() { (nothing(visit)) } @else {
            p.soft { (visit.say(Text::SurroundingsHint)) }
            (rings(uid, &neighbours, visit.say(Text::Surroundings)))
            details {
                summary { (visit.say(Text::Relations)) }
                ol { @for item in &near {
                    li { (people.show(item.uid)) " " @if let Some(of) = item.relation.as_option() { (relation(visit, of)) } }
                } }
            }
        }
    };
    Ok(visit.page(&people.name(uid), &body))
}

pub(super) async fn suggestions(visit: &Visit) -> Shown {
    let uid = visit.uid()?;
    let request = v1::ListSuggestionsRequest { viewer: uid, page_size: PAGE_ROWS, ..Default::default() };
    let found = visit.calls.main.relation().list_suggestions(request).await?.into_owned().suggestions;
    let people = People::load(visit, found.iter().map(|item| item.uid).chain([uid])).await?;
    let body = html! {
        (of_user(visit, uid))
        @if found.is_empty() { (nothing(visit)) }
        ol { @for item in &found { li { (people.show(item.uid)) ": " (reasons(visit, &item.reasons)) } } }
    };
    Ok(visit.page(&people.name(uid), &body))
}

fn reasons(visit: &Visit, reasons: &[v1::SuggestionReason]) -> Markup {
    use v1::suggestion_reason::Kind;
    let words = reasons.iter().map(|reason| match reason.kind.as_known() {
        Some(Kind::FRIENDS_OF_FRIENDS) => visit.look.fill(Text::FriendsOfFriends, &[&reason.count]),
        Some(Kind::FOLLOWS_YOU) => visit.say(Text::FollowsYou).to_owned(),
        _ => visit.say(Text::Popular).to_owned(),
    });
    html! { span.soft { (words.collect::<Vec<_>>().join("; ")) } }
}

pub(super) async fn sessions(visit: &Visit) -> Shown {
    let uid = visit.uid()?;
    let request = v1::ListSessionsRequest { uid };
    let call = visit.calls.main.user().list_sessions(request);
    let found = visit.looked("ListSessions", uid, call).await?.into_owned().sessions;
    let people = People::load(visit, [uid]).await?;
    let body = html! {
        (of_user(visit, uid))
        @if found.is_empty() { (nothing(visit)) } @else {
            div.scroll tabindex="0" { table {
                thead { tr {
                    @for text in [Text::Device, Text::Created, Text::LastUse, Text::Expires, Text::Action] { th scope="col" { (visit.say(text)) } }
                } }
                tbody { @for session in &found { tr {
                    td dir="auto" { (session.device) }
                    @for at in [&session.create_time, &session.last_use_time, &session.expire_time] {
                        td { (clock(visit.look, at.as_option())) }
                    }
                    td { (deed(visit, &format!("/user/{uid}/do/end-session/{}", in_path(&session.session_id)), Text::EndSession)) }
                } } }
            } }
        }
    };
    Ok(visit.page(&people.name(uid), &body))
}
