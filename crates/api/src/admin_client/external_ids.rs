//! The dictionary of ids from elsewhere.

use guanxi_model::limits::RESOLVE_IDS_MAX;
use guanxi_model::{ExternalId, Result, Uid};
use guanxi_proto::v1;

use super::OperatorClient;
use crate::client_side::{broken, call};

impl OperatorClient {
    /// Returns the uids of external ids that a list names. Uids are made for unknown ids, and none for an id that led to an
    /// erased user.
    ///
    /// # Errors
    /// Those of ResolveIds.
    pub async fn uids_of_list(&self, ids: &[ExternalId]) -> Result<Vec<Option<Uid>>> {
        let mut uids = Vec::with_capacity(ids.len());
        for ids in ids.chunks(RESOLVE_IDS_MAX as usize) {
            let external_ids = ids.iter().map(|id| id.as_str().to_owned()).collect();
            let request =
                v1::ResolveIdsRequest { external_ids, create: true, listed: true, ..Default::default() };
            for found in call(self.0.admin().resolve_ids(request).await)?.by_external_id {
                uids.push((!found.erased).then(|| Uid::new(found.uid)).transpose()?);
            }
        }
        if uids.len() == ids.len() { Ok(uids) } else { Err(broken("another number of ids")) }
    }

    /// Returns the ids that users have elsewhere.
    ///
    /// # Errors
    /// Those of ResolveIds.
    pub async fn external_ids(&self, uids: &[Uid]) -> Result<Vec<Option<ExternalId>>> {
        let mut ids = Vec::with_capacity(uids.len());
        for uids in uids.chunks(RESOLVE_IDS_MAX as usize) {
            let uids = uids.iter().map(|uid| uid.get()).collect();
            let request = v1::ResolveIdsRequest { uids, ..Default::default() };
            for found in call(self.0.admin().resolve_ids(request).await)?.by_uid {
                let id = (!found.external_id.is_empty()).then_some(found.external_id);
                ids.push(id.map(|id| ExternalId::new(id, "external_id")).transpose()?);
            }
        }
        if ids.len() == uids.len() { Ok(ids) } else { Err(broken("another number of uids")) }
    }
}
