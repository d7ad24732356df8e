//! What memory holds by user or post: filled on demand, changed by commits, within a byte budget.
//!
//! Three parties touch an entry: readers with a cut, fills, and the party that makes commits known, which is the writer or a
//! reader of the log. The rules that keep answers exact:
//!
//! - An entry carries `as_of`: it is right for every cut from that seq on. A commit changes the entry before a cut with that
//!   commit is published, so an entry is never older than a cut that may use it. A reader whose cut is older than the entry
//!   reads its own snapshot instead.
//! - A fill registers first and takes its snapshot second. What commits do to its key from the registration on is collected,
//!   and made to the entry that was read, if it is beyond that. So a key that changes all the time is filled, too.
//! - A commit that puts a whole entry, or has it forgotten, strikes the registration, and the fill's entry is not kept.
//! - A commit alone makes no entry of what only says what changed.
//! - A fill labels its entry with the seq of the latest commit that may be in its snapshot. Where commits come as changes, it is
//!   the seq of the latest that is in it.

pub use super::table::Entry;
pub(crate) use super::table::hash;

use super::table::SlotTable;
use guanxi_model::{Gene, LogId, Logs, PostId, Uid};
use std::collections::{BTreeSet, HashMap};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What entries are found by: an id that is not 0.
pub trait CacheKey: Copy {
    /// The id.
    fn raw(self) -> u64;
    /// The gene of the user, or of the author of the post, of an id: events about it are in the log of that.
    fn gene_of(raw: u64) -> Gene;
}

impl CacheKey for Uid {
    #[inline]
    fn raw(self) -> u64 {
        self.get()
    }

    #[inline]
    fn gene_of(raw: u64) -> Gene {
        Gene(raw as u8)
    }
}

impl CacheKey for PostId {
    #[inline]
    fn raw(self) -> u64 {
        self.get()
    }

    #[inline]
    fn gene_of(raw: u64) -> Gene {
        Gene(raw as u8)
    }
}

/// Commits that a fill collects at most: those of a busy user during a slow read. A fill that would need more is not kept.
pub const COLLECTED_MAX: usize = 256;

/// Entries by key.
pub struct Cache<V: Entry>(RwLock<CacheEntries<V>>);

/// The entries while a lock is held.
pub struct CacheEntries<V: Entry> {
    table: SlotTable<V>,
    /// Fills under way, by key.
    fills: HashMap<u64, FillUnderWay<V::Change>>,
    next_fill: u64,
}

/// The last fill of a key, which alone may keep its entry.
struct FillUnderWay<C> {
    ticket: u64,
    /// What commits did to the key since its registration, in their order.
    came: Vec<(u64, C)>,
}

/// A registered fill.
#[derive(Clone, Copy)]
struct Fill {
    key: u64,
    ticket: u64,
}

/// Registered fills, whose one snapshot comes after. They are given up when they are dropped without an end.
#[must_use]
pub struct Fills<'c, V: Entry> {
    cache: &'c Cache<V>,
    fills: Vec<Fill>,
}

impl<V: Entry> Fills<'_, V> {
    /// Ends the fills and keeps what was read of their keys, in order; `None` of a key is not kept. Not kept is also what a
    /// commit struck out, and the entry of a fill that a later one of its key overtook.
    pub fn keep(mut self, read: impl IntoIterator<Item = Option<V>>) {
        let fills = std::mem::take(&mut self.fills);
        // What is read may wait for other locks, whose holders wait for this one.
        let read: Vec<Option<V>> =
            read.into_iter().chain(std::iter::repeat_with(|| None)).take(fills.len()).collect();
        let mut held = self.cache.write();
        for (fill, entry) in fills.into_iter().zip(read) {
            held.end_fill(fill, entry);
        }
    }
}

impl<V: Entry> Drop for Fills<'_, V> {
    fn drop(&mut self) {
        if !self.fills.is_empty() {
            let mut held = self.cache.write();
            self.fills.iter().for_each(|fill| held.end_fill(*fill, None));
        }
    }
}

impl<V: Entry> Cache<V> {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        let table = SlotTable::new(usize::try_from(bytes).unwrap_or(usize::MAX));
        Self(RwLock::new(CacheEntries { table, fills: HashMap::new(), next_fill: 0 }))
    }

    /// Holds entries still for a few probes. The writer waits meanwhile, so no disk is read under it.
    pub fn read(&self) -> RwLockReadGuard<'_, CacheEntries<V>> {
        self.0.read().expect("nobody panics while holding the table")
    }

    /// Lets the writer change entries.
    pub fn write(&self) -> RwLockWriteGuard<'_, CacheEntries<V>> {
        self.0.write().expect("nobody panics while holding the table")
    }

    /// Forgets some keys, and strikes out fills of them.
    pub fn forget<K: CacheKey>(&self, keys: &[K]) {
        if !keys.is_empty() {
            let mut held = self.write();
            keys.iter().for_each(|key| held.forget(*key));
        }
    }

    /// Forgets all entries of some logs, whose keys are of one kind, and strikes out fills of them. It looks at all entries.
    pub fn forget_logs<K: CacheKey>(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        if !gone.is_empty() {
            self.write().forget_logs::<K>(logs, |log| gone.contains(&log));
        }
    }

    /// Registers fills of some keys.
    pub fn begin_fills<K: CacheKey>(&self, keys: impl IntoIterator<Item = K>) -> Fills<'_, V> {
        let mut held = self.write();
        Fills { cache: self, fills: keys.into_iter().map(|key| held.begin_fill(key)).collect() }
    }
}

impl<V: Entry> CacheEntries<V> {
    fn begin_fill(&mut self, key: impl CacheKey) -> Fill {
        self.next_fill += 1;
        let fill = Fill { key: key.raw(), ticket: self.next_fill };
        self.fills.insert(fill.key, FillUnderWay { ticket: fill.ticket, came: Vec::new() });
        fill
    }

    fn end_fill(&mut self, fill: Fill, read: Option<V>) {
        if self.fills.get(&fill.key).is_none_or(|last| last.ticket != fill.ticket) {
            return;
        }
        let came = self.fills.remove(&fill.key).map(|last| last.came).unwrap_or_default();
        let Some(read) = read else { return };
        let from = read.as_of();
        let mut beyond = came.iter().filter(|(seq, _)| *seq > from);
        if let Some(entry) = beyond.try_fold(read, |entry, (seq, change)| entry.after(*seq, change)) {
            self.table.insert(fill.key, entry);
        }
    }

    /// Makes what the commit `seq` did to a key, before a cut with that commit is published. An entry that is as of a later
    /// commit has it already. All changes of a commit to a key bear one seq, and come in their order.
    pub fn change(&mut self, key: impl CacheKey, seq: u64, change: &V::Change) {
        if let Some(fill) = self.fills.get_mut(&key.raw()) {
            if fill.came.len() < COLLECTED_MAX {
                fill.came.push((seq, change.clone()));
            } else {
                self.fills.remove(&key.raw());
            }
        }
        let Some(entry) = self.table.get(key.raw()).filter(|entry| entry.as_of() <= seq) else { return };
        match entry.after(seq, change) {
            Some(changed) => self.table.insert(key.raw(), changed),
            None => self.table.remove(key.raw()),
        }
    }

    /// The entry of a key.
    pub fn get(&self, key: impl CacheKey) -> Option<&V> {
        self.table.get(key.raw())
    }

    /// Brings some entries' slots into the processor's cache, so that probes of them do not wait one for the other.
    pub fn warm<K: CacheKey>(&self, keys: impl Iterator<Item = K>) {
        self.table.warm(keys.map(CacheKey::raw));
    }

    /// Replaces an entry, and strikes out fills of it.
    pub fn replace(&mut self, key: impl CacheKey, value: V) {
        self.fills.remove(&key.raw());
        self.table.insert(key.raw(), value);
    }

    /// Forgets an entry, and strikes out fills of it.
    pub fn forget(&mut self, key: impl CacheKey) {
        self.fills.remove(&key.raw());
        self.table.remove(key.raw());
    }

    /// Forgets all entries of some logs, whose keys are of one kind, and strikes out fills of them, by one pass over all entries.
    pub fn forget_logs<K: CacheKey>(&mut self, logs: Logs, are_gone: impl Fn(LogId) -> bool) {
        let is_of = |raw: u64| are_gone(logs.of_gene(K::gene_of(raw)));
        self.fills.retain(|raw, _| !is_of(*raw));
        self.table.remove_if(is_of);
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Entries held.
    pub const fn count(&self) -> usize {
        self.table.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of what commits have brought, up to an event. One more than a hundred cannot be told.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    struct Sum {
        as_of: u64,
        sum: u64,
    }

    impl Entry for Sum {
        type Change = u64;

        fn heap_bytes(&self) -> usize {
            0
        }

        fn untouch(&self) -> bool {
            false
        }

        fn as_of(&self) -> u64 {
            self.as_of
        }

        fn after(&self, seq: u64, more: &u64) -> Option<Self> {
            let sum = self.sum + more;
            (sum <= 100).then_some(Self { as_of: seq, sum })
        }
    }

    fn uid(n: u64) -> Uid {
        Uid::new(n).unwrap()
    }

    fn held(cache: &Cache<Sum>, n: u64) -> Option<(u64, u64)> {
        cache.read().get(uid(n)).map(|sum| (sum.as_of, sum.sum))
    }

    #[test]
    fn a_fill_takes_what_came_beyond_its_snapshot() {
        let cache = Cache::<Sum>::new(1 << 20);
        let fill = cache.begin_fills([uid(1), uid(2)]);
        (4..=7).for_each(|seq| cache.write().change(uid(1), seq, &1));
        assert_eq!(held(&cache, 1), None, "a commit alone makes no entry");
        fill.keep([Some(Sum { as_of: 5, sum: 30 }), None]);
        assert_eq!((held(&cache, 1), held(&cache, 2)), (Some((7, 32)), None));
        cache.write().change(uid(1), 6, &1);
        assert_eq!(held(&cache, 1), Some((7, 32)), "it has that already");
        cache.write().change(uid(1), 8, &90);
        assert_eq!(held(&cache, 1), None, "it cannot be told");
    }

    #[test]
    fn a_fill_is_not_kept_where_it_was_struck_overtaken_or_dropped() {
        let cache = Cache::<Sum>::new(1 << 20);
        let read = |sum| [Some(Sum { as_of: 5, sum })];
        let struck = cache.begin_fills([uid(1)]);
        cache.write().forget(uid(1));
        struck.keep(read(1));
        assert_eq!(held(&cache, 1), None);
        let (overtaken, last) = (cache.begin_fills([uid(2)]), cache.begin_fills([uid(2)]));
        overtaken.keep(read(2));
        assert_eq!(held(&cache, 2), None);
        last.keep(read(3));
        assert_eq!(held(&cache, 2), Some((5, 3)));
        drop(cache.begin_fills([uid(3)]));
        assert!(cache.read().fills.is_empty());
        let put = cache.begin_fills([uid(4)]);
        cache.write().replace(uid(4), Sum { as_of: 9, sum: 9 });
        put.keep(read(4));
        assert_eq!(held(&cache, 4), Some((9, 9)));
    }
}
