//! The report of an import, for people and for programs.

use super::batches::{Batch, RefusedLine};
use super::refusals::{Example, Refusals};
use super::row::Row;
use guanxi_model::{Reason, Result};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Users share 256 logical shards by the low 8 bits of their id. From this share of a fair one on, the largest
/// is worth a warning.
const SKEW_MAX: u64 = 8;
/// Rows below which the shares say nothing.
const SKEW_ROWS_MIN: u64 = 256 * 100;

/// How the rows were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Sorted, straight into the files of an empty directory.
    Bulk,
    /// As batches of ordinary writes into a directory.
    Batches,
    /// As batches sent to a server.
    Server,
}

/// The result of an import.
#[derive(Debug)]
pub struct Report {
    /// The kind of rows: edges, posts or likes.
    pub name: &'static str,
    /// The name under which an interrupted import goes on; none for a stream without a given name.
    pub job: Option<String>,
    /// How the rows were written.
    pub method: Method,
    /// Lines read by this run, comments and blank lines included.
    pub lines: u64,
    /// Lines that an earlier, interrupted run had done.
    pub resumed_at_line: u64,
    /// Rows found; each is accepted, already there or refused.
    pub rows: u64,
    /// Rows that are new.
    pub accepted: u64,
    /// Rows that were there; for edges also those that were removed by their subject and are not revived.
    pub already_there: u64,
    /// Refused rows by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// All refused rows.
    pub refused_total: u64,
    /// The line that names the columns, if there is one.
    pub header: Option<String>,
    /// Times that did not say of which zone they are, and were read as UTC.
    pub zoneless: u64,
    /// The refused rows.
    pub refusals: Refusals,
    /// Where all refused rows are, when there are more than are shown.
    pub refused_file: Option<PathBuf>,
    /// More rows were refused than may be: the rest of the list was not read.
    pub gave_up: bool,
    /// From the start to the last byte on the disk.
    pub seconds: f64,
    /// Rows per second of that time.
    pub rows_per_second: f64,
    genes: Box<[u64; 256]>,
}

impl Report {
    /// An empty report.
    pub fn new<R: Row>(
        job: Option<String>,
        method: Method,
        resumed_at_line: u64,
        refusals: Refusals,
    ) -> Self {
        Self {
            name: R::NAME,
            job,
            method,
            lines: 0,
            resumed_at_line,
            rows: 0,
            accepted: 0,
            already_there: 0,
            refused: BTreeMap::new(),
            refused_total: 0,
            header: None,
            zoneless: 0,
            refusals,
            refused_file: None,
            gave_up: false,
            seconds: 0.0,
            rows_per_second: 0.0,
            genes: Box::new([0; 256]),
        }
    }

    /// Adds what a batch was answered, one result per row.
    pub fn add_results<'a, R: Row>(
        &mut self,
        batch: &Batch<R>,
        results: impl Iterator<Item = &'a Result<bool, Reason>>,
    ) {
        for (n, result) in results.enumerate() {
            match result {
                Ok(changed) => self.count(*changed),
                Err(reason) => {
                    self.refuse(batch.row_lines[n], reason.name(), || batch.rows[n].refused(reason));
                }
            }
        }
    }

    /// Adds what a batch says before any store is asked.
    pub fn add_parsed<R: Row>(&mut self, batch: &Batch<R>) {
        self.lines += batch.to.lines - batch.from.lines;
        self.zoneless += batch.seen.zoneless;
        self.header = self.header.take().or_else(|| batch.header.clone());
        self.rows += batch.rows.len() as u64 + batch.refused.len() as u64;
        for RefusedLine { line, refusal, text } in &batch.refused {
            self.refuse(*line, refusal.reason, || match refusal.detail.as_str() {
                "" => text.clone(),
                detail => format!("{detail}: {text}"),
            });
        }
        for row in &batch.rows {
            self.genes[usize::from(row.gene().0)] += 1;
        }
    }

    /// Counts a row that was taken.
    pub const fn count(&mut self, changed: bool) {
        if changed {
            self.accepted += 1;
        } else {
            self.already_there += 1;
        }
    }

    /// Counts a row that was refused.
    pub fn refuse(&mut self, line: u64, reason: &'static str, text: impl FnOnce() -> String) {
        *self.refused.entry(reason).or_default() += 1;
        self.refused_total += 1;
        self.refusals.add(Example { line, reason, text: text() });
    }

    /// Returns whether every row was refused.
    pub const fn took_nothing(&self) -> bool {
        self.refused_total > 0 && self.accepted == 0 && self.already_there == 0 && self.resumed_at_line == 0
    }

    /// Adds rows that were refused together: how many for each reason, and the first of them by line.
    pub fn refuse_counted(&mut self, counts: &[(&'static str, u64)], first: &[(u64, &'static str)]) {
        for (reason, count) in counts.iter().filter(|(_, count)| *count > 0) {
            *self.refused.entry(reason).or_default() += count;
            self.refused_total += count;
        }
        let told = |&(line, reason): &(u64, &'static str)| Example { line, reason, text: String::new() };
        self.refusals.merge(first.iter().map(told).collect());
    }

    /// Closes the report.
    pub fn finish(&mut self, elapsed: Duration) {
        self.refusals.examples.sort_by_key(|example| example.line);
        self.refused_file = self.refusals.finish();
        self.seconds = elapsed.as_secs_f64();
        self.rows_per_second = self.rows as f64 / self.seconds.max(1e-9);
    }

    /// How long it took, in whole milliseconds.
    pub fn milliseconds(&self) -> u64 {
        Duration::from_secs_f64(self.seconds).as_millis().try_into().unwrap_or(u64::MAX)
    }

    /// A warning when a few logical shards would carry most of the rows.
    pub fn skew(&self) -> Option<String> {
        let total: u64 = self.genes.iter().sum();
        let (gene, most) = self.genes.iter().enumerate().max_by_key(|(_, rows)| **rows)?;
        let used = self.genes.iter().filter(|rows| **rows > 0).count();
        (total >= SKEW_ROWS_MIN && most * 256 > total * SKEW_MAX).then(|| {
            format!(
                "the ids are skewed: {used} of 256 shards are used, and shard {gene} holds {} of 100 {}; \
                 that does not matter on one machine, and limits how far a cluster can spread them",
                most * 100 / total,
                self.name
            )
        })
    }
}

/// Programs find the rows under their own name: `edges`, `edges_per_second`.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("job", &self.job)?;
        map.serialize_entry("method", &self.method)?;
        map.serialize_entry("lines", &self.lines)?;
        map.serialize_entry("resumed_at_line", &self.resumed_at_line)?;
        map.serialize_entry(self.name, &self.rows)?;
        map.serialize_entry("accepted", &self.accepted)?;
        map.serialize_entry("already_there", &self.already_there)?;
        map.serialize_entry("refused", &self.refused)?;
        map.serialize_entry("refused_total", &self.refused_total)?;
        map.serialize_entry("examples", &self.refusals.examples)?;
        map.serialize_entry("refused_file", &self.refused_file)?;
        map.serialize_entry("header", &self.header)?;
        map.serialize_entry("times_without_zone", &self.zoneless)?;
        map.serialize_entry("gave_up", &self.gave_up)?;
        map.serialize_entry("seconds", &self.seconds)?;
        map.serialize_entry(&format!("{}_per_second", self.name), &self.rows_per_second)?;
        map.end()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.resumed_at_line > 0 {
            writeln!(f, "went on after line     {:>12}", self.resumed_at_line)?;
        }
        if let Some(header) = &self.header {
            writeln!(f, "taken for a header: {header}")?;
        }
        if self.zoneless > 0 {
            writeln!(f, "times without a zone, read as UTC: {}", self.zoneless)?;
        }
        writeln!(f, "lines read             {:>12}", self.lines)?;
        writeln!(f, "accepted               {:>12}", self.accepted)?;
        writeln!(f, "already there          {:>12}", self.already_there)?;
        writeln!(f, "refused                {:>12}", self.refused_total)?;
        for (reason, count) in &self.refused {
            writeln!(f, "  {reason:<20} {count:>12}")?;
        }
        let rate = format!("{} per second", self.name);
        write!(f, "{rate:<22} {:>12.0}   ({:.2} s)", self.rows_per_second, self.seconds)?;
        for Example { line, reason, text } in &self.refusals.examples {
            let colon = if text.is_empty() { "" } else { ": " };
            write!(f, "\nline {line}: {reason}{colon}{text}")?;
        }
        if let Some(path) = &self.refused_file {
            write!(f, "\nall refused lines, with what is wrong, are in {}", path.display())?;
        }
        let shown = self.refusals.examples.len() as u64;
        if self.refused_file.is_none() && self.refused_total > shown {
            write!(f, "\n... and {} more refused lines", self.refused_total - shown)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batches::Batches;
    use crate::form::{Form, TableForm};
    use crate::refusals::EXAMPLES_MAX;
    use guanxi_model::ImportEdge;

    fn report_of(text: &str, answer: impl Fn(usize) -> Result<bool, Reason>) -> Report {
        let mut report = Report::new::<ImportEdge>(None, Method::Batches, 0, Refusals::default());
        let form = Form { table: TableForm { separator: b' ', ..TableForm::default() }, ..Form::default() };
        for batch in Batches::<ImportEdge, _>::new(text.as_bytes(), form) {
            let batch = batch.unwrap();
            let results: Vec<_> = (0..batch.rows.len()).map(&answer).collect();
            report.add_parsed(&batch);
            report.add_results(&batch, results.iter());
        }
        report.finish(Duration::from_secs(2));
        report
    }

    #[test]
    fn every_edge_is_accepted_there_or_refused_with_its_line() {
        let report = report_of("1 2\n# c\n\n3 3\n1 3\nx\n1 4\n", |n| match n {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(Reason::LimitReached { limit: 1 }),
        });
        assert_eq!((report.lines, report.rows), (7, 5));
        assert_eq!((report.accepted, report.already_there, report.refused_total), (1, 1, 3));
        let lines: Vec<_> =
            report.refusals.examples.iter().map(|e| (e.line, e.reason, e.text.as_str())).collect();
        let limit = Reason::LimitReached { limit: 1 };
        let told = [
            format!("{}: 3 3", Reason::SelfRelation),
            "has 1 fields, and the columns are source,target,time: x".into(),
            format!("{limit}: 1 4"),
        ];
        assert_eq!(
            lines,
            [(4, "SELF", &*told[0]), (6, "MALFORMED", &*told[1]), (7, "LIMIT_REACHED", &*told[2])]
        );
        assert!((report.rows_per_second - 2.5).abs() < 1e-9);
        assert!(report.to_string().contains(&format!("line 7: LIMIT_REACHED: {limit}: 1 4")));
    }

    #[test]
    fn only_the_first_refusals_are_shown() {
        let report = report_of(&"x\n".repeat(100), |_| Ok(true));
        assert_eq!((report.refused["MALFORMED"], report.refusals.examples.len()), (100, EXAMPLES_MAX));
        assert!(report.to_string().ends_with("... and 80 more refused lines"));
    }

    #[test]
    fn skewed_ids_are_noticed_and_spread_ids_are_not() {
        let text = |ids: &mut dyn Iterator<Item = u32>| {
            ids.fold(String::new(), |text, id| text + &format!("{id} 1\n"))
        };
        let skewed = text(&mut (1..=30_000).map(|n| n * 256));
        assert!(report_of(&skewed, |_| Ok(true)).skew().unwrap().contains("1 of 256 shards"));
        let spread = text(&mut (2..=30_000));
        assert_eq!(report_of(&spread, |_| Ok(true)).skew(), None);
    }
}
