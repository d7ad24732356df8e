//! Reads a page of metrics line by line, and keeps the numbers that rows of the table ask for.
//!
//! The recorder writes its page in pieces of whole lines. No page is held in memory, and a line that no row asks for costs one
//! search by its name.

use super::row::{How, Maximum, Row, Source};
use std::io;
use std::ops::Range;
use std::str;

/// Bytes of a line that is not whole yet, at most. The longest line of a page has a few hundred.
const LINE_BYTES_MAX: usize = 4 << 10;

/// Upper bounds of a histogram that are kept, at most. The recorder has fewer than 20.
const BUCKETS_MAX: usize = 64;

/// What a source has come to in one reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum HeldSeries {
    /// The page does not have it.
    #[default]
    Unknown,
    /// A number: a sum, or the soonest time.
    Number(f64),
    /// How many observations are at or below each bound, in the order of bounds.
    Buckets(Vec<(f64, f64)>),
}

impl HeldSeries {
    /// The number, if it is one.
    pub(super) const fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn add(&mut self, keep: Keep, labels: &str, value: f64) {
        match keep {
            Keep::Sum => *self = Self::Number(self.number().unwrap_or(0.0) + value),
            Keep::Soonest if value > 0.0 => {
                *self = Self::Number(self.number().unwrap_or(f64::INFINITY).min(value));
            }
            Keep::Soonest => {}
            Keep::Buckets => self.add_bucket(labels, value),
        }
    }

    fn add_bucket(&mut self, labels: &str, value: f64) {
        let Some(bound) = label(labels, "le").and_then(|bound| bound.parse::<f64>().ok()) else { return };
        if !matches!(self, Self::Buckets(_)) {
            *self = Self::Buckets(Vec::new());
        }
        let Self::Buckets(buckets) = self else { return };
        match buckets.binary_search_by(|(known, _)| known.total_cmp(&bound)) {
            Ok(at) => buckets[at].1 += value,
            Err(at) if buckets.len() < BUCKETS_MAX => buckets.insert(at, (bound, value)),
            Err(_) => {}
        }
    }
}

/// The numbers of one row: those of its first source, of its second, and of its maximum.
pub(super) type RowNumbers = [HeldSeries; 3];

/// All numbers of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct MetricReading {
    /// The time in Unix milliseconds.
    pub at_ms: u64,
    /// The numbers of each row of the table, in its order.
    pub rows: Vec<RowNumbers>,
}

/// How the lines of a source become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    Sum,
    Soonest,
    Buckets,
}

/// A line that a row asks for.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    line: &'static str,
    only: Option<(&'static str, &'static [&'static str])>,
    keep: Keep,
    /// Whether lines with other values of the label mean that this number is 0: a counter that has not begun.
    begins_at_zero: bool,
    row: usize,
    place: usize,
}

/// Which lines of a page are wanted, by their names.
#[derive(Debug)]
pub(super) struct MetricIndex(Vec<Wanted>);

impl MetricIndex {
    /// Of a table.
    pub(super) fn new(table: &[Row]) -> Self {
        let mut wanted = Vec::new();
        for (row, of) in table.iter().enumerate() {
            let keep = match of.how {
                How::Quantile(_) => Keep::Buckets,
                How::Until => Keep::Soonest,
                How::Gauge | How::Rate | How::Ratio | How::Difference => Keep::Sum,
            };
            let begins_at_zero = matches!(of.how, How::Rate | How::Ratio);
            let mut want = |source: &Source, keep, place| {
                let Source { lines, only } = *source;
                let all = lines.iter();
                wanted.extend(all.map(|line| Wanted { line, only, keep, begins_at_zero, row, place }));
            };
            want(&of.first, keep, 0);
            of.second.iter().for_each(|source| want(source, keep, 1));
            if let Maximum::Gauge(source) = &of.maximum {
                want(source, Keep::Sum, 2);
            }
        }
        wanted.sort_by_key(|wanted| wanted.line);
        Self(wanted)
    }

    /// The places of all that ask for a line.
    fn of(&self, name: &str) -> Range<usize> {
        let from = self.0.partition_point(|wanted| wanted.line < name);
        let count = self.0[from..].iter().take_while(|wanted| wanted.line == name).count();
        from..from + count
    }
}

/// Takes a page in, piece by piece.
pub(super) struct PageReader<'a> {
    index: &'a MetricIndex,
    reading: MetricReading,
    /// The beginning of a line whose end has not come.
    rest: Vec<u8>,
    /// The name of the line before, and what asks for it: lines of a name follow each other.
    before: (String, Range<usize>),
}

impl<'a> PageReader<'a> {
    /// Reads a page at a time, for a table of so many rows.
    pub(super) fn new(index: &'a MetricIndex, rows: usize, at_ms: u64) -> Self {
        let rows = vec![RowNumbers::default(); rows];
        Self {
            index,
            reading: MetricReading { at_ms, rows },
            rest: Vec::new(),
            before: (String::new(), 0..0),
        }
    }

    /// What was read.
    pub(super) fn end(mut self) -> MetricReading {
        let rest = std::mem::take(&mut self.rest);
        self.line(&rest);
        self.reading
    }

    fn line(&mut self, line: &[u8]) {
        let Ok(line) = str::from_utf8(line) else { return };
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        let (name, labels) = line.split_once(['{', ' ']).unwrap_or((line, ""));
        if self.before.0 != name {
            name.clone_into(&mut self.before.0);
            self.before.1 = self.index.of(name);
        }
        if self.before.1.is_empty() {
            return;
        }
        let value = line.rsplit_once(' ').and_then(|(_, value)| value.parse::<f64>().ok());
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        for wanted in &self.index.0[self.before.1.clone()] {
            let held = &mut self.reading.rows[wanted.row][wanted.place];
            let value_of = |of| label(labels, of);
            if wanted
                .only
                .is_none_or(|(of, values)| value_of(of).is_some_and(|value| values.contains(&value)))
            {
                held.add(wanted.keep, labels, value);
            } else if wanted.begins_at_zero && *held == HeldSeries::Unknown {
                *held = HeldSeries::Number(0.0);
            }
        }
    }
}

impl io::Write for PageReader<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut left = piece;
        while let Some(end) = left.iter().position(|byte| *byte == b'\n') {
            let (line, behind) = (&left[..end], &left[end + 1..]);
            if self.rest.is_empty() {
                self.line(line);
            } else {
                let mut whole = std::mem::take(&mut self.rest);
                whole.extend_from_slice(line);
                self.line(&whole);
            }
            left = behind;
        }
        if self.rest.len() + left.len() > LINE_BYTES_MAX {
            return Err(io::Error::other("a line of metrics is too long"));
        }
        self.rest.extend_from_slice(left);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The value of a label, as it is written: `a="x",b="y"}`. A quote in a value is escaped, so no value looks like a label.
fn label<'a>(labels: &'a str, name: &str) -> Option<&'a str> {
    let mut left = labels;
    loop {
        let (found, behind) = left.split_once("=\"")?;
        let value = behind.split('"').next()?;
        if found.trim_start_matches(',') == name {
            return Some(value);
        }
        left = end_of_value(behind)?;
    }
}

/// What follows the closing quote of a value.
fn end_of_value(text: &str) -> Option<&str> {
    let mut escaped = false;
    let end = text.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    })?;
    text.get(end + 1..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_by_their_names() {
        let labels = r#"a="x\",b=\"z",b="y",le="+Inf"}"#;
        assert_eq!(label(labels, "b"), Some("y"));
        assert_eq!(label(labels, "le"), Some("+Inf"));
        assert_eq!(label(labels, "c"), None);
        assert_eq!(label("", "a"), None);
    }
}
