//! What a server serves, and how that ends: a data directory, or a cluster.

use super::descriptors::Descriptors;
use super::local::Local;
use super::served_cluster::ServedCluster;
use super::stored::Stored;
use crate::failure::Outcome;
use std::future::pending;

/// What a server serves.
pub(crate) enum ServedStore {
    /// A data directory of its own.
    Directory(Local),
    /// A cluster, beside other processes.
    Cluster(ServedCluster),
}

impl ServedStore {
    /// Its ports.
    pub(crate) const fn stored(&self) -> &Stored {
        match self {
            Self::Directory(local) => local.stored(),
            Self::Cluster(cluster) => cluster.stored(),
        }
    }

    /// What the system lets the process open.
    pub(crate) const fn descriptors(&self) -> Descriptors {
        match self {
            Self::Directory(local) => local.descriptors(),
            Self::Cluster(cluster) => cluster.descriptors(),
        }
    }

    /// Whether this process pushes posts to inboxes of its own.
    pub(crate) const fn has_inboxes(&self) -> bool {
        matches!(self, Self::Directory(_))
    }

    /// Completes when the store stopped because the disk failed, and says why; a cluster's databases come and go.
    pub(crate) async fn stopped(&self) -> String {
        match self {
            Self::Directory(local) => local.stopped().await,
            Self::Cluster(_) => pending().await,
        }
    }

    /// Flushes and closes.
    pub(crate) async fn close(&self) -> Outcome {
        match self {
            Self::Directory(local) => local.close().await,
            Self::Cluster(_) => Ok(()),
        }
    }
}

impl From<Local> for ServedStore {
    fn from(local: Local) -> Self {
        Self::Directory(local)
    }
}
