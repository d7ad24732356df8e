//! Whether anything is kept of a uid, so that none is given to somebody new that others may have named.
//!
//! Any uid may have been named by then, wherever the proposed one comes from: so the tables are asked. Uids that are minted
//! together are neighbours, since their high bits are a millisecond. Once a group has asked for a few of a neighbourhood,
//! one look at all rows of it answers for the rest.

use crate::engine::{EngineError, EngineResult, Snapshot, Table};
use crate::layout::{AUTHOR, COUNTERS, EXTERNAL_ID, GROUP_NUMBER, USER, parse_user_key};
use guanxi_model::Uid;
use std::collections::{HashMap, HashSet};
use std::ops::Bound;

/// Bits in which uids of one neighbourhood differ: those that are minted in one millisecond.
const NEAR_BITS: u32 = 22;

/// Questions about a neighbourhood that are asked one by one, since a look at the whole costs about as much.
const ASKED_MAX: u32 = 16;

/// Used uids of a neighbourhood that are kept at most: a few batches that were minted in one millisecond. Where there are
/// more, each uid is asked for by itself.
const USED_MAX: usize = 4_096;

/// Prefixes of the records of which one at least is there for each used uid: every edge is counted at both ends.
const KEPT: [u8; 5] = [COUNTERS, AUTHOR, USER, EXTERNAL_ID, GROUP_NUMBER];

/// What a group knows of a neighbourhood.
enum Neighbourhood {
    /// Nothing; so many of its uids were asked for.
    Asked(u32),
    /// All of its uids that have a record.
    Known(HashSet<Uid>),
    /// It is too full to be known.
    Full,
}

/// What a group knows of the uids that it has asked for.
#[derive(Default)]
pub(crate) struct UsedUids(HashMap<u64, Neighbourhood>);

impl UsedUids {
    /// Returns whether a uid may have a record as of a snapshot. If not, it has none.
    pub(crate) fn may_have_record(&mut self, snapshot: &Snapshot, uid: Uid) -> EngineResult<bool> {
        let near = self.0.entry(uid.get() >> NEAR_BITS).or_insert(Neighbourhood::Asked(0));
        if let Neighbourhood::Asked(asked) = near {
            *asked += 1;
            if *asked > ASKED_MAX {
                *near = neighbourhood(snapshot, uid)?;
            }
        }
        Ok(match near {
            Neighbourhood::Known(used) => used.contains(&uid),
            Neighbourhood::Asked(_) | Neighbourhood::Full => true,
        })
    }
}

/// The uids near one that have a record.
fn neighbourhood(snapshot: &Snapshot, uid: Uid) -> EngineResult<Neighbourhood> {
    let first = uid.get() >> NEAR_BITS << NEAR_BITS;
    let last = first | ((1 << NEAR_BITS) - 1);
    let key = |prefix: u8, uid: u64| {
        let mut key = [prefix; 9];
        key[1..].copy_from_slice(&uid.to_be_bytes());
        key
    };
    let mut used = HashSet::new();
    for prefix in KEPT {
        let (from, to) = (key(prefix, first), key(prefix, last));
        for row in snapshot.range(Table::Records, Bound::Included(&from), Bound::Included(&to)) {
            let (key, _) = row?;
            let damaged = || EngineError::Damaged("the key of a user's record cannot be decoded".into());
            used.insert(parse_user_key(&key).ok_or_else(damaged)?);
            if used.len() > USED_MAX {
                return Ok(Neighbourhood::Full);
            }
        }
    }
    Ok(Neighbourhood::Known(used))
}
