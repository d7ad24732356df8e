//! Pieces of pages: times, people, posts, lists with pages, what changes something, and calls as programs make them.

mod equivalents;
mod people;
mod posts;
mod times;

use maud::{Markup, html};

use crate::layout::csrf;
pub(crate) use crate::numbers::number;
use crate::texts::Text;
use crate::visit::Visit;

pub(crate) use equivalents::{Called, Value, admin_equivalent, equivalents};
pub(crate) use people::{People, name, relation};
pub(crate) use posts::{excerpt, post};
pub(crate) use times::clock;

/// Links to the next page and to the first one, with the query of this one.
pub(crate) fn pager(visit: &Visit, next: &str) -> Markup {
    let is_first = visit.query.get("page").is_empty();
    html! {
        p.row {
            @if !is_first { a href=(with_page(visit, "")) { (visit.say(Text::FirstPage)) } }
            @if !next.is_empty() { a rel="next" href=(with_page(visit, next)) { (visit.say(Text::NextPage)) } }
        }
    }
}

/// The address of this page, of another page of its list.
fn with_page(visit: &Visit, page: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    visit.query.all().filter(|(name, _)| *name != "page" && *name != "cookie").for_each(|(name, value)| {
        query.append_pair(name, value);
    });
    if !page.is_empty() {
        query.append_pair("page", page);
    }
    let (path, query) = (visit.path.split('?').next().unwrap_or("/"), query.finish());
    // A live region is drawn at the path of its stream, and its links lead to pages.
    let path = path.strip_suffix("/live").unwrap_or(path);
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// What a list shows when it has nothing.
pub(crate) fn nothing(visit: &Visit) -> Markup {
    html! { p.soft { (visit.say(Text::NothingHere)) } }
}

/// Tabs of pages about one thing.
pub(crate) fn tabs(visit: &Visit, of: &[(String, Text)]) -> Markup {
    let here = visit.path.split('?').next().unwrap_or("/");
    html! {
        ul.tabs {
            @for (path, text) in of {
                li { a href=(path) aria-current=[(path == here).then_some("page")] { (visit.say(*text)) } }
            }
        }
    }
}

/// A text with pieces of a page in the places of its `{}`.
pub(crate) fn sentence(visit: &Visit, text: Text, pieces: &[Markup]) -> Markup {
    let mut words = visit.say(text).split("{}");
    html! {
        (words.next().unwrap_or_default())
        @for (word, piece) in words.zip(pieces) { (piece) (word) }
    }
}

/// A button that leads to the question before a change. An operator who only looks has none.
pub(crate) fn deed(visit: &Visit, path: &str, text: Text) -> Markup {
    html! {
        @if visit.operator().may_change() {
            form action=(path) method="get" { button.danger { (visit.say(text)) } }
        }
    }
}

/// The same, where the reader comes back to this page of a list afterwards.
pub(crate) fn deed_from(visit: &Visit, path: &str, text: Text) -> Markup {
    html! {
        @if visit.operator().may_change() {
            form action=(path) method="get" {
                input type="hidden" name="back" value=(visit.path);
                button.danger { (visit.say(text)) }
            }
        }
    }
}

/// Returns a text as a part of a path: it may have any character.
pub(crate) fn in_path(text: &str) -> String {
    let text: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    text.replace('+', "%20")
}

/// The question before a change, with a reason if one is kept.
pub(crate) fn question(visit: &Visit, words: &str, wants_reason: bool, back: &str) -> Markup {
    let reason_max = crate::limits::REASON_LEN_MAX;
    html! {
        form method="post" action=(visit.path) {
            (csrf(&visit.session.csrf))
            p { (words) }
            @if wants_reason {
                p {
                    label for="reason" { (visit.say(Text::Reason)) }
                    br;
                    textarea #reason name="reason" rows="3" cols="50" maxlength=(reason_max) aria-describedby="reason-hint" {}
                    br;
                    span #reason-hint .soft { (visit.say(Text::ReasonHint)) }
                }
            }
            p.row {
                button.danger { (visit.say(Text::Confirm)) }
                a href=(back) { (visit.say(Text::Cancel)) }
            }
        }
    }
}

/// A text with a button that copies it.
pub(crate) fn copied(visit: &Visit, text: &str) -> Markup {
    html! {
        code { (text) } " "
        button type="button" data-copy=(text) data-copied=(visit.say(Text::Copied)) { (visit.say(Text::Copy)) }
    }
}
