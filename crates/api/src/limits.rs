//! Limits of answers and streams, with their reasons, beside those of the transport. Those of the product are in
//! `guanxi_model::limits`.

use std::time::Duration;

pub use guanxi_rim::limits::*;

/// Events of one answer of Watch.
pub const WATCH_EVENTS_MAX: usize = 256;

/// A stream with nothing to say sends a heartbeat this often.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// Events that a filter may leave out before the stream tells how far it is.
pub const WATCH_SCAN_MAX: usize = 16_384;

/// Edges of one chunk of an export: 130 kB.
pub const EXPORT_CHUNK: usize = 4_096;

/// Requests in one message of an export of requests: 600 kB of the longest.
pub const EXPORT_REQUESTS_CHUNK: usize = 1_000;

/// Entries of the audit log in a page, unless the request says otherwise.
pub const AUDIT_PAGE_DEFAULT: u32 = 100;

/// Entries of the audit log in a page at most: 2 MB of the longest reasons, as JSON escapes them.
pub const AUDIT_PAGE_MAX: u32 = 200;

/// Events in a page of a user's history, unless the request says otherwise.
pub const HISTORY_PAGE_DEFAULT: u32 = 50;

/// Events in a page of a user's history at most: 200 kB.
pub const HISTORY_PAGE_MAX: u32 = 200;

/// Users in one message of an export of users: 1.5 MB of the longest.
pub const EXPORT_USERS_CHUNK: usize = 64;

/// Ids of each kind of difference that VerifyFeed answers for one viewer.
pub const VERIFY_IDS_MAX: usize = 1_000;

/// Bytes of one chunk of a backup.
pub const BACKUP_CHUNK: usize = 256 << 10;

/// How often a long task tells its progress, at most.
pub const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// How long a step of a proof of search indexes waits for an index to take in what the facts say.
pub const VERIFY_SEARCH_STEP_MAX: Duration = Duration::from_mins(5);

const _: () = assert!(WATCH_EVENTS_MAX <= guanxi_model::limits::EVENT_BATCH_MAX as usize);
