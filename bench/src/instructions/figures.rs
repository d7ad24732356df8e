//! Instructions of a call, from what threads executed.

use super::callgrind::Executed;
use super::calls::Kind;
use guanxi_load::quantiles::median;
use std::fmt;

/// Percent that two runs may differ by.
const SPREAD_MAX: f64 = 0.5;

/// Instructions of one call, in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counted {
    /// Of the thread that answers calls.
    answering: f64,
    /// Of the store's writer.
    writing: f64,
}

impl Counted {
    /// What each of `calls` calls took that the longer of two processes made more. While nothing is written, the writer
    /// keeps house by the clock, which is not the calls' doing.
    pub(super) fn between(kind: Kind, short: Executed, long: Executed, calls: u64) -> Self {
        let more = |of: fn(&Executed) -> u64| of(&long).saturating_sub(of(&short)) as f64 / calls as f64;
        let writing = if kind.writes() { more(|executed| executed.writer) } else { 0.0 };
        Self { answering: more(|executed| executed.first), writing }
    }

    const fn sum(self) -> f64 {
        self.answering + self.writing
    }
}

/// What a kind of call costs.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Row {
    call: Kind,
    /// Instructions of one, the median of the runs.
    instructions: f64,
    /// The writer's part of them.
    writer: f64,
    /// By how much the runs differ, in percent of the least.
    spread_percent: f64,
    runs: usize,
}

impl Row {
    /// The row of some runs; `None` without one that counted something.
    pub(super) fn of(call: Kind, runs: &[Counted]) -> Option<Self> {
        let sums = || runs.iter().map(|run| run.sum());
        let (least, most) = (sums().fold(f64::MAX, f64::min), sums().fold(0.0, f64::max));
        let found = Self {
            call,
            instructions: median(sums())?,
            writer: median(runs.iter().map(|run| run.writing))?,
            spread_percent: 100.0 * (most - least) / least,
            runs: runs.len(),
        };
        (least > 0.0).then_some(found)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, instructions, writer, spread_percent, runs } = self;
        write!(
            f,
            "{:40} {instructions:>10.0} instructions, {writer:>7.0} of them the writer's",
            call.title()
        )?;
        if *runs > 1 {
            write!(f, "; {runs} runs differ by {spread_percent:.2} %")?;
        }
        if *spread_percent > SPREAD_MAX {
            write!(f, ", which is more than {SPREAD_MAX}: count again with more calls (--counted)")?;
        }
        Ok(())
    }
}

/// What all calls cost.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Table {
    /// One row for each call.
    pub(super) calls: Vec<Row>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_costs_what_the_longer_process_executed_more() {
        let short = Executed { first: 5_000, writer: 700 };
        let long = Executed { first: 25_000, writer: 1_700 };
        let counted = |kind| Counted::between(kind, short, long, 10);
        assert_eq!(counted(Kind::Follow), Counted { answering: 2_000.0, writing: 100.0 });
        assert_eq!(counted(Kind::Home), Counted { answering: 2_000.0, writing: 0.0 });
    }

    #[test]
    fn a_row_has_the_median_and_says_when_runs_differ() {
        let run = |answering| Counted { answering, writing: 100.0 };
        let row = Row::of(Kind::Follow, &[run(900.0), run(905.0), run(903.0)]).unwrap();
        assert_eq!((row.instructions, row.writer, row.runs), (1_003.0, 100.0, 3));
        assert!((row.spread_percent - 0.5).abs() < 1e-9 && !row.to_string().contains("again"), "{row}");
        let row = Row::of(Kind::Follow, &[run(900.0), run(910.0)]).unwrap();
        assert!(row.to_string().contains("differ by 1.00 %, which is more than 0.5"), "{row}");
        assert_eq!(Row::of(Kind::Follow, &[]), None);
        assert_eq!(Row::of(Kind::Follow, &[Counted { answering: 0.0, writing: 0.0 }]), None);
    }
}
