//! Rows of a table, decoded, one ahead, so that several tables can be merged by user.

use super::findings::Findings;
use crate::engine::{EngineError, Row, Snapshot, Table};
use crate::layout::{
    COUNTERS, CountersValue, ForwardValue, decode_stamp, parse_forward_key, parse_pair_key,
    parse_reverse_key, parse_user_key,
};
use std::ops::Bound;

/// A decoded row: whose it is, and what it says.
pub(super) type Item<T> = (u64, T);

type Decode<T> = fn(&[u8], &[u8]) -> Option<Item<T>>;

/// The rows of a table or of one prefix of it. Rows whose key cannot be read are put aside.
pub(super) struct Source<T> {
    rows: Box<dyn Iterator<Item = Result<Row, EngineError>>>,
    decode: Decode<T>,
    what: &'static str,
    head: Option<Item<T>>,
    undecodable: Findings,
    /// Rows read that could be decoded.
    pub read: u64,
}

impl<T> Source<T> {
    fn new(
        rows: impl Iterator<Item = Result<Row, EngineError>> + 'static,
        what: &'static str,
        decode: Decode<T>,
    ) -> Result<Self, EngineError> {
        let mut source = Self {
            rows: Box::new(rows),
            decode,
            what,
            head: None,
            undecodable: Findings::default(),
            read: 0,
        };
        source.fill()?;
        Ok(source)
    }

    /// The user of the next row.
    pub fn uid(&self) -> Option<u64> {
        self.head.as_ref().map(|(uid, _)| *uid)
    }

    /// The next row if it is this user's.
    pub fn next_of(&mut self, uid: u64) -> Result<Option<T>, EngineError> {
        if self.uid() != Some(uid) {
            return Ok(None);
        }
        let item = self.head.take();
        self.fill()?;
        Ok(item.map(|(_, row)| row))
    }

    /// Rows that could not be decoded.
    pub fn into_undecodable(self) -> Findings {
        self.undecodable
    }

    fn fill(&mut self) -> Result<(), EngineError> {
        for row in self.rows.by_ref() {
            let (key, value) = row?;
            self.head = (self.decode)(&key, &value);
            if self.head.is_some() {
                self.read += 1;
                break;
            }
            self.undecodable.undecodable(self.what, None, None, &key, &value);
        }
        Ok(())
    }
}

/// A forward edge; `value` is `None` when only its key can be decoded.
pub(super) struct ForwardRow {
    pub object: u64,
    pub value: Option<ForwardValue>,
}

/// A reverse edge.
pub(super) struct ReverseRow {
    pub subject: u64,
    pub at: u64,
}

/// All forward edges, by subject and object.
pub(super) fn forward(snapshot: &Snapshot) -> Result<Source<ForwardRow>, EngineError> {
    Source::new(whole(snapshot, Table::Forward), "forward edge", |key, value| {
        let (subject, object) = parse_forward_key(key)?;
        Some((subject.get(), ForwardRow { object: object.get(), value: ForwardValue::decode(value) }))
    })
}

/// All reverse edges, by object.
pub(super) fn reverse(snapshot: &Snapshot) -> Result<Source<ReverseRow>, EngineError> {
    Source::new(whole(snapshot, Table::Reverse), "reverse edge", |key, value| {
        let (object, edge) = parse_reverse_key(key).filter(|_| value.is_empty())?;
        Some((object.get(), ReverseRow { subject: edge.uid.get(), at: edge.at.raw() }))
    })
}

/// All counters; `None` for a record whose value cannot be decoded.
pub(super) fn counters(snapshot: &Snapshot) -> Result<Source<Option<CountersValue>>, EngineError> {
    Source::new(snapshot.prefix(Table::Records, &[COUNTERS]), "counters", |key, value| {
        Some((parse_user_key(key)?.get(), CountersValue::decode(value)))
    })
}

/// All blocks or mutes, by subject: the other user of each.
pub(super) fn pairs(snapshot: &Snapshot, prefix: u8) -> Result<Source<u64>, EngineError> {
    Source::new(snapshot.prefix(Table::Records, &[prefix]), "block or mute", |key, value| {
        let (subject, object) = parse_pair_key(key)?;
        decode_stamp(value)?;
        Some((subject.get(), object.get()))
    })
}

/// Every row of a table.
pub(super) fn whole(
    snapshot: &Snapshot,
    table: Table,
) -> impl Iterator<Item = Result<Row, EngineError>> + use<> {
    snapshot.range(table, Bound::Unbounded, Bound::Unbounded)
}
