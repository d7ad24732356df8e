//! A backend, opened and served: the one crate that names concrete backends and puts the layers together.
//!
//! A server has two halves. The lower one takes the ports of any store: [`StorePorts::around`] puts all wrappers around them in
//! one function, [`PortFollowers`] follow their logs, and [`serve_ports`] answers calls on both listeners. The upper one knows
//! stores: [`Directory::open`] or [`Cluster::open`] opens one, and [`serve`] adds what settings ask for (indexes, jobs, telemetry,
//! files beside the data) and runs the lower half until the end. Tests serve the specification in memory with the lower half.
//! Verbs of the command line that need no server work on the same open store: `store.ports().operator(..)`.
//!
//! # What it is not
//!
//! - It is not the command line. `crates/guanxi` is, with one file for each command.
//! - It has no rules and no handlers. `guanxi-centers` and `guanxi-api` have them.
//! - It is no backend. It opens one of `guanxi-embedded` and `guanxi-cluster`, and other crates of the product see ports alone.
//!
//! # Main types
//!
//! - [`OpenStore`] is an open [`Directory`] or [`Cluster`]. [`StorePorts`] has its ports with all wrappers.
//! - [`config::Settings`] has each setting with its default. [`config::load`] reads file, environment and flags.
//! - [`Serving`] is a server that accepts calls, [`Stop`] ends it.
//! - [`Failure`] is what a command tells the operator, with the code of its exit.
//!
//! # Example
//!
//! A server that ends as soon as it accepts calls.
//!
//! ```no_run,standalone_crate
//! use guanxi_server::config::Settings;
//! use guanxi_server::{Directory, Outcome, serve, telemetry};
//! use std::path::Path;
//!
//! async fn serve_once(dir: &Path) -> Outcome {
//!     let settings = Settings::default();
//!     let metrics = telemetry::install_metrics()?;
//!     let opened = Directory::open(dir, &settings)?;
//!     // The last argument runs once both listeners accept. Calls that run are answered before the store closes.
//!     serve(opened, dir, &settings, metrics, None, async |serving| {
//!         assert!(!serving.stop.begin(), "the end has not begun before");
//!         Ok(())
//!     })
//!     .await
//! }
//! ```
//!
//! # Where to begin
//!
//! - `ports.rs`: which wrappers are around the ports, and in which order?
//! - `listen/mod.rs`: what is started before the first call, and what ends after the last?
//! - `config/table.rs`: which settings are there?
//! - `jobs.rs`: what does a server do beside answering?
//!
//! # Threads
//!
//! | thread | runs | started by | stopped by |
//! |---|---|---|---|
//! | `guanxi-writer` | every change of a store, one group after the other | `EmbeddedStore::open` | `EmbeddedStore::close`, or the drop of the last one: both wait. When the disk fails it stays and refuses every write |
//! | a thread, with probes on tokio's workers | measures how long ready work waits for its turn, and so which calls are refused (`admission.rs` of `api`) | `listen/mod.rs` | the end of the process |
//! | `guanxi-watch` | looks every 100 ms whether the engine's threads failed, and then stops the store; frees flushed memtables. Lower priority | `EmbeddedStore::open` | the drop of the last `EmbeddedStore` |
//! | the engine's two workers | flushes of memtables and compaction | `Engine::open` | the drop of the engine, after the writer |
//! | `guanxi-posts`, `guanxi-users` | each writes one index and commits it, at most every half second and sooner for waiting callers; the library has a thread for segments and one for merges beside. Searches run on blocking threads, eight at once | `IndexStore::open` | `IndexStore::close`, or its drop: both wait |
//! | tokio's workers, one per core | connections, handlers, centers, reads of a view | `cli/mod.rs` | the end of the command |
//! | tokio's blocking threads | long work: filling memory for writes of more than 64 users, verify, backup, restore, bulk loads, joining other threads; every 10 s a sample of the overview | `spawn_blocking` at each place | the end of the work |
//! | `guanxi-index` | follows the logs for both indexes, on a runtime of its own. Lower priority, like the threads of the indexes | `Searching::start` in `followers/search.rs`, before the listeners | `Searching::end`, after the listeners and before the store closes |
//! | tasks on tokio's workers | the listener that answers searches of other processes; or, without an index, the look at which processes keep one | `Followers::start` in `followers/mod.rs` | `Followers::end`, before the index |
//! | `guanxi-exports` | jobs of the back office, two at once, and their files. Lower priority | `Exporting::start` in `exports.rs` | `Exporting::end`, after the listeners, before the store closes: after the page at hand |
//! | `guanxi-check` | reads the checksums of an opened index, or of one over which a search panicked | `IndexStore` | its own end |
//! | `guanxi-fanout` | the fan-out's worker and, every five seconds, the sweep of cold inboxes, on a runtime of its own | `Fanout::start` in `followers/fanout.rs`, before the listeners | `Fanout::end`, after the listeners and before the store closes |
//! | `guanxi-passwords` | hashes of passwords, one after the other | `Passwords::start` | the drop of the last `Passwords`, after the hash at hand |
//! | `guanxi-pw-flood` | the same with the least priority, while more than 4 wait | `Passwords::start` | the same |
//! | a task on tokio's workers | the hub's reader: reads each log once for all open streams, and sleeps while there are none | `Streams::start` in `followers/streams.rs` | `Streams::end`, before the fan-out's |
//! | a second thread of verify and of bulk loads | the log and the records; the reverse table | the call itself | the call, which waits for it |
//!
//! Readers take no thread of the store: they pin a view, hold locks of caches for a few probes only, and read a snapshot.
//! A panic of the writer leaves no answer, so callers see that the store is shutting down.

mod bind;
mod clock;
pub mod config;
mod descriptors;
mod endpoints;
mod exports;
mod failpoints;
mod failure;
mod followers;
mod jobs;
mod listen;
mod nearest;
mod observe;
pub mod overview;
mod ports;
mod priority;
mod secret;
mod small_file;
mod spool;
mod store;
pub mod telemetry;

pub use descriptors::Descriptors;
pub use endpoints::Endpoints;
pub use exports::Exporting;
pub use failure::{Context, EXIT_DIFFERENCES, Failure, Outcome};
pub use followers::{PortFollowers, SEARCH_DIR};
pub use guanxi_console as console;
pub use guanxi_console::{DemoWorld, Hosts};
pub use listen::{ADMIN_TOKEN_FILE, Door, ServedConsole, ServedPorts, Serving, Stop, serve, serve_ports};
pub use nearest::nearest;
pub use ports::{ProcessTerms, StorePorts, StoreTerms, WholeStore};
pub use spool::clear_spool;
pub use store::{
    CheckReport, Cluster, DataFound, DataKind, Directory, Dump, InitReport, InitStep, Loaded, LossReport,
    Migrated, OpenStore, RepairCheck, RepairReport, RepairTerms, Restored, ShardMap, StartEffect,
    StartReport, accept_loss, bulk_load, check_cluster, fork, init_cluster, loadable, memory_mib, migrate,
    restore, restore_into_cluster, run_checks, shard_map, start_of_cluster, start_of_directory,
};

use guanxi_model::Error;
use guanxi_ports::BoxFuture;
use std::time::Duration;

/// Returns the reaction of a follower of the log to an error: it logs what the error means, and rests.
fn interrupted(
    what: &'static str,
) -> impl Fn(&Error, Duration) -> BoxFuture<'static, ()> + Send + Sync + 'static {
    move |error, rest| {
        tracing::warn!(%error, "{what}");
        Box::pin(tokio::time::sleep(rest))
    }
}
