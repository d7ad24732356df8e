//! What tests cost: seconds per binary, the slowest cases and suites in them; and which cases failed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::job::Ended;

/// Suites and cases that are listed: enough to see what is new among them.
const LISTED_MAX: usize = 10;

/// Times as they came in.
#[derive(Default)]
pub(super) struct Costs {
    /// Name and seconds from start to end.
    binaries: Vec<(String, f64)>,
    /// Binary, case and seconds.
    cases: Vec<(String, String, f64)>,
    /// Lines of the cases that failed.
    failed: Vec<String>,
}

impl Costs {
    /// Notes how long a binary ran, and each of its cases, as its output says.
    pub(super) fn ended(&mut self, name: &str, ended: &Ended) {
        self.binaries.push((name.to_owned(), ended.seconds));
        let cases = ended.output.lines().filter_map(case);
        self.cases.extend(cases.map(|(case, seconds)| (name.to_owned(), case.to_owned(), seconds)));
        let failed =
            ended.output.lines().filter(|line| line.starts_with("test ") && line.contains(" ... FAILED"));
        self.failed.extend(failed.map(|line| format!("  {name}: {line}\n")));
    }

    /// Returns the three tables, the slowest first, and the cases that failed.
    pub(super) fn table(&self) -> String {
        let mut out = String::from("\nseconds per test binary\n");
        rows(&mut out, self.binaries.clone(), usize::MAX);
        out.push_str("\nslowest cases\n");
        let named = |(binary, case, seconds): &(String, String, f64)| (format!("{binary} {case}"), *seconds);
        rows(&mut out, self.cases.iter().map(named).collect(), LISTED_MAX);
        out.push_str("\nslowest suites, by the sum of their cases, which run side by side\n");
        let mut suites: BTreeMap<String, f64> = BTreeMap::new();
        for (binary, case, seconds) in &self.cases {
            let suite = case.rsplit_once("::").map_or("", |(suite, _)| suite);
            *suites.entry(format!("{binary} {suite}")).or_default() += seconds;
        }
        rows(&mut out, suites.into_iter().collect(), LISTED_MAX);
        if !self.failed.is_empty() {
            let _infallible = write!(out, "\nfailed cases\n{}", self.failed.concat());
        }
        out
    }
}

fn rows(out: &mut String, mut rows: Vec<(String, f64)>, max: usize) {
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (name, seconds) in rows.iter().take(max) {
        let _infallible = writeln!(out, "{seconds:>8.1} s  {name}");
    }
}

/// Reads `test feed::pages ... ok <0.123s>`.
fn case(line: &str) -> Option<(&str, f64)> {
    let (case, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let seconds = rest.rsplit_once('<')?.1.strip_suffix("s>")?;
    Some((case, seconds.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_the_harness_and_the_dearest_come_first() {
        let output = "running 3 tests\n\
            test memory::short ... ok <0.001s>\n\
            test memory::long ... ok <2.500s>\n\
            test remote::both ... FAILED <1.500s>\n\
            test remote::skipped ... ignored\n\
            test result: FAILED. 2 passed; 1 failed; finished in 2.51s\n";
        let mut costs = Costs::default();
        costs.ended("server/it", &Ended { output: output.to_owned(), seconds: 3.0, complaint: None });
        let table = costs.table();
        let lines: Vec<&str> = table.lines().map(str::trim).collect();
        assert_eq!(lines[2], "3.0 s  server/it");
        assert_eq!(lines[5], "2.5 s  server/it memory::long");
        assert_eq!(lines[10..12], ["2.5 s  server/it memory", "1.5 s  server/it remote"]);
        assert_eq!(lines[13..], ["failed cases", "server/it: test remote::both ... FAILED <1.500s>"]);
    }
}
