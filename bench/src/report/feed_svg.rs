//! One plot of the comparison of feeds: bars of home pages and deliveries per second on a logarithmic scale.

use super::markdown::{count, short_number};
use super::svg::{Axis, color, grid, text};
use crate::feed::FeedResults;
use crate::peers::home::redis;
use crate::wire::home::InboxLayout;
use std::fmt::Write as _;

const WIDTH: f64 = 860.0;
const ROW: f64 = 20.0;
const GAP: f64 = 34.0;
const TOP: f64 = 44.0;
const BARS: (f64, f64) = (190.0, 500.0);
/// The connections that are drawn.
const CONNECTIONS: usize = 64;

/// One bar.
struct Bar<'a> {
    system: &'a str,
    per_s: f64,
}

/// Draws the results.
pub(super) fn plot(results: &FeedResults) -> String {
    let mut groups: Vec<(String, Vec<Bar<'_>>)> = Vec::new();
    for followees in [75, 500, 2_000] {
        let cells = results.pages.iter();
        let cells = cells.filter(|cell| cell.followees == followees && cell.connections == CONNECTIONS);
        let bars = cells.map(|cell| Bar { system: &cell.system, per_s: cell.median.per_s }).collect();
        groups.push((
            format!("home pages of a reader of {} a second, over the wire", count(f64::from(followees))),
            bars,
        ));
    }
    let bars =
        results.deliveries.iter().map(|cell| Bar { system: &cell.system, per_s: cell.per_s }).collect();
    groups.push(("deliveries a second".to_owned(), bars));
    groups.retain(|(_, bars)| !bars.is_empty());

    let all = groups.iter().flat_map(|(_, bars)| bars.iter().map(|bar| bar.per_s));
    let axis = Axis::around(all, BARS);
    let (mut body, mut y) = (String::new(), TOP);
    for (title, bars) in &groups {
        y += GAP;
        text(&mut body, 12.0, y - 8.0, "start", "h", title);
        let zset = redis::name(InboxLayout::SortedSets);
        let against = bars.iter().find(|bar| bar.system == zset).map(|bar| bar.per_s);
        for bar in bars {
            row(&mut body, y, bar, &axis, against.filter(|_| bar.system != zset));
            y += ROW;
        }
    }
    let height = y + 24.0;
    let mut out = String::new();
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
        "Feeds on the same world, in the same run; log scale (and against Redis)",
    );
    grid(&mut out, &axis, TOP, y, count);
    out + &body + "</svg>\n"
}

fn row(out: &mut String, y: f64, bar: &Bar<'_>, axis: &Axis, against: Option<f64>) {
    let label = y + ROW / 2.0 + 4.0;
    text(out, BARS.0 - 8.0, label, "end", "t", bar.system);
    let end = axis.at(bar.per_s);
    let color = color(bar.system.split(',').next().unwrap_or_default());
    let _infallible = writeln!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{color}\"/>",
        BARS.0,
        y + 2.0,
        end - BARS.0,
        ROW - 4.0
    );
    let factor = against.map_or(String::new(), |other| format!("  ({} x)", short_number(bar.per_s / other)));
    text(out, end + 6.0, label, "start", "t", &format!("{}{factor}", count(bar.per_s)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plot_has_bars_of_pages_and_deliveries() {
        let svg = plot(&super::super::feed::tests::results());
        for part in ["guanxi, pull", "80,000  (1 x)", "1,000,000  (10 x)", "reader of 500", "</svg>"] {
            assert!(svg.contains(part), "{part} is missing in {svg}");
        }
        assert!(!svg.contains("2,000"), "nothing is drawn that was not measured");
    }
}
