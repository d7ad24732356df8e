//! Rows that have no other side: the log without a gap, and records that must at least be readable.

use super::findings::{Findings, Readable, Unmatched};
use super::relations::marks;
use super::source::whole;
use super::{external_ids, names, sessions, suggestions, user_groups, users, waiting};
use crate::engine::{EngineResult, RawRow, Snapshot, Table};
use crate::layout::{
    ANSWER, ANSWER_TIME, AUDIT, AUTHOR, AnswerValue, BLOCK, COUNTERS, CREDENTIAL, DELETED_POST,
    ERASED_ID_KEY, ErasedIdKey, IDS_KEY, JOB, LIKE, LIKE_OF_USER, LIKE_TIME, MARKED_BY, MUTE, POLICY_KEY,
    POST_STATS, REPOST_OF, REPOSTED, REVISION, SEEN, STATE_KEY, StateValue, TOMBSTONE, UIDS_KEY, UNNOTED_KEY,
    decode_credential, decode_number, decode_policy, decode_revision, decode_stamp, decode_uids, event_at,
    parse_answer_time_key, parse_audit_key, parse_log_key, parse_pair_key, parse_revision_key,
    parse_user_key,
};
use crate::view::View;
use guanxi_model::stored::{decode_audit_entry, decode_event};
use guanxi_ports::DifferenceKind;
use std::ops::Bound;

/// How the records of a domain are read, `None` for those of others, and compared with the other rows.
type Domain = (fn(&[u8], &[u8]) -> Option<Readable>, fn(&Snapshot, &[u8], &[u8]) -> Unmatched);

/// The domains whose records have other rows to be compared with.
const DOMAINS: [Domain; 7] = [
    (names::read, names::unmatched),
    (waiting::read, waiting::unmatched),
    (users::read, users::unmatched),
    (external_ids::read, external_ids::unmatched),
    (suggestions::read, suggestions::unmatched),
    (user_groups::read, user_groups::unmatched),
    (sessions::read, sessions::unmatched),
];

/// Bytes of the key of a remembered answer: prefix and hash.
const ANSWER_KEY_LEN: usize = 17;

/// Checks the log and the records that the other passes do not read, and who has set marks on whom.
pub(super) fn check(view: &View, seed: u64) -> EngineResult<Findings> {
    let mut findings = marks::compare(view, seed)?;
    waiting::mutes(view, &mut findings)?;
    log(view, &mut findings)?;
    records(view, &mut findings)?;
    state(view, &mut findings)?;
    Ok(findings)
}

/// The log holds every event from the first to the last.
fn log(view: &View, findings: &mut Findings) -> EngineResult<()> {
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
fn state(view: &View, findings: &mut Findings) -> EngineResult<()> {
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

fn records(view: &View, findings: &mut Findings) -> EngineResult<()> {
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
            if let Some(what) = wrong(&view.snapshot, &key, &value)? {
                let (key, value) = users::shown(&key, &value);
                findings.undecodable(what, None, None, key, value);
            }
        }
    }
    Ok(())
}

/// Returns what is wrong with a record: it cannot be decoded, or the other rows do not say the same.
fn wrong(snapshot: &Snapshot, key: &[u8], value: &[u8]) -> Unmatched {
    for (read, unmatched) in DOMAINS {
        match read(key, value) {
            Some((_, true)) => return unmatched(snapshot, key, value),
            Some((what, false)) => return Ok(Some(what)),
            None => {}
        }
    }
    let (what, readable) = read(key, value);
    Ok((!readable).then_some(what))
}

/// Returns what a record of no domain is, and whether it can be decoded.
fn read(key: &[u8], value: &[u8]) -> Readable {
    match key.first() {
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
        Some(&TOMBSTONE) => ("removed follow", parse_pair_key(key).zip(decode_stamp(value)).is_some()),
        Some(&REVISION) => ("revision", is_revision(key, value)),
        Some(&SEEN) => ("seen mark", parse_user_key(key).zip(decode_number(value)).is_some()),
        _ if key == ERASED_ID_KEY => ("key of hashes of erased ids", ErasedIdKey::decode(value).is_some()),
        _ if key == UIDS_KEY => ("mark of whose numbers uids are", decode_uids(value).is_some()),
        _ if key == POLICY_KEY => ("policy of the fan-out", decode_policy(value).is_some()),
        _ if key == UNNOTED_KEY => ("last commit of a bulk load", decode_number(value).is_some()),
        _ if key == IDS_KEY => ("last post id", decode_number(value).is_some()),
        _ if key == STATE_KEY => ("state", StateValue::decode(value).is_some()),
        _ => ("unknown record", false),
    }
}

fn is_revision(key: &[u8], value: &[u8]) -> bool {
    parse_revision_key(key).is_some_and(|(_, revision)| decode_revision(revision, value).is_some())
}
