//! Plots of the comparisons: groups of bars on a logarithmic scale, and beside each bar, where there are latencies, a
//! line from p50 to p99.
//!
//! Bars, lines and labels are all it takes, so it is written by hand rather than by a plotting crate.

use super::markdown::time;
use crate::peers::{bare, guanxi, postgres};
use guanxi_load::finding::{count, short_number};
use std::fmt::Write as _;

const ROW: f64 = 20.0;
const GAP: f64 = 34.0;

/// One bar.
pub(super) struct Bar {
    /// The system.
    pub(super) system: String,
    /// How long it is: something per second.
    pub(super) per_s: f64,
    /// What it is against another system's.
    pub(super) factor: Option<f64>,
    /// p50 and p99 in microseconds.
    pub(super) times: Option<(f64, f64)>,
}

impl Bar {
    /// A bar of a system, not compared with any other.
    pub(super) fn new(system: &str, per_s: f64, times: Option<(f64, f64)>) -> Self {
        Self { system: system.to_owned(), per_s, factor: None, times }
    }
}

/// Bars under one heading.
pub(super) struct Group {
    /// The heading.
    pub(super) title: String,
    /// From top to bottom.
    pub(super) bars: Vec<Bar>,
}

impl Group {
    /// Compares every bar with that of one system; a bare call does nothing, so it is not compared.
    pub(super) fn against(mut self, system: &str) -> Self {
        let other = self.bars.iter().find(|bar| bar.system == system).map(|bar| bar.per_s);
        for bar in self.bars.iter_mut().filter(|bar| bar.system != system && bar.system != bare::NAME) {
            bar.factor = other.map(|other| bar.per_s / other);
        }
        self
    }
}

/// The places of a plot.
pub(super) struct Sheet {
    /// Of all.
    pub(super) width: f64,
    /// Where the scales are named.
    pub(super) top: f64,
    /// Left end and width of the bars.
    pub(super) bars: (f64, f64),
    /// Left end and width of the latencies.
    pub(super) times: (f64, f64),
    /// Headings of the sheet with their places.
    pub(super) headings: &'static [(f64, f64, &'static str, &'static str)],
}

/// Maps values to places on a logarithmic axis.
struct Axis {
    left: f64,
    width: f64,
    low: f64,
    high: f64,
}

impl Axis {
    /// An axis of whole decades around all values.
    fn around(values: impl Iterator<Item = f64> + Clone, (left, width): (f64, f64)) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min).max(1.0).log10().floor();
        let high = values.fold(1.0, f64::max).log10().ceil().max(low + 1.0);
        Self { left, width, low, high }
    }

    /// The place of a value.
    fn at(&self, value: f64) -> f64 {
        let share = (value.max(1.0).log10() - self.low) / (self.high - self.low);
        self.left + self.width * share.clamp(0.0, 1.0)
    }

    fn decades(&self) -> impl Iterator<Item = f64> + use<> {
        (self.low as i32..=self.high as i32).map(|power| 10_f64.powi(power))
    }

    /// Draws the decades from `top` to `bottom`.
    fn grid(&self, out: &mut String, top: f64, bottom: f64, name: fn(f64) -> String) {
        for value in self.decades() {
            let x = self.at(value);
            let _infallible = writeln!(
                out,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{bottom:.1}\" stroke=\"#e4e4e4\"/>",
                top + 4.0
            );
            text(out, x, top, "middle", "a", &name(value));
        }
    }
}

/// Draws groups, of which those without bars are left out.
pub(super) fn draw(sheet: &Sheet, groups: &[Group]) -> String {
    let all = || groups.iter().flat_map(|group| &group.bars);
    let bars = Axis::around(all().map(|bar| bar.per_s), sheet.bars);
    let latencies = || all().filter_map(|bar| bar.times).flat_map(|(p50, p99)| [p50, p99]);
    let times = latencies().next().map(|_| Axis::around(latencies(), sheet.times));
    let (mut body, mut y) = (String::new(), sheet.top);
    for group in groups.iter().filter(|group| !group.bars.is_empty()) {
        y += GAP;
        text(&mut body, 12.0, y - 8.0, "start", "h", &group.title);
        for bar in &group.bars {
            row(&mut body, y, bar, &bars);
            if let Some((axis, times)) = times.as_ref().zip(bar.times) {
                latency(&mut body, y + ROW / 2.0, axis, times, color(&bar.system));
            }
            y += ROW;
        }
    }
    let (width, height) = (sheet.width, y + 24.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <style>.h{{font-weight:bold;fill:#222}}.t{{fill:#333}}.a{{fill:#888;font-size:10px}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (x, y, class, words) in sheet.headings {
        text(&mut out, *x, *y, "start", class, words);
    }
    bars.grid(&mut out, sheet.top, y, count);
    if let Some(axis) = times {
        axis.grid(&mut out, sheet.top, y, time);
    }
    out + &body + "</svg>\n"
}

fn row(out: &mut String, y: f64, bar: &Bar, axis: &Axis) {
    let label = y + ROW / 2.0 + 4.0;
    text(out, axis.left - 8.0, label, "end", "t", &bar.system);
    let end = axis.at(bar.per_s);
    let _infallible = writeln!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
        axis.left,
        y + 2.0,
        end - axis.left,
        ROW - 4.0,
        color(&bar.system)
    );
    let factor = bar.factor.map_or(String::new(), |factor| format!("  ({} x)", short_number(factor)));
    text(out, end + 6.0, label, "start", "t", &format!("{}{factor}", count(bar.per_s)));
}

fn latency(out: &mut String, middle: f64, axis: &Axis, (p50, p99): (f64, f64), color: &str) {
    let (p50, p99) = (axis.at(p50), axis.at(p99));
    let _infallible = writeln!(
        out,
        "<line x1=\"{p50:.1}\" x2=\"{p99:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\" stroke=\"{color}\" \
         stroke-width=\"3\"/><circle cx=\"{p50:.1}\" cy=\"{middle:.1}\" r=\"4\" fill=\"{color}\"/><rect x=\"{:.1}\" \
         y=\"{:.1}\" width=\"3\" height=\"12\" fill=\"{color}\"/>",
        p99 - 1.5,
        middle - 6.0
    );
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _infallible = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>"
    );
}

/// A system has one colour, with every policy or query.
fn color(system: &str) -> &'static str {
    match system.split(',').next().unwrap_or_default() {
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
    fn an_axis_covers_whole_decades() {
        let axis = Axis::around([20.0, 5_000.0].into_iter(), (0.0, 300.0));
        assert_eq!(axis.decades().collect::<Vec<_>>(), [10.0, 100.0, 1_000.0, 10_000.0]);
        assert!((axis.at(100.0) - 100.0).abs() < 1e-9);
    }
}
