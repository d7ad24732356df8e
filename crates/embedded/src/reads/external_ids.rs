//! Reads of the dictionary of external ids.

use super::PinnedView;
use crate::rows;
use guanxi_model::{ExternalId, Result, Uid};

impl PinnedView {
    /// Looks ids up in the order of their keys: what leads to one key is then still near for the next.
    pub(super) fn in_order_of_keys(&self, ids: &[ExternalId]) -> Result<Vec<Option<Uid>>> {
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_unstable_by(|a, b| ids[*a].cmp(&ids[*b]));
        let mut uids = vec![None; ids.len()];
        for n in order {
            uids[n] = rows::external_ids::uid_of(&self.view.snapshot, &ids[n])?;
        }
        Ok(uids)
    }
}
