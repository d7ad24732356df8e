//! An open-addressed index: linear probing over words that hold half a hash and a position, so that a probe is one
//! cache line and seldom points at the wrong place.
//!
//! The example of [`shard`](super::shard) in slots: the tag of viewer 7 is the low half of the hash of 7, and the word
//! is that tag and the position 0 plus one. The tag modulo the number of slots (64 at first) names a slot. The word is
//! in that slot, or in the next free one after it. Since only half of a hash is kept, two viewers may have one tag:
//! callers compare the viewer in the inbox itself.

/// Slots of an empty index.
const SLOTS_MIN: usize = 64;

/// Positions by tag; several positions may have the same tag.
pub(super) struct InboxIndex {
    /// The tag in the high half, the position and one in the low half; 0 is a free slot. Its length is a power of two.
    slots: Vec<u64>,
    len: usize,
}

impl InboxIndex {
    pub(super) fn new() -> Self {
        Self { slots: vec![0; SLOTS_MIN], len: 0 }
    }

    pub(super) const fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u64>()
    }

    /// Returns whether adding one more doubles the slots first.
    pub(super) const fn is_dense(&self) -> bool {
        (self.len + 1) * 4 > self.slots.len() * 3
    }

    /// The positions of a tag: nearly always the one that is looked for, or none.
    pub(super) fn positions(&self, tag: u32) -> impl Iterator<Item = u32> + '_ {
        let mask = self.slots.len() - 1;
        (0..)
            .map(move |step| self.slots[(tag as usize).wrapping_add(step) & mask])
            .take_while(|slot| *slot != 0)
            .filter(move |slot| (slot >> 32) as u32 == tag)
            .map(|slot| slot as u32 - 1)
    }

    /// Adds a position.
    pub(super) fn insert(&mut self, tag: u32, position: u32) {
        if self.is_dense() {
            let larger = vec![0; self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, larger);
            old.into_iter().filter(|slot| *slot != 0).for_each(|slot| self.place(slot));
        }
        self.place(word(tag, position));
        self.len += 1;
    }

    /// Gives an entry another position.
    pub(super) fn repoint(&mut self, tag: u32, from: u32, to: u32) {
        let at = self.slot_of(tag, from);
        self.slots[at] = word(tag, to);
    }

    /// Removes an entry, and moves back what had been pushed past it, so that probes never need tombstones.
    pub(super) fn remove(&mut self, tag: u32, position: u32) {
        let mask = self.slots.len() - 1;
        let mut hole = self.slot_of(tag, position);
        let mut next = hole;
        loop {
            next = (next + 1) & mask;
            let slot = self.slots[next];
            if slot == 0 {
                break;
            }
            let wanted = (slot >> 32) as usize & mask;
            // The entry may fill the hole unless its home lies cyclically after it.
            if next.wrapping_sub(wanted) & mask >= next.wrapping_sub(hole) & mask {
                self.slots[hole] = slot;
                hole = next;
            }
        }
        self.slots[hole] = 0;
        self.len -= 1;
    }

    fn place(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (slot >> 32) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    /// Returns where an entry is. It is there: callers have found the position in this index, or put it in.
    fn slot_of(&self, tag: u32, position: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = tag as usize & mask;
        while self.slots[at] != word(tag, position) {
            at = (at + 1) & mask;
        }
        at
    }
}

const fn word(tag: u32, position: u32) -> u64 {
    (tag as u64) << 32 | (position as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn it_holds_what_a_set_holds_also_with_equal_tags() {
        let mut index = InboxIndex::new();
        let mut set = HashSet::new();
        for step in 0..40_000_u32 {
            let position = step.wrapping_mul(2_654_435_761) % 3_000;
            let tag = (position / 3) << 8;
            if set.remove(&(tag, position)) {
                index.remove(tag, position);
            } else {
                set.insert((tag, position));
                index.insert(tag, position);
            }
        }
        for position in 0..3_000 {
            let tag = (position / 3) << 8;
            let held = index.positions(tag).filter(|held| *held == position).count();
            assert_eq!(held, usize::from(set.contains(&(tag, position))));
        }
    }

    #[test]
    fn a_moved_entry_is_found_at_its_new_position() {
        let mut index = InboxIndex::new();
        (0..100).for_each(|position| index.insert(7, position));
        index.repoint(7, 50, 1_000);
        let held: HashSet<u32> = index.positions(7).collect();
        assert!(held.contains(&1_000) && !held.contains(&50));
        assert_eq!(held.len(), 100);
    }
}
