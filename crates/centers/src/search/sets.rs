//! Result sets: the ranked answers of searches, which are read page by page.
//!
//! A rank is of one moment, so pages of it cannot be cut by a place in the data. So the best are kept in memory, in their
//! order, and a page is cut by a number. The content of each hit is read again for each page.

use guanxi_model::{Clock, Error, Position, PostId, Reason, Result, Uid};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// How long a result set is kept, in milliseconds.
pub const RESULT_SET_MS: u64 = 10 * 60 * 1_000;

/// Result sets of all readers; with 1,000 results of 8 bytes in each, 16 MB.
pub const RESULT_SETS_MAX: usize = 2_000;

/// Result sets of one user: one that asks for more loses its oldest.
pub const RESULT_SETS_PER_USER_MAX: usize = 20;

/// Result sets of services that search for no user.
const RESULT_SETS_OF_SERVICES_MAX: usize = 500;

/// A place in a result set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankPlace {
    /// The number of the set.
    pub set: u64,
    /// How many of its results are before the place.
    pub from: u32,
}

/// The ranked answer of one search.
#[derive(Debug)]
pub(super) struct ResultSet<T> {
    /// The best, in order.
    pub(super) items: Vec<T>,
    /// Up to which events they were found.
    pub(super) as_of: Position,
}

/// The result sets of one process.
#[derive(Debug)]
pub(super) struct Sets {
    pub(super) posts: ResultSets<PostId>,
    pub(super) users: ResultSets<Uid>,
}

impl Sets {
    /// None yet.
    pub(super) fn new(clock: &Arc<dyn Clock>) -> Self {
        Self { posts: ResultSets::new(clock.clone()), users: ResultSets::new(clock.clone()) }
    }
}

/// Result sets of one kind; they end with their process.
pub(super) struct ResultSets<T> {
    clock: Arc<dyn Clock>,
    inner: Mutex<Inner<T>>,
}

struct Inner<T> {
    /// The next number. It begins with the time, so that one of another process, or of the one before, names no set.
    next: u64,
    sets: HashMap<u64, Kept<T>>,
    /// All numbers, the oldest first; some may be gone.
    order: VecDeque<u64>,
    /// The result sets of each reader, the oldest first.
    readers: HashMap<Option<Uid>, VecDeque<u64>>,
}

struct Kept<T> {
    reader: Option<Uid>,
    since_ms: u64,
    set: Arc<ResultSet<T>>,
}

impl<T> fmt::Debug for ResultSets<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultSets").finish_non_exhaustive()
    }
}

impl<T> ResultSets<T> {
    /// None yet.
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        let next = clock.now_ms() << 16;
        let (sets, order, readers) = (HashMap::new(), VecDeque::new(), HashMap::new());
        Self { clock, inner: Mutex::new(Inner { next, sets, order, readers }) }
    }

    /// Keeps a set for a reader. Returns its number.
    pub(super) fn keep(&self, reader: Option<Uid>, set: Arc<ResultSet<T>>) -> u64 {
        let now_ms = self.clock.now_ms();
        let max = if reader.is_some() { RESULT_SETS_PER_USER_MAX } else { RESULT_SETS_OF_SERVICES_MAX };
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.end_old(now_ms);
        let number = inner.next;
        inner.next += 1;
        let own = inner.readers.entry(reader).or_default();
        own.push_back(number);
        let oldest = if own.len() > max { own.front().copied() } else { None };
        inner.order.push_back(number);
        inner.sets.insert(number, Kept { reader, since_ms: now_ms, set });
        if let Some(oldest) = oldest {
            inner.remove(oldest);
        }
        while inner.sets.len() > RESULT_SETS_MAX {
            inner.remove_first();
        }
        number
    }

    /// The set of a number, for its reader.
    ///
    /// # Errors
    /// `STALE_CURSOR` when it is gone, or another reader's.
    pub(super) fn get(&self, reader: Option<Uid>, number: u64) -> Result<Arc<ResultSet<T>>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.end_old(self.clock.now_ms());
        let kept = inner.sets.get(&number).filter(|kept| kept.reader == reader);
        kept.map(|kept| kept.set.clone()).ok_or_else(|| Error::new(Reason::StaleCursor))
    }
}

impl<T> Inner<T> {
    /// Ends what has been kept for long enough.
    fn end_old(&mut self, now_ms: u64) {
        while let Some(first) = self.order.front() {
            let is_old = |kept: &Kept<T>| now_ms.saturating_sub(kept.since_ms) >= RESULT_SET_MS;
            if !self.sets.get(first).is_none_or(is_old) {
                break;
            }
            self.remove_first();
        }
    }

    fn remove_first(&mut self) {
        if let Some(number) = self.order.pop_front() {
            self.remove(number);
        }
    }

    fn remove(&mut self, number: u64) {
        let Some(kept) = self.sets.remove(&number) else { return };
        if let Some(own) = self.readers.get_mut(&kept.reader) {
            own.retain(|other| *other != number);
            if own.is_empty() {
                self.readers.remove(&kept.reader);
            }
        }
        // Of those that went before their turn the places go with the oldest ones; there are never many more than sets.
        if self.order.len() > 2 * RESULT_SETS_MAX {
            self.order.retain(|other| self.sets.contains_key(other));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::{HistoryId, ManualClock};

    fn reader(uid: u64) -> Option<Uid> {
        Uid::new(uid).ok()
    }

    fn set(item: u64) -> Arc<ResultSet<u64>> {
        Arc::new(ResultSet { items: vec![item], as_of: Position::one(HistoryId(7), item) })
    }

    fn world() -> (Arc<ManualClock>, ResultSets<u64>) {
        let clock = Arc::new(ManualClock::new(1_750_000_000_000));
        (clock.clone(), ResultSets::new(clock))
    }

    fn item(sets: &ResultSets<u64>, reader: Option<Uid>, number: u64) -> Option<u64> {
        match sets.get(reader, number) {
            Ok(set) => Some(set.items[0]),
            Err(error) => {
                assert_eq!(error.reason, Reason::StaleCursor);
                None
            }
        }
    }

    #[test]
    fn a_set_is_its_readers_for_its_time() {
        let (clock, sets) = world();
        let first = sets.keep(reader(1), set(1));
        clock.advance(RESULT_SET_MS - 1);
        let second = sets.keep(None, set(2));
        assert_eq!(item(&sets, reader(1), first), Some(1));
        assert_eq!((item(&sets, reader(2), first), item(&sets, None, first)), (None, None));
        clock.advance(1);
        assert_eq!((item(&sets, reader(1), first), item(&sets, None, second)), (None, Some(2)));
        let next = ResultSets::<u64>::new(clock);
        assert_eq!(item(&next, None, second), None, "another process");
        assert!(next.keep(None, set(3)) > second);
    }

    #[test]
    fn a_reader_that_asks_for_many_loses_its_own_alone_and_memory_is_bounded() {
        let (_, sets) = world();
        let other = sets.keep(reader(2), set(0));
        let mut own = Vec::new();
        for nth in 0..3 * RESULT_SETS_MAX as u64 {
            own.push(sets.keep(reader(1), set(nth)));
        }
        assert_eq!(item(&sets, reader(2), other), Some(0));
        let kept = own.iter().filter(|number| item(&sets, reader(1), **number).is_some()).count();
        assert_eq!(kept, RESULT_SETS_PER_USER_MAX);
        assert!(item(&sets, reader(1), *own.last().unwrap()).is_some());
        for uid in 10..10 + RESULT_SETS_MAX as u64 {
            sets.keep(reader(uid), set(uid));
        }
        assert_eq!(item(&sets, reader(2), other), None, "the oldest of all");
        let inner = sets.inner.lock().unwrap();
        assert_eq!(inner.sets.len(), RESULT_SETS_MAX);
        assert!(inner.order.len() <= 2 * RESULT_SETS_MAX + 1 && inner.readers.len() <= RESULT_SETS_MAX);
    }
}
