//! What an import did, for people and for programs.

use super::batches::{Batch, RefusedLine};
use guanxi_model::{Reason, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Refused lines that a report shows; more are only counted.
const EXAMPLES_MAX: usize = 20;

/// Users share 256 logical shards by the low 8 bits of their id. From this share of a fair one on, the largest
/// is worth a warning.
const SKEW_MAX: u64 = 8;
/// Edges below which the shares say nothing.
const SKEW_EDGES_MIN: u64 = 256 * 100;

/// How the edges were written.
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

/// A refused line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub reason: &'static str,
    /// How it begins, or its edge.
    pub text: String,
}

/// What an import did.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The name under which an interrupted import goes on; none for a stream without a given name.
    pub job: Option<String>,
    /// How the edges were written.
    pub method: Method,
    /// Lines read by this run, comments and blank lines included.
    pub lines: u64,
    /// Lines that an earlier, interrupted run had done.
    pub resumed_at_line: u64,
    /// Edges found; each is accepted, already there or refused.
    pub edges: u64,
    /// Edges that are new.
    pub accepted: u64,
    /// Edges that were there, or were removed by their subject and are not revived.
    pub already_there: u64,
    /// Refused edges by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// All refused edges.
    pub refused_total: u64,
    /// The first refused edges.
    pub examples: Vec<Example>,
    /// From the start to the last byte on the disk.
    pub seconds: f64,
    /// Edges per second of that time.
    pub edges_per_second: f64,
    #[serde(skip)]
    genes: Box<[u64; 256]>,
}

impl Report {
    /// An empty report.
    pub fn new(job: Option<String>, method: Method, resumed_at_line: u64) -> Self {
        Self {
            job,
            method,
            lines: 0,
            resumed_at_line,
            edges: 0,
            accepted: 0,
            already_there: 0,
            refused: BTreeMap::new(),
            refused_total: 0,
            examples: Vec::new(),
            seconds: 0.0,
            edges_per_second: 0.0,
            genes: Box::new([0; 256]),
        }
    }

    /// Adds what a batch was answered, one result per edge.
    pub fn add<'a>(&mut self, batch: &Batch, results: impl Iterator<Item = &'a Result<bool, Reason>>) {
        self.add_parsed(batch);
        for (n, result) in results.enumerate() {
            match result {
                Ok(changed) => self.count(*changed),
                Err(reason) => {
                    let edge = batch.edges[n];
                    self.refuse(batch.edge_lines[n], reason.name(), || {
                        format!("{} {}", edge.subject, edge.object)
                    });
                }
            }
        }
    }

    /// Adds what a batch says before any store is asked.
    pub fn add_parsed(&mut self, batch: &Batch) {
        self.lines += batch.to - batch.from;
        self.edges += batch.edges.len() as u64 + batch.refused.len() as u64;
        for RefusedLine { line, refusal, text } in &batch.refused {
            self.refuse(*line, refusal.name(), || text.clone());
        }
        for edge in &batch.edges {
            self.genes[usize::from(edge.subject.gene().0)] += 1;
        }
    }

    /// Counts an edge that was taken.
    pub const fn count(&mut self, changed: bool) {
        if changed {
            self.accepted += 1;
        } else {
            self.already_there += 1;
        }
    }

    /// Counts an edge that was refused.
    pub fn refuse(&mut self, line: u64, reason: &'static str, text: impl FnOnce() -> String) {
        *self.refused.entry(reason).or_default() += 1;
        self.refused_total += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(Example { line, reason, text: text() });
        }
    }

    /// Adds edges that were refused together: how many for each reason, and the first of them by line.
    pub fn refuse_counted(&mut self, counts: &[(&'static str, u64)], first: &[(u64, &'static str)]) {
        for (reason, count) in counts.iter().filter(|(_, count)| *count > 0) {
            *self.refused.entry(reason).or_default() += count;
            self.refused_total += count;
        }
        let examples = first.iter().take(EXAMPLES_MAX);
        self.examples.extend(examples.map(|&(line, reason)| Example { line, reason, text: String::new() }));
        self.examples.sort_by_key(|example| example.line);
        self.examples.truncate(EXAMPLES_MAX);
    }

    /// Closes the report.
    pub fn finish(&mut self, elapsed: Duration) {
        self.examples.sort_by_key(|example| example.line);
        self.seconds = elapsed.as_secs_f64();
        self.edges_per_second = self.edges as f64 / self.seconds.max(1e-9);
    }

    /// How long it took, in whole milliseconds.
    pub fn milliseconds(&self) -> u64 {
        Duration::from_secs_f64(self.seconds).as_millis().try_into().unwrap_or(u64::MAX)
    }

    /// A warning when a few logical shards would carry most of the users' edges.
    pub fn skew(&self) -> Option<String> {
        let total: u64 = self.genes.iter().sum();
        let (gene, most) = self.genes.iter().enumerate().max_by_key(|(_, edges)| **edges)?;
        let used = self.genes.iter().filter(|edges| **edges > 0).count();
        (total >= SKEW_EDGES_MIN && most * 256 > total * SKEW_MAX).then(|| {
            format!(
                "the ids are skewed: {used} of 256 shards are used, and shard {gene} holds {} of 100 edges; \
                 that does not matter on one machine, and limits how far a cluster can spread them",
                most * 100 / total
            )
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.resumed_at_line > 0 {
            writeln!(f, "went on after line     {:>12}", self.resumed_at_line)?;
        }
        writeln!(f, "lines read             {:>12}", self.lines)?;
        writeln!(f, "accepted               {:>12}", self.accepted)?;
        writeln!(f, "already there          {:>12}", self.already_there)?;
        writeln!(f, "refused                {:>12}", self.refused_total)?;
        for (reason, count) in &self.refused {
            writeln!(f, "  {reason:<20} {count:>12}")?;
        }
        write!(f, "edges per second       {:>12.0}   ({:.2} s)", self.edges_per_second, self.seconds)?;
        for Example { line, reason, text } in &self.examples {
            let colon = if text.is_empty() { "" } else { ": " };
            write!(f, "\nline {line}: {reason}{colon}{text}")?;
        }
        match self.refused_total.saturating_sub(self.examples.len() as u64) {
            0 => Ok(()),
            more => write!(f, "\n... and {more} more refused lines"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::batches::Batches;

    fn report_of(text: &str, answer: impl Fn(usize) -> Result<bool, Reason>) -> Report {
        let mut report = Report::new(None, Method::Batches, 0);
        for batch in Batches::after(text.as_bytes(), 0).unwrap() {
            let batch = batch.unwrap();
            let results: Vec<_> = (0..batch.edges.len()).map(&answer).collect();
            report.add(&batch, results.iter());
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
        assert_eq!((report.lines, report.edges), (7, 5));
        assert_eq!((report.accepted, report.already_there, report.refused_total), (1, 1, 3));
        let lines: Vec<_> = report.examples.iter().map(|e| (e.line, e.reason, e.text.as_str())).collect();
        assert_eq!(lines, [(4, "SELF", "3 3"), (6, "MALFORMED", "x"), (7, "LIMIT_REACHED", "1 4")]);
        assert!((report.edges_per_second - 2.5).abs() < 1e-9);
        assert!(report.to_string().contains("line 7: LIMIT_REACHED: 1 4"));
    }

    #[test]
    fn only_the_first_refusals_are_shown() {
        let report = report_of(&"x\n".repeat(100), |_| Ok(true));
        assert_eq!((report.refused["MALFORMED"], report.examples.len()), (100, EXAMPLES_MAX));
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
