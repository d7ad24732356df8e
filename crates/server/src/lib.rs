//! A backend, opened and served: the one crate that names concrete backends and puts the layers together.
//!
//! [`Directory::open`] or [`Cluster::open`] opens a store, [`StorePorts`] puts all wrappers around its ports in one function,
//! and [`serve`] makes centers on them, follows the logs, does the jobs and answers calls until the end. Verbs of the command
//! line that need no server work on the same open store: `store.ports().operator(..)`.

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
mod ports;
mod priority;
mod secret;
mod small_file;
mod spool;
mod store;
pub mod telemetry;

pub use descriptors::Descriptors;
pub use endpoints::Endpoints;
pub use failure::{Context, EXIT_DIFFERENCES, Failure, Outcome};
pub use followers::SEARCH_DIR;
pub use listen::{ADMIN_TOKEN_FILE, Serving, Stop, serve};
pub use nearest::nearest;
pub use ports::StorePorts;
pub use spool::clear_spool;
pub use store::{
    CheckReport, Cluster, Directory, Dump, InitReport, InitStep, Loaded, Migrated, OpenStore, RepairCheck,
    RepairReport, RepairTerms, Restored, ShardMap, bulk_load, check_cluster, fork, init_cluster, loadable,
    memory_mib, migrate, restore, restore_into_cluster, run_checks, shard_map,
};

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
