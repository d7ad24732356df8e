//! Sums over rows.

use crate::SearchError;
use guanxi_ports::search::{PERCENTILES, RowSum, RowSummed, STEPS_MAX, TOP_VALUES_MAX};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// Numbers below this have a bucket each.
const EXACT_BELOW: u64 = 128;

/// The bits of a number that tell its bucket: buckets are narrower than 1/64 of their numbers.
const BUCKET_BITS: u32 = 7;

/// A sum that is being made.
pub(super) enum Summing<C> {
    Steps { column: C, width: u64, steps: BTreeMap<u64, u64> },
    Top { column: C, max: usize, values: HashMap<u64, u64> },
    Percentiles { column: C, buckets: BTreeMap<u64, u64>, all: u64 },
}

impl<C: Copy> Summing<C> {
    pub(super) fn new(sum: RowSum<C>) -> Self {
        match sum {
            RowSum::Steps { column, width } => {
                Self::Steps { column, width: width.max(1), steps: BTreeMap::new() }
            }
            RowSum::Top { column, max } => Self::Top { column, max, values: HashMap::new() },
            RowSum::Percentiles { column } => Self::Percentiles { column, buckets: BTreeMap::new(), all: 0 },
        }
    }

    pub(super) const fn column(&self) -> C {
        match self {
            Self::Steps { column, .. } | Self::Top { column, .. } | Self::Percentiles { column, .. } => {
                *column
            }
        }
    }

    /// Adds the number of a row. A row without one counts in no sum.
    pub(super) fn add(&mut self, number: Option<u64>) -> Result<(), SearchError> {
        let Some(number) = number else { return Ok(()) };
        match self {
            Self::Steps { width, steps, .. } => {
                *steps.entry(number / *width).or_default() += 1;
                within(steps.len(), STEPS_MAX)
            }
            Self::Top { values, .. } => {
                *values.entry(number).or_default() += 1;
                within(values.len(), TOP_VALUES_MAX)
            }
            Self::Percentiles { buckets, all, .. } => {
                *buckets.entry(bucket(number).0).or_default() += 1;
                *all += 1;
                Ok(())
            }
        }
    }

    pub(super) fn done(self) -> RowSummed {
        match self {
            Self::Steps { width, steps, .. } => {
                RowSummed::Steps(steps.into_iter().map(|(step, rows)| (step * width, rows)).collect())
            }
            Self::Top { max, values, .. } => {
                let mut values: Vec<(u64, u64)> = values.into_iter().collect();
                values.sort_unstable_by_key(|(number, rows)| (Reverse(*rows), *number));
                let others = values.iter().skip(max).map(|(_, rows)| rows).sum();
                values.truncate(max);
                RowSummed::Top(values, others)
            }
            Self::Percentiles { buckets, all, .. } => {
                let place = |thousandths: u16| {
                    let rank = (u64::from(thousandths) * all).div_ceil(1_000).max(1);
                    let mut passed = 0;
                    let found = buckets.iter().find(|(_, rows)| {
                        passed += **rows;
                        passed >= rank
                    });
                    found.map_or((0, 0), |(low, _)| bucket(*low))
                };
                RowSummed::Percentiles((all > 0).then(|| PERCENTILES.map(place)))
            }
        }
    }
}

fn within(many: usize, max: usize) -> Result<(), SearchError> {
    if many > max { Err(SearchError::TooMuch(max)) } else { Ok(()) }
}

/// The lowest and the highest number of the bucket of a number.
const fn bucket(number: u64) -> (u64, u64) {
    if number < EXACT_BELOW {
        return (number, number);
    }
    let shift = u64::BITS - number.leading_zeros() - BUCKET_BITS;
    let low = number >> shift << shift;
    (low, low + ((1 << shift) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_next_to_each_other_and_narrow() {
        let mut low = 0;
        for _ in 0..3_000 {
            let (from, to) = bucket(low);
            assert_eq!(from, low);
            assert_eq!((bucket(to), bucket(low + (to - low) / 2)), ((from, to), (from, to)));
            assert!(to == low || (to - low) * 64 < low, "{low} to {to}");
            low = to + 1;
        }
        assert_eq!(bucket(u64::MAX).1, u64::MAX);
    }
}
