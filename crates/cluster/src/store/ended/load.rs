//! Reading who has ended, from tables.

use crate::rows::{gene, number, uid};
use crate::store::ClusterCore;
use guanxi_model::{Gene, Uid};
use guanxi_postgres::{Fault, Statements, term};
use guanxi_shard::cells::EndedChanges;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_postgres::Row;

/// Rows of a page.
const PAGE: i64 = 10_000;

/// Every database repeats how users stand who do not stand by default, as far as the logs are applied to it.
const MARKS: &str = "select source, seq from gx.applied";
const GONE: &str = "select uid, revision from gx.standing where (status <> 'active' or takedown) and uid > $1 order by uid limit $2";
const ALL_SIGNED_OUT: &str = "select uid, at_ms, gene from gx.signed_out \
    where (gene, uid) > ($1, $2) order by gene, uid limit $3";

const FORGOTTEN: &str = "select at_ms from gx.forgotten_sign_out";
/// How many are removed is counted, and the last of them noted in the same commit.
const FORGET: &str = "with gone as (delete from gx.signed_out t using (select gene, uid from gx.signed_out \
    where at_ms >= 0 and at_ms < $1 order by at_ms limit $2 for update skip locked) k \
    where t.gene = k.gene and t.uid = k.uid and t.at_ms < $1 returning t.at_ms), \
    noted as (insert into gx.forgotten_sign_out as f (at_ms) select max(at_ms) from gone having count(*) > 0 \
    on conflict (one) do update set at_ms = greatest(f.at_ms, excluded.at_ms)) \
    select count(*) from gone";

/// How many sign-outs of a database are removed at once.
const FORGET_PAGE: i64 = 1_000;

/// Up to where the events of each log are in the table.
pub(crate) type EndedMarks = BTreeMap<Gene, u64>;

/// Reads everything, but for the sign-outs of databases that are away: these are read when they come back. Returns up to where the
/// logs are in it.
pub(crate) async fn load(shared: &Arc<ClusterCore>) -> Result<EndedMarks, Fault> {
    let mut marks = EndedMarks::new();
    for row in &rows(shared, 0, &Statements::one(MARKS, Vec::new())).await? {
        marks.insert(gene(row, 0)?, number(row, 1));
    }
    let mut after = 0;
    loop {
        let page = rows(shared, 0, &Statements::one(GONE, vec![term(after), term(PAGE)])).await?;
        // A row that cannot be read is of no user.
        let gone =
            page.iter().map(|row| Some((uid(row, 0).ok()?, row.get::<_, i32>(1).cast_unsigned(), true)));
        let users = gone.flatten().collect();
        shared.ended.note(EndedChanges { users, ..EndedChanges::default() });
        match page.last().filter(|_| is_full(&page)) {
            Some(last) => after = last.get::<_, i64>(0),
            None => break,
        }
    }
    for database in 0..shared.served.len() {
        let loaded = load_signed_out(shared, database).await;
        if loaded.as_ref().is_err_and(|fault| database == 0 || !fault.is_shut()) {
            loaded?;
        } else {
            shared.ended.note_read(database, loaded.is_ok());
        }
    }
    Ok(marks)
}

/// Forgets what was forgotten in a database.
async fn note_forgotten(shared: &Arc<ClusterCore>, database: usize) -> Result<(), Fault> {
    let forgotten = rows(shared, database, &Statements::one(FORGOTTEN, Vec::new())).await?;
    if let Some(row) = forgotten.first() {
        shared.ended.forget(number(row, 0));
    }
    Ok(())
}

/// Removes sign-outs of a database before which nothing that was issued lives any more, some at once until none is left.
pub(super) async fn forget(shared: &Arc<ClusterCore>, database: usize) -> Result<(), Fault> {
    if !shared.clock_watch.is_right() {
        return Ok(());
    }
    let kept_ms = u64::try_from(shared.options.sign_outs_kept.as_millis()).unwrap_or(u64::MAX);
    let before_ms = shared.clock.now_ms().saturating_sub(kept_ms).cast_signed();
    let forget = Statements::one(FORGET, vec![term(before_ms), term(FORGET_PAGE)]);
    loop {
        let removed = rows(shared, database, &forget).await?.iter().map(|row| row.get::<_, i64>(0)).max();
        if removed.is_none_or(|removed| removed < FORGET_PAGE) {
            break;
        }
    }
    note_forgotten(shared, database).await
}

/// Reads the sign-outs of users of a database.
pub(super) async fn load_signed_out(shared: &Arc<ClusterCore>, database: usize) -> Result<(), Fault> {
    let mut after = (-1_i16, 0_i64);
    loop {
        let asked = Statements::one(ALL_SIGNED_OUT, vec![term(after.0), term(after.1), term(PAGE)]);
        let page = rows(shared, database, &asked).await?;
        shared.ended.note(EndedChanges { signed_out: signed_out(&page), ..EndedChanges::default() });
        match page.last().filter(|_| is_full(&page)) {
            Some(last) => after = (last.get(2), last.get(0)),
            // Asked last: what was forgotten meanwhile was not read.
            None => return note_forgotten(shared, database).await,
        }
    }
}

fn is_full(page: &[Row]) -> bool {
    i64::try_from(page.len()).is_ok_and(|len| len >= PAGE)
}

pub(super) fn signed_out(rows: &[Row]) -> Vec<(Uid, u64)> {
    rows.iter().filter_map(|row| Some((uid(row, 0).ok()?, number(row, 1)))).collect()
}

/// Asks a database some questions; returns the rows of all.
pub(super) async fn rows(
    shared: &Arc<ClusterCore>,
    database: usize,
    statements: &Statements,
) -> Result<Vec<Row>, Fault> {
    shared.served[database].asks.rows(statements).await
}
