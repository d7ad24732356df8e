//! Abandoned reservations: the process that made them has died between two steps.

use crate::derive::Marks;
use crate::rows::{Pair, maybe_stamp, uid};
use crate::store::{ClusterCore, head};
use guanxi_model::{Result, Stamp};
use guanxi_postgres::{Statements, term};
use guanxi_shard::apply::Targets;
use guanxi_shard::batch::ShardWork;
use std::sync::Arc;

/// How long a reservation is kept, in milliseconds: longer than it may become a request.
const KEPT_MS: u64 = 60_000;

/// How long it is kept in mind that somebody may ask again, in milliseconds: longer than clocks differ.
const COOLED_MS: u64 = 60_000;

/// Rows of a database that are looked at together.
const ROWS_MAX: i64 = 256;

const LEFT: &str = "select sender, receiver, mark from gx.sent \
    where kind is not null and not waits and mark < $1 order by mark limit $2";
const COOLED: &str = "select sender, receiver, null::bigint from gx.sent \
    where cooling_ms is not null and cooling_ms < $1 order by cooling_ms limit $2";

/// Releases what is left of reservations and rejections in a database.
pub(super) async fn release(shared: &Arc<ClusterCore>, database: usize) -> Result<()> {
    let now_ms = shared.clock.now_ms();
    let marked = Stamp::from_ms(now_ms.saturating_sub(KEPT_MS)).raw().cast_signed();
    let cooled = now_ms.saturating_sub(COOLED_MS).cast_signed();
    let mut statements = Statements::default();
    statements.add(LEFT, vec![term(marked), term(ROWS_MAX)]);
    statements.add(COOLED, vec![term(cooled), term(ROWS_MAX)]);
    for row in &shared.served[database].asks.rows(&statements).await? {
        let (pair, mark): (Pair, Option<Stamp>) = ((uid(row, 0)?, uid(row, 1)?), maybe_stamp(row, 2));
        if mark.is_some() {
            // What the other's shard has stored is taken in first, and waits then.
            let other = pair.1.gene();
            let marks = Marks::from([(other, head(shared, other).await?)]);
            shared.appliers()?.reach(database, marks, Targets::one(pair.0.gene())).await?;
        }
        shared.lanes()?.run(database, pair.0.gene(), ShardWork::Release(pair, mark)).await?;
    }
    Ok(())
}
