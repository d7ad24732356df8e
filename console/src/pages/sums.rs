//! Sums over the rows of a filter, as bars: how many rows have a value, are of a time, or are below a number.

use guanxi_proto::v1;
use guanxi_proto::v1::row_sum_request::{Kind, Step};
use maud::{Markup, html};
use time::OffsetDateTime;

use super::filters::{self, Choice};
use crate::limits::BARS_MAX;
use crate::parts::{People, number};
use crate::picture::{Bar, bars};
use crate::texts::Text;
use crate::visit::Visit;

/// How a column is summed up and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// How many rows have each of a few values, which have names.
    Named(&'static [Text]),
    /// How many rows name a user, the most frequent users.
    People,
    /// How many rows are of each step of time.
    Times(Step),
    /// The numbers below which parts of the rows are.
    Numbers,
}

impl Shape {
    /// Returns what is asked for, without its column.
    pub(super) fn request(self) -> v1::RowSumRequest {
        let (kind, step, max) = match self {
            Self::Named(names) => (Kind::TOP, Step::STEP_UNSPECIFIED, names.len()),
            Self::People => (Kind::TOP, Step::STEP_UNSPECIFIED, 20),
            Self::Times(step) => (Kind::HISTOGRAM, step, 0),
            Self::Numbers => (Kind::PERCENTILES, Step::STEP_UNSPECIFIED, 0),
        };
        let max = u32::try_from(max).unwrap_or(0);
        v1::RowSumRequest { kind: kind.into(), step: step.into(), max, ..Default::default() }
    }

    /// Returns the users that a sum names.
    pub(super) fn people(self, sum: &v1::RowSum) -> Vec<u64> {
        if self == Self::People { sum.counts.iter().map(|count| count.number).collect() } else { Vec::new() }
    }

    /// Draws a sum.
    pub(super) fn draw(self, visit: &Visit, caption: &str, sum: &v1::RowSum, people: &People) -> Markup {
        let mut all: Vec<Bar> = match self {
            Self::Numbers => sum.percentiles.iter().map(|part| percentile(visit, part)).collect(),
            _ => sum.counts.iter().map(|count| self.counted(visit, count, people)).collect(),
        };
        let left_out = all.len().saturating_sub(BARS_MAX);
        // The newest steps of time are the last ones.
        all.drain(..left_out);
        if sum.others > 0 {
            let label = html! { (visit.say(Text::OtherRows)) };
            all.push(Bar { label, length: sum.others, shown: None });
        }
        html! {
            @if all.is_empty() { p.soft { (visit.say(Text::NothingHere)) } } @else { (bars(caption, &all)) }
            @if left_out > 0 { p.soft { (visit.look.fill(Text::BarsLeftOut, &[&left_out])) } }
        }
    }

    fn counted(self, visit: &Visit, count: &v1::NumberCount, people: &People) -> Bar {
        let label = match self {
            Self::Named(names) => {
                let name = usize::try_from(count.number).ok().and_then(|place| names.get(place));
                html! { @match name { Some(name) => { (visit.say(*name)) } None => { (count.number) } } }
            }
            Self::People => people.show(count.number),
            _ => html! { (day(count.number)) },
        };
        Bar { label, length: count.rows, shown: None }
    }
}

/// The fields by which a reader chooses the order of rows, and a sum over them.
pub(super) fn order_and_chart<O: Copy, C: Copy>(
    visit: &Visit,
    first: Text,
    orders: &[Choice<O>],
    charts: &[Choice<C>],
) -> Markup {
    html! {
        p.row {
            (filters::select(visit, "order", Text::OrderBy, first, orders))
            label {
                input type="checkbox" name="rising" value="1" checked[!visit.query.get("rising").is_empty()];
                " " (visit.say(Text::Rising))
            }
            (filters::select(visit, "chart", Text::Chart, Text::NoChart, charts))
            button { (visit.say(Text::Find)) }
        }
    }
}

fn percentile(visit: &Visit, part: &v1::Percentile) -> Bar {
    let percent = f64::from(part.thousandths) / 10.0;
    let shown = if part.low == part.high {
        number(part.low)
    } else {
        format!("{} - {}", number(part.low), number(part.high))
    };
    let label = html! { (visit.look.fill(Text::PercentBelow, &[&percent])) };
    Bar { label, length: part.high, shown: Some(shown) }
}

/// The day of a time, in UTC, in which the server makes steps.
fn day(at_ms: u64) -> String {
    let seconds = i64::try_from(at_ms / 1_000).unwrap_or(i64::MAX);
    OffsetDateTime::from_unix_timestamp(seconds).map_or_else(
        |_| at_ms.to_string(),
        |at| format!("{:04}-{:02}-{:02}", at.year(), u8::from(at.month()), at.day()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_named_by_its_first_day() {
        assert_eq!(day(1_795_737_600_000), "2026-11-27");
        assert_eq!(day(u64::MAX), u64::MAX.to_string());
    }
}
