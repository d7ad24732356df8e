//! The table of both versions.

use super::figures::{FIGURES, Turn};
use crate::calls::Operation;
use std::fmt;

/// Something of each version.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Pair<T> {
    /// Of before.
    pub(super) old: T,
    /// Of what is compared with it.
    pub(super) new: T,
}

/// One figure of both.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
struct Line {
    name: &'static str,
    #[serde(skip)]
    digits: usize,
    old: f64,
    new: f64,
    /// New divided by old; none when old is 0.
    ratio: Option<f64>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Row {
    operation: Operation,
    figures: Vec<Line>,
}

/// All operations.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Table {
    /// What the binaries say of themselves.
    pub(super) versions: Pair<String>,
    /// What `perf stat` counted; the others' lines are missing.
    pub(super) perf: Vec<&'static str>,
    /// A row for each operation.
    pub(super) rows: Vec<Row>,
}

impl Row {
    /// The medians of the turns of old and new; `None` without a turn of each.
    pub(super) fn of(operation: Operation, [old, new]: &[Vec<Turn>; 2]) -> Option<Self> {
        let line = |(at, &(name, digits)): (usize, &(&'static str, usize))| {
            let (old, new) = Turn::median(old, at).zip(Turn::median(new, at))?;
            Some(Line { name, digits, old, new, ratio: (old > 0.0).then(|| new / old) })
        };
        let figures: Vec<Line> = FIGURES.iter().enumerate().filter_map(line).collect();
        (!figures.is_empty()).then_some(Self { operation, figures })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old: {}\nnew: {}", self.versions.old, self.versions.new)?;
        for row in &self.rows {
            writeln!(f, "\n{:38} {:>12} {:>12} {:>9}", row.operation.title(), "old", "new", "new/old")?;
            for &Line { name, digits, old, new, ratio } in &row.figures {
                let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
                writeln!(f, "  {name:36} {old:>12.digits$} {new:>12.digits$} {ratio:>9}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::observed::Observed;
    use super::super::perf::Events;
    use super::*;
    use crate::load::Figures;
    use guanxi_load::Quantiles;

    fn turn(per_s: f64) -> Turn {
        let latency = Quantiles { count: 1_000, p50_us: 3.0, p99_us: 9.0, ..Quantiles::default() };
        let closed = Figures { latency, per_s, ..Figures::default() };
        Turn::of(&closed, &Observed::default(), Events::default(), None)
    }

    #[test]
    fn a_table_has_medians_and_ratios_and_leaves_out_what_nobody_counted() {
        let turns = [vec![turn(100.0), turn(400.0), turn(200.0)], vec![turn(300.0)]];
        let rows = vec![Row::of(Operation::Check, &turns).unwrap()];
        let versions = Pair { old: "guanxi 1".to_owned(), new: "guanxi 2".to_owned() };
        let text = Table { versions, perf: vec![], rows }.to_string();
        let line = |name: &str| -> Vec<String> {
            let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
            line.rsplitn(4, ' ').map(str::to_owned).collect()
        };
        assert_eq!(line("calls/s")[0], "1.500", "{text}");
        assert!(text.contains(" 200 ") && text.contains(" 300 "), "{text}");
        assert_eq!(line("voluntary")[0], "-", "{text}");
        assert!(!text.contains("cache misses") && !text.contains("half load"), "{text}");
        assert_eq!(Row::of(Operation::Check, &[vec![turn(1.0)], vec![]]), None);
    }
}
