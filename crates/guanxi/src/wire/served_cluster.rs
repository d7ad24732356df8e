//! A cluster that this process serves.

use super::cluster::{databases, failure};
use super::descriptors::Descriptors;
use super::stored::{Stored, StoredPorts};
use crate::clock::SystemClock;
use crate::config::{Carried, Settings};
use crate::failure::Outcome;
use guanxi_cluster::{CarryMode, ClusterOptions, ClusterStore};
use guanxi_model::user::UidPolicy;
use guanxi_ports::{AbsentInbox, Log as _, Metered};
use std::sync::Arc;

/// A cluster that this process serves.
pub(crate) struct ServedCluster {
    stored: Stored,
    descriptors: Descriptors,
}

impl ServedCluster {
    /// Connects to the cluster of the settings.
    pub(crate) async fn open(settings: &Settings) -> Outcome<Self> {
        let descriptors = Descriptors::raise()?;
        let defaults = ClusterOptions::default();
        let options = ClusterOptions {
            limits: guanxi_model::plan::FactLimits { follows: settings.follow_limit, ..defaults.limits },
            carrying: match settings.carrying {
                Carried::Sync => CarryMode::Sync,
                Carried::Log => CarryMode::Log,
            },
            ..defaults
        };
        let store = ClusterStore::open(&databases(settings)?, options, Arc::new(SystemClock)).await;
        let store = Arc::new(store.map_err(failure)?);
        let head = store.head().await?;
        let all = Arc::new(Metered::new(store.clone()));
        let stored = Stored::of(StoredPorts {
            graph: all.clone(),
            posts: all,
            log: store.clone(),
            credentials: store.clone(),
            sessions: store.clone(),
            ended: store.clone(),
            upkeep: store,
            inbox: Arc::new(AbsentInbox::new(head.history(), head.logs())),
            uids: settings.uids.map_or(UidPolicy::Both, |uids| uids.0),
        });
        Ok(Self { stored, descriptors })
    }

    /// Its ports.
    pub(crate) const fn stored(&self) -> &Stored {
        &self.stored
    }

    /// What the system lets the process open.
    pub(crate) const fn descriptors(&self) -> Descriptors {
        self.descriptors
    }
}
