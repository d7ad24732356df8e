//! What a run found: tables of figures, with what was aimed at beside them.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A bound that a figure should keep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    /// Not less than this.
    AtLeast(f64),
    /// Not more than this.
    AtMost(f64),
}

impl Aim {
    /// Returns whether a figure keeps the bound.
    pub fn reached(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::AtMost(bound) => value <= bound,
        }
    }

    /// The bound in words.
    pub fn words(self) -> String {
        match self {
            Self::AtLeast(bound) => format!("at least {}", short_number(bound)),
            Self::AtMost(bound) => format!("at most {}", short_number(bound)),
        }
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Of what.
    pub what: String,
    /// How much.
    pub value: f64,
    /// In what unit.
    pub unit: String,
    /// What was aimed at, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
}

impl Row {
    /// A figure without an aim.
    pub fn new(what: &str, value: f64, unit: &str) -> Self {
        Self { what: what.to_owned(), value, unit: unit.to_owned(), aim: None }
    }

    /// The same with an aim.
    #[must_use]
    pub fn aim(mut self, aim: Aim) -> Self {
        self.aim = Some(aim);
        self
    }
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What was measured.
    pub title: String,
    /// How.
    pub how: String,
    /// The figures.
    pub rows: Vec<Row>,
}

impl Finding {
    /// The table for a terminal: figures, aims, and whether they were reached.
    pub fn text(&self) -> String {
        let width = self.rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
        let mut out = format!("{}\n  {}\n", self.title, self.how);
        for row in &self.rows {
            let aim = row.aim.map_or(String::new(), |aim| {
                let verdict = if aim.reached(row.value) { "reached" } else { "NOT REACHED" };
                format!("   ({}: {verdict})", aim.words())
            });
            let value = short_number(row.value);
            let _infallible = writeln!(out, "  {:width$}  {value:>12} {}{aim}", row.what, row.unit);
        }
        out
    }
}

/// A count with thousands apart.
pub fn count(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// About three digits.
pub fn short_number(value: f64) -> String {
    let decimals = match value {
        1_000.0.. => return count(value),
        100.0.. => return format!("{value:.0}"),
        10.0.. => 1,
        _ => 2,
    };
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [0.256, 2.0, 10.0, 12.34, 120.4, 1_234_567.8].into_iter().map(short_number).collect();
        assert_eq!(shown, ["0.26", "2", "10", "12.3", "120", "1,234,568"]);
    }

    #[test]
    fn a_table_says_plainly_what_was_not_reached() {
        let rows = vec![
            Row::new("pages", 10.0, "1/s").aim(Aim::AtLeast(20.0)),
            Row::new("bytes", 10.0, "B").aim(Aim::AtMost(12.0)),
        ];
        let text = Finding { title: "T".to_owned(), how: "how".to_owned(), rows }.text();
        assert!(
            text.contains("(at least 20: NOT REACHED)") && text.contains("(at most 12: reached)"),
            "{text}"
        );
    }
}
