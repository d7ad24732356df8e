//! Reading what a user has said about others from the tables.

use super::{ListPart, decoded, record};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    BLOCK, COUNTERS, CountersValue, ForwardValue, MUTE, TOMBSTONE, decode_mute, decode_stamp, forward_key,
    marked_by_key, marks_of_key, pair_key, parse_forward_key, parse_marked_by_key, parse_pair_key,
    parse_reverse_key, reverse_key, user_key,
};
use guanxi_memory::user_relations::{Follow, UserRelations};
use guanxi_model::{Edge, MuteTerms, RestrictionKind, Stamp, Uid};
use guanxi_ports::{ExportEdge, MarkKind};

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
pub(crate) fn user(snapshot: &Snapshot, uid: Uid) -> EngineResult<Option<StoredUser>> {
    let Some(counters) = stored_counters(snapshot, uid)? else { return Ok(None) };
    let mut facts = UserRelations { limit: counters.limit, ..UserRelations::default() };
    if counters.counts.following > 0 {
        facts.following = follows(snapshot, uid)?;
    }
    if counters.counts.blocks > 0 {
        facts.blocks = pairs(snapshot, BLOCK, uid)?;
    }
    if counters.counts.mutes > 0 {
        read_mutes(snapshot, uid, &mut facts)?;
    }
    if counters.asks > 0 {
        facts.asks = super::waiting::sent(snapshot, uid).collect::<EngineResult<_>>()?;
    }
    let CountersValue { counts, changed, asked, .. } = counters;
    Ok(Some(StoredUser { relations: facts, followers: counts.followers, asked, changed }))
}

/// Reads all that a user has said about others, also where its counters say that there is nothing.
pub(crate) fn all_said(snapshot: &Snapshot, uid: Uid, limit: Option<u32>) -> EngineResult<UserRelations> {
    let mut facts = UserRelations { limit, ..UserRelations::default() };
    facts.following = follows(snapshot, uid)?;
    facts.blocks = pairs(snapshot, BLOCK, uid)?;
    read_mutes(snapshot, uid, &mut facts)?;
    facts.asks = super::waiting::sent(snapshot, uid).collect::<EngineResult<_>>()?;
    Ok(facts)
}

/// Reads a user's counters and own follow limit.
pub(crate) fn counters(snapshot: &Snapshot, uid: Uid) -> EngineResult<CountersValue> {
    Ok(stored_counters(snapshot, uid)?.unwrap_or_default())
}

fn stored_counters(snapshot: &Snapshot, uid: Uid) -> EngineResult<Option<CountersValue>> {
    let what = format_args!("counters of user {uid}");
    record(snapshot, &user_key(COUNTERS, uid), CountersValue::decode, what)
}

fn follows(snapshot: &Snapshot, uid: Uid) -> EngineResult<Vec<Follow>> {
    let rows = snapshot.prefix(Table::Forward, &uid.get().to_be_bytes());
    let follow = |key: &[u8], value: &[u8]| {
        let ((_, uid), value) = parse_forward_key(key).zip(ForwardValue::decode(value))?;
        Some(Follow { uid, at: value.at, friends_since: value.friends_since })
    };
    decoded(rows, follow, || format!("a follow of user {uid}")).collect()
}

fn pairs(snapshot: &Snapshot, prefix: u8, uid: Uid) -> EngineResult<Vec<Edge>> {
    let rows = snapshot.prefix(Table::Records, &user_key(prefix, uid));
    decoded(rows, stamped, || format!("a block or mute of user {uid}")).collect()
}

/// The other user of a row of a pair, and the time that the row holds.
pub(super) fn stamped(key: &[u8], value: &[u8]) -> Option<Edge> {
    Some(Edge { at: decode_stamp(value)?, uid: parse_pair_key(key)?.1 })
}

fn read_mutes(snapshot: &Snapshot, uid: Uid, facts: &mut UserRelations) -> EngineResult<()> {
    for mute in mutes(snapshot, uid) {
        let (edge, terms) = mute?;
        facts.mutes.push(edge);
        facts.muted_reposts.extend(terms.reposts_only.then_some(edge.uid));
    }
    Ok(())
}

fn mutes(snapshot: &Snapshot, uid: Uid) -> impl Iterator<Item = EngineResult<(Edge, MuteTerms)>> + use<> {
    let rows = snapshot.prefix(Table::Records, &user_key(MUTE, uid));
    let mute = |key: &[u8], value: &[u8]| {
        let ((_, uid), (at, terms)) = parse_pair_key(key).zip(decode_mute(value))?;
        Some((Edge { at, uid }, terms))
    };
    decoded(rows, mute, move || format!("a block or mute of user {uid}"))
}

/// Followers of a user, newest first.
pub(crate) fn followers(
    snapshot: &Snapshot,
    of: Uid,
    part: ListPart<Edge>,
) -> impl Iterator<Item = EngineResult<Edge>> + use<> {
    let part = part.keys(|edge| reverse_key(of, edge));
    let rows = part.rows(snapshot, Table::Reverse, &of.get().to_be_bytes());
    decoded(rows, |key, _| Some(parse_reverse_key(key)?.1), move || format!("a follower of user {of}"))
}

/// Follows of all users, after one, in the order of the table.
pub(crate) fn edges(
    snapshot: &Snapshot,
    after: Option<(Uid, Uid)>,
) -> impl Iterator<Item = EngineResult<ExportEdge>> + use<> {
    let after = after.map(|(subject, object)| forward_key(subject, object));
    let edge = |key: &[u8], value: &[u8]| {
        let ((subject, object), value) = parse_forward_key(key).zip(ForwardValue::decode(value))?;
        Some(ExportEdge::new(subject, object, value.at))
    };
    decoded(snapshot.prefix_after(Table::Forward, &[], after), edge, || "a follow".to_owned())
}

/// Blocks or mutes of all users, after one, in the order of the table.
pub(crate) fn restrictions(
    snapshot: &Snapshot,
    kind: RestrictionKind,
    after: Option<(Uid, Uid)>,
) -> impl Iterator<Item = EngineResult<ExportEdge>> + use<> {
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
) -> impl Iterator<Item = EngineResult<ExportEdge>> + use<> {
    let after = after.map(|(subject, object)| pair_key(prefix, subject, object));
    let rows = snapshot.prefix_after(Table::Records, &[prefix], after);
    let mark = |key: &[u8], value: &[u8]| {
        // Terms that only a mute has.
        let ((subject, object), (at, terms)) = parse_pair_key(key).zip(decode_mute(value))?;
        Some(ExportEdge { subject, object, at, terms })
    };
    decoded(rows, mark, || "a block, mute or removed follow".to_owned())
}

/// Returns the users who have set a mark of a kind on a user, in the order of their uids, after one.
pub(crate) fn marked_by(
    snapshot: &Snapshot,
    object: Uid,
    kind: MarkKind,
    after: Option<Uid>,
) -> impl Iterator<Item = EngineResult<Uid>> + use<> {
    let after = after.map(|subject| marked_by_key(object, kind, subject));
    let rows = snapshot.prefix_after(Table::Records, &marks_of_key(object, kind), after);
    let by = |key: &[u8], _: &[u8]| Some(parse_marked_by_key(key)?.2);
    decoded(rows, by, move || format!("who has marked it, of user {object}"))
}

/// Returns the users whom a user once followed and left, with the time of that, in the order of their uids, after
/// one. The row of a user whom it follows again stays.
pub(crate) fn removed_follows(
    snapshot: &Snapshot,
    subject: Uid,
    after: Option<Uid>,
) -> impl Iterator<Item = EngineResult<Edge>> + use<> {
    let after = after.map(|object| pair_key(TOMBSTONE, subject, object));
    let rows = snapshot.prefix_after(Table::Records, &user_key(TOMBSTONE, subject), after);
    decoded(rows, stamped, move || format!("a removed follow of user {subject}"))
}

/// Returns whether a user follows another.
pub(crate) fn follows_now(snapshot: &Snapshot, subject: Uid, object: Uid) -> EngineResult<bool> {
    snapshot.contains(Table::Forward, &forward_key(subject, object))
}

/// Returns when a follow was removed; of one that stands again the row stays.
pub(crate) fn removed_at(snapshot: &Snapshot, subject: Uid, object: Uid) -> EngineResult<Option<Stamp>> {
    let key = pair_key(TOMBSTONE, subject, object);
    record(snapshot, &key, decode_stamp, format_args!("a removed follow of user {subject}"))
}

/// Returns what is kept of removed follows, with the time of that, in the order of their keys, after a pair. Of those that
/// stand again the row stays.
pub(crate) fn all_removed_follows(
    snapshot: &Snapshot,
    after: Option<(Uid, Uid)>,
) -> impl Iterator<Item = EngineResult<ExportEdge>> + use<> {
    marks(snapshot, TOMBSTONE, after)
}
