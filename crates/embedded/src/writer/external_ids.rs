//! External ids of a group: what the planner reads of them, and the rows that its changes come to.

use super::plan::GroupState;
use crate::engine::{EngineError, Table};
use crate::layout::{EXTERNAL_ID, encode_number, external_uid_key, user_key};
use crate::rows;
use guanxi_model::plan::ExternalRows;
use guanxi_model::{ExternalId, Uid};
use std::collections::HashMap;

/// The external ids that the group has given uids or taken away, and those uids.
#[derive(Default)]
pub(super) struct WorkingExternalIds {
    uids: HashMap<ExternalId, Option<Uid>>,
    ids: HashMap<Uid, Option<ExternalId>>,
}

impl GroupState<'_> {
    /// Whether a uid has an external id.
    pub(super) fn is_external(&self, uid: Uid) -> Result<bool, EngineError> {
        match self.external_ids.ids.get(&uid) {
            Some(id) => Ok(id.is_some()),
            None => self.snapshot.contains(Table::Records, &user_key(EXTERNAL_ID, uid)),
        }
    }
}

impl ExternalRows for GroupState<'_> {
    fn external_uid(&mut self, id: &ExternalId) -> Result<Option<Uid>, EngineError> {
        match self.external_ids.uids.get(id) {
            Some(uid) => Ok(*uid),
            None => rows::external_ids::uid_of(&self.snapshot, id),
        }
    }

    fn put_external_id(&mut self, id: &ExternalId, uid: Uid) -> Result<(), EngineError> {
        self.batch.put(Table::Records, &external_uid_key(id), &encode_number(uid.get()));
        self.batch.put(Table::Records, &user_key(EXTERNAL_ID, uid), id.as_str().as_bytes());
        self.external_ids.uids.insert(id.clone(), Some(uid));
        self.external_ids.ids.insert(uid, Some(id.clone()));
        Ok(())
    }

    fn remove_external_id(&mut self, uid: Uid) -> Result<(), EngineError> {
        let id = match self.external_ids.ids.get(&uid) {
            Some(id) => id.clone(),
            None => rows::external_ids::id_of(&self.snapshot, uid)?,
        };
        if let Some(id) = id {
            self.batch.remove(Table::Records, &external_uid_key(&id));
            self.batch.remove(Table::Records, &user_key(EXTERNAL_ID, uid));
            self.external_ids.uids.insert(id, None);
            self.external_ids.ids.insert(uid, None);
        }
        Ok(())
    }
}
