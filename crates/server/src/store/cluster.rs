//! A cluster that this process serves, or does some work on.

use super::layout::{databases, failure};
use crate::clock::SystemClock;
use crate::config::{Carried, ProcessRole, Settings};
use crate::descriptors::Descriptors;
use crate::failure::Outcome;
use crate::ports::{ProcessTerms, StorePorts, StoreTerms};
use guanxi_centers::{HEAVY_WORKING_REMOTE, HeavyWork};
use guanxi_cluster::{
    CarryMode, CheckSchedule, ClusterOptions, ClusterStore, MemoryBytes, RepairCheck, ServingAs, ServingRoles,
};
use guanxi_model::plan::FactLimits;
use guanxi_ports::{AbsentInbox, Log as _};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{env, fs, process};

const MIB: u64 = 1 << 20;

/// Logs of a cluster, which share what `log_events_max` keeps.
const LOGS: u64 = 256;

/// Seconds of an hour.
const HOUR_S: u64 = 3_600;

/// A cluster that this process serves, or does some work on.
pub struct Cluster {
    store: Arc<ClusterStore>,
    ports: StorePorts,
    descriptors: Descriptors,
}

impl Cluster {
    /// Connects to the cluster of the settings to serve it, by the roles of this process.
    pub async fn open(settings: &Settings) -> Outcome<Self> {
        let roles = roles(settings);
        let follows = roles.worker.then_some(ClusterOptions::default().apply_every).flatten();
        let serving =
            ServingAs { roles, program: env!("CARGO_PKG_VERSION"), host: host(), pid: process::id() };
        let serving = Some(serving);
        Self::open_as(settings, ClusterOptions { apply_every: follows, serving, ..options(settings) }).await
    }

    /// Connects to it for some work, beside those that serve it.
    pub async fn open_to_work(settings: &Settings) -> Outcome<Self> {
        Self::open_as(settings, ClusterOptions { apply_every: None, ..options(settings) }).await
    }

    async fn open_as(settings: &Settings, options: ClusterOptions) -> Outcome<Self> {
        let descriptors = Descriptors::raise()?;
        let store = ClusterStore::open(&databases(settings)?, options, Arc::new(SystemClock)).await;
        let store = Arc::new(store.map_err(failure)?);
        let terms = StoreTerms {
            inbox: AbsentInbox::new(store.history(), store.logs()),
            uids: store.uids(),
            others_write: true,
            heavy: HeavyWork::new(HEAVY_WORKING_REMOTE),
            process: ProcessTerms::of_system(),
        };
        let ports = StorePorts::around(store.clone(), terms);
        Ok(Self { store, ports, descriptors })
    }

    /// The store itself.
    pub(crate) const fn store(&self) -> &Arc<ClusterStore> {
        &self.store
    }

    /// Its ports.
    pub const fn ports(&self) -> &StorePorts {
        &self.ports
    }

    /// Returns the descriptors that the system lets the process open.
    pub(crate) const fn descriptors(&self) -> Descriptors {
        self.descriptors
    }
}

/// The name of this machine, as others are told.
fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let told = fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| env::var("HOSTNAME"));
        told.map_or_else(|_| "unknown".to_owned(), |name| name.trim().to_owned())
    })
}

/// Returns the roles of this process.
pub(crate) fn roles(settings: &Settings) -> ServingRoles {
    let has = |role| settings.has_role(role);
    ServingRoles {
        api: has(ProcessRole::Api),
        worker: has(ProcessRole::Worker),
        repair: has(ProcessRole::Repair),
        index: settings.index_place().is_some(),
    }
}

/// When checks run of themselves.
pub(crate) fn schedule(settings: &Settings) -> CheckSchedule {
    let all = [
        (RepairCheck::Pairs, settings.check_pairs_every_s),
        (RepairCheck::Incremental, settings.check_incremental_every_s),
        (RepairCheck::Digests, settings.check_digests_every_s),
        (RepairCheck::Full, settings.check_full_every_hours * HOUR_S),
    ];
    let due = all.into_iter().filter(|(_, seconds)| *seconds > 0);
    let every = due.map(|(check, seconds)| (check, Duration::from_secs(seconds))).collect();
    CheckSchedule { every, share: settings.check_share_percent as f64 / 100.0 }
}

/// How much memory is for what. Of that for users, checks need the most: a relation of two takes as much as a standing of one. A whole
/// post takes about ten times what one takes without its content, and pages look at more posts than they show.
const fn memory_bytes(settings: &Settings) -> MemoryBytes {
    let (users, posts) = (settings.user_cache_mib * MIB, settings.item_cache_mib * MIB);
    MemoryBytes {
        pairs: users / 8 * 3,
        viewers: users / 8 * 3,
        standings: users / 8,
        lists: users / 8,
        outboxes: settings.author_cache_mib * MIB,
        headers: posts / 4,
        posts: posts / 8 * 3,
        counters: posts / 8,
        marks: posts / 4,
    }
}

/// Returns the options of a cluster by the settings, for any role of this process.
fn options(settings: &Settings) -> ClusterOptions {
    let defaults = ClusterOptions::default();
    ClusterOptions {
        limits: FactLimits { follows: settings.follow_limit, ..defaults.limits },
        carrying: match settings.carrying {
            Carried::Sync => CarryMode::Sync,
            Carried::Log => CarryMode::Log,
        },
        memory: memory_bytes(settings),
        staleness: Duration::from_millis(settings.staleness_ms),
        // The setting is of all logs together.
        log_events_max: (settings.log_events_max / LOGS).max(1),
        log_age_max: Duration::from_secs(settings.log_age_max_hours * HOUR_S),
        sign_outs_kept: settings.jwt_good_for(),
        uids: settings.uids.map(|uids| uids.0),
        ..defaults
    }
}
