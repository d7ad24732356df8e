//! Reading the logs.

use super::facts::head;
use super::{ClusterCore, ClusterStore};
use crate::postgres::{Fault, Statements, term};
use crate::rows::{limit, number};
use futures_util::future::{select_all, try_join_all};
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::stored::decode_event;
use guanxi_model::{Error, Event, EventAt, Gene, LogId, LogMark, Logs, Position, Reason, Result, Uid};
use guanxi_ports::{BoxFuture, EventBatch, Log, UnreadableEvent};
use std::sync::Arc;
use tokio_postgres::Row;

const EVENTS: &str = "select seq, detail, origin, origin_seq, subject, object from gx.log \
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
pub(crate) async fn heads(shared: &Arc<ClusterCore>) -> Result<Position, Fault> {
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
    let (mut events, mut unreadable): (Vec<Event>, _) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in &rows {
        match event(log, row) {
            Some(event) => events.push(event),
            None => unreadable.push(unreadable_event(log, row)),
        }
    }
    for event in &unreadable {
        shared.note_unreadable(home, event.at.seq());
    }
    // The next one is there if any is: a log has no gap but at its beginning.
    let next = rows.first().map_or(seq, |row| number(row, 0) - 1);
    if next > seq || rows.is_empty() && max > 0 && head > seq {
        return Err(Error::new(Reason::Trimmed));
    }
    let last = rows.last().map(|row| EventAt::new(log, number(row, 0)));
    let position = last.map_or_else(|| after.clone(), |last| after.after(last));
    Ok(EventBatch { events, unreadable, position })
}

fn unreadable_event(log: LogId, row: &Row) -> UnreadableEvent {
    let named = |index| row.get::<_, Option<i64>>(index).map(i64::cast_unsigned);
    let subject = named(4).and_then(|subject| Uid::new(subject).ok());
    UnreadableEvent { at: EventAt::new(log, number(row, 0)), subject, object: named(5) }
}

fn event(log: LogId, row: &Row) -> Option<Event> {
    let seq = number(row, 0);
    let origin = row.get::<_, Option<i16>>(2).and_then(|origin| u8::try_from(origin).ok());
    let origin_seq = row.get::<_, Option<i64>>(3).map(i64::cast_unsigned);
    let echo = origin.zip(origin_seq).map(|(origin, seq)| EventAt::new(LogId(origin), seq));
    Some(Event { echo, ..decode_event(EventAt::new(log, seq), row.get::<_, Option<&[u8]>>(1)?)? })
}
