//! An open-addressed table by id, after seed 001's: linear probing in one array of small slots, so that a probe is
//! one cache line or two, and twenty probes of one request overlap in the processor.
//!
//! A general concurrent cache takes a lock and a reference per probe, which keeps probes from overlapping. This
//! table is read under one lock for a whole request.

use std::hint::black_box;

/// Slots of an empty table.
const SLOTS_MIN: usize = 64;

/// What a table holds: cheap to clone, and a few words wide.
pub trait Entry: Clone + Default {
    /// Whether a value is all in its slot, so that slots may take the whole budget.
    const INLINE: bool = false;
    /// Whether at most half of the slots are taken instead of three quarters: for values that are read by the thousand,
    /// where a probe that goes on to the next slot makes the processor wait for this one.
    const SPARSE: bool = false;
    /// What a commit does to an entry, if it does not come as a whole entry.
    type Change: Clone;
    /// Bytes of its allocation, about.
    fn heap_bytes(&self) -> usize;
    /// Clears the mark that a reader set, and returns whether it was set.
    fn untouch(&self) -> bool;
    /// The seq in the log of the entry's user from which on it is right.
    fn as_of(&self) -> u64;
    /// The entry after what the commit `seq` did to it; `None` if the change does not say exactly what it is then. Changes of
    /// one commit that are made again, in their order, leave what they left the first time.
    fn after(&self, seq: u64, change: &Self::Change) -> Option<Self>;
}

#[derive(Clone, Default)]
struct Slot<V> {
    /// The id; 0 is a free slot, and no id.
    key: u64,
    value: V,
}

/// Values by id, within a byte budget.
pub(crate) struct SlotTable<V> {
    slots: Vec<Slot<V>>,
    len: usize,
    heap_bytes: usize,
    budget: usize,
    /// Where the next eviction goes on: the hand of a clock.
    hand: usize,
}

impl<V: Entry> SlotTable<V> {
    pub(crate) fn new(budget: usize) -> Self {
        Self { slots: vec![Slot::default(); SLOTS_MIN], len: 0, heap_bytes: 0, budget, hand: 0 }
    }

    /// The value of this id, if known.
    pub(crate) fn get(&self, key: u64) -> Option<&V> {
        let slot = &self.slots[self.find(key)];
        (slot.key == key).then_some(&slot.value)
    }

    /// Brings the slots of some ids into the processor's cache. A probe branches on what it finds, and a branch that was
    /// guessed wrong makes the processor drop the reads that it had begun for the next probes; nothing here depends
    /// on what is read, so that all misses overlap.
    pub(crate) fn warm(&self, keys: impl Iterator<Item = u64>) {
        let mask = self.slots.len() - 1;
        black_box(keys.fold(0, |sum, key| sum ^ self.slots[hash(key) as usize & mask].key));
    }

    /// Adds or replaces a value, after making room for it by evicting others.
    /// A value that alone exceeds the budget is not kept, so a budget of 0 turns the table off.
    pub(crate) fn insert(&mut self, key: u64, value: V) {
        if size_of::<Slot<V>>() + value.heap_bytes() > self.budget {
            return self.remove(key);
        }
        if self.is_dense() && self.may_grow() {
            self.grow();
        }
        self.make_room(value.heap_bytes());
        let at = self.find(key);
        let slot = &mut self.slots[at];
        self.heap_bytes += value.heap_bytes();
        self.heap_bytes -= slot.value.heap_bytes();
        self.len += usize::from(slot.key == 0);
        *slot = Slot { key, value };
    }

    /// Forgets a value.
    pub(crate) fn remove(&mut self, key: u64) {
        let at = self.find(key);
        if self.slots[at].key == key {
            self.remove_at(at);
        }
    }

    /// Forgets the values of all ids of which something is true.
    pub(crate) fn remove_if(&mut self, is_gone: impl Fn(u64) -> bool) {
        let mut at = 0;
        while at < self.slots.len() {
            let key = self.slots[at].key;
            if key != 0 && is_gone(key) {
                // What was pushed past it may come to its slot, which is looked at again.
                self.remove_at(at);
            } else {
                at += 1;
            }
        }
    }

    /// Returns whether probes begin to get long.
    const fn is_dense(&self) -> bool {
        let quarters = if V::SPARSE { 2 } else { 3 };
        (self.len + 1) * 4 > self.slots.len() * quarters
    }

    /// The slots may take half of the budget, or all of it if there is nothing else; beyond that, values are evicted
    /// instead.
    fn may_grow(&self) -> bool {
        let share = if V::INLINE { self.budget } else { self.budget / 2 };
        self.slots.len() * 2 * size_of::<Slot<V>>() <= share
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn bytes(&self) -> usize {
        self.heap_bytes + self.slots.len() * size_of::<Slot<V>>()
    }

    /// The slot that holds a key, or the free one where it would go.
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = home(key) & mask;
        while self.slots[at].key != key && self.slots[at].key != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let larger = vec![Slot::default(); self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.key != 0) {
            let at = self.find(slot.key);
            self.slots[at] = slot;
        }
        self.hand = 0;
    }

    /// Clock eviction: an entry that was read since the hand last passed is spared once. A value that was only
    /// filled, never read again, goes first, so that one long scan does not empty the table.
    fn make_room(&mut self, needed: usize) {
        // Two rounds free something for sure: the first clears every mark.
        let mut steps = self.slots.len() * 2;
        while (self.bytes() + needed > self.budget || self.is_dense() && !self.may_grow())
            && self.len > 0
            && steps > 0
        {
            steps -= 1;
            self.hand = (self.hand + 1) & (self.slots.len() - 1);
            let slot = &self.slots[self.hand];
            if slot.key != 0 && !slot.value.untouch() {
                self.remove_at(self.hand);
            }
        }
    }

    /// Frees a slot and moves back what had been pushed past it, so that probes never need tombstones.
    fn remove_at(&mut self, mut hole: usize) {
        let mask = self.slots.len() - 1;
        self.heap_bytes -= self.slots[hole].value.heap_bytes();
        self.len -= 1;
        let mut next = hole;
        loop {
            next = (next + 1) & mask;
            if self.slots[next].key == 0 {
                break;
            }
            let wanted = home(self.slots[next].key) & mask;
            // The entry may fill the hole unless its home lies cyclically after it.
            if next.wrapping_sub(wanted) & mask >= next.wrapping_sub(hole) & mask {
                self.slots[hole] = std::mem::take(&mut self.slots[next]);
                hole = next;
            }
        }
        self.slots[hole] = Slot::default();
    }
}

/// Returns where a key would like to be.
#[inline]
fn home(key: u64) -> usize {
    hash(key) as usize
}

/// A hash of an id: one wide multiplication, folded. Thousands are taken for one page.
#[inline]
pub(crate) fn hash(key: u64) -> u64 {
    let wide = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
    (wide >> 64) as u64 ^ wide as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relations::RelationsEntry;
    use crate::user_relations::UserRelations;
    use std::collections::HashMap;

    fn user(followers: u64) -> RelationsEntry {
        RelationsEntry::new(1, 1, (followers, 0), &UserRelations::default())
    }

    #[test]
    fn it_holds_what_a_map_holds() {
        let mut table = SlotTable::<RelationsEntry>::new(usize::MAX);
        let mut map = HashMap::new();
        for i in 0..50_000_u64 {
            let key = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 20_000 + 1;
            table.insert(key, user(i));
            map.insert(key, i);
        }
        assert_eq!(table.len(), map.len());
        for key in 1..=20_000 {
            assert_eq!(table.get(key).map(RelationsEntry::followers), map.get(&key).copied());
        }
    }

    #[test]
    fn what_is_removed_at_once_is_gone_and_the_rest_is_found() {
        let mut table = SlotTable::<RelationsEntry>::new(usize::MAX);
        (1..5_000).for_each(|key| table.insert(key, user(key)));
        let is_gone = |key: u64| hash(key).is_multiple_of(3);
        table.remove_if(is_gone);
        for key in 1..5_000 {
            let held = table.get(key).map(RelationsEntry::followers);
            assert_eq!(held, (!is_gone(key)).then_some(key));
        }
        assert_eq!(table.len(), (1..5_000).filter(|key| !is_gone(*key)).count());
    }

    #[test]
    fn it_stays_within_its_budget_and_spares_who_is_read() {
        let mut table = SlotTable::<RelationsEntry>::new(64 * 1024);
        table.insert(1, user(1));
        for key in 2..10_000 {
            table.insert(key, user(key));
            table.get(1).expect("read between all inserts").touch();
            assert!(table.bytes() <= 64 * 1024);
            assert_eq!(table.get(key).map(RelationsEntry::followers), Some(key), "the newest is there");
        }
        let held = (1..10_000).filter(|&key| table.get(key).is_some()).count();
        assert_eq!(held, table.len());
        assert!(held > 300, "{held} users are held");
    }
}
