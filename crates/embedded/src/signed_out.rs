//! When users signed out everywhere: all of it, in memory, at some 100 bytes each.
//!
//! A time is forgotten, here and on the disk, once nothing lives that was issued before it. The last time that was forgotten
//! is kept: nothing that was issued up to then is good. That changes nothing while the setting of lifetimes stays the same,
//! and keeps ended sessions and tokens from coming back when the setting is raised.

use guanxi_model::Uid;
use std::collections::{BTreeSet, HashMap};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// The users who signed out, and when; in Unix milliseconds. The writer alone changes it.
pub(crate) struct SignedOut(RwLock<Times>);

#[derive(Default)]
struct Times {
    by_user: HashMap<Uid, u64>,
    /// The same by time: which are forgotten first.
    by_time: BTreeSet<(u64, Uid)>,
    /// The last time that was forgotten.
    forgotten: Option<u64>,
}

/// What the disk has of it.
pub(crate) type StoredTimes = (Vec<(Uid, u64)>, Option<u64>);

impl SignedOut {
    pub(crate) fn new((stored, forgotten): StoredTimes) -> Self {
        let mut times = Times { forgotten, ..Times::default() };
        stored.into_iter().for_each(|(uid, at_ms)| times.put(uid, at_ms));
        Self(RwLock::new(times))
    }

    /// Returns when a user signed out, if that is still known.
    pub(crate) fn of(&self, uid: Uid) -> Option<u64> {
        self.read().by_user.get(&uid).copied()
    }

    /// Returns from when on what others issue to a user must have been issued.
    pub(crate) fn not_before_ms(&self, uid: Uid) -> u64 {
        let times = self.read();
        times.by_user.get(&uid).copied().max(times.forgotten).map_or(0, |at_ms| at_ms.saturating_add(1))
    }

    /// Returns how many users' times are kept.
    pub(crate) fn len(&self) -> usize {
        self.read().by_user.len()
    }

    /// Notes who signed out.
    pub(crate) fn put(&self, signed_out: impl IntoIterator<Item = (Uid, u64)>) {
        let mut signed_out = signed_out.into_iter().peekable();
        if signed_out.peek().is_some() {
            let mut times = self.0.write().unwrap_or_else(PoisonError::into_inner);
            signed_out.for_each(|(uid, at_ms)| times.put(uid, at_ms));
        }
    }

    /// The earliest times before another one, at most so many.
    pub(crate) fn before(&self, before_ms: u64, max: usize) -> Vec<(u64, Uid)> {
        self.read().by_time.iter().copied().take_while(|(at_ms, _)| *at_ms < before_ms).take(max).collect()
    }

    /// Forgets times that [`Self::before`] has named.
    pub(crate) fn forget(&self, times: &[(u64, Uid)]) {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (at_ms, uid) in times {
            kept.by_time.remove(&(*at_ms, *uid));
            kept.by_user.remove(uid);
            kept.forgotten = kept.forgotten.max(Some(*at_ms));
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Times> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Times {
    fn put(&mut self, uid: Uid, at_ms: u64) {
        if let Some(before) = self.by_user.insert(uid, at_ms) {
            self.by_time.remove(&(before, uid));
        }
        self.by_time.insert((at_ms, uid));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_lets_nothing_in_that_was_kept_out() {
        let uid = |raw| Uid::new(raw).unwrap();
        let times = SignedOut::new((vec![(uid(1), 500)], None));
        times.put([(uid(2), 600), (uid(3), 900)]);
        times.put([(uid(1), 700)]);
        let not_before = || [1, 2, 3, 4].map(|raw| times.not_before_ms(uid(raw)));
        assert_eq!(not_before(), [701, 601, 901, 0]);
        assert_eq!(times.before(900, 1), [(600, uid(2))]);
        let old = times.before(900, 9);
        assert_eq!(old, [(600, uid(2)), (700, uid(1))]);
        times.forget(&old);
        assert_eq!(not_before(), [701, 701, 901, 701]);
        assert_eq!((times.len(), times.of(uid(1)), times.of(uid(3))), (1, None, Some(900)));
        let again = SignedOut::new((vec![(uid(3), 900)], Some(700)));
        assert_eq!([1, 2, 3, 4].map(|raw| again.not_before_ms(uid(raw))), not_before());
    }
}
