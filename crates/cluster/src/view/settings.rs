//! What operators and readers have set, and what operators did.

use super::ClusterView;
use crate::rows::{
    AUDIT, POLICY, audit_column, audit_end, limit, read_audit, read_policy, seen_of, uid_terms,
};
use guanxi_model::{AuditEntry, AuditId, FanoutPolicy, Logs, Position, Result, Uid};
use guanxi_ports::FollowLimit;
use guanxi_postgres::{Fault, Statements, term};
use std::collections::BTreeSet;

const LIMIT: &str = "select t.follow_limit from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.user_state t where t.gene = k.gene and t.uid = k.uid limit 1) t";

const SEEN: &str = "select t.logs, t.seqs from unnest($1::smallint[], $2::bigint[]) as k(gene, uid) \
    cross join lateral (select * from gx.seen t where t.gene = k.gene and t.uid = k.uid limit 1) t";

impl ClusterView {
    pub(super) async fn follow_limit_of(&self, uid: Uid) -> Result<FollowLimit> {
        let rows = self.ask_one(uid.gene(), LIMIT, uid_terms(&[(uid.gene(), uid)])).await?;
        let own = rows.first().and_then(|row| row.get::<_, Option<i32>>(0)).map(i32::cast_unsigned);
        Ok(FollowLimit { effective: own.unwrap_or(self.shared().terms.limits.follows), own })
    }

    pub(super) async fn seen_by(&self, uid: Uid) -> Result<Position> {
        let history = self.shared().terms.history;
        let rows = self.ask_one(uid.gene(), SEEN, uid_terms(&[(uid.gene(), uid)])).await?;
        let seen = rows.first().map(|row| seen_of(history, row, 0));
        seen.unwrap_or_else(|| Ok(Position::beginning(history, Logs::PerGene))).map_err(Fault::told)
    }

    /// It lies in the first database, whichever shards that has.
    pub(super) async fn policy(&self) -> Result<FanoutPolicy> {
        let rows = self.ask(0, BTreeSet::new(), Statements::one(POLICY, Vec::new())).await?;
        let row = rows.first().and_then(|rows| rows.first());
        row.map_or_else(|| Ok(FanoutPolicy::default()), |row| read_policy(row).map_err(Fault::told))
    }

    /// It lies in the first database, too.
    pub(super) async fn audit(&self, below: Option<AuditId>, max: usize) -> Result<Vec<AuditEntry>> {
        let below = below.map_or_else(audit_end, audit_column);
        let terms = vec![term(below), term(limit(max))];
        let rows = self.ask(0, BTreeSet::new(), Statements::one(AUDIT, terms)).await?;
        rows.iter().flatten().map(|row| read_audit(row).map_err(Fault::told)).collect()
    }
}
