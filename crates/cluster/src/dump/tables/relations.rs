//! What users have said about each other, and wait for.

use super::{DumpRowError, DumpedTable};
use crate::dump::merge::DumpRows;
use crate::rows::{damaged, maybe_stamp, number, past_request, request_kind_of, stamp, text_of, uid};
use guanxi_model::{Counts, Edge, MuteTerms, PairEnd, PairEndKind, RelationRequest, Stamp};
use guanxi_ports::MarkKind;
use guanxi_rows::layout::{
    BLOCK, COOLDOWN, CountersValue, MUTE, REQUESTS_SEEN, SENT_REQUEST, SentValue, UNLOCKING, encode_mute,
    encode_past_request, encode_request, encode_stamp, marked_by_key, pair_end_key, pair_key, request_key,
    user_key,
};
use tokio_postgres::Row;

pub(super) const TABLES: &[DumpedTable] = &[
    DumpedTable::new("select subject, object, at, version, active from gx.follow", follow),
    DumpedTable::new("select subject, object, at, version from gx.block where active", block),
    DumpedTable::new("select subject, object, at, reposts_only, until_ms from gx.mute where active", mute),
    DumpedTable::new("select uid, follow_limit, audience_seq, requests_seen from gx.user_state", user),
    DumpedTable::new(
        "select receiver, sender, kind, at, expires_ms, message, cooling_ms, first_at \
            from gx.request",
        request,
    ),
    DumpedTable::new("select uid, since from gx.unlocking", unlocking),
];

fn follow(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    Ok(rows.follow((uid(row, 0)?, uid(row, 1)?), (stamp(row, 2), stamp(row, 3)), row.get(4))?)
}

fn block(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (subject, object, at) = (uid(row, 0)?, uid(row, 1)?, stamp(row, 2));
    rows.record(&pair_key(BLOCK, subject, object), encode_stamp(at).to_vec())?;
    rows.record(&marked_by_key(object, MarkKind::Block, subject), Vec::new())?;
    let counts = Counts { blocks: 1, ..Counts::default() };
    rows.counters(subject, CountersValue { counts, ..CountersValue::default() })?;
    Ok(rows.parted(subject, object, stamp(row, 3))?)
}

fn mute(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (subject, object, at) = (uid(row, 0)?, uid(row, 1)?, stamp(row, 2));
    let until_ms = row.get::<_, Option<i64>>(4).map(i64::cast_unsigned);
    let terms = MuteTerms { reposts_only: row.get(3), until_ms };
    rows.record(&pair_key(MUTE, subject, object), encode_mute(at, terms))?;
    rows.record(&marked_by_key(object, MarkKind::Mute, subject), Vec::new())?;
    if let Some(until_ms) = until_ms {
        let end = PairEnd { kind: PairEndKind::Mute, owner: subject, other: object };
        rows.record(&pair_end_key(until_ms, end), Vec::new())?;
    }
    let counts = Counts { mutes: 1, ..Counts::default() };
    Ok(rows.counters(subject, CountersValue { counts, ..CountersValue::default() })?)
}

fn user(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (uid, seen) = (uid(row, 0)?, stamp(row, 3));
    let limit = row.get::<_, Option<i32>>(1).map(i32::cast_unsigned);
    let changed = number(row, 2);
    rows.counters(uid, CountersValue { limit, changed, ..CountersValue::default() })?;
    if seen > Stamp::ZERO {
        rows.record(&user_key(REQUESTS_SEEN, uid), encode_stamp(seen).to_vec())?;
    }
    Ok(())
}

fn request(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    let (receiver, sender) = (uid(row, 0)?, uid(row, 1)?);
    if let Some(kind) = row.get::<_, Option<&str>>(2) {
        let kind = request_kind_of(kind).ok_or_else(|| damaged("the kind of a request"))?;
        let (at, expires_ms) = (stamp(row, 3), number(row, 4));
        let message = text_of(row.get(5));
        let sent = SentValue { kind, at, expires_ms };
        rows.record(&pair_key(SENT_REQUEST, sender, receiver), sent.encode())?;
        let request = RelationRequest { sender, receiver, kind, at, expires_ms, message };
        let key = request_key(receiver, kind, Edge { at, uid: sender });
        rows.record(&key, encode_request(&request))?;
        let end = PairEnd { kind: PairEndKind::Request, owner: receiver, other: sender };
        rows.record(&pair_end_key(expires_ms, end), Vec::new())?;
        rows.counters(sender, CountersValue { asks: 1, ..CountersValue::default() })?;
        rows.counters(receiver, CountersValue { asked: 1, ..CountersValue::default() })?;
    }
    if let Some(until_ms) = row.get::<_, Option<i64>>(6).map(i64::cast_unsigned) {
        rows.record(
            &pair_key(COOLDOWN, receiver, sender),
            encode_past_request(past_request(until_ms, maybe_stamp(row, 7))),
        )?;
        let end = PairEnd { kind: PairEndKind::Cooldown, owner: receiver, other: sender };
        rows.record(&pair_end_key(until_ms, end), Vec::new())?;
    }
    Ok(())
}

fn unlocking(row: &Row, rows: &mut DumpRows) -> Result<(), DumpRowError> {
    Ok(rows.record(&user_key(UNLOCKING, uid(row, 0)?), encode_stamp(stamp(row, 1)).to_vec())?)
}
