//! Memtables that are not used any more, given back where nobody waits for it.
//!
//! The engine forgets a memtable that was flushed while it holds a lock that each write and read takes, and giving back one
//! that was full takes a tenth of a second. Whoever has another reference to it meanwhile makes that nothing, and gives
//! it back later.

use super::{Engine, TABLES};
use lsm_tree::{AbstractTree as _, Memtable};
use std::sync::Arc;

/// References to the memtables of an engine.
#[derive(Default)]
pub(crate) struct Memtables {
    /// What each table writes to.
    filling: Option<[Arc<Memtable>; TABLES]>,
    /// What they wrote to before.
    full: Vec<Arc<Memtable>>,
}

impl Memtables {
    /// Takes note of new ones, and gives back those that the engine and its readers have forgotten. To be called more often
    /// than memtables fill; one that it misses is given back by the engine.
    pub(crate) fn look(&mut self, engine: &Engine) {
        let now = std::array::from_fn(|table| engine.tables[table].tree.active_memtable());
        let before = self.filling.replace(now.clone()).into_iter().flatten();
        self.full.extend(
            before.zip(&now).filter(|(before, now)| !Arc::ptr_eq(before, now)).map(|(before, _)| before),
        );
        self.full.retain(|memtable| Arc::strong_count(memtable) > 1);
    }
}
