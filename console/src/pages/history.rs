//! The history of a user: what the log tells of it, newest first.

use guanxi_proto::v1;
use guanxi_proto::v1::list_user_events_response::End;
use maud::{Markup, html};

use super::history_words::{cause, words};
use super::user::of_user;
use crate::limits::PAGE_ROWS;
use crate::parts::{People, clock, nothing, number, pager, sentence};
use crate::texts::Text;
use crate::visit::{Shown, Visit};

pub(super) async fn page(visit: &Visit) -> Shown {
    let uid = visit.uid()?;
    let request = v1::ListUserEventsRequest {
        uid,
        page_size: PAGE_ROWS,
        page_token: visit.query.get("page").to_owned(),
        // An address may ask for a shorter search.
        scan_max: visit.query.get("scan").parse().unwrap_or_default(),
    };
    // The call itself is in the audit log.
    let found = visit.calls.admin.admin().list_user_events(request).await?.into_owned();
    let named = found.events.iter().flat_map(|event| [event.subject, event.object]);
    let people = People::load(visit, named.chain([uid])).await?;
    let body = html! {
        (of_user(visit, uid))
        p.soft { (visit.say(Text::HistoryHint)) }
        @if found.events.is_empty() { (nothing(visit)) } @else { (table(visit, &people, &found.events)) }
        (ending(visit, &found))
        (pager(visit, &found.next_page_token))
    };
    Ok(visit.page(&visit.look.fill(Text::HistoryOf, &[&people.name(uid)]), &body))
}

fn table(visit: &Visit, people: &People, events: &[v1::Event]) -> Markup {
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                @for text in [Text::Time, Text::WhatHappened, Text::LogPlace] { th scope="col" { (visit.say(text)) } }
            } }
            tbody { @for event in events { tr {
                td { (clock(visit.look, event.time.as_option())) }
                td { (told(visit, people, event)) }
                td { @if let Some(place) = event.place.as_option() { (place.log) ":" (place.seq) } }
            } } }
        } }
    }
}

/// An event in words, with links to whom and what it names.
fn told(visit: &Visit, people: &People, event: &v1::Event) -> Markup {
    let (who, other) = (people.show(event.subject), people.show(event.object));
    let post = html! { a href={ "/post/" (event.post_id) } { (event.post_id) } };
    let pieces = match (event.post_id, event.object) {
        (0, 0) if event.group_id != 0 => [who, html! { (event.group_id) }, html! {}],
        (0, 0) => [who, html! { (number(u64::from(event.follow_limit.unwrap_or_default()))) }, html! {}],
        (0, _) => [who, other, html! {}],
        _ => [who, post, other],
    };
    html! {
        (sentence(visit, words(event), &pieces))
        @if event.reply_to != 0 { " " (link(visit, Text::ReplyTo, event.reply_to)) }
        @if event.repost_of != 0 { " " (link(visit, Text::RepostOf, event.repost_of)) }
        @if let Some(by) = cause(visit, event) { " " span.soft { (by) } }
    }
}

fn link(visit: &Visit, text: Text, post: u64) -> Markup {
    html! { a.soft href={ "/post/" (post) } { (visit.look.fill(text, &[&post])) } }
}

/// Why the page ends here, where that is no full page.
fn ending(visit: &Visit, found: &v1::ListUserEventsResponse) -> Markup {
    let time = || clock(visit.look, found.reached_time.as_option());
    let place = found.reached.as_option();
    let searched = |text: Text| {
        html! { p.problem.warn { (sentence(visit, text, &[html! { (number(u64::from(found.scanned))) }, time()])) } }
    };
    match (found.end.as_known(), place) {
        (Some(End::BUDGET), _) => searched(Text::HistoryBudget),
        (Some(End::TIME), _) => searched(Text::HistoryTime),
        (Some(End::TRIMMED), Some(place)) => {
            let number = html! { (number(place.seq)) };
            html! { p.problem.warn { (sentence(visit, Text::HistoryTrimmed, &[number, time()])) } }
        }
        (Some(End::TRIMMED), None) => html! { p.problem.warn { (visit.say(Text::HistoryTrimmedAll)) } },
        (Some(End::BEGINNING), _) => html! { p.soft { (visit.say(Text::HistoryWhole)) } },
        _ => html! {},
    }
}
