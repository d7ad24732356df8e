//! Posts, likes, and what is known of authors and readers.

use super::{DumpRowError, DumpedTable};
use crate::dump::merge::DumpRows;
use crate::rows::{
    OutboxHead, damaged, maybe_post_id, number, original_of, post_id, revision_of, stamp, text_of, uid,
    whole_post, whole_post_columns,
};
use guanxi_model::post::{Kind, PostStats};
use guanxi_model::{Edge, EventAt};
use guanxi_rows::layout::{
    AUTHOR, NAME, POST_STATS, PostValue, SEEN, SeenMark, deleted_post_key, encode_author, encode_number,
    encode_reposts, encode_revision, encode_stamp, encode_stats, like_key, like_of_user_key, like_time_key,
    of_post_key, other_name_key, post_key, repost_of_key, reposted_key, revision_key, source_key, user_key,
};
use tokio_postgres::Row;

pub(super) const TABLES: &[DumpedTable] = &[
    DumpedTable::new(concat!("select ", whole_post_columns!(), " from gx.post t"), post),
    DumpedTable::new(
        "select revision, update_ms, visibility, audience, text, attachment_kinds, attachments, id \
            from gx.post_revision",
        revision,
    ),
    DumpedTable::new("select uid, post, at from gx.liked where active", like),
    DumpedTable::new("select uid, last_post, last_seq, changed_seq, created_from from gx.author", author),
    DumpedTable::new("select author, key, id, also is true from gx.post_source", source),
    DumpedTable::new("select uid, logs, seqs from gx.seen", seen),
];

fn post(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (post, name) = whole_post(row)?;
    let (header, deleted_ms) = (post.header, post.deleted_ms);
    if let Some(ms) = deleted_ms {
        rows.record(&deleted_post_key(ms, header.id), Vec::new())?;
    }
    if let Some(name) = name {
        rows.record(&of_post_key(NAME, header.id), name.into_bytes())?;
    }
    if let Some((original, _)) = original_of(header.kind).filter(|_| !header.deleted) {
        let is_reply = matches!(header.kind, Kind::Reply { .. });
        let (replies, reposts) = (u64::from(is_reply), u64::from(!is_reply));
        let part = PostStats { replies, reposts, ..PostStats::default() };
        rows.record(&of_post_key(POST_STATS, original), encode_stats(&part))?;
        if !is_reply {
            rows.record(&repost_of_key(original, header.id), Vec::new())?;
        }
        if matches!(header.kind, Kind::Repost { .. }) {
            rows.record(&reposted_key(header.author, original), encode_reposts(&[header.id]))?;
        }
    }
    let changed = header.event.map_or(0, EventAt::seq);
    Ok(rows.post(&post_key(header.id), PostValue { post, changed }.encode())?)
}

fn revision(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let revision = revision_of(row)?;
    Ok(rows.record(&revision_key(post_id(row, 7)?, revision.revision), encode_revision(&revision))?)
}

fn like(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (uid, id, at) = (uid(row, 0)?, post_id(row, 1)?, stamp(row, 2));
    rows.record(&like_key(id, uid), encode_stamp(at).to_vec())?;
    rows.record(&like_time_key(id, Edge { at, uid }), Vec::new())?;
    rows.record(&like_of_user_key(uid, id), encode_stamp(at).to_vec())?;
    let part = PostStats { likes: 1, ..PostStats::default() };
    Ok(rows.record(&of_post_key(POST_STATS, id), encode_stats(&part))?)
}

fn author(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let author = uid(row, 0)?;
    let head = OutboxHead {
        last_id: maybe_post_id(row, 1)?,
        last_seq: number(row, 2),
        changed_seq: number(row, 3),
        created_from: maybe_post_id(row, 4)?,
    };
    Ok(rows.record(&user_key(AUTHOR, author), encode_author(&head.of(author)))?)
}

fn source(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (name, id) = (text_of(row.get(1)), post_id(row, 2)?);
    if row.get(3) {
        rows.record(&other_name_key(id, &name), Vec::new())?;
    }
    Ok(rows.record(&source_key(uid(row, 0)?, &name), encode_number(id.get()).to_vec())?)
}

fn seen(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (logs, seqs): (Vec<i16>, Vec<i64>) = (row.get(1), row.get(2));
    let mark = |(log, seq): (i16, i64)| Some((u8::try_from(log).ok()?, seq.cast_unsigned()));
    let marks = logs.into_iter().zip(seqs).map(mark).collect::<Option<Vec<_>>>();
    let mut marks = marks.ok_or_else(|| damaged("a log"))?;
    marks.sort_unstable();
    Ok(rows.record(&user_key(SEEN, uid(row, 0)?), SeenMark::Each(marks).encode())?)
}
