//! Posts from proto to model and back.

use buffa::{EnumValue, MessageField};
use guanxi_centers::post::{PostStatus, ShownPost};
use guanxi_model::limits::{ATTACHMENTS_MAX, POSTS_MAX};
use guanxi_model::post::{Attachment, AttachmentKind, Body, Kind, PostStats, Revision};
use guanxi_model::{Error, GroupId, Post, PostId, Reason, Result, Stamp, Uid, Visibility};
use guanxi_proto::v1::{self, attachment, post_item::Status};

use crate::convert::{Time, counter, place, time};

/// A required post id.
///
/// # Errors
/// `MISSING_FIELD` for zero; `POST_ID_OUT_OF_RANGE`.
pub(crate) fn post_id(raw: u64) -> Result<PostId> {
    optional_post(raw)?.ok_or(Error::new(Reason::MissingField { field: "post_id" }))
}

/// An optional post id; zero is an absent one.
pub(crate) fn optional_post(raw: u64) -> Result<Option<PostId>> {
    if raw == 0 { Ok(None) } else { PostId::new(raw).map(Some) }
}

/// A required list of post ids.
pub(crate) fn post_ids(raw: &[u64]) -> Result<Vec<PostId>> {
    if raw.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "post_ids" }));
    }
    if raw.len() > POSTS_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: POSTS_MAX }));
    }
    raw.iter().map(|&id| PostId::new(id)).collect()
}

/// A visibility with the group that goes with one of its words; `None` for one that is not given.
///
/// # Errors
/// `INVALID_FIELD` for a number that is none, and for a group beside another word; `MISSING_FIELD` for none.
pub fn visibility(given: EnumValue<v1::post::Visibility>, group_id: u32) -> Result<Option<Visibility>> {
    use v1::post::Visibility as Given;
    match given.as_known() {
        Some(Given::GROUP) => GroupId::new(group_id).map(|id| Some(Visibility::Group(id))),
        Some(_) if group_id != 0 => Err(Error::new(Reason::InvalidField { field: "group_id" })),
        Some(Given::VISIBILITY_UNSPECIFIED) => Ok(None),
        Some(Given::PUBLIC) => Ok(Some(Visibility::Public)),
        Some(Given::FOLLOWERS) => Ok(Some(Visibility::Followers)),
        Some(Given::FRIENDS) => Ok(Some(Visibility::Friends)),
        None => Err(Error::new(Reason::InvalidField { field: "visibility" })),
    }
}

/// Returns the body of a post.
///
/// # Errors
/// Those of attachments; the bounds of text and references are checked by the model.
pub(crate) fn body(text: &str, given: &[v1::AttachmentView<'_>]) -> Result<Body> {
    Ok(Body { text: text.to_owned(), attachments: attachments(given)? })
}

/// Attachments.
///
/// # Errors
/// `BATCH_TOO_LARGE`; `MISSING_FIELD` or `INVALID_FIELD` for the kind.
pub(crate) fn attachments(given: &[v1::AttachmentView<'_>]) -> Result<Vec<Attachment>> {
    if given.len() > ATTACHMENTS_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: ATTACHMENTS_MAX }));
    }
    given
        .iter()
        .map(|given| {
            let kind = attachment_kind(given.kind)?;
            Ok(Attachment { kind, reference: given.reference.to_owned() })
        })
        .collect()
}

/// Returns the kind of an attachment.
///
/// # Errors
/// `MISSING_FIELD`; `INVALID_FIELD` for a number that is none.
pub fn attachment_kind(given: EnumValue<attachment::Kind>) -> Result<AttachmentKind> {
    let field = "attachments.kind";
    match given.as_known() {
        Some(attachment::Kind::IMAGE) => Ok(AttachmentKind::Image),
        Some(attachment::Kind::VIDEO) => Ok(AttachmentKind::Video),
        Some(attachment::Kind::AUDIO) => Ok(AttachmentKind::Audio),
        Some(attachment::Kind::LINK) => Ok(AttachmentKind::Link),
        Some(attachment::Kind::FILE) => Ok(AttachmentKind::File),
        Some(attachment::Kind::KIND_UNSPECIFIED) => Err(Error::new(Reason::MissingField { field })),
        None => Err(Error::new(Reason::InvalidField { field })),
    }
}

/// A visibility as the wire has it.
pub const fn visibility_shown(visibility: Visibility) -> v1::post::Visibility {
    match visibility {
        Visibility::Public => v1::post::Visibility::PUBLIC,
        Visibility::Followers => v1::post::Visibility::FOLLOWERS,
        Visibility::Friends => v1::post::Visibility::FRIENDS,
        Visibility::Group(_) => v1::post::Visibility::GROUP,
    }
}

/// The group that goes with a visibility; 0 with none.
pub fn group_shown(visibility: Visibility) -> u32 {
    visibility.group().map_or(0, GroupId::get)
}

/// Returns whether a reader of an author's posts is told which groups they are for: those are the author's alone.
fn knows_groups(viewer: Option<Uid>, author: Uid) -> bool {
    viewer.is_none_or(|viewer| viewer == author)
}

/// An attachment as the wire has it.
pub fn attachment_shown(attachment: &Attachment) -> v1::Attachment {
    let kind = match attachment.kind {
        AttachmentKind::Image => attachment::Kind::IMAGE,
        AttachmentKind::Video => attachment::Kind::VIDEO,
        AttachmentKind::Audio => attachment::Kind::AUDIO,
        AttachmentKind::Link => attachment::Kind::LINK,
        AttachmentKind::File => attachment::Kind::FILE,
    };
    v1::Attachment { kind: EnumValue::from(kind), reference: attachment.reference.clone() }
}

fn time_of(ms: u64) -> Time {
    MessageField::some(time(Stamp::from_ms(ms)))
}

/// A post as the wire has it for its author.
pub(crate) fn post(post: &Post) -> v1::Post {
    let (reply_to, repost_of, original_author) = match post.header.kind {
        Kind::Post => (0, 0, 0),
        Kind::Reply { to, author } => (to.get(), 0, author.get()),
        Kind::Repost { of, author } | Kind::Quote { of, author } => (0, of.get(), author.get()),
    };
    v1::Post {
        post_id: post.header.id.get(),
        author: post.header.author.get(),
        text: post.body.text.clone(),
        attachments: post.body.attachments.iter().map(attachment_shown).collect(),
        visibility: EnumValue::from(visibility_shown(post.header.visibility)),
        reply_to,
        repost_of,
        original_author,
        create_time: time_of(post.create_ms),
        update_time: time_of(post.update_ms),
        revision: post.revision,
        event: post.header.event.map_or_else(MessageField::none, |at| MessageField::some(place(at))),
        group_id: group_shown(post.header.visibility),
        takedown_reason: post.takedown.clone().unwrap_or_default(),
    }
}

/// An earlier revision, of a post created at a time, as the wire has it for its author.
pub(crate) fn revision(id: PostId, create_ms: u64, revision: &Revision) -> v1::Post {
    v1::Post {
        post_id: id.get(),
        text: revision.body.text.clone(),
        attachments: revision.body.attachments.iter().map(attachment_shown).collect(),
        visibility: EnumValue::from(visibility_shown(revision.visibility)),
        create_time: time_of(create_ms),
        update_time: time_of(revision.update_ms),
        revision: revision.revision,
        group_id: group_shown(revision.visibility),
        ..Default::default()
    }
}

/// The same for a reader of the author's posts.
pub(crate) fn as_read(mut post: v1::Post, viewer: Option<Uid>, author: Uid) -> v1::Post {
    if !knows_groups(viewer, author) {
        post.group_id = 0;
    }
    post
}

/// A post that the viewer sees, with what the viewer did with it if there is one.
pub(crate) fn shown(shown: &ShownPost, viewer: Option<Uid>) -> v1::PostItem {
    v1::PostItem {
        post: MessageField::some(as_read(post(&shown.post), viewer, shown.post.header.author)),
        liked: viewer.map(|_| shown.liked),
        reposted: viewer.map(|_| shown.reposted),
        original: match (&shown.original, shown.post.header.kind.shared()) {
            (Some(original), Some((of, _))) => MessageField::some(item(of, original, viewer)),
            _ => MessageField::none(),
        },
        ..counters(shown.post.header.id, shown.stats)
    }
}

/// The counters of a post that the viewer sees.
pub(crate) fn counters(id: PostId, stats: PostStats) -> v1::PostItem {
    v1::PostItem {
        likes: Some(counter(stats.likes)),
        replies: Some(counter(stats.replies)),
        reposts: Some(counter(stats.reposts)),
        ..with_status(id, Status::OK)
    }
}

/// Returns the item of one post in a batch.
pub(crate) fn item(id: PostId, status: &PostStatus, viewer: Option<Uid>) -> v1::PostItem {
    match status {
        PostStatus::Ok(post) => shown(post, viewer),
        PostStatus::NotFound => with_status(id, Status::NOT_FOUND),
        PostStatus::Deleted => with_status(id, Status::DELETED),
        PostStatus::Forbidden => with_status(id, Status::FORBIDDEN),
        PostStatus::Omitted => with_status(id, Status::OMITTED),
    }
}

fn with_status(id: PostId, status: Status) -> v1::PostItem {
    v1::PostItem { post_id: id.get(), status: EnumValue::from(status), ..Default::default() }
}
