//! The plot of the comparison: per operation and system throughput and latency.

use super::plot::{Bar, Group, Sheet, draw};
use super::{Cell, Results};
use crate::calls::Operation;
use crate::peers::{bare, postgres};

const SHEET: Sheet = Sheet {
    width: 1080.0,
    top: 64.0,
    bars: (150.0, 420.0),
    times: (760.0, 290.0),
    headings: &[
        (12.0, 20.0, "h", "guanxi, PostgreSQL and Redis on the same graph, in the same run"),
        (150.0, 42.0, "t", "calls per second, closed loop (and against PostgreSQL); log scale"),
        (760.0, 42.0, "t", "latency, p50 to p99; log scale"),
    ],
};

/// Draws the closed-loop results.
pub(super) fn plot(results: &Results) -> String {
    let group = |operation: Operation| Group {
        title: operation.title().to_owned(),
        bars: results
            .closed
            .iter()
            .filter(|cell| cell.operation == operation)
            .map(|cell| bar(results, cell))
            .collect(),
    };
    draw(&SHEET, &Operation::ALL.map(group))
}

fn bar(results: &Results, cell: &Cell) -> Bar {
    let postgres = results.closed(cell.operation, postgres::NAME).map(|other| other.median.per_s);
    let shown = cell.system != postgres::NAME && cell.system != bare::NAME;
    Bar {
        system: cell.system.clone(),
        per_s: cell.median.per_s,
        factor: postgres.filter(|_| shown).map(|other| cell.median.per_s / other),
        times: Some((cell.median.p50_us, cell.median.p99_us)),
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
}
