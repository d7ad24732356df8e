//! Rows of the dictionary as a database would hold them.

use super::rows::{NotFetched, Rows, Selected};
use guanxi_model::plan::{ExternalRows, RowKey};
use guanxi_model::{ExternalId, Result, Uid};
use std::collections::{BTreeMap, BTreeSet};

/// Both ways of the dictionary.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ExternalIdTables {
    uids: BTreeMap<ExternalId, Uid>,
    ids: BTreeMap<Uid, ExternalId>,
    erased: BTreeSet<ExternalId>,
}

impl ExternalIdTables {
    pub(super) fn uid_of(&self, id: &ExternalId) -> Option<Uid> {
        self.uids.get(id).copied()
    }

    pub(super) fn id_of(&self, uid: Uid) -> Option<&ExternalId> {
        self.ids.get(&uid)
    }
}

impl ExternalRows for Selected<'_, &mut Rows> {
    fn external_uid(&mut self, id: &ExternalId) -> Result<Option<Uid>, NotFetched> {
        self.check(RowKey::ExternalUid(id.clone()))?;
        Ok(self.rows().external_ids.uid_of(id))
    }

    fn put_external_id(&mut self, id: &ExternalId, uid: Uid) -> Result<(), NotFetched> {
        self.rows().external_ids.uids.insert(id.clone(), uid);
        self.rows().external_ids.ids.insert(uid, id.clone());
        Ok(())
    }

    fn erase_external_id(&mut self, uid: Uid) -> Result<(), NotFetched> {
        self.check(RowKey::ExternalId(uid))?;
        if let Some(id) = self.rows().external_ids.ids.remove(&uid) {
            self.rows().external_ids.uids.remove(&id);
            self.rows().external_ids.erased.insert(id);
        }
        Ok(())
    }

    fn is_erased_id(&mut self, id: &ExternalId) -> Result<bool, NotFetched> {
        self.check(RowKey::ErasedId(id.clone()))?;
        Ok(self.rows().external_ids.erased.contains(id))
    }
}
