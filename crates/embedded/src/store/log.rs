//! Reading the log.

use crate::engine::Table;
use crate::layout::{event_at, log_key, parse_log_key};
use crate::shared::seq_of;
use crate::store::EmbeddedStore;
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::stored::decode_event;
use guanxi_model::{Error, Event, LogId, Logs, Position, Reason, Result};
use guanxi_ports::{BoxFuture, EventBatch, Log};
use std::future::ready;
use std::ops::Bound;

impl Log for EmbeddedStore {
    fn logs(&self) -> Logs {
        Logs::One
    }

    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        Box::pin(ready(Ok(self.shared().position(self.shared().published.pin().seq))))
    }

    fn read<'a>(&'a self, _log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>> {
        Box::pin(ready(self.read_log(after, max)))
    }

    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let shared = self.shared();
            let mut ended = shared.ended.subscribe();
            tokio::select! {
                _ = shared.published.wait_for(seq_of(after) + 1) => Ok(()),
                _ = ended.wait_for(|ended| *ended) => Err(Error::new(Reason::ShuttingDown)),
            }
        })
    }
}

impl EmbeddedStore {
    fn read_log(&self, after: &Position, max: usize) -> Result<EventBatch> {
        let shared = self.shared();
        if after.history() != shared.history {
            return Err(Error::new(Reason::TokenFromOtherHistory));
        }
        let after = seq_of(after);
        let view = shared.published.pin();
        if after > view.seq {
            return Err(Error::new(Reason::TokenAhead));
        }
        if after + 1 < view.first_seq {
            return Err(Error::new(Reason::Trimmed));
        }
        let last = view.seq.min(after + max.min(EVENT_BATCH_MAX as usize) as u64);
        if let Some(events) = shared.recent_events.read(after, last) {
            return Ok(EventBatch { events, unreadable: Vec::new(), position: shared.position(last) });
        }
        let (from, to) = (log_key(after), log_key(last));
        let rows = view.snapshot.range(Table::Log, Bound::Excluded(&from), Bound::Included(&to));
        let mut events: Vec<Event> = Vec::with_capacity((last - after) as usize);
        for row in rows {
            let (key, value) = row?;
            let expected = after + 1 + events.len() as u64;
            let event = parse_log_key(&key)
                .filter(|seq| *seq == expected)
                .and_then(|seq| decode_event(event_at(seq), &value));
            let damaged =
                || Error::with_detail(Reason::Damaged, format!("event {expected} is missing or damaged"));
            events.push(event.ok_or_else(damaged)?);
        }
        if after + events.len() as u64 != last {
            return Err(Error::with_detail(
                Reason::Damaged,
                format!("the log has a gap before event {last}"),
            ));
        }
        Ok(EventBatch { events, unreadable: Vec::new(), position: shared.position(last) })
    }
}
