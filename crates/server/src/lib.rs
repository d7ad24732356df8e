//! A backend, opened and served: the one crate that names concrete backends and puts the layers together.
//!
//! `Store` (embedded) -> `Metered` -> `RelationCenter` -> api; `Store` -> `PostCenter`, `FeedCenter` -> api;
//! `Store` -> `CachedSessions` -> api, and with its credentials -> `NamedSessions` -> api;
//! `Inboxes` (embedded) -> `Failing` -> `FeedCenter`, whose fan-out has a thread of its own; `Store` -> `Hub` -> the
//! streams of both centers.

mod bind;
mod clock;
pub mod config;
mod descriptors;
mod endpoints;
mod exports;
mod failpoints;
mod failure;
mod fanout;
mod first_token;
mod followers;
mod jobs;
mod jwt;
mod listen;
mod listen_options;
mod nearest;
mod observe;
mod ports;
mod priority;
mod replicas;
mod search;
mod secret;
mod small_file;
mod spool;
mod stop;
mod store;
mod streams;
mod supervisor;
pub mod telemetry;
mod tls;

pub use descriptors::Descriptors;
pub use endpoints::Endpoints;
pub use failure::{Context, EXIT_DIFFERENCES, Failure, Outcome};
pub use first_token::ADMIN_TOKEN_FILE;
pub use listen::{Serving, serve};
pub use nearest::nearest;
pub use ports::StorePorts;
pub use search::SEARCH_DIR;
pub use spool::clear_spool;
pub use stop::Stop;
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
