//! The plots: throughput and latency of calls on the graph, and home pages and deliveries per second.

use super::plot::{Bar, Group, Sheet, draw};
use super::{Asked, Cell, Results};
use crate::calls::Operation;
use crate::peers::{guanxi, postgres, redis};
use crate::people::Question;
use crate::wire::redis::Layout;
use guanxi_load::finding::count;

/// Calls per second beside latencies, with a heading, and with the words for the first.
const fn wide(headings: &'static [(f64, f64, &'static str, &'static str)]) -> Sheet {
    Sheet { width: 1080.0, top: 64.0, bars: (150.0, 420.0), times: (760.0, 290.0), headings }
}

const LATENCY: (f64, f64, &str, &str) = (760.0, 42.0, "t", "latency, p50 to p99; log scale");

const GRAPH: Sheet = wide(&[
    (12.0, 20.0, "h", "guanxi, PostgreSQL and Redis on the same graph, in the same run"),
    (150.0, 42.0, "t", "calls per second, closed loop (and against PostgreSQL); log scale"),
    LATENCY,
]);

const FEED: Sheet = Sheet {
    width: 860.0,
    top: 44.0,
    bars: (190.0, 500.0),
    times: (0.0, 0.0),
    headings: &[(12.0, 20.0, "h", "Feeds on the same world, in the same run; log scale (and against Redis)")],
};

const PEOPLE: Sheet = wide(&[
    (12.0, 20.0, "h", "The people around a user: guanxi and PostgreSQL doing the same, in the same run"),
    (150.0, 42.0, "t", "calls per second, closed loop (and against PostgreSQL's fastest query); log scale"),
    LATENCY,
]);

/// The connections whose home pages are drawn.
const CONNECTIONS: usize = 64;

fn bar(cell: &Cell) -> Bar {
    let latency = cell.median.latency;
    Bar::new(&cell.system, cell.median.per_s, Some((latency.p50_us, latency.p99_us)))
}

/// Draws the closed-loop results.
pub(super) fn graph(results: &Results) -> String {
    let group = |operation: Operation| {
        let cells = results.closed.iter().filter(|cell| cell.asked == Asked::Operation(operation));
        let (title, bars) = (operation.title().to_owned(), cells.map(bar).collect());
        Group { title, bars }.against(postgres::NAME)
    };
    draw(&GRAPH, &Operation::ALL.map(group))
}

/// Draws home pages and deliveries.
pub(super) fn feed(results: &Results) -> String {
    let pages = |followees: u32| {
        let cells = results.of(Asked::Followees(followees), CONNECTIONS);
        let readers = count(f64::from(followees));
        Group {
            title: format!("home pages of a reader of {readers} a second, over the wire"),
            bars: cells.map(|cell| Bar::new(&cell.system, cell.median.per_s, None)).collect(),
        }
    };
    let deliveries = results.deliveries.iter().map(|cell| Bar::new(&cell.system, cell.per_s, None));
    let deliveries = Group { title: "deliveries a second".to_owned(), bars: deliveries.collect() };
    let groups = [pages(75), pages(500), pages(2_000), deliveries];
    draw(&FEED, &groups.map(|group| group.against(redis::name(Layout::SortedSets))))
}

/// Draws what was asked over the most connections.
pub(super) fn people(results: &Results) -> String {
    let connections = results.connections().last().copied().unwrap_or(0);
    let group = |question: Question| {
        let asked = Asked::Question(question);
        let bars = results.of(asked, connections).map(|cell| {
            let other = results.postgres(asked, connections).filter(|_| cell.system == guanxi::NAME);
            let bar = bar(cell);
            Bar { factor: other.map(|other| bar.per_s / other), ..bar }
        });
        Group { title: question.title().to_owned(), bars: bars.collect() }
    };
    draw(&PEOPLE, &Question::ALL.map(group))
}

#[cfg(test)]
mod tests {
    use super::super::markdown::tests::{feed_results, graph_results, people_results};
    use super::*;

    #[test]
    fn the_plot_names_systems_figures_and_factors() {
        let svg = graph(&graph_results());
        for part in ["<svg ", "guanxi", "PostgreSQL", "200,000  (10 x)", "relation check of 20", "</svg>"] {
            assert!(svg.contains(part), "{part} is missing in {svg}");
        }
    }

    #[test]
    fn people_are_compared_with_the_faster_query() {
        let svg = people(&people_results());
        for part in ["home of 500 followings", "20,000  (10 x)", "PostgreSQL join", "</svg>"] {
            assert!(svg.contains(part), "{part} is missing in {svg}");
        }
        assert!(!svg.contains("friends of friends"), "nothing is drawn that was not measured");
    }

    #[test]
    fn the_plot_has_bars_of_pages_and_deliveries() {
        let svg = feed(&feed_results());
        for part in ["guanxi, pull", "80,000  (1 x)", "1,000,000  (10 x)", "reader of 500", "</svg>"] {
            assert!(svg.contains(part), "{part} is missing in {svg}");
        }
        assert!(!svg.contains("2,000"), "nothing is drawn that was not measured");
    }
}
