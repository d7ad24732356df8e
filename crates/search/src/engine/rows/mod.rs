//! Rows of an index: all documents of one moment that fit, filtered, ordered, counted and summed up by their columns.
//!
//! The first page looks at every document with the words, or at every one where no words are asked for: a look reads some packed
//! numbers, and no text. What is kept of them is a page and the sums. A later page in the order of ids looks at what is on it alone.

mod looks;
mod page;
mod sums;

use super::failed::failed;
use super::index::DocIndex;
use super::kind::{DocKind, ID};
use super::open::Moment;
use crate::SearchError;
use guanxi_model::Position;
use guanxi_ports::search::{FoundRows, Row, RowAsk, RowColumn, RowPlace, Within};
use looks::Looks;
use page::{Address, FirstRows};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use sums::Summing;
use tantivy::DocId;
use tantivy::columnar::Column;
use tantivy::query::{EnableScoring, Query};

/// The documents of one moment, which stay as they are.
#[derive(Clone)]
pub(crate) struct Pinned(pub(super) Arc<Moment>);

/// What the texts of rows must say; every document fits where there is none.
pub(crate) type RowTexts = Option<Box<dyn Query>>;

/// Rows that were found at a moment.
pub(crate) struct RowsOfMoment<C> {
    pub(crate) total: u64,
    pub(crate) page: Vec<(u64, Row<C>)>,
    pub(crate) next: Option<RowPlace>,
    pub(crate) sums: Vec<guanxi_ports::search::RowSummed>,
    pub(crate) as_of: Position,
    pub(crate) counters_as_of: Position,
}

impl<C> RowsOfMoment<C> {
    /// The same as rows of a walk.
    pub(crate) fn of_walk(self, walk: u64) -> FoundRows<C> {
        let Self { total, page: rows, next, sums, as_of, counters_as_of } = self;
        FoundRows { walk, total, rows, next, sums, as_of, counters_as_of }
    }
}

impl<K: DocKind> DocIndex<K> {
    /// The documents as they stand now.
    pub(crate) fn pin(&self) -> Pinned {
        Pinned(self.moment())
    }
}

impl Pinned {
    /// The rows that fit, of the documents of a moment; `query` is what their texts must say.
    ///
    /// # Errors
    /// [`SearchError::TooMuch`] for a sum that has too many steps or values; else what failed.
    pub(crate) fn rows<K: DocKind, T>(
        &self,
        ask: &RowAsk<K::Column, T>,
        query: RowTexts,
    ) -> Result<RowsOfMoment<K::Column>, SearchError> {
        let Moment { searcher, as_of, counters, columns } = &*self.0;
        let scoring = EnableScoring::disabled_from_searcher(searcher);
        let weight = query.map(|query| query.weight(scoring).map_err(failed)).transpose()?;
        let (looks, mut page, mut total) = (Looks::of(ask), FirstRows::new(ask), 0);
        let mut sums: Vec<Summing<K::Column>> = ask.sums.iter().map(|sum| Summing::new(*sum)).collect();
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            let number = |number: K::Column| columns.optional(reader, number.name());
            let filters = Filters::open(&ask.filters, number)?;
            let ids = columns.full(reader, ID)?;
            let by = ask.order.by.map(number).transpose()?;
            let summed = sums.iter().map(|sum| number(sum.column())).collect::<Result<Vec<_>, _>>()?;
            let look = |doc: DocId| -> Result<bool, SearchError> {
                if !filters.take(doc) {
                    return Ok(true);
                }
                total += 1;
                for (sum, column) in sums.iter_mut().zip(&summed) {
                    sum.add(column.first(doc))?;
                }
                let number = by.as_ref().and_then(|by| by.first(doc));
                Ok(page.offer(RowPlace { number, id: ids.get_val(doc) }, (segment, doc)))
            };
            looks.each::<K>((reader, &ids), weight.as_deref(), look)?;
        }
        let (places, more) = page.done();
        let next = places.last().map(|(place, _)| *place).filter(|_| more);
        let rows = numbers(&self.0, &places)?;
        let total = ask.total.unwrap_or(total);
        let counters_as_of = counters.clone().unwrap_or_else(|| as_of.clone());
        let sums = sums.into_iter().map(Summing::done).collect();
        Ok(RowsOfMoment { total, page: rows, next, sums, as_of: as_of.clone(), counters_as_of })
    }
}

/// All numbers of the rows of a page.
fn numbers<C: RowColumn>(
    moment: &Moment,
    places: &[(RowPlace, Address)],
) -> Result<Vec<(u64, Row<C>)>, SearchError> {
    let mut opened: HashMap<usize, Vec<(C, Column<u64>)>> = HashMap::new();
    let mut rows = Vec::with_capacity(places.len());
    for (place, (segment, doc)) in places {
        let columns = match opened.entry(*segment) {
            Entry::Occupied(columns) => columns.into_mut(),
            Entry::Vacant(vacant) => {
                let reader = moment.searcher.segment_reader(*segment as u32);
                let column = |number: &C| Ok((*number, moment.columns.optional(reader, number.name())?));
                vacant.insert(C::ALL.iter().map(column).collect::<Result<_, SearchError>>()?)
            }
        };
        rows.push((place.id, columns.iter().map(|(number, column)| (*number, column.first(*doc))).collect()));
    }
    Ok(rows)
}

/// The columns of a segment that are filtered by.
struct Filters<'a>(Vec<(Column<u64>, &'a Within)>);

impl<'a> Filters<'a> {
    fn open<C: Copy>(
        filters: &'a [(C, Within)],
        column: impl Fn(C) -> Result<Column<u64>, SearchError>,
    ) -> Result<Self, SearchError> {
        let opened = filters.iter().map(|(number, within)| Ok((column(*number)?, within)));
        opened.collect::<Result<_, _>>().map(Self)
    }

    fn take(&self, doc: DocId) -> bool {
        self.0.iter().all(|(column, within)| within.takes(column.first(doc)))
    }
}
