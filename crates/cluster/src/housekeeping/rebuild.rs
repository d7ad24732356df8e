//! Mends the effects of events that were removed before they were applied, as after a log was trimmed by hand: facts are
//! compared with the rows in the other shards, and differences are mended.

use super::Slices;
use crate::checks::{RepairCheck, RepairTerms, run_check};
use crate::store::ClusterCore;
use guanxi_model::Result;
use guanxi_postgres::{Statements, term};
use std::sync::Arc;
use tokio_postgres::Row;

/// The share of the databases' time that it takes.
const SHARE: f64 = 0.5;

const LEFT: &str = "select source, upto from gx.rebuild";

const DONE: &str = "delete from gx.rebuild r using unnest($1::smallint[], $2::bigint[]) as k(source, upto) \
    where r.source = k.source and r.upto <= k.upto";

/// Compares everything if a log is noted whose effects in a database are not complete. Returns how many logs that were.
pub(super) async fn run(shared: &Arc<ClusterCore>, database: usize, slices: &Slices<'_>) -> Result<u64> {
    let left = slices.ask(&Statements::one(LEFT, Vec::new())).await?;
    let rows = left.into_iter().flatten();
    let (sources, uptos): (Vec<i16>, Vec<i64>) =
        rows.map(|row: Row| (row.get::<_, i16>(0), row.get::<_, i64>(1))).unzip();
    let logs = sources.len() as u64;
    if logs > 0 {
        tracing::warn!(database, logs, "logs were trimmed before they were applied: everything is compared");
        let terms = RepairTerms { mends: true, share: SHARE, ..RepairTerms::default() };
        let report = run_check(shared, RepairCheck::Full, terms, &mut |_| {}).await?;
        tracing::warn!(
            database,
            differed = report.differences_total,
            mended = report.mended,
            "it is compared"
        );
        let done = Statements::one(DONE, vec![term(sources), term(uptos)]);
        slices.ask(&done).await?;
    }
    Ok(logs)
}
