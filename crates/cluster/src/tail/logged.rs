//! An event as its row in a log has it.

use crate::rows::{Told, kind_of, maybe_post_id, maybe_stamp, number, original_of};
use guanxi_memory::tail::ring::{Original, RingEntry};
use guanxi_model::post::Kind;
use guanxi_model::stored::decode_event;
use guanxi_model::{Event, EventAt, Gene, LogId, Uid};
use guanxi_ports::UnreadableEvent;
use guanxi_postgres::Fault;
use guanxi_shard::apply::Referring;
use std::sync::Arc;
use tokio_postgres::Row;

/// An event of a log, decoded once for all that read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogEntry {
    /// The version of its row, by which another event at its place is told from it.
    pub version: i64,
    /// What it says; if it cannot be read, whom its row names.
    pub said: Result<Event, UnreadableEvent>,
    /// Which post its post answers or shares.
    pub original: Original,
    /// What another shard takes in with it; nothing of an event that concerns none, or that was read without.
    pub carried: Option<Arc<CarriedEvent>>,
}

/// What an event carries to the shard that takes it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CarriedEvent {
    /// The gene of that shard, or those of every database.
    pub peer: i16,
    /// What it tells beside itself.
    pub told: Told,
    /// Its post, if that answers or shares another.
    pub post: Option<Referring>,
    /// Whether the row of its post cannot be read.
    pub is_damaged: bool,
    /// Whom its row names.
    pub named: UnreadableEvent,
}

/// Events of one database that are kept: at 1,000 follows a second, those of half a minute.
pub(crate) const RING_EVENTS_MAX: usize = 1 << 16;

/// What they take at most, with their places.
const RING_BYTES_MAX: usize = 32 << 20;

const _: () = assert!(
    RING_EVENTS_MAX * (size_of::<LogEntry>() + size_of::<CarriedEvent>() + 2 * size_of::<(Gene, u64)>())
        <= RING_BYTES_MAX
);

impl RingEntry for LogEntry {
    #[inline]
    fn version(&self) -> i64 {
        self.version
    }

    #[inline]
    fn said(&self) -> Result<Event, UnreadableEvent> {
        self.said
    }

    #[inline]
    fn peer(&self) -> Option<i16> {
        self.carried.as_ref().map(|carried| carried.peer)
    }

    #[inline]
    fn original(&self) -> Original {
        self.original
    }
}

impl LogEntry {
    /// Reads the columns `seq, version, detail, origin, origin_seq, subject, object` of a row, from the given one on.
    pub(crate) fn read(row: &Row, from: usize, log: LogId) -> Self {
        let at = EventAt::new(log, number(row, from));
        let detail = row.get::<_, Option<&[u8]>>(from + 2);
        let said = detail.and_then(|detail| decode_event(at, detail)).map(|event| {
            let origin = row.get::<_, Option<i16>>(from + 3).and_then(|origin| u8::try_from(origin).ok());
            let seq = row.get::<_, Option<i64>>(from + 4).map(i64::cast_unsigned);
            let echo = origin.zip(seq).map(|(origin, seq)| EventAt::new(LogId(origin), seq));
            Event { echo, ..event }
        });
        let said = said.ok_or_else(|| named(row, from, at));
        Self { version: row.get(from + 1), said, original: Original::Untold, carried: None }
    }

    /// Reads these columns, and after them `peer, request, cooling_ms, edge_version, end_version, place, original` and those of the
    /// post, `id, kind, ref, ref_author, deleted`.
    pub(crate) fn read_carried(row: &Row, from: usize, log: LogId) -> Self {
        let column = row.get::<_, Option<i64>>(from + 13).map(i64::cast_unsigned);
        let logged = Self { original: Original::of_column(column), ..Self::read(row, from, log) };
        let is_echo = row.get::<_, Option<i16>>(from + 3).is_some();
        let Some(peer) = row.get::<_, Option<i16>>(from + 7).filter(|_| !is_echo) else { return logged };
        let told = Told {
            request: maybe_stamp(row, from + 8),
            cooling_ms: row.get::<_, Option<i64>>(from + 9).map(i64::cast_unsigned),
            edge: maybe_stamp(row, from + 10),
            end: maybe_stamp(row, from + 11),
            place: maybe_stamp(row, from + 12),
            original: logged.original.post(),
        };
        let post = referring(row, from + 14);
        let named = named(row, from, EventAt::new(log, logged.seq()));
        let carried =
            CarriedEvent { peer, told, is_damaged: post.is_err(), post: post.ok().flatten(), named };
        Self { carried: Some(Arc::new(carried)), ..logged }
    }

    /// Whom it is about, if that can be read.
    pub(crate) fn subject(&self) -> Option<Uid> {
        self.said.map_or_else(|unreadable| unreadable.subject, |event| Some(event.subject))
    }

    /// Its number in its log.
    pub(crate) fn seq(&self) -> u64 {
        RingEntry::seq(self)
    }
}

/// Whom the row of an event names.
fn named(row: &Row, from: usize, at: EventAt) -> UnreadableEvent {
    let named = |index| row.get::<_, Option<i64>>(index).map(i64::cast_unsigned);
    let subject = named(from + 5).and_then(|subject| Uid::new(subject).ok());
    UnreadableEvent { at, subject, object: named(from + 6) }
}

/// The post of an event, if it is of one that answers or shares another.
fn referring(row: &Row, from: usize) -> Result<Option<Referring>, Fault> {
    let Some(id) = maybe_post_id(row, from)? else { return Ok(None) };
    let kind = kind_of(row, from + 1)?;
    let referring = |(original, author)| Referring {
        id,
        original,
        author,
        kind: row.get(from + 1),
        is_reply: matches!(kind, Kind::Reply { .. }),
        deleted: row.get(from + 4),
    };
    Ok(original_of(kind).map(referring))
}
