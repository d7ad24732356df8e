//! The figures of one turn, and their medians.

use super::observed::Observed;
use super::perf::Events;
use crate::load::Figures;
use guanxi_load::quantiles::median;

/// All figures in the order of the table: how they are called, and their digits behind the point.
pub(super) const FIGURES: [(&str, usize); 13] = [
    ("calls/s", 0),
    ("CPU per call, us", 2),
    ("of it user, us", 2),
    ("of it system, us", 2),
    ("voluntary switches/s", 0),
    ("involuntary switches/s", 0),
    ("reads and writes per call", 2),
    ("system calls per call", 2),
    ("wake-ups per call", 2),
    ("cache misses per call", 1),
    ("p50, us", 0),
    ("p99, us", 0),
    ("p99 at half load, us", 0),
];

/// What one turn of a server came to: its [`FIGURES`], as far as it has them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turn(pub(super) [Option<f64>; FIGURES.len()]);

impl Turn {
    /// The figures of a closed loop, of what the server used meanwhile, of the events of a call, and of half load.
    pub(super) fn of(closed: &Figures, used: &Observed, events: Events, half: Option<&Figures>) -> Self {
        let calls = closed.latency.count as f64;
        let seconds = calls / closed.per_s;
        let Events([system_calls, wake_ups, misses]) = events;
        Self([
            Some(closed.per_s),
            Some(used.ran_us / calls),
            Some(used.user_us / calls),
            Some(used.system_us / calls),
            Some(used.voluntary / seconds),
            Some(used.involuntary / seconds),
            Some(used.reads_and_writes / calls),
            system_calls,
            wake_ups,
            misses,
            Some(closed.latency.p50_us),
            Some(closed.latency.p99_us),
            half.map(|half| half.latency.p99_us),
        ])
    }

    /// The median of a figure over turns; `None` when a turn does not have it.
    pub(super) fn median(turns: &[Self], figure: usize) -> Option<f64> {
        let values: Option<Vec<f64>> = turns.iter().map(|turn| turn.0[figure]).collect();
        median(values?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_load::Quantiles;

    #[test]
    fn a_turn_has_its_figures_per_call_and_per_second() {
        let latency = Quantiles { count: 2_000, p50_us: 3.0, p99_us: 9.0, ..Quantiles::default() };
        let closed = Figures { latency, per_s: 1_000.0, ..Figures::default() };
        let used = Observed {
            ran_us: 10_000.0,
            user_us: 6_000.0,
            system_us: 4_000.0,
            voluntary: 100.0,
            involuntary: 50.0,
            reads_and_writes: 8_000.0,
        };
        let turn = Turn::of(&closed, &used, Events([Some(4.0), None, None]), Some(&closed));
        let expected = [1_000.0, 5.0, 3.0, 2.0, 50.0, 25.0, 4.0, 4.0, f64::NAN, f64::NAN, 3.0, 9.0, 9.0];
        assert_eq!(turn.0, expected.map(|value| Some(value).filter(|value: &f64| !value.is_nan())));
    }

    #[test]
    fn a_median_wants_the_figure_of_every_turn() {
        let turn = |value| Turn([value; FIGURES.len()]);
        assert_eq!(Turn::median(&[turn(Some(1.0)), turn(Some(9.0)), turn(Some(2.0))], 12), Some(2.0));
        assert_eq!(Turn::median(&[turn(Some(1.0)), turn(None)], 12), None);
        assert_eq!(Turn::median(&[], 12), None);
    }
}
