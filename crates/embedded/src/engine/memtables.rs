//! Frees unused memtables where no caller waits for it.
//!
//! The engine forgets a flushed memtable while it holds a lock that each write and read takes, and freeing a full one takes
//! a tenth of a second. Another reference to the memtable makes that free of cost; its holder frees the memtable later.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Table, Wait};
    use crate::options::Options;

    /// Writes a row and flushes it.
    fn flush(engine: &Engine, key: &[u8]) {
        let mut batch = engine.batch();
        batch.put(Table::Records, key, b"");
        batch.commit(Wait::Os).unwrap();
        engine.flush().unwrap();
    }

    #[test]
    fn what_was_flushed_is_given_back_by_us_once_the_engine_has_forgotten_it() {
        let dir = tempfile::tempdir().unwrap();
        let engine = Engine::open(dir.path(), &Options::default()).unwrap();
        let mut memtables = Memtables::default();
        memtables.look(&engine);
        let filled = Arc::downgrade(&engine.tables[Table::Records as usize].tree.active_memtable());
        // The engine forgets versions when it makes others.
        for key in [b"a", b"b", b"c", b"d"] {
            flush(&engine, key);
            assert!(filled.upgrade().is_some(), "the engine alone would have freed it");
        }
        memtables.look(&engine);
        memtables.look(&engine);
        assert!(filled.upgrade().is_none(), "what nobody reads any more is free");
        assert!(memtables.full.len() < TABLES, "and is not kept");
    }
}
