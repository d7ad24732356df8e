//! How an embedded store is opened.

use crate::layout::ErasedIdKey;
use guanxi_model::HistoryId;
use guanxi_model::limits::FOLLOW_LIMIT_DEFAULT;
use guanxi_model::user::UidPolicy;
use std::time::Duration;

/// When a write is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// When it is on the disk: an acknowledged write survives a power cut.
    Sync,
    /// When the operating system has it: it survives the death of the process, and a power cut loses at most
    /// this window.
    Group(Duration),
}

/// How an embedded store is opened. `Options::default()` fits a small machine.
#[derive(Clone, Debug)]
pub struct Options {
    /// The identity of a new directory's history. The wiring draws it at random.
    pub new_history: HistoryId,
    /// The key of hashes of erased ids of a directory that has none yet. The wiring draws it at random.
    pub new_erased_id_key: ErasedIdKey,
    /// When a write is acknowledged.
    pub durability: Durability,
    /// Follows per user, unless the operator set a user's own limit; at most
    /// [`FOLLOW_LIMIT_MAX`](guanxi_model::limits::FOLLOW_LIMIT_MAX).
    pub follow_limit: u32,
    /// Blocks per user.
    pub block_limit: u32,
    /// Mutes per user.
    pub mute_limit: u32,
    /// Bytes for users' following sets and counters in memory.
    pub user_cache_bytes: u64,
    /// Bytes for first pages of followers lists in memory; those of requests, likers and reposts take an eighth of that each beside it.
    pub first_page_cache_bytes: u64,
    /// Bytes for heads and newest ids of outboxes in memory.
    pub author_cache_bytes: u64,
    /// Bytes for posts without their content in memory.
    pub item_cache_bytes: u64,
    /// Bytes for blocks of table files in memory.
    pub block_cache_bytes: u64,
    /// Files of tables kept open at most; others are opened when they are read. At least 10.
    pub files_max: usize,
    /// Bytes of one memtable; one per table is filled at a time.
    pub memtable_bytes: u64,
    /// Journal bytes at which the memtables are flushed: bounds the time to open after a crash.
    pub journal_bytes: u64,
    /// Events kept in the log; older ones are trimmed.
    pub log_events_max: u64,
    /// Age of the oldest event kept in the log.
    pub log_age_max: Duration,
    /// The policy of uids; `None` for that of the directory, which is both in a new one.
    pub uids: Option<UidPolicy>,
    /// How long it is known that a user signed out everywhere: at least as long as anything lives that others issue to
    /// users.
    pub sign_outs_kept: Duration,
    /// Free bytes of the file system below which writes are refused. The engine needs this room to flush and
    /// compact what it has accepted.
    pub free_space_reserve: u64,
}

/// First pages of followers; see [`Lists::budget`](guanxi_memory::lists::Lists::budget) for other lists.
pub(crate) const FIRST_PAGE_CACHE_BYTES: u64 = 64 * MIB;

/// A mebibyte.
const MIB: u64 = 1 << 20;

impl Default for Options {
    fn default() -> Self {
        Self {
            new_history: HistoryId(1),
            new_erased_id_key: ErasedIdKey([1; 32]),
            durability: Durability::Sync,
            follow_limit: FOLLOW_LIMIT_DEFAULT,
            block_limit: guanxi_model::limits::BLOCK_LIMIT,
            mute_limit: guanxi_model::limits::MUTE_LIMIT,
            user_cache_bytes: 256 * MIB,
            first_page_cache_bytes: FIRST_PAGE_CACHE_BYTES,
            author_cache_bytes: 128 * MIB,
            item_cache_bytes: 128 * MIB,
            block_cache_bytes: 256 * MIB,
            files_max: 900,
            memtable_bytes: 32 * MIB,
            journal_bytes: 64 * MIB,
            log_events_max: 10_000_000,
            log_age_max: Duration::from_hours(168),
            uids: None,
            sign_outs_kept: Duration::from_hours(24),
            free_space_reserve: 512 * MIB,
        }
    }
}
