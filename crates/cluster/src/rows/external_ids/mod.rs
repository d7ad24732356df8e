//! The dictionary of external ids: each in the shard of its hash, which is that of its user.

mod fetch;
mod put;

pub(super) use fetch::ExternalFetch;
pub(crate) use fetch::read_id;

use super::{Cells, NotFetched, Rows};
use guanxi_model::Uid;
use guanxi_model::plan::ExternalRows;
use guanxi_model::user::ExternalId;

/// The rows of the dictionary that a batch has, by either of their keys.
#[derive(Debug, Default)]
pub(crate) struct DictionaryCells {
    pub(in crate::rows) uids: Cells<ExternalId, Option<Uid>>,
    ids: Cells<Uid, Option<ExternalId>>,
}

impl Rows {
    /// Whether a uid has an external id.
    pub(super) fn has_external_id(&self, uid: Uid) -> Result<bool, NotFetched> {
        Ok(self.dictionary.ids.get(uid)?.is_some())
    }
}

impl ExternalRows for Rows {
    fn external_uid(&mut self, id: &ExternalId) -> Result<Option<Uid>, NotFetched> {
        self.dictionary.uids.get(id).copied()
    }

    fn put_external_id(&mut self, id: &ExternalId, uid: Uid) -> Result<(), NotFetched> {
        self.dictionary.uids.put(id.clone(), Some(uid));
        self.dictionary.ids.put(uid, Some(id.clone()));
        Ok(())
    }

    fn remove_external_id(&mut self, uid: Uid) -> Result<(), NotFetched> {
        if let Some(id) = self.dictionary.ids.get(uid)?.clone() {
            self.dictionary.uids.put(id, None);
            self.dictionary.ids.put(uid, None);
        }
        Ok(())
    }
}
