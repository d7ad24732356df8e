//! Rows that have no other side: the log without a gap, and records that must at least be readable.

use super::findings::Findings;
use super::relations::marks;
use super::source::whole;
use super::{external_ids, names, sessions, suggestions, user_groups, users, waiting};
use crate::engine::{EngineError, RawRow, Table};
use crate::layout::{
    ANSWER, ANSWER_TIME, AUDIT, AUTHOR, AnswerValue, BLOCK, COUNTERS, CREDENTIAL, DELETED_POST, ERASED_ID,
    ERASED_ID_KEY, EXTERNAL_ID, EXTERNAL_UID, ErasedIdKey, IDS_KEY, JOB, LIKE, LIKE_OF_USER, LIKE_TIME,
    MARKED_BY, MUTE, NAME, POLICY_KEY, POST_STATS, REPOST_OF, REPOSTED, REVISION, SEEN, SESSION, SESSION_END,
    SESSION_OF_USER, SOURCE, STATE_KEY, StateValue, TOMBSTONE, UIDS_KEY, UNNOTED_KEY, decode_credential,
    decode_number, decode_policy, decode_revision, decode_stamp, decode_uids, event_at,
    parse_answer_time_key, parse_audit_key, parse_log_key, parse_name, parse_of_post_key,
    parse_other_name_key, parse_pair_key, parse_revision_key, parse_source_key, parse_user_key,
};
use crate::view::View;
use guanxi_model::stored::{decode_audit_entry, decode_event};
use guanxi_ports::DifferenceKind;
use std::ops::Bound;

/// Bytes of the key of a remembered answer: prefix and hash.
const ANSWER_KEY_LEN: usize = 17;

/// Checks the log and the records that the other passes do not read, and who has set marks on whom.
pub(super) fn check(view: &View, seed: u64) -> Result<Findings, EngineError> {
    let mut findings = marks::compare(view, seed)?;
    waiting::mutes(view, &mut findings)?;
    log(view, &mut findings)?;
    records(view, &mut findings)?;
    state(view, &mut findings)?;
    Ok(findings)
}

/// The log holds every event from the first to the last.
fn log(view: &View, findings: &mut Findings) -> Result<(), EngineError> {
    let mut expected = view.first_seq;
    for row in whole(&view.snapshot, Table::Log) {
        let (key, value) = row?;
        let Some(seq) = parse_log_key(&key) else {
            findings.undecodable("event", None, None, &key, &value);
            continue;
        };
        if seq < view.first_seq || seq > view.seq {
            let (first, last) = (view.first_seq, view.seq);
            findings.add(DifferenceKind::LogGap, None, None, || {
                format!("event {seq} lies outside of the log, which goes from {first} to {last}")
            });
            continue;
        }
        if seq != expected {
            gap(expected, seq - 1, findings);
        }
        if decode_event(event_at(seq), &value).is_none() {
            findings.undecodable(&format!("event {seq}"), None, None, &key, &value);
        }
        expected = seq + 1;
    }
    if expected <= view.seq {
        gap(expected, view.seq, findings);
    }
    Ok(())
}

fn gap(from: u64, to: u64, findings: &mut Findings) {
    findings.add(DifferenceKind::LogGap, None, None, || format!("events {from} to {to} are missing"));
}

/// The state of the store agrees with the view.
fn state(view: &View, findings: &mut Findings) -> Result<(), EngineError> {
    let stored = view.snapshot.get(Table::Records, STATE_KEY)?;
    let state = stored.as_deref().map(StateValue::decode);
    // A new store has no state until its first commit; one that cannot be decoded is named with the records.
    let (first, last) = match state {
        Some(Some(state)) => (state.first_seq, state.last_seq),
        Some(None) => return Ok(()),
        None => (1, 0),
    };
    if (first, last) != (view.first_seq, view.seq) {
        findings.add(DifferenceKind::LogGap, None, None, || {
            format!(
                "the stored state has events {first} to {last}, expected {} to {}",
                view.first_seq, view.seq
            )
        });
    }
    Ok(())
}

fn records(view: &View, findings: &mut Findings) -> Result<(), EngineError> {
    // Heads of outboxes, blocks, counters and deleted posts; likes and mutes; counters of posts; lists of reposts; likes of users, lists of
    // likes and marks about users; plain reposts: all of these are compared with other rows.
    const { assert!(AUTHOR + 1 == BLOCK && BLOCK + 1 == COUNTERS) };
    const { assert!(COUNTERS + 1 == DELETED_POST && DELETED_POST < LIKE) };
    const { assert!(LIKE + 1 == MUTE && MUTE < POST_STATS && POST_STATS < LIKE_OF_USER) };
    const { assert!(LIKE_OF_USER + 1 == LIKE_TIME && LIKE_TIME + 1 == MARKED_BY && MARKED_BY < REPOSTED) };
    const { assert!(POST_STATS < REPOST_OF && REPOST_OF < LIKE_OF_USER) };
    let alone = |prefix| (prefix, prefix);
    let compared = [
        (AUTHOR, DELETED_POST),
        (LIKE, MUTE),
        alone(POST_STATS),
        alone(REPOST_OF),
        (LIKE_OF_USER, MARKED_BY),
        alone(REPOSTED),
    ];
    let ends: Vec<([u8; 1], [u8; 1])> = compared.map(|(first, last)| ([first], [last + 1])).to_vec();
    let from =
        std::iter::once(Bound::Unbounded).chain(ends.iter().map(|(_, after)| Bound::Included(&after[..])));
    let to = ends.iter().map(|(first, _)| Bound::Excluded(&first[..])).chain([Bound::Unbounded]);
    let ranges = from.zip(to);
    for (from, to) in ranges {
        for row in view.snapshot.range(Table::Records, from, to) {
            let (key, value): RawRow = row?;
            let what = match unreadable(&key, &value) {
                None if matches!(key.first(), Some(&(SOURCE | NAME))) => {
                    names::unmatched(&view.snapshot, &key, &value)?
                }
                None if waiting::are(&key) => waiting::unmatched(&view.snapshot, &key, &value)?,
                None if users::are(&key) => users::unmatched(&view.snapshot, &key, &value)?,
                None if matches!(key.first(), Some(&(EXTERNAL_UID | EXTERNAL_ID))) => {
                    external_ids::unmatched(&view.snapshot, &key, &value)?
                }
                None if suggestions::are(&key) => suggestions::unmatched(&view.snapshot, &key)?,
                None if user_groups::are(&key) => user_groups::unmatched(&view.snapshot, &key, &value)?,
                None => sessions::unmatched(&view.snapshot, &key, &value)?,
                unreadable => unreadable,
            };
            if let Some(what) = what {
                let (key, value) = users::shown(&key, &value);
                findings.undecodable(what, None, None, key, value);
            }
        }
    }
    Ok(())
}

/// Returns what a record should have been, if it cannot be decoded.
fn unreadable(key: &[u8], value: &[u8]) -> Option<&'static str> {
    let (what, readable) = match key.first() {
        Some(&ANSWER) => {
            ("remembered answer", key.len() == ANSWER_KEY_LEN && AnswerValue::decode(value).is_some())
        }
        Some(&ANSWER_TIME) => {
            ("time of a remembered answer", parse_answer_time_key(key).is_some() && value.is_empty())
        }
        Some(&JOB) => ("import job", value.len() == size_of::<u64>()),
        Some(&AUDIT) => (
            "entry of the audit log",
            parse_audit_key(key).is_some_and(|id| decode_audit_entry(id, value).is_some()),
        ),
        Some(&CREDENTIAL) => ("credential", decode_credential(&key[1..], value).is_some()),
        Some(&(SESSION | SESSION_OF_USER | SESSION_END)) => return sessions::unreadable(key, value),
        _ if users::are(key) => return users::unreadable(key, value),
        _ if waiting::are(key) => return waiting::unreadable(key, value),
        _ if suggestions::are(key) => return suggestions::unreadable(key, value),
        _ if user_groups::are(key) => return user_groups::unreadable(key, value),
        Some(&(EXTERNAL_UID | EXTERNAL_ID | ERASED_ID)) => return external_ids::unreadable(key, value),
        Some(&TOMBSTONE) => {
            ("removed follow", parse_pair_key(key).is_some() && decode_stamp(value).is_some())
        }
        Some(&REVISION) => ("revision", is_revision(key, value)),
        Some(&SOURCE) => ("source key", parse_source_key(key).is_some() && decode_number(value).is_some()),
        Some(&NAME) => {
            let is_other = parse_other_name_key(key).is_some() && value.is_empty();
            let is_name = parse_of_post_key(key).is_some() && parse_name(value).is_some();
            ("name of a post", is_name || is_other)
        }
        Some(&SEEN) => ("seen mark", parse_user_key(key).is_some() && decode_number(value).is_some()),
        _ if key == ERASED_ID_KEY => ("key of hashes of erased ids", ErasedIdKey::decode(value).is_some()),
        _ if key == UIDS_KEY => ("mark of whose numbers uids are", decode_uids(value).is_some()),
        _ if key == POLICY_KEY => ("policy of the fan-out", decode_policy(value).is_some()),
        _ if key == UNNOTED_KEY => ("last commit of a bulk load", decode_number(value).is_some()),
        _ if key == IDS_KEY => ("last post id", decode_number(value).is_some()),
        _ if key == STATE_KEY => ("state", StateValue::decode(value).is_some()),
        _ => ("unknown record", false),
    };
    (!readable).then_some(what)
}

fn is_revision(key: &[u8], value: &[u8]) -> bool {
    parse_revision_key(key).is_some_and(|(_, revision)| decode_revision(revision, value).is_some())
}
