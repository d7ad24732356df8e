//! What memory holds by user or post: filled on demand, replaced by the writer, within a byte budget.
//!
//! Three parties touch an entry: readers with a pinned view, fills, and the writer. The rules that keep answers
//! exact:
//!
//! - An entry carries `as_of`: it is right for every view from that seq on. The writer replaces an entry between
//!   the commit that changes it and the publication of that commit, so an entry is never older than a view that
//!   may use it. A reader whose view is older than the entry reads its own snapshot instead.
//! - A fill registers first and takes its snapshot second. A writer that changes the entry after that strikes the
//!   registration, and the fill's value is not kept.
//! - A fill labels its entry with the seq of the latest commit that may be in its snapshot.

pub use super::table::Entry;
pub(crate) use super::table::hash;

use super::table::SlotTable;
use guanxi_model::{Gene, PostId, Uid};
use std::collections::HashMap;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What entries are found by: an id that is not 0.
pub trait CacheKey: Copy {
    /// The id.
    fn raw(self) -> u64;
    /// The gene of the user, or of the author of the post: events about it are in the log of that.
    fn gene(self) -> Gene;
}

impl CacheKey for Uid {
    #[inline]
    fn raw(self) -> u64 {
        self.get()
    }

    #[inline]
    fn gene(self) -> Gene {
        self.gene()
    }
}

impl CacheKey for PostId {
    #[inline]
    fn raw(self) -> u64 {
        self.get()
    }

    #[inline]
    fn gene(self) -> Gene {
        self.gene()
    }
}

/// Entries by key.
pub struct Cache<V>(RwLock<CacheEntries<V>>);

/// The entries while a lock is held.
pub struct CacheEntries<V> {
    table: SlotTable<V>,
    /// Fills under way: which one may keep its value.
    fills: HashMap<u64, u64>,
    next_fill: u64,
}

/// A registered fill.
#[derive(Clone, Copy)]
pub struct Fill {
    key: u64,
    ticket: u64,
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

    /// Registers a fill; its snapshot comes after.
    pub fn begin_fill(&self, key: impl CacheKey) -> Fill {
        self.write().begin_fill(key)
    }

    /// Registers many fills; their one snapshot comes after.
    pub fn begin_fills<K: CacheKey>(&self, keys: impl Iterator<Item = K>) -> Vec<Fill> {
        let mut held = self.write();
        keys.map(|key| held.begin_fill(key)).collect()
    }

    /// Ends a fill and keeps its value, unless the writer struck it out or a later fill took over.
    pub fn end_fill(&self, fill: Fill, value: Option<V>) {
        self.write().end_fill(fill, value);
    }

    /// Ends many fills.
    pub fn end_fills(&self, fills: impl Iterator<Item = (Fill, Option<V>)>) {
        let mut held = self.write();
        fills.for_each(|(fill, value)| held.end_fill(fill, value));
    }
}

impl<V: Entry> CacheEntries<V> {
    fn begin_fill(&mut self, key: impl CacheKey) -> Fill {
        self.next_fill += 1;
        let fill = Fill { key: key.raw(), ticket: self.next_fill };
        self.fills.insert(fill.key, fill.ticket);
        fill
    }

    fn end_fill(&mut self, fill: Fill, value: Option<V>) {
        if self.fills.get(&fill.key) == Some(&fill.ticket) {
            self.fills.remove(&fill.key);
            if let Some(value) = value {
                self.table.insert(fill.key, value);
            }
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

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Entries held.
    pub const fn count(&self) -> usize {
        self.table.len()
    }
}
