//! Reads of the dictionary of external ids.

use super::{PinnedView, now};
use crate::rows;
use guanxi_model::{Error, ExternalId, Result, Uid};
use guanxi_ports::{BoxFuture, ExternalIdView};

impl ExternalIdView for PinnedView {
    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>> {
        let uid = |id| rows::external_ids::uid_of(&self.view.snapshot, id).map_err(Error::from);
        now(ids.iter().map(uid).collect())
    }

    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>> {
        let id = |uid: &Uid| rows::external_ids::id_of(&self.view.snapshot, *uid).map_err(Error::from);
        now(uids.iter().map(id).collect())
    }
}
