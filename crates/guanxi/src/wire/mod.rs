//! The wiring: the one place that names a concrete backend, and puts the layers together.
//!
//! `Store` (embedded) -> `Metered` -> `RelationCenter` -> api; `Store` -> `PostCenter`, `FeedCenter` -> api;
//! `Store` -> `CachedSessions` -> api, and with its credentials -> `NamedSessions` -> api;
//! `Inboxes` (embedded) -> `Failing` -> `FeedCenter`, whose fan-out has a thread of its own; `Store` -> `Hub` -> the
//! streams of both centers.
//!
//! # Threads
//!
//! | thread | runs | started by | stopped by |
//! |---|---|---|---|
//! | `guanxi-writer` | every change of a store, one group after the other | `Store::open` | `Store::close`, or the drop of the last `Store`: both wait. When the disk fails it stays and refuses every write |
//! | a thread, with probes on tokio's workers | measures how long ready work waits for its turn, and so which calls are refused (`admission.rs` of `api`) | `routers` in `serve.rs` | the end of the process |
//! | `guanxi-watch` | looks every 100 ms whether the engine's threads failed, and then stops the store; frees flushed memtables. Lower priority | `Store::open` | the drop of the last `Store` |
//! | the engine's two workers | flushes of memtables and compaction | `Engine::open` | the drop of the engine, after the writer |
//! | `guanxi-posts`, `guanxi-users` | each writes one index and commits it, at most every half second and sooner for waiting callers; the library has a thread for segments and one for merges beside. Searches run on blocking threads, eight at once | `IndexStore::open` | `IndexStore::close`, or its drop: both wait |
//! | tokio's workers, one per core | connections, handlers, centers, reads of a view | `cli/mod.rs` | the end of the command |
//! | tokio's blocking threads | long work: filling memory for writes of more than 64 users, verify, backup, restore, bulk loads, joining other threads | `spawn_blocking` at each place | the end of the work |
//! | `guanxi-index` | follows the logs for both indexes, on a runtime of its own. Lower priority, like the threads of the indexes | `Searching::start` in `search.rs`, before the listeners | `Searching::end`, after the listeners and before the store closes |
//! | tasks on tokio's workers | the listener that answers searches of other processes; or, without an index, the look at which processes keep one | `Followers::start` in `followers.rs` | `Followers::end`, before the index |
//! | `guanxi-exports` | jobs of the back office, two at once, and their files. Lower priority | `Exporting::start` in `exports.rs` | `Exporting::end`, after the listeners, before the store closes: after the page at hand |
//! | `guanxi-check` | reads the checksums of an opened index, or of one over which a search panicked | `IndexStore` | its own end |
//! | `guanxi-fanout` | the fan-out's worker and, every five seconds, the sweep of cold inboxes, on a runtime of its own | `Fanout::start` in `fanout.rs`, before the listeners | `Fanout::end`, after the listeners and before the store closes |
//! | `guanxi-passwords` | hashes of passwords, one after the other | `Passwords::start` | the drop of the last `Passwords`, after the hash at hand |
//! | `guanxi-pw-flood` | the same with the least priority, while more than 4 wait | `Passwords::start` | the same |
//! | a task on tokio's workers | the hub's reader: reads each log once for all open streams, and sleeps while there are none | `Streams::start` in `streams.rs` | `Streams::end`, before the fan-out's |
//! | a second thread of verify and of bulk loads | the log and the records; the reverse table | the call itself | the call, which waits for it |
//!
//! Readers take no thread of the store: they pin a view, hold locks of caches for a few probes only, and read a snapshot.
//! A panic of the writer leaves no answer, so callers see that the store is shutting down.

mod bench;
mod bind;
mod bulk;
mod checks;
mod cluster;
mod descriptors;
mod duties;
mod endpoints;
mod exports;
mod failpoints;
mod fanout;
mod followers;
mod health;
mod jobs;
mod jwt;
mod local;
mod moving;
mod observe;
mod opened;
mod priority;
mod remote;
mod replicas;
mod search;
mod secret;
mod serve;
mod served_cluster;
mod sessions;
mod small_file;
mod spool;
mod stored;
mod streams;
mod supervisor;
mod tls;

pub(crate) use bench::{Server, load_follows, stay_on};
pub(crate) use bulk::{Loaded, bulk_load, loadable};
pub(crate) use checks::{RepairCheck, RepairReport, RepairTerms, run_checks};
pub(crate) use cluster::{CheckReport, InitReport, check_cluster, init_cluster, shard_map};
pub(crate) use descriptors::Descriptors;
pub(crate) use endpoints::Endpoints;
pub(crate) use health::is_ready;
#[cfg(test)]
pub(crate) use local::options;
pub(crate) use local::{Local, fork, memory_mib, restore};
pub(crate) use moving::{migrate, restore_into_cluster};
pub(crate) use opened::ServedStore;
pub(crate) use remote::{CALL_TIMEOUT, TlsOptions, client, connect, tls_failure};
pub(crate) use search::SEARCH_DIR;
pub(crate) use serve::{ADMIN_TOKEN_FILE, Serving, serve};
pub(crate) use served_cluster::ServedCluster;
pub(crate) use spool::clear_spool;
pub(crate) use stored::Stored;

use guanxi_model::Error;
use guanxi_ports::BoxFuture;
use std::time::Duration;

/// What a follower of the log does after an error: says what it means, and rests.
fn interrupted(
    what: &'static str,
) -> impl Fn(&Error, Duration) -> BoxFuture<'static, ()> + Send + Sync + 'static {
    move |error, rest| {
        tracing::warn!(%error, "{what}");
        Box::pin(tokio::time::sleep(rest))
    }
}
