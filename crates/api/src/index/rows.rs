//! Questions for rows of users and posts, and their answers, as they travel. A walk is kept by the replica that began it, which
//! goes on being asked as long as it answers.

use guanxi_model::{Position, Result};
use guanxi_ports::search::{
    FoundRows, PERCENTILES, Row, RowAsk, RowColumn, RowOrder, RowPlace, RowSum, RowSummed, Within,
};
use guanxi_text::ANALYSER_VERSION;
use serde::{Deserialize, Serialize};

/// Where questions go.
pub(super) const USER_ROWS: &str = "/index/rows/users";
pub(super) const POST_ROWS: &str = "/index/rows/posts";

/// [`RowAsk`], of a walk.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RowsAsked {
    /// The version of the words by which the text was read.
    pub(super) analyser: u32,
    pub(super) walk: Option<u64>,
    /// A name, or a query, as it was typed.
    pub(super) text: Option<String>,
    /// Of users.
    pub(super) attributes: Vec<(String, String)>,
    filters: Vec<(String, WithinAsked)>,
    by: Option<String>,
    falling: bool,
    after: Option<PlaceAsked>,
    max: usize,
    total: Option<u64>,
    sums: Vec<SumAsked>,
}

/// [`Within`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WithinAsked {
    Between(u64, u64),
    OneOf(Vec<u64>),
}

/// [`RowPlace`].
#[derive(Debug, Serialize, Deserialize)]
struct PlaceAsked {
    number: Option<u64>,
    id: u64,
}

/// [`RowSum`], of a column by its name.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SumAsked {
    Steps(String, u64),
    Top(String, usize),
    Percentiles(String),
}

impl RowsAsked {
    pub(super) fn of<C: RowColumn, T>(
        walk: Option<u64>,
        ask: &RowAsk<C, T>,
        text: Option<String>,
        attributes: Vec<(String, String)>,
    ) -> Self {
        let name = |column: C| column.name().to_owned();
        let within = |within: &Within| match within {
            Within::Between(low, high) => WithinAsked::Between(*low, *high),
            Within::OneOf(numbers) => WithinAsked::OneOf(numbers.clone()),
        };
        let sum = |sum: &RowSum<C>| match *sum {
            RowSum::Steps { column, width } => SumAsked::Steps(name(column), width),
            RowSum::Top { column, max } => SumAsked::Top(name(column), max),
            RowSum::Percentiles { column } => SumAsked::Percentiles(name(column)),
        };
        Self {
            analyser: ANALYSER_VERSION,
            walk,
            text,
            attributes,
            filters: ask.filters.iter().map(|(column, it)| (name(*column), within(it))).collect(),
            by: ask.order.by.map(name),
            falling: ask.order.falling,
            after: ask.after.map(|RowPlace { number, id }| PlaceAsked { number, id }),
            max: ask.max,
            total: ask.total,
            sums: ask.sums.iter().map(sum).collect(),
        }
    }

    /// The question; none if it names a column that this release does not know.
    pub(super) fn ask<C: RowColumn, T>(self, texts: T) -> Option<RowAsk<C, T>> {
        let filter = |(name, within): (String, WithinAsked)| {
            let within = match within {
                WithinAsked::Between(low, high) => Within::Between(low, high),
                WithinAsked::OneOf(numbers) => Within::OneOf(numbers),
            };
            Some((column(&name)?, within))
        };
        let sum = |sum: SumAsked| {
            Some(match sum {
                SumAsked::Steps(name, width) => RowSum::Steps { column: column(&name)?, width },
                SumAsked::Top(name, max) => RowSum::Top { column: column(&name)?, max },
                SumAsked::Percentiles(name) => RowSum::Percentiles { column: column(&name)? },
            })
        };
        let by = match self.by {
            Some(name) => Some(column(&name)?),
            None => None,
        };
        Some(RowAsk {
            texts,
            filters: self.filters.into_iter().map(filter).collect::<Option<_>>()?,
            order: RowOrder { by, falling: self.falling },
            after: self.after.map(|PlaceAsked { number, id }| RowPlace { number, id }),
            max: self.max,
            total: self.total,
            sums: self.sums.into_iter().map(sum).collect::<Option<_>>()?,
        })
    }
}

fn column<C: RowColumn>(name: &str) -> Option<C> {
    C::ALL.iter().copied().find(|column| column.name() == name)
}

/// [`FoundRows`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RowsFound {
    walk: u64,
    total: u64,
    rows: Vec<(u64, Vec<(String, u64)>)>,
    next: Option<PlaceAsked>,
    sums: Vec<Summed>,
    as_of: String,
    counters_as_of: String,
}

/// [`RowSummed`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Summed {
    Steps(Vec<(u64, u64)>),
    Top(Vec<(u64, u64)>, u64),
    Percentiles(Option<[(u64, u64); PERCENTILES.len()]>),
}

impl<C: RowColumn> From<FoundRows<C>> for RowsFound {
    fn from(found: FoundRows<C>) -> Self {
        let FoundRows { walk, total, rows, next, sums, as_of, counters_as_of } = found;
        let row = |(id, row): (u64, Row<C>)| {
            let numbers = C::ALL.iter().filter_map(|it| Some((it.name().to_owned(), row.get(*it)?)));
            (id, numbers.collect())
        };
        let sum = |sum: RowSummed| match sum {
            RowSummed::Steps(steps) => Summed::Steps(steps),
            RowSummed::Top(values, others) => Summed::Top(values, others),
            RowSummed::Percentiles(bounds) => Summed::Percentiles(bounds),
        };
        Self {
            walk,
            total,
            rows: rows.into_iter().map(row).collect(),
            next: next.map(|RowPlace { number, id }| PlaceAsked { number, id }),
            sums: sums.into_iter().map(sum).collect(),
            as_of: as_of.to_token(),
            counters_as_of: counters_as_of.to_token(),
        }
    }
}

impl RowsFound {
    /// The answer. Columns that this release does not know are left out.
    ///
    /// # Errors
    /// That of a position that is none.
    pub(super) fn read<C: RowColumn>(self) -> Result<FoundRows<C>> {
        let row = |(id, numbers): (u64, Vec<(String, u64)>)| {
            let numbers = numbers.iter().filter_map(|(name, number)| Some((column(name)?, Some(*number))));
            (id, numbers.collect())
        };
        let sum = |sum: Summed| match sum {
            Summed::Steps(steps) => RowSummed::Steps(steps),
            Summed::Top(values, others) => RowSummed::Top(values, others),
            Summed::Percentiles(bounds) => RowSummed::Percentiles(bounds),
        };
        Ok(FoundRows {
            walk: self.walk,
            total: self.total,
            rows: self.rows.into_iter().map(row).collect(),
            next: self.next.map(|PlaceAsked { number, id }| RowPlace { number, id }),
            sums: self.sums.into_iter().map(sum).collect(),
            as_of: Position::from_token(&self.as_of)?,
            counters_as_of: Position::from_token(&self.counters_as_of)?,
        })
    }
}
