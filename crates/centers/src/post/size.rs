//! How large posts are in an answer.

use super::{PostStatus, ShownPost};
use crate::answer_room::json_bytes;
use guanxi_model::post::Body;

/// More than the names and numbers of a post take in JSON.
const POST_BYTES: usize = 1_024;
/// More than the names of an attachment take in JSON.
const ATTACHMENT_BYTES: usize = 64;

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
