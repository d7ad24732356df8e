//! Reading what a user has said about others from the tables.

use super::user_relations::{Facts, Follow};
use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    BLOCK, COUNTERS, CountersValue, ForwardValue, MUTE, decode_stamp, parse_forward_key, parse_pair_key,
    user_key,
};
use crate::memory::relations::User;
use guanxi_model::{Edge, Uid};

/// Reads a user from the tables. The counters say which scans are needed: they are exact, since they change in
/// the same commit as what they count.
pub(crate) fn load(snapshot: &Snapshot, uid: Uid, as_of: u64) -> Result<User, EngineError> {
    let Some(bytes) = snapshot.get(Table::Records, &user_key(COUNTERS, uid))? else {
        return Ok(User::default());
    };
    let counters = CountersValue::decode(&bytes).ok_or_else(|| damaged("counters", uid))?;
    let mut facts = Facts { limit: counters.limit, ..Facts::default() };
    if counters.counts.following > 0 {
        facts.following = follows(snapshot, uid)?;
    }
    if counters.counts.blocks > 0 {
        facts.blocks = pairs(snapshot, BLOCK, uid)?;
    }
    if counters.counts.mutes > 0 {
        facts.mutes = pairs(snapshot, MUTE, uid)?;
    }
    Ok(User::new(as_of, counters.counts.followers, &facts))
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

fn damaged(what: &str, uid: Uid) -> EngineError {
    EngineError::Damaged(format!("{what} of user {uid} cannot be decoded"))
}
