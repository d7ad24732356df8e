//! The dictionary of external ids: each in the shard of its hash, which is that of its user.

use super::{Cells, ErasedHash, NotFetched, Rows};
use guanxi_model::plan::ExternalRows;
use guanxi_model::user::ExternalId;
use guanxi_model::{Gene, Uid};

/// The rows of the dictionary that a batch has, by either of their keys.
#[derive(Debug, Default)]
pub struct DictionaryCells {
    /// The users of external ids.
    pub uids: Cells<ExternalId, Option<Uid>>,
    /// The external ids of users.
    pub ids: Cells<Uid, Option<ExternalId>>,
    /// Whether an id with a hash led to a user who is erased.
    pub erased: Cells<(Gene, ErasedHash), bool>,
}

impl Rows {
    /// Returns whether a uid has an external id.
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

    fn erase_external_id(&mut self, uid: Uid) -> Result<(), NotFetched> {
        if let Some(id) = self.dictionary.ids.get(uid)?.clone() {
            self.dictionary.erased.put(self.terms.erased(&id), true);
            self.dictionary.uids.put(id, None);
            self.dictionary.ids.put(uid, None);
        }
        Ok(())
    }

    fn is_erased_id(&mut self, id: &ExternalId) -> Result<bool, NotFetched> {
        self.dictionary.erased.get(self.terms.erased(id)).copied()
    }
}
