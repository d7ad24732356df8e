//! From two readings of a page to the value of each row.

use super::reading::{HeldSeries, MetricReading, RowNumbers};
use super::row::{How, Row};

/// Milliseconds of a second.
const SECOND_MS: f64 = 1_000.0;

/// The value of a row at a reading, with the reading before. `None` if it is not known: the process does not have the metric, it
/// is the first reading, or nothing happened that has a time or a share.
pub(super) fn value(
    row: &Row,
    at: usize,
    before: Option<&MetricReading>,
    now: &MetricReading,
) -> Option<f64> {
    let [first, second, _] = &now.rows[at];
    let earlier = before.map(|before| &before.rows[at]);
    let found = match row.how {
        How::Gauge => first.number(),
        How::Until => first.number().map(|time| time - now.at_ms as f64 / SECOND_MS),
        How::Difference => Some((first.number()? - second.number()?).max(0.0)),
        How::Rate => {
            let seconds = now.at_ms.checked_sub(before?.at_ms)? as f64 / SECOND_MS;
            Some(increase(earlier?, 0, first)? / seconds)
        }
        How::Ratio => {
            let (part, whole) = (increase(earlier?, 0, first)?, increase(earlier?, 1, second)?);
            (whole > 0.0).then(|| part / whole)
        }
        How::Quantile(share) => quantile(share, &earlier?[0], first),
    };
    found.filter(|value| value.is_finite())
}

/// How far a counter rose since. A counter that is lower than before began anew, at 0; one that was not there before did, too.
fn increase(earlier: &RowNumbers, place: usize, now: &HeldSeries) -> Option<f64> {
    let now = now.number()?;
    let before = earlier[place].number().unwrap_or(0.0);
    Some(if now < before { now } else { now - before })
}

/// The quantile of what came between two looks at a histogram; within a bucket values count as evenly spread. What lies above
/// the last bound has that bound.
fn quantile(share: f64, before: &HeldSeries, now: &HeldSeries) -> Option<f64> {
    let HeldSeries::Buckets(now) = now else { return None };
    let before: &[(f64, f64)] = match before {
        HeldSeries::Buckets(before) => before,
        _ => &[],
    };
    let earlier = |bound: f64| {
        before.iter().find(|(known, _)| known.total_cmp(&bound).is_eq()).map_or(0.0, |(_, count)| *count)
    };
    let began_anew = now.iter().any(|(bound, count)| *count < earlier(*bound));
    let added: Vec<(f64, f64)> = now
        .iter()
        .map(|(bound, count)| (*bound, if began_anew { *count } else { count - earlier(*bound) }))
        .collect();
    let all = added.last()?.1;
    if all <= 0.0 {
        return None;
    }
    let rank = share * all;
    let (mut low, mut below) = (0.0, 0.0);
    for (bound, count) in added {
        if count >= rank && count > below {
            return Some(if bound.is_finite() {
                low + (bound - low) * (rank - below) / (count - below)
            } else {
                low
            });
        }
        (low, below) = (bound, count);
    }
    None
}
