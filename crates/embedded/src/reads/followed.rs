//! Whom many users follow: counted, and by whom of them. Every list is read once, from the front, in the form that memory
//! holds it in.

use super::PinnedView;
use crate::memory::cache::hash;
use crate::memory::relations::RelationsEntry;
use guanxi_model::{Result, Uid};
use guanxi_ports::{FollowedCounts, FollowsAsk};

/// Slots of a count to begin with: what half a hundred short lists fill.
const SLOTS_MIN: usize = 1 << 10;

/// Users whose lists are held at once: a count that ends early has read few lists that it does not count, and whatever
/// somebody follows, little memory is held by themselves.
const USERS_AT_ONCE: usize = 128;

impl PinnedView {
    pub(super) fn count_of_followed(
        &self,
        ask: FollowsAsk<'_>,
        follows_max: usize,
    ) -> Result<FollowedCounts> {
        let (mut tally, mut looked_at, mut subjects) = (Tally::new(), 0, 0);
        'counted: for some in ask.subjects.chunks(USERS_AT_ONCE) {
            for user in self.users(some)? {
                let probe = user.packed().probe();
                looked_at += probe.len().min(ask.newest);
                if looked_at > follows_max {
                    break 'counted;
                }
                probe.newest_uids(ask.newest).for_each(|uid| tally.add(uid));
                subjects += 1;
            }
        }
        Ok(FollowedCounts { users: tally.counts(), subjects })
    }

    pub(super) fn followers_among(&self, ask: FollowsAsk<'_>, objects: &[Uid]) -> Result<Vec<Vec<u32>>> {
        let places = Places::of(objects);
        let mut found = vec![Vec::new(); objects.len()];
        let mut subjects = 0..;
        for some in ask.subjects.chunks(USERS_AT_ONCE) {
            for (user, subject) in self.users(some)?.iter().zip(&mut subjects) {
                for uid in user.packed().probe().newest_uids(ask.newest) {
                    if let Some(place) = places.of_uid(uid) {
                        found[place].push(subject);
                    }
                }
            }
        }
        // A user who was asked for twice has one place.
        Ok(objects
            .iter()
            .map(|uid| places.of_uid(uid.get()).map_or_else(Vec::new, |at| found[at].clone()))
            .collect())
    }

    /// Users as of this view. They are held by themselves, so that the writer waits for none of what is counted.
    fn users(&self, uids: &[Uid]) -> Result<Vec<RelationsEntry>> {
        let held: Vec<Option<RelationsEntry>> = {
            let users = self.shared.relations.read(&self.view);
            users.get_many(uids).into_iter().map(Option::<&RelationsEntry>::cloned).collect()
        };
        self.shared.relations.count_hits(held.iter().flatten().count());
        uids.iter().zip(held).map(|(uid, held)| held.map_or_else(|| self.user(*uid), Ok)).collect()
    }
}

/// Counts by uid: open-addressed, at most half full. 0 is no uid, and a free slot.
struct Tally {
    slots: Vec<(u64, u32)>,
    len: usize,
}

impl Tally {
    fn new() -> Self {
        Self { slots: vec![(0, 0); SLOTS_MIN], len: 0 }
    }

    fn add(&mut self, uid: u64) {
        let at = slot_of(&self.slots, uid, |slot| slot.0);
        self.slots[at].1 += 1;
        if self.slots[at].0 == 0 {
            self.slots[at].0 = uid;
            self.len += 1;
            if self.len * 2 > self.slots.len() {
                self.grow();
            }
        }
    }

    fn grow(&mut self) {
        let larger = vec![(0, 0); self.slots.len() * 4];
        let old = std::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.0 != 0) {
            let at = slot_of(&self.slots, slot.0, |slot| slot.0);
            self.slots[at] = slot;
        }
    }

    fn counts(self) -> Vec<(Uid, u32)> {
        let mut counts = Vec::with_capacity(self.len);
        counts.extend(self.slots.into_iter().filter_map(|(uid, count)| Some((Uid::new(uid).ok()?, count))));
        counts
    }
}

/// Where each of some users stands among them; of one who is there twice, the last place.
struct Places(Vec<(u64, u32)>);

impl Places {
    fn of(uids: &[Uid]) -> Self {
        let mut slots = vec![(0, 0); (uids.len() * 4).next_power_of_two()];
        for (place, uid) in (0..).zip(uids) {
            let at = slot_of(&slots, uid.get(), |slot| slot.0);
            slots[at] = (uid.get(), place);
        }
        Self(slots)
    }

    fn of_uid(&self, uid: u64) -> Option<usize> {
        let slot = self.0[slot_of(&self.0, uid, |slot| slot.0)];
        (slot.0 == uid).then_some(slot.1 as usize)
    }
}

/// The slot of a uid, or the free one where it would go. The slots are a power of two, and never full.
fn slot_of<T>(slots: &[T], uid: u64, uid_of: impl Fn(&T) -> u64) -> usize {
    let mask = slots.len() - 1;
    let mut at = hash(uid) as usize & mask;
    loop {
        let found = uid_of(&slots[at]);
        if found == uid || found == 0 {
            return at;
        }
        at = (at + 1) & mask;
    }
}
