//! External ids of a group: what the planner reads of them, and the rows that its changes come to.

use super::plan::GroupState;
use crate::engine::{EngineError, Table};
use crate::layout::{EXTERNAL_ID, encode_number, external_uid_key, user_key};
use crate::rows;
use guanxi_model::plan::ExternalRows;
use guanxi_model::{ExternalId, Uid};
use std::collections::{HashMap, HashSet};

/// The external ids that the group has given uids, and those uids.
#[derive(Default)]
pub(super) struct WorkingExternalIds {
    uids: HashMap<ExternalId, Uid>,
    taken: HashSet<Uid>,
}

impl GroupState<'_> {
    /// Whether a uid has an external id.
    pub(super) fn is_external(&self, uid: Uid) -> Result<bool, EngineError> {
        let group = self.external_ids.taken.contains(&uid);
        Ok(group || self.snapshot.contains(Table::Records, &user_key(EXTERNAL_ID, uid))?)
    }
}

impl ExternalRows for GroupState<'_> {
    fn external_uid(&mut self, id: &ExternalId) -> Result<Option<Uid>, EngineError> {
        match self.external_ids.uids.get(id) {
            Some(uid) => Ok(Some(*uid)),
            None => rows::external_ids::uid_of(&self.snapshot, id),
        }
    }

    fn put_external_id(&mut self, id: &ExternalId, uid: Uid) -> Result<(), EngineError> {
        self.batch.put(Table::Records, &external_uid_key(id), &encode_number(uid.get()));
        self.batch.put(Table::Records, &user_key(EXTERNAL_ID, uid), id.as_str().as_bytes());
        self.external_ids.uids.insert(id.clone(), uid);
        self.external_ids.taken.insert(uid);
        Ok(())
    }
}
