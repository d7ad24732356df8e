//! Posts, and what is known of their authors.
//!
//! A post is `flags author [ref ref_author] [group] seq changed revision update_ms [create_ms] [deleted_ms] [takedown] content`. The
//! flags hold its kind, its visibility, which may be a group, and whether it is deleted. They also hold which optional fields there are:
//! a time beside its id's, the time of the deletion, and the reason of the takedown. Content is
//! `length text count (kind length reference)*`. Ids are 8 bytes, other numbers varints. A repost and a quote have one code: a quote is a
//! repost with content.

use crate::layout::log::event_at;
use guanxi_model::bytes::Reader;
use guanxi_model::post::{Attachment, AttachmentKind, AuthorRow, Body, Kind, PostStats, Revision};
use guanxi_model::stored::{get_text, get_varint, put_text, put_varint};
use guanxi_model::{EventAt, GroupId, Post, PostHeader, PostId, Uid, Visibility};
use guanxi_ports::AuthorHead;

/// A post, and the event that last changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostValue {
    /// The post.
    pub post: Post,
    /// The event that last changed it; from there on it is as it is here.
    pub changed: u64,
}

const KIND: u8 = 0b11;
const REPLY: u8 = 1;
const REPOST: u8 = 2;
const VISIBILITY_SHIFT: u8 = 2;
const DELETED: u8 = 0b1_0000;
/// The post was created at another time than its id says.
const HAS_TIME: u8 = 0b10_0000;
/// The post says since when it is deleted.
const HAS_DELETED: u8 = 0b100_0000;
/// The post says why it is taken down. If it does not say since when it is deleted, it is so for that alone. All flags are taken.
const TAKEN_DOWN: u8 = 0b1000_0000;

impl PostValue {
    /// The stored form; the id is in the key.
    pub fn encode(&self) -> Vec<u8> {
        let Post { header, body, revision, update_ms, create_ms, deleted_ms, takedown } = &self.post;
        let (kind, reference) = match header.kind {
            Kind::Post => (0, None),
            Kind::Reply { to, author } => (REPLY, Some((to, author))),
            Kind::Repost { of, author } | Kind::Quote { of, author } => (REPOST, Some((of, author))),
        };
        let deleted = if header.deleted { DELETED } else { 0 };
        let mut out = Vec::with_capacity(48 + body.text.len());
        let has_time = if *create_ms == header.id.ms() { 0 } else { HAS_TIME };
        let has_deleted = if deleted_ms.is_some() { HAS_DELETED } else { 0 };
        let visibility = visibility_code(header.visibility) << VISIBILITY_SHIFT;
        let taken_down = if takedown.is_some() { TAKEN_DOWN } else { 0 };
        out.push(kind | visibility | deleted | has_time | has_deleted | taken_down);
        out.extend(header.author.get().to_be_bytes());
        if let Some((post, author)) = reference {
            out.extend(post.get().to_be_bytes());
            out.extend(author.get().to_be_bytes());
        }
        put_group(&mut out, header.visibility);
        let made = header.event.map_or(0, EventAt::seq);
        for number in [made, self.changed, u64::from(*revision), *update_ms] {
            put_varint(&mut out, number);
        }
        if has_time != 0 {
            put_varint(&mut out, *create_ms);
        }
        if let Some(deleted_ms) = deleted_ms {
            put_varint(&mut out, *deleted_ms);
        }
        if let Some(reason) = takedown {
            put_text(&mut out, reason);
        }
        put_body(&mut out, body);
        out
    }

    /// Reads the stored form of a post.
    pub fn decode(id: PostId, bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (mut header, changed) = get_header(id, &mut reader)?;
        let Between { revision, update_ms, create_ms, deleted_ms, takedown } =
            get_between(id, bytes, &mut reader)?;
        let body = get_body(&mut reader)?;
        reader.end()?;
        header.kind = kind_with(header.kind, !body.is_empty());
        Some(Self {
            post: Post { header, body, revision, update_ms, create_ms, deleted_ms, takedown },
            changed,
        })
    }
}

/// Reads a post without its content, and the event that last changed it.
pub fn decode_header(id: PostId, bytes: &[u8]) -> Option<(PostHeader, u64)> {
    let mut reader = Reader::new(bytes);
    let (mut header, changed) = get_header(id, &mut reader)?;
    if let Kind::Repost { .. } = header.kind {
        get_between(id, bytes, &mut reader)?;
        // A text, or attachments behind an empty one.
        let says_something = get_varint(&mut reader)? != 0 || get_varint(&mut reader)? != 0;
        header.kind = kind_with(header.kind, says_something);
    }
    Some((header, changed))
}

/// A stored repost is a quote if it says something.
const fn kind_with(kind: Kind, says_something: bool) -> Kind {
    match kind {
        Kind::Repost { of, author } if says_something => Kind::Quote { of, author },
        other => other,
    }
}

/// The fields between a post's header and its content.
struct Between {
    revision: u32,
    update_ms: u64,
    create_ms: u64,
    deleted_ms: Option<u64>,
    takedown: Option<String>,
}

fn get_between(id: PostId, bytes: &[u8], reader: &mut Reader<'_>) -> Option<Between> {
    let revision = u32::try_from(get_varint(reader)?).ok()?;
    let update_ms = get_varint(reader)?;
    let flags = *bytes.first()?;
    let create_ms = if flags & HAS_TIME != 0 { get_varint(reader)? } else { id.ms() };
    let deleted_ms = if flags & HAS_DELETED != 0 { Some(get_varint(reader)?) } else { None };
    let takedown = if flags & TAKEN_DOWN != 0 { Some(get_text(reader)?) } else { None };
    Some(Between { revision, update_ms, create_ms, deleted_ms, takedown })
}

/// The stored form of a user's plain reposts of an original: their ids, which ascend.
pub fn encode_reposts(ids: &[PostId]) -> Vec<u8> {
    ids.iter().flat_map(|id| id.get().to_be_bytes()).collect()
}

/// Reads a user's plain reposts of an original: at least one.
pub fn decode_reposts(bytes: &[u8]) -> Option<Vec<PostId>> {
    let mut reader = Reader::new(bytes);
    let mut ids = vec![get_post_id(&mut reader)?];
    while reader.end().is_none() {
        ids.push(get_post_id(&mut reader)?);
    }
    ids.is_sorted_by(|a, b| a < b).then_some(ids)
}

fn get_header(id: PostId, reader: &mut Reader<'_>) -> Option<(PostHeader, u64)> {
    let flags = reader.u8()?;
    let author = Uid::new(reader.u64()?).ok()?;
    let kind = match flags & KIND {
        0 => Kind::Post,
        REPLY => Kind::Reply { to: get_post_id(reader)?, author: Uid::new(reader.u64()?).ok()? },
        REPOST => Kind::Repost { of: get_post_id(reader)?, author: Uid::new(reader.u64()?).ok()? },
        _ => return None,
    };
    let visibility = get_visibility(flags >> VISIBILITY_SHIFT & 0b11, reader)?;
    // Only what is gone says since when, or why.
    let deleted = flags & DELETED != 0;
    if !deleted && flags & (HAS_DELETED | TAKEN_DOWN) != 0 {
        return None;
    }
    let taken_down = flags & (TAKEN_DOWN | HAS_DELETED) == TAKEN_DOWN;
    let (seq, changed) = (get_varint(reader)?, get_varint(reader)?);
    let event = (seq > 0).then(|| event_at(seq));
    Some((PostHeader { id, author, kind, visibility, deleted, taken_down, event }, changed))
}

fn get_post_id(reader: &mut Reader<'_>) -> Option<PostId> {
    PostId::new(reader.u64()?).ok()
}

const fn visibility_code(visibility: Visibility) -> u8 {
    match visibility {
        Visibility::Public => 0,
        Visibility::Followers => 1,
        Visibility::Friends => 2,
        Visibility::Group(_) => 3,
    }
}

/// Which group something is for, if it is for one.
fn put_group(out: &mut Vec<u8>, visibility: Visibility) {
    if let Some(id) = visibility.group() {
        put_varint(out, id.get().into());
    }
}

/// Reads a visibility by its code, which a group follows.
fn get_visibility(code: u8, reader: &mut Reader<'_>) -> Option<Visibility> {
    Some(match code {
        0 => Visibility::Public,
        1 => Visibility::Followers,
        2 => Visibility::Friends,
        3 => Visibility::Group(GroupId::new(get_varint(reader)?.try_into().ok()?).ok()?),
        _ => return None,
    })
}

fn put_body(out: &mut Vec<u8>, body: &Body) {
    put_text(out, &body.text);
    put_varint(out, body.attachments.len() as u64);
    for attachment in &body.attachments {
        out.push(attachment.kind.code());
        put_text(out, &attachment.reference);
    }
}

fn get_body(reader: &mut Reader<'_>) -> Option<Body> {
    let text = get_text(reader)?;
    let mut attachments = Vec::new();
    for _ in 0..get_varint(reader)? {
        let kind = AttachmentKind::of_code(reader.u8()?)?;
        attachments.push(Attachment { kind, reference: get_text(reader)? });
    }
    Some(Body { text, attachments })
}

/// The stored form of an earlier revision; its number is in the key.
pub fn encode_revision(revision: &Revision) -> Vec<u8> {
    let mut out = vec![visibility_code(revision.visibility)];
    put_group(&mut out, revision.visibility);
    put_varint(&mut out, revision.update_ms);
    put_body(&mut out, &revision.body);
    out
}

/// Reads an earlier revision.
pub fn decode_revision(revision: u32, bytes: &[u8]) -> Option<Revision> {
    let mut reader = Reader::new(bytes);
    let visibility = get_visibility(reader.u8()?, &mut reader)?;
    let update_ms = get_varint(&mut reader)?;
    let body = get_body(&mut reader)?;
    reader.end()?;
    Some(Revision { revision, update_ms, visibility, body })
}

/// The stored form of an author.
pub fn encode_author(author: &AuthorRow) -> Vec<u8> {
    let AuthorRow { head, created_from } = author;
    let number = |id: Option<PostId>| id.map_or(0, PostId::get);
    let numbers = [number(head.last_id), head.last.seq(), head.changed.seq(), number(*created_from)];
    numbers.into_iter().flat_map(u64::to_be_bytes).collect()
}

/// Reads an author.
pub fn decode_author(bytes: &[u8]) -> Option<AuthorRow> {
    let mut reader = Reader::new(bytes);
    let optional = |raw| if raw == 0 { Some(None) } else { PostId::new(raw).ok().map(Some) };
    let last_id = optional(reader.u64()?)?;
    let head = AuthorHead { last_id, last: event_at(reader.u64()?), changed: event_at(reader.u64()?) };
    let created_from = optional(reader.u64()?)?;
    reader.end()?;
    Some(AuthorRow { head, created_from })
}

/// The stored form of a post's counters.
pub fn encode_stats(stats: &PostStats) -> Vec<u8> {
    let mut out = Vec::with_capacity(6);
    for number in [stats.likes, stats.replies, stats.reposts] {
        put_varint(&mut out, number);
    }
    out
}

/// Reads a post's counters.
pub fn decode_stats(bytes: &[u8]) -> Option<PostStats> {
    let mut reader = Reader::new(bytes);
    let mut number = || get_varint(&mut reader);
    let stats = PostStats { likes: number()?, replies: number()?, reposts: number()? };
    reader.end()?;
    Some(stats)
}
