//! The parts of a write that are hashed under its idempotency key. All of them are frozen, as [`Fingerprint`] says.

use guanxi_model::post::{Attachment, AttachmentKind, Draft, Edit};
use guanxi_model::{PostId, Uid, Visibility};

use crate::request::Fingerprint;

pub(super) fn of_draft(draft: &Draft, hash: &mut Fingerprint) {
    let Draft { author, body, visibility, reply_to, repost_of } = draft;
    hash.name("create_post").number(author.get()).text(&body.text);
    attachments(&body.attachments, hash);
    hash.number(visibility_code(*visibility));
    for original in [reply_to, repost_of] {
        hash.number(original.map_or(0, PostId::get));
    }
}

pub(super) fn of_edit(author: Uid, id: PostId, edit: &Edit, hash: &mut Fingerprint) {
    let Edit { text, attachments: given, visibility, expected_revision } = edit;
    of_change("update_post", author, id, hash);
    match text {
        Some(text) => hash.number(1).text(text),
        None => hash.number(0),
    };
    hash.number(u64::from(given.is_some()));
    attachments(given.as_deref().unwrap_or_default(), hash);
    hash.number(visibility.map_or(0, visibility_code));
    hash.number(expected_revision.map_or(0, u64::from));
}

/// The other writes: a name, a user and a post.
pub(super) fn of_change(name: &str, uid: Uid, id: PostId, hash: &mut Fingerprint) {
    hash.name(name).number(uid.get()).number(id.get());
}

fn attachments(attachments: &[Attachment], hash: &mut Fingerprint) {
    hash.number(attachments.len() as u64);
    for Attachment { kind, reference } in attachments {
        let code = match kind {
            AttachmentKind::Image => 1,
            AttachmentKind::Video => 2,
            AttachmentKind::Audio => 3,
            AttachmentKind::Link => 4,
            AttachmentKind::File => 5,
        };
        hash.number(code).text(reference);
    }
}

fn visibility_code(visibility: Visibility) -> u64 {
    match visibility {
        Visibility::Public => 1,
        Visibility::Followers => 2,
        Visibility::Friends => 3,
        Visibility::Group(id) => 4 | u64::from(id.get()) << 8,
    }
}
