//! Stores that a process opens: a data directory of its own, or a cluster beside other processes. Here is also the work on a
//! store that no process serves.

mod bulk;
mod checks;
mod cluster;
mod directory;
mod layout;
mod moving;
mod upgrade;

pub use bulk::{Loaded, bulk_load, loadable};
pub use checks::{RepairCheck, RepairReport, RepairTerms, run_checks};
pub use cluster::Cluster;
pub(crate) use cluster::{roles, schedule};
#[cfg(test)]
pub(crate) use directory::options;
pub use directory::{Directory, Dump, Restored, fork, memory_mib, restore};
pub use layout::{
    CheckReport, InitReport, InitStep, LossReport, ShardMap, accept_loss, check_cluster, init_cluster,
    shard_map,
};
pub use moving::{Migrated, migrate, restore_into_cluster};
pub use upgrade::{DataFound, DataKind, StartEffect, StartReport, start_of_cluster, start_of_directory};

use crate::config::{ProcessRole, Settings};
use crate::descriptors::Descriptors;
use crate::failure::Outcome;
use crate::ports::StorePorts;
use crate::secret;
use guanxi_api::{Readiness, Ready};
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An open store.
pub enum OpenStore {
    /// A data directory of its own.
    Directory(Directory),
    /// A cluster, beside other processes.
    Cluster(Cluster),
}

impl OpenStore {
    /// Its ports.
    pub const fn ports(&self) -> &StorePorts {
        match self {
            Self::Directory(local) => local.ports(),
            Self::Cluster(cluster) => cluster.ports(),
        }
    }

    /// Returns the descriptors that the system lets the process open.
    pub(crate) const fn descriptors(&self) -> Descriptors {
        match self {
            Self::Directory(local) => local.descriptors(),
            Self::Cluster(cluster) => cluster.descriptors(),
        }
    }

    /// Returns the secret of the data. The secret of a cluster is in its first database.
    pub(crate) fn data_key(&self, dir: &Path) -> Outcome<[u8; 32]> {
        match self {
            Self::Directory(_) => secret::data_key(dir),
            Self::Cluster(cluster) => Ok(cluster.store().data_key()),
        }
    }

    /// Returns whether this process pushes posts to inboxes of its own.
    pub(crate) const fn has_inboxes(&self) -> bool {
        matches!(self, Self::Directory(_))
    }

    /// Returns whether this process has a role; one with a directory of its own has all.
    pub(crate) fn has_role(&self, settings: &Settings, role: ProcessRole) -> bool {
        match self {
            Self::Directory(_) => true,
            Self::Cluster(_) => settings.has_role(role),
        }
    }

    /// The names of the roles of this process, as the setting `roles` has them.
    pub(crate) fn role_names(&self, settings: &Settings) -> Vec<&'static str> {
        let all = ProcessRole::ALL.into_iter();
        all.filter(|role| self.has_role(settings, *role)).map(ProcessRole::name).collect()
    }

    /// Tells whether calls can be answered, as long as `running`.
    pub(crate) fn readiness(&self, running: Arc<AtomicBool>) -> Ready {
        match self {
            Self::Directory(_) => Arc::new(move || Readiness::of(running.load(Ordering::Relaxed))),
            Self::Cluster(cluster) => {
                let store = cluster.store().clone();
                Arc::new(move || Readiness {
                    is_ready: running.load(Ordering::Relaxed) && store.is_in_time(),
                    problems: store.problems(),
                })
            }
        }
    }

    /// Completes when the store stopped because the disk failed, and says why; a cluster's databases come and go.
    pub(crate) async fn stopped(&self) -> String {
        match self {
            Self::Directory(local) => local.stopped().await,
            Self::Cluster(_) => pending().await,
        }
    }

    /// Flushes and closes; a process that served a cluster says that it does no more.
    pub async fn close(&self) -> Outcome {
        match self {
            Self::Directory(local) => local.close().await,
            Self::Cluster(cluster) => {
                cluster.store().leave().await;
                Ok(())
            }
        }
    }
}

impl From<Directory> for OpenStore {
    fn from(local: Directory) -> Self {
        Self::Directory(local)
    }
}

impl From<Cluster> for OpenStore {
    fn from(cluster: Cluster) -> Self {
        Self::Cluster(cluster)
    }
}
