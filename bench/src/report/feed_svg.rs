//! The plot of the comparison of feeds: home pages and deliveries per second.

use super::markdown::count;
use super::plot::{Bar, Group, Sheet, draw};
use crate::feed::FeedResults;
use crate::peers::home::redis;
use crate::wire::home::InboxLayout;

/// The connections that are drawn.
const CONNECTIONS: usize = 64;

const SHEET: Sheet = Sheet {
    width: 860.0,
    top: 44.0,
    bars: (190.0, 500.0),
    times: (0.0, 0.0),
    headings: &[(12.0, 20.0, "h", "Feeds on the same world, in the same run; log scale (and against Redis)")],
};

/// Draws the results.
pub(super) fn plot(results: &FeedResults) -> String {
    let mut groups: Vec<Group> = [75, 500, 2_000]
        .into_iter()
        .map(|followees| {
            let cells = results.pages.iter();
            let cells = cells.filter(|cell| cell.followees == followees && cell.connections == CONNECTIONS);
            let readers = count(f64::from(followees));
            group(
                format!("home pages of a reader of {readers} a second, over the wire"),
                cells.map(|cell| (cell.system.as_str(), cell.median.per_s)).collect(),
            )
        })
        .collect();
    let deliveries = results.deliveries.iter().map(|cell| (cell.system.as_str(), cell.per_s));
    groups.push(group("deliveries a second".to_owned(), deliveries.collect()));
    draw(&SHEET, &groups)
}

fn group(title: String, found: Vec<(&str, f64)>) -> Group {
    let zset = redis::name(InboxLayout::SortedSets);
    let against = found.iter().find(|(system, _)| *system == zset).map(|(_, per_s)| *per_s);
    let bar = |(system, per_s): (&str, f64)| Bar {
        system: system.to_owned(),
        per_s,
        factor: against.filter(|_| system != zset).map(|other| per_s / other),
        times: None,
    };
    Group { title, bars: found.into_iter().map(bar).collect() }
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
