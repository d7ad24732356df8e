//! Reads of the dictionary of external ids.

use super::{PinnedView, now};
use crate::rows;
use guanxi_model::{Error, ExternalId, Result, Uid};
use guanxi_ports::{BoxFuture, ExternalIdView};

impl ExternalIdView for PinnedView {
    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>> {
        now(self.in_order_of_keys(ids))
    }

    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>> {
        let id = |uid: &Uid| rows::external_ids::id_of(&self.view.snapshot, *uid).map_err(Error::from);
        now(uids.iter().map(id).collect())
    }
}

impl PinnedView {
    /// Looks ids up in the order of their keys: what leads to one key is then still near for the next.
    fn in_order_of_keys(&self, ids: &[ExternalId]) -> Result<Vec<Option<Uid>>> {
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_unstable_by(|a, b| ids[*a].cmp(&ids[*b]));
        let mut uids = vec![None; ids.len()];
        for n in order {
            uids[n] = rows::external_ids::uid_of(&self.view.snapshot, &ids[n])?;
        }
        Ok(uids)
    }
}
