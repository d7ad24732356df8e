//! The sums that a back office asks for.

use guanxi_model::{Error, Reason, Result};
use guanxi_ports::search::{PERCENTILES, RowSum, RowSummed};
use guanxi_proto::v1::{
    self,
    row_sum_request::{Kind, Step},
};
use std::collections::BTreeMap;
use time::Date;

/// The milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// The Julian day of 1970-01-01.
const EPOCH_JULIAN_DAY: i32 = 2_440_588;

/// Numbers of a top list that says nothing of it.
const TOP_DEFAULT: usize = 10;

/// A sum that is asked for.
pub(super) struct Sum<C> {
    /// As the index is asked for it: of times by days.
    pub(super) asked: RowSum<C>,
    /// How its days are put together.
    pub(super) step: Step,
}

/// The sums of a request.
pub(super) fn sums<'a, C>(
    sums: &[v1::RowSumRequestView<'a>],
    column: impl Fn(&v1::RowSumRequestView<'a>) -> Result<Option<C>>,
) -> Result<Vec<Sum<C>>> {
    let sum = |sum: &v1::RowSumRequestView<'a>| {
        let invalid = |field| Error::new(Reason::InvalidField { field });
        let column = column(sum)?.ok_or_else(|| invalid("sums"))?;
        let step = sum.step.as_known().ok_or_else(|| invalid("step"))?;
        let asked = match sum.kind.as_known() {
            Some(Kind::HISTOGRAM) => {
                let width = if step == Step::STEP_UNSPECIFIED { sum.width.max(1) } else { DAY_MS };
                RowSum::Steps { column, width }
            }
            Some(Kind::TOP) => {
                let max = if sum.max == 0 { TOP_DEFAULT } else { sum.max as usize };
                RowSum::Top { column, max }
            }
            Some(Kind::PERCENTILES) => RowSum::Percentiles { column },
            _ => return Err(invalid("kind")),
        };
        Ok(Sum { asked, step })
    };
    sums.iter().map(sum).collect()
}

/// A sum with its days put together, as it was asked for.
pub(super) fn stepped(found: RowSummed, step: Step) -> RowSummed {
    match found {
        RowSummed::Steps(days) => RowSummed::Steps(put_together(days, step)),
        other => other,
    }
}

/// A sum as the wire has it.
pub(super) fn summed(found: RowSummed, step: Step) -> v1::RowSum {
    shown(stepped(found, step))
}

/// A sum whose days are put together, as the wire has it.
pub(super) fn shown(found: RowSummed) -> v1::RowSum {
    let counts = |counts: Vec<(u64, u64)>| {
        counts.into_iter().map(|(number, rows)| v1::NumberCount { number, rows }).collect()
    };
    match found {
        RowSummed::Steps(steps) => v1::RowSum { counts: counts(steps), ..Default::default() },
        RowSummed::Top(top, others) => v1::RowSum { counts: counts(top), others, ..Default::default() },
        RowSummed::Percentiles(found) => {
            let percentile = |(thousandths, (low, high)): (u16, (u64, u64))| v1::Percentile {
                thousandths: thousandths.into(),
                low,
                high,
            };
            let percentiles = found.map(|found| PERCENTILES.into_iter().zip(found).map(percentile).collect());
            v1::RowSum { percentiles: percentiles.unwrap_or_default(), ..Default::default() }
        }
    }
}

/// Days as weeks or months.
fn put_together(days: Vec<(u64, u64)>, step: Step) -> Vec<(u64, u64)> {
    let mut steps: BTreeMap<u64, u64> = BTreeMap::new();
    for (day, rows) in days {
        *steps.entry(beginning(day, step)).or_default() += rows;
    }
    steps.into_iter().collect()
}

/// The beginning of the step that a day is in; a day that no calendar has is a step of its own.
fn beginning(day_ms: u64, step: Step) -> u64 {
    let days = i32::try_from(day_ms / DAY_MS).ok();
    let date = days.and_then(|days| Date::from_julian_day(days.checked_add(EPOCH_JULIAN_DAY)?).ok());
    let first = match (step, date) {
        (Step::WEEK, Some(date)) => {
            date.to_julian_day() - i32::from(date.weekday().number_days_from_monday())
        }
        (Step::MONTH, Some(date)) => date.to_julian_day() - i32::from(date.day()) + 1,
        _ => return day_ms,
    };
    u64::try_from(first - EPOCH_JULIAN_DAY).map_or(0, |days| days * DAY_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_put_together_to_weeks_and_months() {
        // 2024-02-28, a Wednesday, to 2024-03-04, a Monday.
        let days: Vec<(u64, u64)> = (19_781..=19_786).map(|day| (day * DAY_MS, 1)).collect();
        let of = |step| put_together(days.clone(), step);
        assert_eq!(of(Step::DAY), days);
        assert_eq!(of(Step::WEEK), [(19_779 * DAY_MS, 5), (19_786 * DAY_MS, 1)]);
        assert_eq!(of(Step::MONTH), [(19_754 * DAY_MS, 2), (19_783 * DAY_MS, 4)]);
        assert_eq!(put_together(vec![(0, 3)], Step::WEEK), [(0, 3)], "nothing is before 1970");
    }
}
