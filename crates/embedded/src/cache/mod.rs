//! What memory holds by uid: filled on demand, replaced by the writer, within a byte budget.
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

mod table;

pub(crate) use table::Entry;

use guanxi_model::Uid;
use std::collections::HashMap;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use table::Table;

/// Entries by uid.
pub(crate) struct Cache<V>(RwLock<Held<V>>);

/// The entries while a lock is held.
pub(crate) struct Held<V> {
    table: Table<V>,
    /// Fills under way: which one may keep its value.
    fills: HashMap<u64, u64>,
    next_fill: u64,
}

/// A registered fill.
#[derive(Clone, Copy)]
pub(crate) struct Fill {
    uid: Uid,
    ticket: u64,
}

impl<V: Entry> Cache<V> {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        let table = Table::new(usize::try_from(bytes).unwrap_or(usize::MAX));
        Self(RwLock::new(Held { table, fills: HashMap::new(), next_fill: 0 }))
    }

    /// Holds entries still for a few probes. The writer waits meanwhile, so no disk is read under it.
    pub fn read(&self) -> RwLockReadGuard<'_, Held<V>> {
        self.0.read().expect("nobody panics while holding the table")
    }

    /// Lets the writer change entries.
    pub fn write(&self) -> RwLockWriteGuard<'_, Held<V>> {
        self.0.write().expect("nobody panics while holding the table")
    }

    /// Registers a fill; its snapshot comes after.
    pub fn begin_fill(&self, uid: Uid) -> Fill {
        let mut held = self.write();
        held.next_fill += 1;
        let ticket = held.next_fill;
        held.fills.insert(uid.get(), ticket);
        Fill { uid, ticket }
    }

    /// Ends a fill and keeps its value, unless the writer struck it out or a later fill took over.
    pub fn end_fill(&self, fill: Fill, value: Option<V>) {
        let mut held = self.write();
        if held.fills.get(&fill.uid.get()) == Some(&fill.ticket) {
            held.fills.remove(&fill.uid.get());
            if let Some(value) = value {
                held.table.insert(fill.uid.get(), value);
            }
        }
    }
}

impl<V: Entry> Held<V> {
    /// The entry of a user.
    pub fn get(&self, uid: Uid) -> Option<&V> {
        self.table.get(uid.get())
    }

    /// Replaces an entry, and strikes out fills of it.
    pub fn replace(&mut self, uid: Uid, value: V) {
        self.fills.remove(&uid.get());
        self.table.insert(uid.get(), value);
    }

    /// Forgets an entry, and strikes out fills of it.
    pub fn forget(&mut self, uid: Uid) {
        self.fills.remove(&uid.get());
        self.table.remove(uid.get());
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Entries held.
    pub const fn len(&self) -> usize {
        self.table.len()
    }
}
