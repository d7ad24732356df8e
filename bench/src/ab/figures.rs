//! The figures of one turn, and their medians.

use super::observed::Observed;
use super::perf::Events;
use crate::load::Figures;
use guanxi_load::quantiles::median;
use std::fmt;

/// A figure: how it is called, its digits behind the point, and where it is in a turn.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) digits: usize,
    pub(super) of: fn(&Turn) -> Option<f64>,
}

/// All figures, in the order of the table.
pub(super) const FIGURES: &[Figure] = &[
    Figure { name: "calls/s", digits: 0, of: |turn| Some(turn.per_s) },
    Figure { name: "CPU per call, us", digits: 2, of: |turn| Some(turn.cpu_us) },
    Figure { name: "of it user, us", digits: 2, of: |turn| Some(turn.user_us) },
    Figure { name: "of it system, us", digits: 2, of: |turn| Some(turn.system_us) },
    Figure { name: "voluntary switches/s", digits: 0, of: |turn| Some(turn.voluntary_per_s) },
    Figure { name: "involuntary switches/s", digits: 0, of: |turn| Some(turn.involuntary_per_s) },
    Figure { name: "reads and writes per call", digits: 2, of: |turn| Some(turn.reads_and_writes) },
    Figure { name: "system calls per call", digits: 2, of: |turn| turn.events.0[0] },
    Figure { name: "wake-ups per call", digits: 2, of: |turn| turn.events.0[1] },
    Figure { name: "cache misses per call", digits: 1, of: |turn| turn.events.0[2] },
    Figure { name: "p50, us", digits: 0, of: |turn| Some(turn.p50_us) },
    Figure { name: "p99, us", digits: 0, of: |turn| Some(turn.p99_us) },
    Figure { name: "p99 at half load, us", digits: 0, of: |turn| turn.half_p99_us },
];

/// What one turn of a server came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turn {
    per_s: f64,
    cpu_us: f64,
    user_us: f64,
    system_us: f64,
    voluntary_per_s: f64,
    involuntary_per_s: f64,
    reads_and_writes: f64,
    events: Events,
    p50_us: f64,
    p99_us: f64,
    half_p99_us: Option<f64>,
}

impl Turn {
    /// The figures of a closed loop, of what the server used meanwhile, of the events of a call, and of half load.
    pub(super) fn of(closed: &Figures, used: &Observed, events: Events, half: Option<&Figures>) -> Self {
        let calls = closed.latency.count as f64;
        let seconds = calls / closed.per_s;
        Self {
            per_s: closed.per_s,
            cpu_us: used.ran_us / calls,
            user_us: used.user_us / calls,
            system_us: used.system_us / calls,
            voluntary_per_s: used.voluntary / seconds,
            involuntary_per_s: used.involuntary / seconds,
            reads_and_writes: used.reads_and_writes / calls,
            events,
            p50_us: closed.latency.p50_us,
            p99_us: closed.latency.p99_us,
            half_p99_us: half.map(|half| half.latency.p99_us),
        }
    }
}

impl Figure {
    /// The median over turns; `None` when a turn does not have it.
    pub(super) fn median(&self, turns: &[Turn]) -> Option<f64> {
        let values: Option<Vec<f64>> = turns.iter().map(self.of).collect();
        median(values?)
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { per_s, cpu_us, p50_us, p99_us, .. } = self;
        write!(f, "{per_s:>8.0}/s  {cpu_us:>6.1} us CPU  p50 {p50_us:>6.0} us  p99 {p99_us:>7.0} us")
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
        for (figure, expected) in FIGURES.iter().zip(expected) {
            assert_eq!((figure.of)(&turn), Some(expected).filter(|value| !value.is_nan()), "{}", figure.name);
        }
    }

    #[test]
    fn a_median_wants_the_figure_of_every_turn() {
        let turn = |half_p99_us| Turn { half_p99_us, ..Turn::default() };
        let half = FIGURES.last().unwrap();
        assert_eq!(half.median(&[turn(Some(1.0)), turn(Some(9.0)), turn(Some(2.0))]), Some(2.0));
        assert_eq!(half.median(&[turn(Some(1.0)), turn(None)]), None);
        assert_eq!(half.median(&[]), None);
    }
}
