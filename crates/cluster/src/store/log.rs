//! Reading the logs.

use super::facts::head;
use super::{ClusterCore, ClusterStore};
use crate::postgres::{Fault, Statements, term};
use crate::rows::{damaged, limit, number};
use futures_util::future::{select_all, try_join_all};
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::stored::decode_event;
use guanxi_model::{Error, Event, EventAt, Gene, LogId, LogMark, Logs, Position, Reason, Result};
use guanxi_ports::{BoxFuture, EventBatch, Log};
use std::sync::Arc;

const EVENTS: &str = "select seq, detail, origin, origin_seq from gx.log \
    where gene = $1 and seq > $2 order by seq limit $3";

impl Log for ClusterStore {
    fn logs(&self) -> Logs {
        Logs::PerGene
    }

    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        Box::pin(async move { heads(&self.shared).await.map_err(Fault::told) })
    }

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
pub(super) async fn heads(shared: &Arc<ClusterCore>) -> Result<Position, Fault> {
    let heads = try_join_all((0..shared.served.len()).map(|database| shared.heads_of(database))).await?;
    let marks = heads.into_iter().flatten();
    let marks = marks.map(|(gene, seq)| (Logs::PerGene.of_gene(gene), LogMark { seen: seq, acted: 0 }));
    Ok(Position::sparse(shared.terms.history, marks))
}

async fn read(shared: &Arc<ClusterCore>, log: LogId, after: &Position, max: usize) -> Result<EventBatch> {
    shared.check_history(after)?;
    let (home, seq) = (Gene(log.0), after.in_log(log).seq());
    let head = head(shared, home).await?;
    if seq > head {
        return Err(Error::new(Reason::TokenAhead));
    }
    if head - seq > shared.options.log_events_max {
        return Err(Error::new(Reason::Trimmed));
    }
    let max = max.min(EVENT_BATCH_MAX as usize);
    let terms = vec![term(i16::from(home.0)), term(seq.cast_signed()), term(limit(max))];
    let asked = Statements::one(EVENTS, terms);
    let rows = shared.served[shared.database_of(log)].asks.rows(&asked).await?;
    let mut events: Vec<Event> = Vec::with_capacity(max);
    for row in &rows {
        events.push(event(log, row).ok_or_else(|| damaged("an event").told())?);
    }
    // The next one is there if any is: a log has no gap but at its beginning.
    let next = events.first().map_or(seq, |event| event.at.seq() - 1);
    if next > seq || events.is_empty() && max > 0 && head > seq {
        return Err(Error::new(Reason::Trimmed));
    }
    let position = events.last().map_or_else(|| after.clone(), |last| after.after(last.at));
    Ok(EventBatch { events, position })
}

fn event(log: LogId, row: &tokio_postgres::Row) -> Option<Event> {
    let seq = number(row, 0);
    let origin = row.get::<_, Option<i16>>(2).and_then(|origin| u8::try_from(origin).ok());
    let origin_seq = row.get::<_, Option<i64>>(3).map(i64::cast_unsigned);
    let echo = origin.zip(origin_seq).map(|(origin, seq)| EventAt::new(LogId(origin), seq));
    Some(Event { echo, ..decode_event(EventAt::new(log, seq), row.get(1))? })
}
