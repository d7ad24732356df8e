//! External ids that a group has given uids or taken away.

use super::recent_ids::{RecentIds, hash_of};
use guanxi_model::{ExternalId, Uid};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The external ids that the group has given uids or taken away, and those uids.
pub(crate) struct WorkingExternalIds {
    pub(crate) uids: HashMap<ExternalId, Option<Uid>>,
    pub(crate) ids: HashMap<Uid, Option<ExternalId>>,
    /// The ids whose users the group has erased.
    pub(crate) erased: HashSet<ExternalId>,
    /// What commits before the group gave uids.
    pub(crate) recent: Arc<RecentIds>,
    /// The event as of which the ids of the write at hand had no uids, if that was looked up.
    pub(crate) unknown_at: Option<u64>,
}

impl WorkingExternalIds {
    /// Nothing yet, after what commits gave uids lately.
    pub(crate) fn new(recent: Arc<RecentIds>) -> Self {
        Self { uids: HashMap::new(), ids: HashMap::new(), erased: HashSet::new(), recent, unknown_at: None }
    }

    /// Begins a write, whose ids had no uids as of an event.
    pub(crate) fn unknown_at(&mut self, seq: Option<u64>) {
        self.unknown_at = seq;
    }

    /// Hashes of the ids to which the group gave uids.
    pub(crate) fn given(&self) -> Vec<u64> {
        self.uids.iter().filter(|(_, uid)| uid.is_some()).map(|(id, _)| hash_of(id)).collect()
    }

    /// Returns whether an id needs no look, since it had no uid when it was looked up and has got none since.
    pub(crate) fn is_still_unknown(&self, id: &ExternalId) -> bool {
        self.unknown_at.is_some_and(|seq| self.recent.is_still_unknown(id, seq))
    }

    /// Returns whether a uid has an external id; `None` of one that the group has not changed.
    pub(crate) fn has_id(&self, uid: Uid) -> Option<bool> {
        self.ids.get(&uid).map(Option::is_some)
    }
}
