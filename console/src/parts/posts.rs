//! Posts on pages.

use guanxi_proto::v1;
use maud::{Markup, html};

use super::{People, clock, number};
use crate::limits::EXCERPT_CHARS_MAX;
use crate::texts::Text;
use crate::visit::Visit;

/// Shows a post with what it shares or answers, and its counters.
pub(crate) fn post(visit: &Visit, people: &People, item: &v1::PostItem, more: &Markup) -> Markup {
    let shown = item.post.as_option();
    html! {
        article.post {
            div.head {
                @if let Some(post) = shown {
                    (people.show(post.author))
                    (clock(visit.look, post.create_time.as_option()))
                    span.badge { (visibility(visit, post)) }
                    @if post.reply_to != 0 { a href={ "/post/" (post.reply_to) } { (visit.look.fill(Text::ReplyTo, &[&post.reply_to])) } }
                    @if post.repost_of != 0 { a href={ "/post/" (post.repost_of) } { (visit.look.fill(Text::RepostOf, &[&post.repost_of])) } }
                    @if !post.takedown_reason.is_empty() {
                        span.badge.bad { (visit.look.fill(Text::TakenDown, &[&post.takedown_reason])) }
                    }
                } @else {
                    span.badge.warn { (visit.say(status(item))) }
                }
                a href={ "/post/" (item.post_id) } { (item.post_id) }
            }
            @if let Some(post) = shown { p.text dir="auto" { (excerpt(&post.text)) } }
            @if let Some(original) = item.original.as_option().and_then(|item| item.post.as_option()) {
                blockquote { (people.show(original.author)) p.text dir="auto" { (excerpt(&original.text)) } }
            }
            div.foot { (counters(visit, item)) (more) }
        }
    }
}

fn counters(visit: &Visit, item: &v1::PostItem) -> Markup {
    let of = [(item.likes, Text::Likes), (item.replies, Text::Replies), (item.reposts, Text::Reposts)];
    html! {
        @for (count, text) in of {
            @if let Some(count) = count { span { (visit.say(text)) " " (number(u64::from(count))) } }
        }
    }
}

/// Who sees a post.
fn visibility(visit: &Visit, post: &v1::Post) -> String {
    use v1::post::Visibility;
    match post.visibility.as_known() {
        Some(Visibility::FOLLOWERS) => visit.say(Text::VisibleFollowers).to_owned(),
        Some(Visibility::FRIENDS) => visit.say(Text::VisibleFriends).to_owned(),
        Some(Visibility::GROUP) => visit.look.fill(Text::VisibleGroup, &[&post.group_id]),
        _ => visit.say(Text::VisiblePublic).to_owned(),
    }
}

fn status(item: &v1::PostItem) -> Text {
    use v1::post_item::Status;
    match item.status.as_known() {
        Some(Status::DELETED) => Text::PostGone,
        Some(Status::FORBIDDEN) => Text::PostForbidden,
        _ => Text::PostUnknown,
    }
}

/// Returns the beginning of a text.
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}\u{2026}", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = "\u{5173}".repeat(EXCERPT_CHARS_MAX + 1);
        assert_eq!(excerpt(&long).chars().count(), EXCERPT_CHARS_MAX + 1);
        assert_eq!(excerpt("short"), "short");
    }
}
