//! External ids of a group: what the planner reads of them, and the rows that its changes come to.

use super::changes::{PlanRows, planned};
use crate::engine::{EngineResult, Table};
use crate::layout::{EXTERNAL_ID, encode_number, erased_id_key, external_uid_key, user_key};
use crate::rows;
use guanxi_model::plan::ExternalRows;
use guanxi_model::{ExternalId, Uid};

impl ExternalRows for PlanRows<'_> {
    fn external_uid(&mut self, id: &ExternalId) -> EngineResult<Option<Uid>> {
        match self.external_ids.uids.get(id) {
            Some(uid) => Ok(*uid),
            None if self.external_ids.is_still_unknown(id) => Ok(None),
            None => rows::external_ids::uid_of(&self.snapshot, id),
        }
    }

    fn put_external_id(&mut self, id: &ExternalId, uid: Uid) -> EngineResult<()> {
        self.batch.put(Table::Records, &external_uid_key(id), &encode_number(uid.get()));
        self.batch.put(Table::Records, &user_key(EXTERNAL_ID, uid), id.as_str().as_bytes());
        self.external_ids.uids.insert(id.clone(), Some(uid));
        self.external_ids.ids.insert(uid, Some(id.clone()));
        Ok(())
    }

    fn erase_external_id(&mut self, uid: Uid) -> EngineResult<()> {
        let id = planned(self.external_ids.ids.get(&uid), || rows::external_ids::id_of(&self.snapshot, uid))?;
        if let Some(id) = id {
            self.batch.remove(Table::Records, &external_uid_key(&id));
            self.batch.remove(Table::Records, &user_key(EXTERNAL_ID, uid));
            let hash = self.shared.erased_id_key.hash(&id);
            self.batch.put(Table::Records, &erased_id_key(id.gene(), hash), &[]);
            self.external_ids.erased.insert(id.clone());
            self.external_ids.uids.insert(id, None);
            self.external_ids.ids.insert(uid, None);
        }
        Ok(())
    }

    fn is_erased_id(&mut self, id: &ExternalId) -> EngineResult<bool> {
        if self.external_ids.erased.contains(id) {
            return Ok(true);
        }
        rows::external_ids::is_erased(&self.snapshot, id.gene(), self.shared.erased_id_key.hash(id))
    }
}
