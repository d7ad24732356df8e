//! The storage engine behind one small door.
//!
//! **Invariant:** only this module names fjall, so that another engine could take its place. Guard rails for a young
//! engine. There are few keyspaces, all of them flushed together, so that an idle one never pins the journal.
//! Journals are bounded by [`Engine::bound_journal`]. Memtables are flushed at a clean shutdown. No value is ever
//! read back to be changed.

mod bulk;
mod engine_log;
mod error;
mod journal;
mod manifest;
mod memtables;
mod mirror;
mod threads;
#[cfg(test)]
mod work;

pub(crate) use bulk::PutRow;
pub use error::EngineError;
pub(crate) use error::EngineResult;
pub(crate) use memtables::Memtables;
pub(crate) use mirror::mirror;
pub(crate) use threads::stand_back;
#[cfg(test)]
pub(crate) use work::Work;

use crate::options::Options;
use fjall::config::{
    BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry, HashRatioPolicy,
};
use fjall::{
    CompressionType, Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, Readable, Slice,
};
use lsm_tree::AbstractTree as _;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// About how many bytes the journal takes for a row besides its key and value.
const JOURNAL_ROW_OVERHEAD: u64 = 20;

/// How often a flush that is waited for is looked at.
const FLUSH_LOOK: Duration = Duration::from_millis(2);

/// How many tables there are, each with memtables of its own.
pub const TABLES: usize = Table::ALL.len();

/// One of the key ranges, split by how they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// `subject|object`: point reads, and scans of one subject.
    Forward,
    /// `object|!at|!subject`: scans only.
    Reverse,
    /// Counters and other small records, under one prefix byte each.
    Records,
    /// `seq`: scans only.
    Log,
    /// `post`: point reads.
    Posts,
    /// `author|!post`: scans only.
    Outbox,
}

impl Table {
    /// All tables.
    pub(crate) const ALL: [Self; 6] =
        [Self::Forward, Self::Reverse, Self::Records, Self::Log, Self::Posts, Self::Outbox];

    /// Its name on disk and in metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
            Self::Records => "records",
            Self::Log => "log",
            Self::Posts => "posts",
            Self::Outbox => "outbox",
        }
    }
}

/// What a commit waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The disk.
    Disk,
    /// The operating system.
    Os,
}

/// The open engine. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Engine {
    dir: PathBuf,
    db: Database,
    tables: [Keyspace; TABLES],
    journal_bytes: u64,
    /// Bytes journaled since the memtables were last flushed. Counted here, since the journal's file is
    /// allocated ahead and its length says nothing.
    journaled: Arc<AtomicU64>,
    #[cfg(test)]
    work: Arc<work::WorkCount>,
}

impl Engine {
    /// Opens or creates the engine's files in a directory. Files that are there must have all of [`Table::ALL`].
    pub(crate) fn open(dir: &Path, options: &Options) -> EngineResult<Self> {
        engine_log::install();
        manifest::check(dir)?;
        let is_new = !dir.exists();
        let builder = Database::builder(dir)
            .cache_size(options.block_cache_bytes)
            // The engine takes no fewer.
            .max_cached_files(Some(options.files_max.max(10)))
            .max_journaling_size(options.journal_bytes.max(64 << 20))
            .manual_journal_persist(true)
            .worker_threads(2);
        let db = stand_back(|| builder.open())?;
        let open = |table: Table| db.keyspace(table.name(), || keyspace_options(table, options));
        let tables = [
            open(Table::Forward)?,
            open(Table::Reverse)?,
            open(Table::Records)?,
            open(Table::Log)?,
            open(Table::Posts)?,
            open(Table::Outbox)?,
        ];
        // What a journal holds after a crash counts, too; a new one is allocated ahead and holds nothing.
        let journaled = if is_new { 0 } else { db.journal_disk_space()? };
        let journaled = Arc::new(AtomicU64::new(journaled));
        Ok(Self {
            dir: dir.to_owned(),
            db,
            tables,
            journal_bytes: options.journal_bytes,
            journaled,
            #[cfg(test)]
            work: Arc::default(),
        })
    }

    fn keyspace(&self, table: Table) -> &Keyspace {
        &self.tables[table as usize]
    }

    /// An empty batch.
    pub(crate) fn batch(&self) -> RowBatch {
        RowBatch {
            rows: OwnedWriteBatch::with_capacity(self.db.clone(), 64),
            tables: self.tables.clone(),
            bytes: 0,
            journaled: self.journaled.clone(),
        }
    }

    /// A consistent view of all tables.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            at: self.db.snapshot(),
            tables: self.tables.clone(),
            #[cfg(test)]
            work: self.work.clone(),
        }
    }

    /// Returns what was read so far, since the engine was opened.
    #[cfg(test)]
    pub(crate) fn work(&self) -> Work {
        let blocks = self.tables.iter().map(|keyspace| keyspace.metrics().data_block_load_count() as u64);
        self.work.with_blocks(blocks.sum())
    }

    /// Makes everything that was committed survive a power cut.
    pub(crate) fn sync(&self) -> EngineResult<()> {
        Ok(self.db.persist(PersistMode::SyncData)?)
    }

    /// Flushes all memtables when the journal has grown beyond its bound, so that opening after a crash stays
    /// fast. Returns whether it did. It does not wait for the flush.
    pub(crate) fn bound_journal(&self) -> EngineResult<bool> {
        if self.journaled.load(Ordering::Relaxed) < self.journal_bytes {
            return Ok(false);
        }
        self.journaled.store(0, Ordering::Relaxed);
        for keyspace in &self.tables {
            keyspace.rotate_memtable()?;
        }
        Ok(true)
    }

    /// Flushes all memtables and waits: opening afterwards has nothing to replay.
    pub(crate) fn flush(&self) -> EngineResult<()> {
        for keyspace in &self.tables {
            keyspace.rotate_memtable()?;
        }
        // The engine's own wait has no end when the thread that flushes has died of an error.
        while self.tables.iter().any(|keyspace| keyspace.tree.sealed_memtable_count() > 0) {
            self.check()?;
            // No thread unparks this one: the engine does not tell when it is done.
            std::thread::park_timeout(FLUSH_LOOK);
        }
        self.db.persist(PersistMode::SyncAll)?;
        Ok(())
    }

    /// Looks whether the engine still accepts writes. Its threads flush and compact on their own, and after an error of
    /// theirs it accepts nothing more; it does not report that until something is written.
    pub(crate) fn check(&self) -> EngineResult<()> {
        Ok(self.db.persist(PersistMode::Buffer)?)
    }

    /// Rewrites every table into its smallest form. Slow; for measuring and maintenance.
    pub(crate) fn compact(&self) -> EngineResult<()> {
        self.tables.iter().try_for_each(|keyspace| Ok(keyspace.major_compact()?))
    }

    /// Bytes of all journals, allocated ones included.
    pub(crate) fn journal_len(&self) -> EngineResult<u64> {
        Ok(self.db.journal_disk_space()?)
    }

    /// Bytes of a table's files, memtables not included.
    pub(crate) fn table_len(&self, table: Table) -> u64 {
        self.keyspace(table).disk_space()
    }

    /// About how many rows a table has, old versions included.
    pub(crate) fn approximate_rows(&self, table: Table) -> u64 {
        self.keyspace(table).approximate_len() as u64
    }
}

fn keyspace_options(table: Table, options: &Options) -> KeyspaceCreateOptions {
    let base = KeyspaceCreateOptions::default()
        .max_memtable_size(options.memtable_bytes)
        .data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4));
    match table {
        Table::Forward | Table::Records | Table::Posts => base
            .filter_policy(FilterPolicy::all(FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(
                10.0,
            ))))
            .data_block_hash_ratio_policy(HashRatioPolicy::all(if table == Table::Records {
                8.0
            } else {
                0.0
            })),
        Table::Reverse | Table::Log | Table::Outbox => base.filter_policy(FilterPolicy::disabled()),
    }
}

/// Changes that become visible and durable together or not at all.
pub(crate) struct RowBatch {
    rows: OwnedWriteBatch,
    tables: [Keyspace; TABLES],
    bytes: u64,
    journaled: Arc<AtomicU64>,
}

impl RowBatch {
    /// Puts a row.
    pub(crate) fn put(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.bytes += (key.len() + value.len()) as u64 + JOURNAL_ROW_OVERHEAD;
        self.rows.insert(&self.tables[table as usize], key, value);
    }

    /// Removes a row.
    pub(crate) fn remove(&mut self, table: Table, key: &[u8]) {
        self.bytes += key.len() as u64 + JOURNAL_ROW_OVERHEAD;
        self.rows.remove(&self.tables[table as usize], key);
    }

    /// Puts a row, or removes it if there is none to be.
    pub(crate) fn set(&mut self, table: Table, key: &[u8], value: Option<impl AsRef<[u8]>>) {
        match value {
            Some(value) => self.put(table, key, value.as_ref()),
            None => self.remove(table, key),
        }
    }

    /// Returns whether it changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Commits.
    ///
    /// # Errors
    /// After an error the state of the disk is unknown, and the engine accepts nothing more.
    pub(crate) fn commit(self, wait: Wait) -> EngineResult<()> {
        let mode = match wait {
            Wait::Disk => PersistMode::SyncData,
            Wait::Os => PersistMode::Buffer,
        };
        self.journaled.fetch_add(self.bytes, Ordering::Relaxed);
        Ok(self.rows.durability(Some(mode)).commit()?)
    }
}

/// A row as read.
pub(crate) type RawRow = (Slice, Slice);

/// A consistent view of all tables.
pub(crate) struct Snapshot {
    at: fjall::Snapshot,
    tables: [Keyspace; TABLES],
    #[cfg(test)]
    work: Arc<work::WorkCount>,
}

impl Snapshot {
    /// The value of a key.
    pub(crate) fn get(&self, table: Table, key: &[u8]) -> EngineResult<Option<Slice>> {
        Ok(self.at.get(&self.tables[table as usize], key)?)
    }

    /// Returns whether a key has a value.
    pub(crate) fn contains(&self, table: Table, key: &[u8]) -> EngineResult<bool> {
        Ok(self.at.contains_key(&self.tables[table as usize], key)?)
    }

    /// Rows whose key begins with `prefix`, in order.
    pub(crate) fn prefix(
        &self,
        table: Table,
        prefix: &[u8],
    ) -> impl Iterator<Item = EngineResult<RawRow>> + use<> {
        let rows = self.at.prefix(&self.tables[table as usize], prefix).map(|guard| Ok(guard.into_inner()?));
        self.counted(rows)
    }

    /// Rows whose keys begin with `prefix` and come after a key, in order.
    #[allow(clippy::needless_pass_by_value, reason = "callers make the key for this call")]
    pub(crate) fn prefix_after<K: AsRef<[u8]>>(
        &self,
        table: Table,
        prefix: &[u8],
        after: Option<K>,
    ) -> impl Iterator<Item = EngineResult<RawRow>> + use<K> {
        let from = after.as_ref().map_or(Bound::Included(prefix), |key| Bound::Excluded(key.as_ref()));
        let end = behind(prefix);
        self.range(table, from, end.as_deref().map_or(Bound::Unbounded, Bound::Excluded))
    }

    /// Rows after `from` (exclusive if `after`) up to and including `to`, in order.
    pub(crate) fn range(
        &self,
        table: Table,
        from: Bound<&[u8]>,
        to: Bound<&[u8]>,
    ) -> impl Iterator<Item = EngineResult<RawRow>> + use<> {
        let rows = self
            .at
            .range::<&[u8], (Bound<&[u8]>, Bound<&[u8]>)>(&self.tables[table as usize], (from, to))
            .map(|guard| Ok(guard.into_inner()?));
        self.counted(rows)
    }

    /// Rows as they are: only tests count them.
    #[cfg(not(test))]
    #[allow(clippy::unused_self, reason = "tests count in it")]
    fn counted<I: Iterator<Item = EngineResult<RawRow>>>(&self, rows: I) -> I {
        rows
    }

    /// Rows, counted as they are yielded.
    #[cfg(test)]
    fn counted<I: Iterator<Item = EngineResult<RawRow>>>(
        &self,
        rows: I,
    ) -> impl Iterator<Item = EngineResult<RawRow>> + use<I> {
        let work = self.work.clone();
        rows.inspect(move |row| work.count(row))
    }

    /// The last row of a table.
    pub(crate) fn last(&self, table: Table) -> EngineResult<Option<RawRow>> {
        Ok(self.at.last_key_value(&self.tables[table as usize]).map(fjall::Guard::into_inner).transpose()?)
    }
}

/// The first key behind all keys that begin with a prefix; `None` if there is none.
fn behind(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}
