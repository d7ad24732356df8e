//! External ids of a group: what the planner reads of them, and the rows that its changes come to.

use super::plan::GroupState;
use super::recent_ids::{RecentIds, hash_of};
use crate::engine::{EngineError, Table};
use crate::layout::{EXTERNAL_ID, encode_number, erased_id_key, external_uid_key, user_key};
use crate::rows;
use guanxi_model::plan::ExternalRows;
use guanxi_model::{ExternalId, Uid};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The external ids that the group has given uids or taken away, and those uids.
pub(super) struct WorkingExternalIds {
    uids: HashMap<ExternalId, Option<Uid>>,
    ids: HashMap<Uid, Option<ExternalId>>,
    /// Those whose users the group has erased.
    erased: HashSet<ExternalId>,
    /// What commits before the group gave uids.
    recent: Arc<RecentIds>,
    /// The event as of which the ids of the write at hand had no uids, if that was looked up.
    unknown_at: Option<u64>,
}

impl WorkingExternalIds {
    /// Nothing yet, after what commits gave uids lately.
    pub(super) fn new(recent: Arc<RecentIds>) -> Self {
        Self { uids: HashMap::new(), ids: HashMap::new(), erased: HashSet::new(), recent, unknown_at: None }
    }

    /// Begins a write, whose ids had no uids as of an event.
    pub(super) fn unknown_at(&mut self, seq: Option<u64>) {
        self.unknown_at = seq;
    }

    /// Hashes of the ids to which the group gave uids.
    pub(super) fn given(&self) -> Vec<u64> {
        self.uids.iter().filter(|(_, uid)| uid.is_some()).map(|(id, _)| hash_of(id)).collect()
    }

    /// Whether an id needs no look, since it had no uid when it was looked up and has got none since.
    fn is_still_unknown(&self, id: &ExternalId) -> bool {
        self.unknown_at.is_some_and(|seq| self.recent.is_still_unknown(id, seq))
    }

    /// Whether a uid has an external id; `None` of one that the group has not changed.
    pub(super) fn has_id(&self, uid: Uid) -> Option<bool> {
        self.ids.get(&uid).map(Option::is_some)
    }
}

impl ExternalRows for GroupState<'_> {
    fn external_uid(&mut self, id: &ExternalId) -> Result<Option<Uid>, EngineError> {
        match self.external_ids.uids.get(id) {
            Some(uid) => Ok(*uid),
            None if self.external_ids.is_still_unknown(id) => Ok(None),
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

    fn erase_external_id(&mut self, uid: Uid) -> Result<(), EngineError> {
        let id = match self.external_ids.ids.get(&uid) {
            Some(id) => id.clone(),
            None => rows::external_ids::id_of(&self.snapshot, uid)?,
        };
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

    fn is_erased_id(&mut self, id: &ExternalId) -> Result<bool, EngineError> {
        if self.external_ids.erased.contains(id) {
            return Ok(true);
        }
        rows::external_ids::is_erased(&self.snapshot, id.gene(), self.shared.erased_id_key.hash(id))
    }
}
