//! The wiring: the one place that names a concrete backend, and puts the layers together.
//!
//! `Store` (embedded) -> `Metered` -> `RelationCenter` -> api; `Store` -> `PostCenter`, `FeedCenter` -> api;
//! `Store` -> `CachedSessions` -> api, and with its credentials -> `NamedSessions` -> api;
//! `Inboxes` (embedded) -> `Failing` -> `FeedCenter`, whose fan-out has a thread of its own; `Store` -> `Hub` -> the
//! streams of both centers.

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
mod jobs;
mod jwt;
mod local;
mod moving;
mod observe;
mod opened;
mod priority;
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

pub(crate) use bulk::{Loaded, bulk_load, loadable};
pub(crate) use checks::{RepairCheck, RepairReport, RepairTerms, run_checks};
pub(crate) use cluster::{CheckReport, InitReport, InitStep, check_cluster, init_cluster, shard_map};
pub(crate) use descriptors::Descriptors;
pub(crate) use endpoints::Endpoints;
#[cfg(test)]
pub(crate) use local::options;
pub(crate) use local::{Dump, Local, fork, memory_mib, restore};
pub(crate) use moving::{migrate, restore_into_cluster};
pub(crate) use opened::ServedStore;
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
