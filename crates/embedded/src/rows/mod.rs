//! Reading rows of the tables at a snapshot: what memory is filled from, the writer plans over, and reads fall back to.

pub(crate) mod external_ids;
pub(crate) mod posts;
pub(crate) mod relations;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod suggestions;
pub(crate) mod user_groups;
pub(crate) mod users;
pub(crate) mod waiting;

use crate::engine::{EngineError, EngineResult, RawRow, Snapshot, Table};
use std::ops::Bound;

/// Which part of a list a scan reads, newest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListPart<P> {
    /// It begins after this entry.
    pub after: Option<P>,
    /// It ends with this entry, below which none stands.
    pub floor: Option<P>,
}

impl<P> ListPart<P> {
    /// All of a list.
    pub(crate) const ALL: Self = Self { after: None, floor: None };

    /// The same part, named by the keys of its entries.
    fn keys<K: AsRef<[u8]>>(self, key: impl Fn(P) -> K) -> ListPart<Vec<u8>> {
        let key = |place| key(place).as_ref().to_vec();
        ListPart { after: self.after.map(key), floor: self.floor.map(key) }
    }
}

impl ListPart<Vec<u8>> {
    /// Its rows. All keys of the list begin with `prefix` and have at most [`PLACE_LEN`] bytes more.
    fn rows(
        &self,
        snapshot: &Snapshot,
        table: Table,
        prefix: &[u8],
    ) -> impl Iterator<Item = EngineResult<RawRow>> + use<> {
        let last = [prefix, &[0xff; PLACE_LEN]].concat();
        let from = self.after.as_ref().map_or(Bound::Included(prefix), |key| Bound::Excluded(key));
        snapshot.range(table, from, Bound::Included(self.floor.as_ref().unwrap_or(&last)))
    }
}

/// Bytes of an entry's place behind what its list's keys begin with: a time and an id.
const PLACE_LEN: usize = 16;

/// A record, if it is there.
fn record<T>(
    snapshot: &Snapshot,
    key: &[u8],
    decode: impl Fn(&[u8]) -> Option<T>,
    what: std::fmt::Arguments<'_>,
) -> EngineResult<Option<T>> {
    let Some(bytes) = snapshot.get(Table::Records, key)? else { return Ok(None) };
    decode(&bytes).map(Some).ok_or_else(|| damaged(what))
}

/// What rows say, one after the other. Of a row that cannot be decoded `what` says what it is.
fn decoded<T>(
    rows: impl Iterator<Item = EngineResult<RawRow>>,
    decode: impl Fn(&[u8], &[u8]) -> Option<T>,
    what: impl Fn() -> String,
) -> impl Iterator<Item = EngineResult<T>> {
    rows.map(move |row| {
        let (key, value) = row?;
        decode(&key, &value).ok_or_else(|| damaged(what()))
    })
}

fn damaged(what: impl std::fmt::Display) -> EngineError {
    EngineError::Damaged(format!("{what} cannot be decoded"))
}
