//! Forgetting what was answered under request ids.

use super::Slices;
use crate::store::ClusterCore;
use guanxi_model::limits::REQUEST_ID_TTL_MS;
use guanxi_postgres::{Fault, Statements, term};
use std::sync::Arc;

/// Rows of one slice.
const SLICE: i64 = 1_000;

/// How much longer than it may be repeated an answer is kept, in milliseconds: longer than clocks differ.
const SLACK_MS: u64 = 60_000;

/// A write that uses an old request id anew holds its row, which is passed over then.
const ANSWERS: &str = "with gone as (delete from gx.answer t using (select gene, actor, key from gx.answer \
    where at_ms >= 0 and at_ms < $1 order by at_ms limit $2 for update skip locked) k \
    where t.gene = k.gene and t.actor = k.actor and t.key = k.key and t.at_ms < $1 returning 1) \
    select count(*) from gone";

/// The same of what is no user's.
const OF_SETTINGS: &str = "with gone as (delete from gx.setting_answer t using (select actor, key from gx.setting_answer \
    where at_ms >= 0 and at_ms < $1 order by at_ms limit $2 for update skip locked) k \
    where t.actor = k.actor and t.key = k.key and t.at_ms < $1 returning 1) select count(*) from gone";

/// Forgets answers that are too old to be repeated. Returns how many.
pub(super) async fn forget(
    shared: &Arc<ClusterCore>,
    database: usize,
    slices: &Slices<'_>,
) -> Result<u64, Fault> {
    let before_ms = shared.clock.now_ms().saturating_sub(REQUEST_ID_TTL_MS + SLACK_MS).cast_signed();
    let of_settings = Statements::one(OF_SETTINGS, vec![term(before_ms), term(SLICE)]);
    let mut forgotten = if database == 0 { all(slices, &of_settings).await? } else { 0 };
    forgotten += all(slices, &Statements::one(ANSWERS, vec![term(before_ms), term(SLICE)])).await?;
    Ok(forgotten)
}

/// Slices of one table that are done in a round: the rest waits for the next. With the rests between them they take less than
/// the time for which a process keeps house.
const SLICES_MAX: usize = 500;

/// Does slices until one is not full.
async fn all(slices: &Slices<'_>, statements: &Statements) -> Result<u64, Fault> {
    let mut removed = 0;
    for _ in 0..SLICES_MAX {
        let slice = slices.removed(statements).await?;
        removed += slice;
        if slice < SLICE.cast_unsigned() {
            break;
        }
    }
    Ok(removed)
}
