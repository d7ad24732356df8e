//! One plot of the comparison: per operation and system a bar of throughput and a line from p50 to p99, both on
//! logarithmic scales.
//!
//! Bars, lines and labels are all it takes, so it is written by hand rather than by a plotting crate.

use super::markdown::{count, short_number, time};
use super::{Cell, Results};
use crate::calls::Operation;
use crate::peers::{bare, guanxi, postgres};
use std::fmt::Write as _;

const WIDTH: f64 = 1080.0;
const ROW: f64 = 20.0;
const GAP: f64 = 34.0;
const TOP: f64 = 64.0;
/// Left ends and widths of the two panels.
const BARS: (f64, f64) = (150.0, 420.0);
const TIMES: (f64, f64) = (760.0, 290.0);

/// Maps values to places on a logarithmic axis.
pub(super) struct Axis {
    left: f64,
    width: f64,
    low: f64,
    high: f64,
}

impl Axis {
    /// An axis of whole decades around all values.
    pub(super) fn around(values: impl Iterator<Item = f64> + Clone, (left, width): (f64, f64)) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min).max(1.0).log10().floor();
        let high = values.fold(1.0, f64::max).log10().ceil().max(low + 1.0);
        Self { left, width, low, high }
    }

    /// The place of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (value.max(1.0).log10() - self.low) / (self.high - self.low);
        self.left + self.width * share.clamp(0.0, 1.0)
    }

    fn decades(&self) -> impl Iterator<Item = f64> + use<> {
        (self.low as i32..=self.high as i32).map(|power| 10_f64.powi(power))
    }
}

/// Draws the closed-loop results.
pub(crate) fn plot(results: &Results) -> String {
    let cells = || results.closed.iter();
    let bars = Axis::around(cells().map(|cell| cell.median.per_s), BARS);
    let times = Axis::around(cells().flat_map(|cell| [cell.median.p50_us, cell.median.p99_us]), TIMES);
    let mut body = String::new();
    let mut y = TOP;
    for operation in Operation::ALL {
        let of_operation: Vec<&Cell> = cells().filter(|cell| cell.operation == operation).collect();
        if of_operation.is_empty() {
            continue;
        }
        y += GAP;
        text(&mut body, 12.0, y - 8.0, "start", "h", operation.title());
        for cell in of_operation {
            row(&mut body, y, results, cell, &bars, &times);
            y += ROW;
        }
    }
    let mut out = String::new();
    let height = y + 24.0;
    let _infallible = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <style>.h{{font-weight:bold;fill:#222}}.t{{fill:#333}}.a{{fill:#888;font-size:10px}}</style>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    text(
        &mut out,
        12.0,
        20.0,
        "start",
        "h",
        "guanxi, PostgreSQL and Redis on the same graph, in the same run",
    );
    text(
        &mut out,
        BARS.0,
        42.0,
        "start",
        "t",
        "calls per second, closed loop (and against PostgreSQL); log scale",
    );
    text(&mut out, TIMES.0, 42.0, "start", "t", "latency, p50 to p99; log scale");
    grid(&mut out, &bars, TOP, y, count);
    grid(&mut out, &times, TOP, y, time);
    out + &body + "</svg>\n"
}

fn row(out: &mut String, y: f64, results: &Results, cell: &Cell, bars: &Axis, times: &Axis) {
    let color = color(&cell.system);
    let (middle, label) = (y + ROW / 2.0, y + ROW / 2.0 + 4.0);
    text(out, BARS.0 - 8.0, label, "end", "t", &cell.system);
    let end = bars.at(cell.median.per_s);
    let _infallible = writeln!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{color}\"/>",
        bars.left,
        y + 2.0,
        end - bars.left,
        ROW - 4.0
    );
    let postgres = results.closed(cell.operation, postgres::NAME).map(|other| other.median.per_s);
    let shown = cell.system != postgres::NAME && cell.system != bare::NAME;
    let factor = postgres.filter(|_| shown).map(|other| cell.median.per_s / other);
    let factor = factor.map_or(String::new(), |factor| format!("  ({} x)", short_number(factor)));
    text(out, end + 6.0, label, "start", "t", &format!("{}{factor}", count(cell.median.per_s)));
    let (p50, p99) = (times.at(cell.median.p50_us), times.at(cell.median.p99_us));
    let _infallible = writeln!(
        out,
        "<line x1=\"{p50:.1}\" x2=\"{p99:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\" stroke=\"{color}\" \
         stroke-width=\"3\"/><circle cx=\"{p50:.1}\" cy=\"{middle:.1}\" r=\"4\" fill=\"{color}\"/><rect x=\"{:.1}\" \
         y=\"{:.1}\" width=\"3\" height=\"12\" fill=\"{color}\"/>",
        p99 - 1.5,
        middle - 6.0
    );
}

/// Draws the decades of an axis from `top` to `bottom`.
pub(super) fn grid(out: &mut String, axis: &Axis, top: f64, bottom: f64, name: fn(f64) -> String) {
    for value in axis.decades() {
        let x = axis.at(value);
        let _infallible = writeln!(
            out,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{bottom:.1}\" stroke=\"#e4e4e4\"/>",
            top + 4.0
        );
        text(out, x, top, "middle", "a", &name(value));
    }
}

pub(super) fn text(out: &mut String, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _infallible = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>"
    );
}

pub(super) fn color(system: &str) -> &'static str {
    match system {
        guanxi::NAME => "#1b7f5c",
        name if name.starts_with(postgres::NAME) => "#33658a",
        bare::NAME => "#b0b0b0",
        _ => "#c8553d",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plot_names_systems_figures_and_factors() {
        let svg = plot(&crate::report::markdown::tests::results());
        for part in ["<svg ", "guanxi", "PostgreSQL", "200,000  (10 x)", "relation check of 20", "</svg>"] {
            assert!(svg.contains(part), "{part} is missing in {svg}");
        }
    }

    #[test]
    fn an_axis_covers_whole_decades() {
        let axis = Axis::around([20.0, 5_000.0].into_iter(), (0.0, 300.0));
        assert_eq!(axis.decades().collect::<Vec<_>>(), [10.0, 100.0, 1_000.0, 10_000.0]);
        assert!((axis.at(100.0) - 100.0).abs() < 1e-9);
    }
}
