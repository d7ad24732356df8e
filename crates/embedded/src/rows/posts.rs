//! Reading posts, and what is known of their authors, from the tables at a snapshot.

use super::{damaged, record};
use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    AUTHOR, LIKE_TIME, POST_STATS, PostValue, REVISION, decode_author, decode_header, decode_number,
    decode_reposts, decode_revision, decode_stamp, decode_stats, like_key, like_time_key, of_post_key,
    outbox_key, parse_like_time_key, parse_outbox_key, parse_revision_key, post_key, reposted_key,
    revision_key, source_key, user_key,
};
use guanxi_model::post::{AuthorRow, PostStats, Revision};
use guanxi_model::{Edge, PostHeader, PostId, Stamp, Uid};
use std::ops::Bound;

/// What a read of the tables returns.
type Loaded<T> = Result<T, EngineError>;

/// A whole post.
pub(crate) fn post(snapshot: &Snapshot, id: PostId) -> Loaded<Option<PostValue>> {
    let row = snapshot.get(Table::Posts, &post_key(id))?;
    row.map(|bytes| PostValue::decode(id, &bytes).ok_or_else(|| damaged(format_args!("post {id}"))))
        .transpose()
}

/// A post without its content, and the event that last changed it.
pub(crate) fn header(snapshot: &Snapshot, id: PostId) -> Loaded<Option<(PostHeader, u64)>> {
    let row = snapshot.get(Table::Posts, &post_key(id))?;
    row.map(|bytes| decode_header(id, &bytes).ok_or_else(|| damaged(format_args!("post {id}")))).transpose()
}

/// What is kept of an author.
pub(crate) fn author(snapshot: &Snapshot, author: Uid) -> Loaded<AuthorRow> {
    let what = format_args!("the newest posts of user {author}");
    Ok(record(snapshot, &user_key(AUTHOR, author), decode_author, what)?.unwrap_or_default())
}

/// Ids of an author's posts below one, newest first.
pub(crate) fn outbox(
    snapshot: &Snapshot,
    author: Uid,
    below: Option<PostId>,
) -> impl Iterator<Item = Loaded<PostId>> + use<> {
    let first = author.get().to_be_bytes();
    let last = outbox_key(author, PostId::MIN);
    let from = below.map(|id| outbox_key(author, id));
    let from = from.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Outbox, from, Bound::Included(&last)).map(move |row| {
        let parsed = parse_outbox_key(&row?.0);
        Ok(parsed.ok_or_else(|| damaged(format_args!("the outbox of user {author}")))?.1)
    })
}

/// The counters of a post.
pub(crate) fn stats(snapshot: &Snapshot, id: PostId) -> Loaded<PostStats> {
    let what = format_args!("the counters of post {id}");
    Ok(record(snapshot, &of_post_key(POST_STATS, id), decode_stats, what)?.unwrap_or_default())
}

/// When a user began to like a post.
pub(crate) fn like(snapshot: &Snapshot, id: PostId, uid: Uid) -> Loaded<Option<Stamp>> {
    record(snapshot, &like_key(id, uid), decode_stamp, format_args!("a like of post {id}"))
}

/// Whether a user likes a post.
pub(crate) fn likes(snapshot: &Snapshot, id: PostId, uid: Uid) -> Loaded<bool> {
    snapshot.contains(Table::Records, &like_key(id, uid))
}

/// A user's plain reposts of an original that stand, oldest first.
pub(crate) fn reposts(snapshot: &Snapshot, user: Uid, original: PostId) -> Loaded<Vec<PostId>> {
    let what = format_args!("the reposts of post {original} by user {user}");
    Ok(record(snapshot, &reposted_key(user, original), decode_reposts, what)?.unwrap_or_default())
}

/// Whether a plain repost of an original by a user stands.
pub(crate) fn reposted(snapshot: &Snapshot, user: Uid, original: PostId) -> Loaded<bool> {
    snapshot.contains(Table::Records, &reposted_key(user, original))
}

/// Who likes a post, newest like first, after a like.
pub(crate) fn likers(
    snapshot: &Snapshot,
    id: PostId,
    after: Option<Edge>,
) -> impl Iterator<Item = Loaded<Edge>> + use<> {
    let first = of_post_key(LIKE_TIME, id);
    let mut last = [0xff; 25];
    last[..9].copy_from_slice(&first);
    let from = after.map(|edge| like_time_key(id, edge));
    let from = from.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Records, from, Bound::Included(&last)).map(move |row| {
        let parsed = parse_like_time_key(&row?.0);
        Ok(parsed.ok_or_else(|| damaged(format_args!("a like of post {id}")))?.1)
    })
}

/// Earlier revisions of a post, newest first, below one.
pub(crate) fn revisions(
    snapshot: &Snapshot,
    id: PostId,
    below: Option<u32>,
) -> impl Iterator<Item = Loaded<Revision>> + use<> {
    let first = of_post_key(REVISION, id);
    let last = revision_key(id, 0);
    let from = below.map(|revision| revision_key(id, revision));
    let from = from.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Records, from, Bound::Included(&last)).map(move |row| {
        let (key, value) = row?;
        let parsed = parse_revision_key(&key).and_then(|(_, revision)| decode_revision(revision, &value));
        parsed.ok_or_else(|| damaged(format_args!("a revision of post {id}")))
    })
}

/// The post that was imported under a source's name for it.
pub(crate) fn source(snapshot: &Snapshot, author: Uid, name: &str) -> Loaded<Option<PostId>> {
    let decode = |bytes: &[u8]| decode_number(bytes).and_then(|raw| PostId::new(raw).ok());
    record(snapshot, &source_key(author, name), decode, format_args!("a source key of user {author}"))
}
