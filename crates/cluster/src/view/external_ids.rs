//! The dictionary of external ids, both ways.

use super::ClusterView;
use super::relations::read_uid;
use crate::rows::{read_id, uid_terms};
use guanxi_model::user::ExternalId;
use guanxi_model::{Gene, Result, Uid};
use guanxi_postgres::term;
use std::collections::{BTreeMap, BTreeSet};

const BY_ID: &str = "select t.external_id, t.uid \
    from unnest($1::smallint[], $2::text[]) as k(gene, external_id) \
    cross join lateral (select * from gx.external_id t \
    where t.gene = k.gene and t.external_id = k.external_id limit 1) t";
const BY_UID: &str = "select t.external_id, t.uid from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.external_id t where t.gene = k.gene and t.uid = k.uid limit 1) t";

impl ClusterView {
    pub(super) async fn resolved(&self, ids: &[ExternalId]) -> Result<Vec<Option<Uid>>> {
        let keys: BTreeSet<(Gene, &ExternalId)> = ids.iter().map(|id| (id.gene(), id)).collect();
        let terms = |keys: &[(Gene, &ExternalId)]| {
            let genes: Vec<i16> = keys.iter().map(|(gene, _)| gene.0.into()).collect();
            let ids: Vec<String> = keys.iter().map(|(_, id)| id.as_str().to_owned()).collect();
            vec![term(genes), term(ids)]
        };
        let mut found: BTreeMap<ExternalId, Uid> = BTreeMap::new();
        for row in self.ask_each(keys, &[BY_ID], terms).await?.iter().flatten() {
            found.insert(read_id(row, 0)?, read_uid(row, 1)?);
        }
        Ok(ids.iter().map(|id| found.get(id).copied()).collect())
    }

    pub(super) async fn ids_of(&self, uids: &[Uid]) -> Result<Vec<Option<ExternalId>>> {
        let keys: BTreeSet<(Gene, Uid)> = uids.iter().map(|uid| (uid.gene(), *uid)).collect();
        let mut found: BTreeMap<Uid, ExternalId> = BTreeMap::new();
        for row in self.ask_each(keys, &[BY_UID], uid_terms).await?.iter().flatten() {
            found.insert(read_uid(row, 1)?, read_id(row, 0)?);
        }
        Ok(uids.iter().map(|uid| found.get(uid).cloned()).collect())
    }
}
