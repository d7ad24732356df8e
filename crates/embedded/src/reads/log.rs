//! Reading the log.

use crate::engine::Table;
use crate::layout::{decode_event, log_key, parse_log_key};
use crate::store::Store;
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::{Error, Event, Position, Reason, Result};
use guanxi_ports::{BoxFuture, EventBatch, Log};
use std::ops::Bound;

impl Log for Store {
    fn head(&self) -> Position {
        self.shared().position(self.shared().published.pin().seq)
    }

    fn read(&self, after: Position, max: usize) -> BoxFuture<'_, Result<EventBatch>> {
        Box::pin(std::future::ready(self.read_log(after, max)))
    }

    fn wait(&self, after: Position) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let shared = self.shared();
            let mut ended = shared.ended.subscribe();
            tokio::select! {
                _ = shared.published.wait_for(after.seq + 1) => Ok(()),
                _ = ended.wait_for(|ended| *ended) => Err(Error::new(Reason::ShuttingDown)),
            }
        })
    }
}

impl Store {
    fn read_log(&self, after: Position, max: usize) -> Result<EventBatch> {
        let shared = self.shared();
        if after.history != shared.history {
            return Err(Error::new(Reason::TokenFromOtherHistory));
        }
        let view = shared.published.pin();
        if after.seq > view.seq {
            return Err(Error::new(Reason::TokenAhead));
        }
        if after.seq + 1 < view.first_seq {
            return Err(Error::new(Reason::Trimmed));
        }
        let last = view.seq.min(after.seq + max.min(EVENT_BATCH_MAX as usize) as u64);
        let (from, to) = (log_key(after.seq), log_key(last));
        let rows = view.snapshot.range(Table::Log, Bound::Excluded(&from), Bound::Included(&to));
        let mut events: Vec<Event> = Vec::with_capacity((last - after.seq) as usize);
        for row in rows {
            let (key, value) = row?;
            let expected = after.seq + 1 + events.len() as u64;
            let event =
                parse_log_key(&key).filter(|seq| *seq == expected).and_then(|seq| decode_event(seq, &value));
            let damaged =
                || Error::with_detail(Reason::Damaged, format!("event {expected} is missing or damaged"));
            events.push(event.ok_or_else(damaged)?);
        }
        if after.seq + events.len() as u64 != last {
            return Err(Error::with_detail(
                Reason::Damaged,
                format!("the log has a gap before event {last}"),
            ));
        }
        Ok(EventBatch { events, position: shared.position(last) })
    }
}
