//! The members of the groups that were read lately.
//!
//! Unlike what the other caches hold, an entry is right for ever: owner, number and revision of a group say who is in it,
//! since each change of members is another revision and no number is given twice. So the writer replaces nothing here, and a
//! view of any age finds the entry that its own row of the group names, or reads the members. It need not even read that row
//! while no group of anybody has changed since somebody else did: views are numbered by how many commits had changed a group.

use guanxi_model::{Edge, GroupId, Uid, UserGroup};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of all entries at most: those of a thousand groups of five hundred.
pub const BYTES_MAX: usize = 12 << 20;

/// Bytes that an entry takes beside its members.
const ENTRY_BYTES: usize = 160;

/// The members of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMembers {
    /// The members, the newest first.
    pub newest: Arc<[Edge]>,
    /// By uid.
    pub uids: Arc<[Uid]>,
}

impl GroupMembers {
    /// The members of a group, in any order.
    pub fn new(mut members: Vec<Edge>) -> Self {
        members.sort_unstable_by(|a, b| b.cmp(a));
        let mut uids: Vec<Uid> = members.iter().map(|edge| edge.uid).collect();
        uids.sort_unstable();
        Self { newest: members.into(), uids: uids.into() }
    }

    /// Bytes of an entry with these members.
    fn bytes(&self) -> usize {
        ENTRY_BYTES + size_of_val(&*self.newest) + size_of_val(&*self.uids)
    }
}

/// The members of a group at a revision.
struct Held {
    revision: u32,
    /// After so many changes of groups its row was as it is here.
    changes: u64,
    members: GroupMembers,
}

type Generation = HashMap<(Uid, GroupId), Held>;

/// Two generations: what is used moves to the younger one, and when that has half of the bytes, the older one goes.
#[derive(Default)]
struct Generations {
    young: Generation,
    young_bytes: usize,
    old: Generation,
}

/// Members by group.
pub struct GroupMembersCache {
    half: usize,
    held: Mutex<Generations>,
    any: AtomicBool,
}

impl GroupMembersCache {
    /// Holds nothing yet; `any` says whether the tables have anybody in a group.
    pub fn new(any: bool) -> Self {
        Self::of_bytes(BYTES_MAX, any)
    }

    fn of_bytes(bytes: usize, any: bool) -> Self {
        Self { half: bytes / 2, held: Mutex::default(), any: AtomicBool::new(any) }
    }

    /// Returns whether a group may have members: while no group ever had one, a block looks for no groups.
    pub fn any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Somebody is put into a group. The writer alone says so, and asks.
    pub fn note_any(&self) {
        self.any.store(true, Ordering::Relaxed);
    }

    /// The members of a group after so many changes of groups, if its row was read at that time.
    pub fn unchanged(&self, owner: Uid, id: GroupId, changes: u64) -> Option<GroupMembers> {
        self.find((owner, id), changes, |held| held.changes == changes)
    }

    /// The members of a group as its row says after so many changes, if they are held.
    pub fn get(&self, group: &UserGroup, changes: u64) -> Option<GroupMembers> {
        self.find((group.owner, group.id), changes, |held| held.revision == group.revision)
    }

    fn find(&self, key: (Uid, GroupId), changes: u64, is_it: impl Fn(&Held) -> bool) -> Option<GroupMembers> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = held.young.get_mut(&key).filter(|found| is_it(found)) {
            found.changes = found.changes.max(changes);
            return Some(found.members.clone());
        }
        let found = held.old.get(&key).filter(|found| is_it(found))?;
        let (revision, members) = (found.revision, found.members.clone());
        let changes = found.changes.max(changes);
        self.add(&mut held, key, Held { revision, changes, members: members.clone() });
        Some(members)
    }

    /// Holds the members of a group as its row says after so many changes of groups.
    pub fn put(&self, group: &UserGroup, changes: u64, members: GroupMembers) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.add(&mut held, (group.owner, group.id), Held { revision: group.revision, changes, members });
    }

    fn add(&self, held: &mut Generations, key: (Uid, GroupId), added: Held) {
        let bytes = added.members.bytes();
        if held.young_bytes + bytes > self.half {
            held.old = std::mem::take(&mut held.young);
            held.young_bytes = 0;
        }
        let before = held.young.insert(key, added);
        held.young_bytes += bytes;
        held.young_bytes -= before.map_or(0, |before| before.members.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::Stamp;

    fn group(id: u32, revision: u32) -> UserGroup {
        let (owner, id, name) = (Uid::MIN, GroupId::new(id).unwrap(), String::new());
        UserGroup { owner, id, name, created: Stamp::ZERO, revision, members: 10, audience: false }
    }

    fn members(n: u64) -> GroupMembers {
        GroupMembers::new(vec![Edge { at: Stamp::from_ms(n), uid: Uid::MAX }; 10])
    }

    #[test]
    fn what_is_used_stays_and_the_rest_goes_within_the_bytes() {
        let one = members(0).bytes();
        let cache = GroupMembersCache::of_bytes(one * 8, false);
        for n in 1..=40_u32 {
            cache.put(&group(n, 7), 0, members(n.into()));
            assert_eq!(cache.get(&group(1, 7), 0), Some(members(1)), "used all the time, after {n}");
            assert_eq!(cache.get(&group(n, 7), 0), Some(members(n.into())));
            let held = cache.held.lock().unwrap();
            assert!(held.young.len() + held.old.len() <= 8);
            assert_eq!(held.young_bytes, held.young.len() * one);
        }
        assert_eq!(cache.get(&group(2, 7), 0), None);
        assert_eq!(cache.get(&group(1, 8), 0), None, "of another revision nothing is known");
        cache.put(&group(1, 8), 0, members(9));
        assert_eq!(cache.get(&group(1, 8), 0), Some(members(9)));
    }

    #[test]
    fn a_row_is_read_once_until_some_group_changes() {
        let cache = GroupMembersCache::new(true);
        let (owner, id) = (Uid::MIN, GroupId::new(1).unwrap());
        cache.put(&group(1, 7), 3, members(1));
        assert_eq!(cache.unchanged(owner, id, 3), Some(members(1)));
        assert_eq!((cache.unchanged(owner, id, 4), cache.unchanged(owner, id, 2)), (None, None));
        assert_eq!(cache.get(&group(1, 7), 4), Some(members(1)), "another's group changed");
        assert_eq!(cache.unchanged(owner, id, 4), Some(members(1)));
        assert_eq!(cache.get(&group(1, 7), 2), Some(members(1)), "an older view takes nothing back");
        assert_eq!((cache.unchanged(owner, id, 4), cache.unchanged(owner, id, 2)), (Some(members(1)), None));
        cache.put(&group(1, 8), 5, members(2));
        assert_eq!((cache.unchanged(owner, id, 5), cache.unchanged(owner, id, 4)), (Some(members(2)), None));
    }
}
