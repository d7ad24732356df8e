//! Reading the logs.

use super::facts::head;
use super::{ClusterCore, ClusterStore};
use crate::rows::limit;
use crate::tail::{LogEntry, count_read};
use futures_util::future::{select_all, try_join_all};
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::{Error, EventAt, Gene, LogId, LogMark, Logs, Position, Reason, Result};
use guanxi_ports::{BoxFuture, EventBatch, Log};
use guanxi_postgres::{Fault, Statements, term};
use std::sync::Arc;

const EVENTS: &str = "select seq, version, detail, origin, origin_seq, subject, object from gx.log \
    where gene = $1 and seq > $2 order by seq limit $3";

impl Log for ClusterStore {
    fn logs(&self) -> Logs {
        Logs::PerGene
    }

    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        Box::pin(async move { heads(&self.shared).await.map_err(Fault::told) })
    }

    /// Answered from what looks have brought, if they have brought everything up to where this process knows the log to be.
    fn read<'a>(&'a self, log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>> {
        Box::pin(async move { read(&self.shared, log, after, max).await })
    }

    /// One task looks at the logs of each database for all that wait here.
    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            // Before the heads: one that moves meanwhile is heard of.
            let mut wakes: Vec<_> = self.shared.wakes.iter().map(|wake| wake.moved()).collect();
            while !after.marks().any(|(log, mark)| self.shared.head(Gene(log.0)) > mark.seen) {
                let (moved, ..) = select_all(wakes.iter_mut().map(|wake| Box::pin(wake.changed()))).await;
                moved.map_err(|_| Error::new(Reason::ShuttingDown))?;
            }
            Ok(())
        })
    }
}

/// Returns where all logs stand.
pub(crate) async fn heads(shared: &Arc<ClusterCore>) -> Result<Position, Fault> {
    let heads = try_join_all((0..shared.served.len()).map(|database| shared.heads_of(database))).await?;
    let marks = heads.into_iter().flatten();
    let marks = marks.map(|(gene, seq)| (Logs::PerGene.of_gene(gene), LogMark { seen: seq, acted: 0 }));
    Ok(Position::sparse(shared.terms.history, marks))
}

async fn read(shared: &Arc<ClusterCore>, log: LogId, after: &Position, max: usize) -> Result<EventBatch> {
    shared.check_history(after)?;
    let (seq, max) = (after.in_log(log).seq(), max.min(EVENT_BATCH_MAX as usize));
    let of_ring = of_ring(shared, log, seq, max);
    count_read(of_ring.is_some());
    let logged = match of_ring {
        Some(logged) => logged,
        None => of_table(shared, log, seq, max).await?,
    };
    let last = logged.last().map(|last| EventAt::new(log, last.seq()));
    let position = last.map_or_else(|| after.clone(), |last| after.after(last));
    let mut batch = EventBatch { events: Vec::with_capacity(logged.len()), unreadable: Vec::new(), position };
    for LogEntry { said, .. } in logged {
        match said {
            Ok(event) => batch.events.push(event),
            Err(unreadable) => {
                shared.note_unreadable(Gene(log.0), unreadable.at.seq());
                batch.unreadable.push(unreadable);
            }
        }
    }
    Ok(batch)
}

/// The events of a log after one, if looks have brought all of them up to where this process knows the log to be. Else, and where
/// the answer is a refusal, the table is asked.
fn of_ring(shared: &ClusterCore, log: LogId, after: u64, max: usize) -> Option<Vec<LogEntry>> {
    let (home, map) = (Gene(log.0), shared.map());
    let database = map.database(home);
    shared.served[database].breaker.pass().ok()?;
    let head = shared.head(home);
    if head.saturating_sub(after) > shared.options.log_events_max {
        return None;
    }
    shared.tails[database].read((home, map.epoch(home)), (after, head), max)
}

async fn of_table(shared: &Arc<ClusterCore>, log: LogId, after: u64, max: usize) -> Result<Vec<LogEntry>> {
    let home = Gene(log.0);
    let head = head(shared, home).await?;
    if after > head {
        return Err(Error::new(Reason::TokenAhead));
    }
    if head - after > shared.options.log_events_max {
        return Err(Error::new(Reason::Trimmed));
    }
    let terms = vec![term(i16::from(home.0)), term(after.cast_signed()), term(limit(max))];
    let asked = Statements::one(EVENTS, terms);
    let rows = shared.served[shared.database_of(log)].asks.rows(&asked).await?;
    let logged: Vec<LogEntry> = rows.iter().map(|row| LogEntry::read(row, 0, log)).collect();
    // The next one is there if any is: a log has no gap but at its beginning.
    let is_gone = logged.first().map_or(max > 0 && head > after, |next| next.seq() > after + 1);
    if is_gone { Err(Error::new(Reason::Trimmed)) } else { Ok(logged) }
}
