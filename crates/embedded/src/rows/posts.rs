//! Reading posts, and what is known of their authors, from the tables at a snapshot.

use super::{ListPart, damaged, decoded, record};
use crate::engine::{EngineError, EngineResult, Snapshot, Table};
use crate::layout::{
    AUTHOR, DELETED_POST, LIKE, LIKE_OF_USER, LIKE_TIME, NAME, POST_STATS, PostValue, REPOST_OF, REVISION,
    SOURCE, decode_author, decode_header, decode_number, decode_reposts, decode_revision, decode_stamp,
    decode_stats, deleted_post_key, like_key, like_of_user_key, like_time_key, of_post_key, outbox_key,
    parse_deleted_post_key, parse_like_key, parse_like_of_user_key, parse_like_time_key, parse_name,
    parse_other_name_key, parse_outbox_key, parse_post_key, parse_repost_of_key, parse_revision_key,
    parse_source_key, post_key, repost_of_key, reposted_key, revision_key, source_key, user_key,
};
use guanxi_model::post::{AuthorRow, Body, ImportPost, Kind, PostStats, Revision};
use guanxi_model::{Edge, Post, PostHeader, PostId, Stamp, Uid};
use guanxi_ports::{ExportLike, UserLike};

/// A whole post.
pub(crate) fn post(snapshot: &Snapshot, id: PostId) -> EngineResult<Option<PostValue>> {
    let row = snapshot.get(Table::Posts, &post_key(id))?;
    row.map(|bytes| PostValue::decode(id, &bytes).ok_or_else(|| damaged(format_args!("post {id}"))))
        .transpose()
}

/// A post without its content, and the event that last changed it.
pub(crate) fn header(snapshot: &Snapshot, id: PostId) -> EngineResult<Option<(PostHeader, u64)>> {
    let row = snapshot.get(Table::Posts, &post_key(id))?;
    row.map(|bytes| decode_header(id, &bytes).ok_or_else(|| damaged(format_args!("post {id}")))).transpose()
}

/// Returns what is kept of an author.
pub(crate) fn author(snapshot: &Snapshot, author: Uid) -> EngineResult<AuthorRow> {
    let what = format_args!("the newest posts of user {author}");
    Ok(record(snapshot, &user_key(AUTHOR, author), decode_author, what)?.unwrap_or_default())
}

/// Ids of an author's posts below one, newest first.
pub(crate) fn outbox(
    snapshot: &Snapshot,
    author: Uid,
    below: Option<PostId>,
) -> impl Iterator<Item = EngineResult<PostId>> + use<> {
    let below = below.map(|id| outbox_key(author, id));
    let rows = snapshot.prefix_after(Table::Outbox, &author.get().to_be_bytes(), below);
    decoded(rows, |key, _| Some(parse_outbox_key(key)?.1), move || format!("the outbox of user {author}"))
}

/// The counters of a post.
pub(crate) fn stats(snapshot: &Snapshot, id: PostId) -> EngineResult<PostStats> {
    let what = format_args!("the counters of post {id}");
    Ok(record(snapshot, &of_post_key(POST_STATS, id), decode_stats, what)?.unwrap_or_default())
}

/// Returns when a user began to like a post.
pub(crate) fn like(snapshot: &Snapshot, id: PostId, uid: Uid) -> EngineResult<Option<Stamp>> {
    record(snapshot, &like_key(id, uid), decode_stamp, format_args!("a like of post {id}"))
}

/// Returns whether a user likes a post.
pub(crate) fn likes(snapshot: &Snapshot, id: PostId, uid: Uid) -> EngineResult<bool> {
    snapshot.contains(Table::Records, &like_key(id, uid))
}

/// Returns what a user likes, and since when, in the order of the posts' ids, after one.
pub(crate) fn likes_of_user(
    snapshot: &Snapshot,
    user: Uid,
    after: Option<PostId>,
) -> impl Iterator<Item = EngineResult<UserLike>> + use<> {
    let after = after.map(|id| like_of_user_key(user, id));
    let rows = snapshot.prefix_after(Table::Records, &user_key(LIKE_OF_USER, user), after);
    let like = |key: &[u8], value: &[u8]| {
        Some(UserLike { id: parse_like_of_user_key(key)?.1, at: decode_stamp(value)? })
    };
    decoded(rows, like, move || format!("a like of user {user}"))
}

/// Posts that are deleted and of which a purge has something to remove, in the order of the time since when, after one.
pub(crate) fn deleted(
    snapshot: &Snapshot,
    after: Option<(u64, PostId)>,
) -> impl Iterator<Item = EngineResult<(u64, PostId)>> + use<> {
    let after = after.map(|(ms, id)| deleted_post_key(ms, id));
    let rows = snapshot.prefix_after(Table::Records, &[DELETED_POST], after);
    decoded(rows, |key, _| parse_deleted_post_key(key), || "a deleted post".to_owned())
}

/// A user's plain reposts of an original that stand, oldest first.
pub(crate) fn reposts(snapshot: &Snapshot, user: Uid, original: PostId) -> EngineResult<Vec<PostId>> {
    let what = format_args!("the reposts of post {original} by user {user}");
    Ok(record(snapshot, &reposted_key(user, original), decode_reposts, what)?.unwrap_or_default())
}

/// Returns whether a plain repost of an original by a user stands.
pub(crate) fn reposted(snapshot: &Snapshot, user: Uid, original: PostId) -> EngineResult<bool> {
    snapshot.contains(Table::Records, &reposted_key(user, original))
}

/// Returns the users who like a post, newest like first.
pub(crate) fn likers(
    snapshot: &Snapshot,
    id: PostId,
    part: ListPart<Edge>,
) -> impl Iterator<Item = EngineResult<Edge>> + use<> {
    let part = part.keys(|edge| like_time_key(id, edge));
    let rows = part.rows(snapshot, Table::Records, &of_post_key(LIKE_TIME, id));
    decoded(rows, |key, _| Some(parse_like_time_key(key)?.1), move || format!("a like of post {id}"))
}

/// Reposts and quotes of a post that are not deleted, newest first.
pub(crate) fn reposts_of(
    snapshot: &Snapshot,
    original: PostId,
    part: ListPart<PostId>,
) -> impl Iterator<Item = EngineResult<PostId>> + use<> {
    let part = part.keys(|id| repost_of_key(original, id));
    let rows = part.rows(snapshot, Table::Records, &of_post_key(REPOST_OF, original));
    decoded(rows, |key, _| Some(parse_repost_of_key(key)?.1), move || format!("a repost of post {original}"))
}

/// Earlier revisions of a post, newest first, below one.
pub(crate) fn revisions(
    snapshot: &Snapshot,
    id: PostId,
    below: Option<u32>,
) -> impl Iterator<Item = EngineResult<Revision>> + use<> {
    let below = below.map(|revision| revision_key(id, revision));
    let rows = snapshot.prefix_after(Table::Records, &of_post_key(REVISION, id), below);
    let revision = |key: &[u8], value: &[u8]| decode_revision(parse_revision_key(key)?.1, value);
    decoded(rows, revision, move || format!("a revision of post {id}"))
}

/// Posts of all authors after an id, in the order of their ids, as they are exported.
pub(crate) fn all(
    snapshot: &Snapshot,
    after: Option<PostId>,
) -> impl Iterator<Item = EngineResult<ImportPost>> + use<'_> {
    let rows = snapshot.prefix_after(Table::Posts, &[], after.map(post_key));
    rows.map(move |row| {
        let (key, value) = row?;
        let id = parse_post_key(&key).ok_or_else(|| damaged(format_args!("the id of a post")))?;
        let value = PostValue::decode(id, &value).ok_or_else(|| damaged(format_args!("post {id}")))?;
        exported(snapshot, value.post)
    })
}

fn exported(snapshot: &Snapshot, post: Post) -> EngineResult<ImportPost> {
    let Post { header, body, create_ms, .. } = post;
    let of = match header.kind {
        Kind::Post => None,
        Kind::Reply { to: of, author } | Kind::Repost { of, author } | Kind::Quote { of, author } => {
            // Of one that is missing, which a verification names, nothing but the id is known.
            Some(match self::header(snapshot, of)? {
                Some((original, _)) => (original.author, key_of(snapshot, &original)?),
                None => (author, of.to_string()),
            })
        }
    };
    let is_reply = matches!(header.kind, Kind::Reply { .. });
    Ok(ImportPost {
        id: Some(header.id),
        key: key_of(snapshot, &header)?,
        author: header.author,
        at_ms: create_ms,
        body: if header.deleted { Body::default() } else { body },
        visibility: header.visibility,
        reply_to: of.clone().filter(|_| is_reply),
        repost_of: of.filter(|_| !is_reply),
        deleted: header.deleted,
    })
}

/// The name that an imported post came with.
pub(crate) fn name(snapshot: &Snapshot, id: PostId) -> EngineResult<Option<String>> {
    let decode = |bytes: &[u8]| parse_name(bytes).map(str::to_owned);
    record(snapshot, &of_post_key(NAME, id), decode, format_args!("the name of post {id}"))
}

/// The names beside that under which a post that stood already was imported.
pub(crate) fn other_names(snapshot: &Snapshot, id: PostId) -> EngineResult<Vec<String>> {
    let mut names = Vec::new();
    for row in snapshot.prefix(Table::Records, &of_post_key(NAME, id)) {
        // A key that cannot be decoded is named by a verification.
        names.extend(parse_other_name_key(&row?.0).map(|(_, name)| name.to_owned()));
    }
    Ok(names)
}

/// The key under which a post is exported: the name that it was imported with, else its id, with pluses while another
/// post of the author was imported under that.
fn key_of(snapshot: &Snapshot, post: &PostHeader) -> EngineResult<String> {
    let PostHeader { id, author, event, .. } = *post;
    // A post that was written here was imported under no name.
    if event.is_none()
        && let Some(name) = name(snapshot, id)?
    {
        return Ok(name);
    }
    let mut key = id.to_string();
    while source(snapshot, author, &key)?.is_some() {
        key.push('+');
    }
    Ok(key)
}

/// Likes of all posts after one, in the order of post and user, as they are exported.
pub(crate) fn all_likes(
    snapshot: &Snapshot,
    after: Option<(PostId, Uid)>,
) -> impl Iterator<Item = EngineResult<ExportLike>> + use<'_> {
    let rows = snapshot.prefix_after(Table::Records, &[LIKE], after.map(|(id, uid)| like_key(id, uid)));
    let mut before: Option<(PostId, Uid, String)> = None;
    rows.map(move |row| {
        let (key, value) = row?;
        let parsed = parse_like_key(&key).zip(decode_stamp(&value));
        let ((id, uid), at) = parsed.ok_or_else(|| damaged(format_args!("a like")))?;
        // Likes of one post stand together.
        let (author, key) = match before.take() {
            Some((known, author, key)) if known == id => (author, key),
            _ => {
                let lost = || EngineError::Damaged(format!("post {id} is missing"));
                let post = header(snapshot, id)?.ok_or_else(lost)?.0;
                (post.author, key_of(snapshot, &post)?)
            }
        };
        before = Some((id, author, key.clone()));
        Ok(ExportLike { id, like: Edge { at, uid }, author, key })
    })
}

/// The post that was imported under a source's name for it.
pub(crate) fn source(snapshot: &Snapshot, author: Uid, name: &str) -> EngineResult<Option<PostId>> {
    let decode = |bytes: &[u8]| decode_number(bytes).and_then(|raw| PostId::new(raw).ok());
    record(snapshot, &source_key(author, name), decode, format_args!("a source key of user {author}"))
}

/// The source's names of an author's posts, each with the post that it leads to, in the order of the names, after one.
pub(crate) fn sources(
    snapshot: &Snapshot,
    author: Uid,
    after: Option<&str>,
) -> impl Iterator<Item = EngineResult<(String, PostId)>> + use<> {
    let after = after.map(|name| source_key(author, name));
    let rows = snapshot.prefix_after(Table::Records, &user_key(SOURCE, author), after);
    let source = |key: &[u8], value: &[u8]| {
        Some((parse_source_key(key)?.1.to_owned(), PostId::new(decode_number(value)?).ok()?))
    };
    decoded(rows, source, move || format!("a source key of user {author}"))
}
