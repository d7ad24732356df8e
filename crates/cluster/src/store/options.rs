//! How a process serves a cluster.

use crate::serving::ServingAs;
use crate::tail::{MemoryBytes, RING_EVENTS_MAX};
use guanxi_model::limits::{BLOCK_LIMIT, FOLLOW_LIMIT_DEFAULT, MUTE_LIMIT};
use guanxi_model::plan::FactLimits;
use guanxi_model::user::UidPolicy;
use guanxi_ports::IndexReplica;
use std::sync::Arc;
use std::time::Duration;

/// How what follows from an event comes to the shard of the other user. What parts two users stands in both shards before
/// its answer, however it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CarryMode {
    /// Before the event is answered.
    Sync,
    /// Soon after, by the follower of the logs.
    #[default]
    Log,
}

/// Events of each log that are kept: as many in all as one machine keeps.
const LOG_EVENTS_MAX: u64 = 10_000_000 / 256;

/// How often a process looks at the logs, unless a notification wakes it before.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How a process serves a cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterOptions {
    /// How many a user may follow, block and mute.
    pub limits: FactLimits,
    /// How what follows from events is carried.
    pub carrying: CarryMode,
    /// How often the logs are looked at for what is to be applied; never if not given: then another process does it.
    pub apply_every: Option<Duration>,
    /// Whether processes tell each other by notifications that logs have moved; else each looks every so often.
    pub notifies: bool,
    /// Events of each log that readers are served; older ones are trimmed.
    pub log_events_max: u64,
    /// Events of each database that are kept in memory for readers of the logs.
    pub ring_events_max: usize,
    /// Memory for what is read again and again.
    pub memory: MemoryBytes,
    /// How old what memory tells may be for a reader without a token. A reader sees what this process has written at once.
    pub staleness: Duration,
    /// How old an event may become; older ones are trimmed, but no younger than two hours.
    pub log_age_max: Duration,
    /// How long it is known that a user signed out everywhere: at least as long as anything lives that others issue to users.
    pub sign_outs_kept: Duration,
    /// What other processes are told of this one; nothing of one that only does some work.
    pub serving: Option<ServingAs>,
    /// The policy of uids; `None` for that of the cluster, which is both in a new one. A process that does not serve is
    /// not asked.
    pub uids: Option<UidPolicy>,
    /// How often it is looked whether a database lost events that others have seen.
    pub losses_every: Duration,
    /// Views at once, each of which holds a connection to each database that it asks.
    pub views_max: usize,
}

/// What a process says of its indexes of search, whenever it says that it serves.
pub type TellReplica = Arc<dyn Fn() -> IndexReplica + Send + Sync>;

impl Default for ClusterOptions {
    fn default() -> Self {
        Self {
            limits: FactLimits { follows: FOLLOW_LIMIT_DEFAULT, blocks: BLOCK_LIMIT, mutes: MUTE_LIMIT },
            carrying: CarryMode::default(),
            apply_every: Some(LOOK_EVERY),
            notifies: true,
            log_events_max: LOG_EVENTS_MAX,
            ring_events_max: RING_EVENTS_MAX,
            memory: MemoryBytes {
                pairs: 64 << 20,
                viewers: 64 << 20,
                outboxes: 64 << 20,
                headers: 32 << 20,
                posts: 32 << 20,
                counters: 16 << 20,
                marks: 32 << 20,
                standings: 16 << 20,
                lists: 16 << 20,
            },
            staleness: Duration::from_millis(200),
            log_age_max: Duration::from_hours(24 * 7),
            sign_outs_kept: Duration::from_hours(24),
            serving: None,
            uids: None,
            losses_every: Duration::from_secs(5),
            views_max: 16,
        }
    }
}
