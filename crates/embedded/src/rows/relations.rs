//! Reading what a user has said about others from the tables.

use super::ListPart;
use super::user_relations::{Follow, UserRelations};
use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    BLOCK, COUNTERS, CountersValue, ForwardValue, MUTE, TOMBSTONE, decode_mute, decode_stamp, forward_key,
    marked_by_key, marks_of_key, pair_key, parse_forward_key, parse_marked_by_key, parse_pair_key,
    parse_reverse_key, reverse_key, user_key,
};
use guanxi_model::{Edge, MuteTerms, RestrictionKind, Stamp, Uid};
use guanxi_ports::{ExportEdge, MarkKind};
use std::ops::Bound;

/// A user as the tables hold it.
pub(crate) struct StoredUser {
    /// What it has said about others.
    pub relations: UserRelations,
    /// How many follow it.
    pub followers: u64,
    /// How many requests to it wait.
    pub asked: u64,
    /// The commit that last changed its relations; 0 if that is not written down.
    pub changed: u64,
}

/// Reads a user; `None` for one whom no row mentions. The counters say which scans are needed: they are exact, since they
/// change in the same commit as what they count.
pub(crate) fn user(snapshot: &Snapshot, uid: Uid) -> Result<Option<StoredUser>, EngineError> {
    let Some(bytes) = snapshot.get(Table::Records, &user_key(COUNTERS, uid))? else {
        return Ok(None);
    };
    let counters = CountersValue::decode(&bytes).ok_or_else(|| damaged("counters", uid))?;
    let mut facts = UserRelations { limit: counters.limit, ..UserRelations::default() };
    if counters.counts.following > 0 {
        facts.following = follows(snapshot, uid)?;
    }
    if counters.counts.blocks > 0 {
        facts.blocks = pairs(snapshot, BLOCK, uid)?;
    }
    if counters.counts.mutes > 0 {
        for mute in mutes(snapshot, uid) {
            let (edge, terms) = mute?;
            facts.mutes.push(edge);
            facts.muted_reposts.extend(terms.reposts_only.then_some(edge.uid));
        }
    }
    if counters.asks > 0 {
        facts.asks = super::waiting::sent(snapshot, uid).collect::<Result<_, EngineError>>()?;
    }
    let CountersValue { counts, changed, asked, .. } = counters;
    Ok(Some(StoredUser { relations: facts, followers: counts.followers, asked, changed }))
}

/// Reads a user's counters and own follow limit.
pub(crate) fn counters(snapshot: &Snapshot, uid: Uid) -> Result<CountersValue, EngineError> {
    let bytes = snapshot.get(Table::Records, &user_key(COUNTERS, uid))?;
    bytes.map_or(Ok(CountersValue::default()), |bytes| {
        CountersValue::decode(&bytes).ok_or_else(|| damaged("counters", uid))
    })
}

fn follows(snapshot: &Snapshot, uid: Uid) -> Result<Vec<Follow>, EngineError> {
    snapshot
        .prefix(Table::Forward, &uid.get().to_be_bytes())
        .map(|row| {
            let (key, value) = row?;
            let parsed = parse_forward_key(&key).zip(ForwardValue::decode(&value));
            let ((_, object), value) = parsed.ok_or_else(|| damaged("a follow", uid))?;
            Ok(Follow { uid: object, at: value.at, friends_since: value.friends_since })
        })
        .collect()
}

fn pairs(snapshot: &Snapshot, prefix: u8, uid: Uid) -> Result<Vec<Edge>, EngineError> {
    snapshot
        .prefix(Table::Records, &user_key(prefix, uid))
        .map(|row| {
            let (key, value) = row?;
            let parsed = parse_pair_key(&key).zip(decode_stamp(&value));
            let ((_, object), at) = parsed.ok_or_else(|| damaged("a block or mute", uid))?;
            Ok(Edge { at, uid: object })
        })
        .collect()
}

fn mutes(
    snapshot: &Snapshot,
    uid: Uid,
) -> impl Iterator<Item = Result<(Edge, MuteTerms), EngineError>> + use<> {
    snapshot.prefix(Table::Records, &user_key(MUTE, uid)).map(move |row| {
        let (key, value) = row?;
        let parsed = parse_pair_key(&key).zip(decode_mute(&value));
        let ((_, object), (at, terms)) = parsed.ok_or_else(|| damaged("a block or mute", uid))?;
        Ok((Edge { at, uid: object }, terms))
    })
}

/// Followers of a user, newest first.
pub(crate) fn followers(
    snapshot: &Snapshot,
    of: Uid,
    part: ListPart<Edge>,
) -> impl Iterator<Item = Result<Edge, EngineError>> + use<> {
    let part = part.keys(|edge| reverse_key(of, edge));
    part.rows(snapshot, Table::Reverse, &of.get().to_be_bytes()).map(move |row| {
        let damaged = || EngineError::Damaged(format!("a follower of user {of} cannot be decoded"));
        Ok(parse_reverse_key(&row?.0).ok_or_else(damaged)?.1)
    })
}

/// Follows of all users, after one, in the order of the table.
pub(crate) fn edges(
    snapshot: &Snapshot,
    after: Option<(Uid, Uid)>,
) -> impl Iterator<Item = Result<ExportEdge, EngineError>> + use<> {
    let from = after.map(|(subject, object)| forward_key(subject, object));
    let from = from.as_ref().map_or(Bound::Unbounded, |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Forward, from, Bound::Unbounded).map(|row| {
        let (key, value) = row?;
        let parsed = parse_forward_key(&key).zip(ForwardValue::decode(&value));
        let ((subject, object), value) =
            parsed.ok_or_else(|| EngineError::Damaged("a follow cannot be decoded".into()))?;
        Ok(ExportEdge::new(subject, object, value.at))
    })
}

/// Blocks or mutes of all users, after one, in the order of the table.
pub(crate) fn restrictions(
    snapshot: &Snapshot,
    kind: RestrictionKind,
    after: Option<(Uid, Uid)>,
) -> impl Iterator<Item = Result<ExportEdge, EngineError>> + use<> {
    let prefix = match kind {
        RestrictionKind::Block => BLOCK,
        RestrictionKind::Mute => MUTE,
    };
    marks(snapshot, prefix, after)
}

/// Marks of a kind by all users, in the order of their keys, after a pair.
fn marks(
    snapshot: &Snapshot,
    prefix: u8,
    after: Option<(Uid, Uid)>,
) -> impl Iterator<Item = Result<ExportEdge, EngineError>> + use<> {
    let from = after.map(|(subject, object)| pair_key(prefix, subject, object));
    let first = [prefix];
    let from = from.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    // Keys with the next prefix are longer than it is.
    snapshot.range(Table::Records, from, Bound::Excluded(&[prefix + 1])).map(|row| {
        let (key, value) = row?;
        // Terms that only a mute has.
        let parsed = parse_pair_key(&key).zip(decode_mute(&value));
        let ((subject, object), (at, terms)) = parsed.ok_or_else(|| {
            EngineError::Damaged("a block, mute or removed follow cannot be decoded".into())
        })?;
        Ok(ExportEdge { subject, object, at, terms })
    })
}

fn damaged(what: &str, uid: Uid) -> EngineError {
    EngineError::Damaged(format!("{what} of user {uid} cannot be decoded"))
}

/// Returns the users who have set a mark of a kind on a user, in the order of their uids, after one.
pub(crate) fn marked_by(
    snapshot: &Snapshot,
    object: Uid,
    kind: MarkKind,
    after: Option<Uid>,
) -> impl Iterator<Item = Result<Uid, EngineError>> + use<> {
    let (first, last) = (marks_of_key(object, kind), marked_by_key(object, kind, Uid::MAX));
    let from = after.map(|subject| marked_by_key(object, kind, subject));
    let from = from.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Records, from, Bound::Included(&last)).map(move |row| {
        let parsed = parse_marked_by_key(&row?.0);
        Ok(parsed.ok_or_else(|| damaged("who has marked it,", object))?.2)
    })
}

/// Returns the users whom a user once followed and left, with the time of that, in the order of their uids, after
/// one. The row of a user whom it follows again stays.
pub(crate) fn removed_follows(
    snapshot: &Snapshot,
    subject: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = Result<Edge, EngineError>> + use<> {
    let (first, last) = (user_key(TOMBSTONE, subject), pair_key(TOMBSTONE, subject, Uid::MAX));
    let from = after.map(|object| pair_key(TOMBSTONE, subject, object));
    let from = from.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    snapshot.range(Table::Records, from, Bound::Included(&last)).map(move |row| {
        let (key, value) = row?;
        let parsed = parse_pair_key(&key).zip(decode_stamp(&value));
        let ((_, uid), at) = parsed.ok_or_else(|| damaged("a removed follow", subject))?;
        Ok(Edge { at, uid })
    })
}

/// Returns whether a user follows another.
pub(crate) fn follows_now(snapshot: &Snapshot, subject: Uid, object: Uid) -> Result<bool, EngineError> {
    snapshot.contains(Table::Forward, &forward_key(subject, object))
}

/// Returns when a follow was removed; of one that stands again the row stays.
pub(crate) fn removed_at(
    snapshot: &Snapshot,
    subject: Uid,
    object: Uid,
) -> Result<Option<Stamp>, EngineError> {
    let key = pair_key(TOMBSTONE, subject, object);
    super::record(snapshot, &key, decode_stamp, format_args!("a removed follow of user {subject}"))
}

/// Returns what is kept of removed follows, with the time of that, in the order of their keys, after a pair. Of those that
/// stand again the row stays.
pub(crate) fn all_removed_follows(
    snapshot: &Snapshot,
    after: Option<(Uid, Uid)>,
) -> impl Iterator<Item = Result<ExportEdge, EngineError>> + use<> {
    marks(snapshot, TOMBSTONE, after)
}
