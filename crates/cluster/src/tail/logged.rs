//! An event as its row in a log has it.

use crate::rows::number;
use guanxi_model::stored::decode_event;
use guanxi_model::{Event, EventAt, LogId, Uid};
use guanxi_ports::UnreadableEvent;
use tokio_postgres::Row;

/// An event of a log, decoded once for all that read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogEntry {
    /// The version of its row, by which another event at its place is told from it.
    pub version: i64,
    /// What it says; if it cannot be read, whom its row names.
    pub said: Result<Event, UnreadableEvent>,
}

impl LogEntry {
    /// Reads the columns `seq, version, detail, origin, origin_seq, subject, object` of a row, from the given one on.
    pub(crate) fn read(row: &Row, from: usize, log: LogId) -> Self {
        let at = EventAt::new(log, number(row, from));
        let named = |index| row.get::<_, Option<i64>>(index).map(i64::cast_unsigned);
        let detail = row.get::<_, Option<&[u8]>>(from + 2);
        let said = detail.and_then(|detail| decode_event(at, detail)).map(|event| {
            let origin = row.get::<_, Option<i16>>(from + 3).and_then(|origin| u8::try_from(origin).ok());
            let echo = origin.zip(named(from + 4)).map(|(origin, seq)| EventAt::new(LogId(origin), seq));
            Event { echo, ..event }
        });
        let said = said.ok_or_else(|| {
            let subject = named(from + 5).and_then(|subject| Uid::new(subject).ok());
            UnreadableEvent { at, subject, object: named(from + 6) }
        });
        Self { version: row.get(from + 1), said }
    }

    /// Its number in its log.
    pub(crate) fn seq(&self) -> u64 {
        self.said.map_or_else(|unreadable| unreadable.at, |event| event.at).seq()
    }
}
