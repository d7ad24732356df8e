//! The dictionary of external ids.

use guanxi_model::{ExternalId, Uid};
use std::collections::{BTreeMap, BTreeSet};

/// Each external id with the uid that it has. Both lie in the shard of the id's hash.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExternalIdMap {
    pub(crate) uids: BTreeMap<ExternalId, Uid>,
    /// Those that led to users who are erased. The specification may keep what a disk must not have.
    pub(crate) erased: BTreeSet<ExternalId>,
}

impl ExternalIdMap {
    pub(crate) fn erase(&mut self, uid: Uid) {
        self.erased.extend(self.id_of(uid).cloned());
        self.uids.retain(|_, owner| *owner != uid);
    }

    pub(crate) fn id_of(&self, wanted: Uid) -> Option<&ExternalId> {
        self.uids.iter().find_map(|(id, uid)| (*uid == wanted).then_some(id))
    }
}
