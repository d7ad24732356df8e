//! How large posts are in an answer, so that none is too large for clients.

use super::{PostStatus, ShownPost};
use guanxi_model::limits::ANSWER_BYTES_MAX;
use guanxi_model::post::Body;

/// More than the names and numbers of a post take in JSON.
const POST_BYTES: usize = 1_024;
/// More than the names of an attachment take in JSON.
const ATTACHMENT_BYTES: usize = 64;

/// How many of some items fit into one answer: as many as there is room for, and at least one.
pub(crate) fn fitting<T>(items: &[T], bytes: impl Fn(&T) -> usize) -> usize {
    let mut room = ANSWER_BYTES_MAX;
    let fits = items.iter().take_while(|item| match room.checked_sub(bytes(item)) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    });
    fits.count().max(1).min(items.len())
}

/// The bytes of a post with its originals.
pub(crate) fn shown_bytes(shown: &ShownPost) -> usize {
    let original = match &shown.original {
        Some(PostStatus::Ok(original)) => shown_bytes(original),
        _ => 0,
    };
    post_bytes(&shown.post.body) + original
}

/// The bytes of a post that says this.
pub(crate) fn post_bytes(body: &Body) -> usize {
    let attachments = body.attachments.iter();
    let attachments = attachments.map(|attachment| ATTACHMENT_BYTES + json_bytes(&attachment.reference));
    POST_BYTES + json_bytes(&body.text) + attachments.sum::<usize>()
}

/// The bytes of a text in JSON, which are no fewer than in protobuf.
fn json_bytes(text: &str) -> usize {
    let bytes = |byte| match byte {
        b'"' | b'\\' => 2,
        0..=0x1f => 6,
        _ => 1,
    };
    text.bytes().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_fit_as_there_is_room_for_and_at_least_one() {
        let third = ANSWER_BYTES_MAX / 3;
        assert_eq!(fitting(&[third; 5], |bytes| *bytes), 3);
        assert_eq!(fitting(&[third; 2], |bytes| *bytes), 2);
        assert_eq!(fitting(&[ANSWER_BYTES_MAX + 1, 1], |bytes| *bytes), 1);
        assert_eq!(fitting(&[1, ANSWER_BYTES_MAX, 1], |bytes| *bytes), 1);
        assert_eq!(fitting(&[0; 0], |bytes| *bytes), 0);
    }

    #[test]
    fn texts_are_counted_as_json_writes_them() {
        assert_eq!(json_bytes("a\"\\\u{1}\u{5173}"), 1 + 2 + 2 + 6 + 3);
    }
}
