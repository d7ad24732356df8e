//! What tests cost: seconds per binary, the dearest suites in them, and the slowest cases.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Suites and cases that are listed: enough to see what is new among them.
const LISTED_MAX: usize = 12;

/// Times as they came in.
#[derive(Default)]
pub(super) struct Costs {
    /// Name and seconds from start to end.
    binaries: Vec<(String, f64)>,
    /// Binary, case and seconds.
    cases: Vec<(String, String, f64)>,
}

impl Costs {
    /// Notes how long a binary ran.
    pub(super) fn binary(&mut self, name: &str, seconds: f64) {
        self.binaries.push((name.to_owned(), seconds));
    }

    /// Notes the time of a case, if the line of its binary's output says one.
    pub(super) fn line(&mut self, binary: &str, line: &str) {
        if let Some((case, seconds)) = case(line) {
            self.cases.push((binary.to_owned(), case.to_owned(), seconds));
        }
    }

    /// Returns the three tables, the dearest first.
    pub(super) fn table(&self) -> String {
        let mut out = String::from("\nseconds per test binary\n");
        rows(&mut out, self.binaries.clone(), usize::MAX);
        out.push_str("\nseconds of cases per suite, side by side as they run\n");
        let mut suites: BTreeMap<String, f64> = BTreeMap::new();
        for (binary, case, seconds) in &self.cases {
            let suite = case.rsplit_once("::").map_or("", |(suite, _)| suite);
            *suites.entry(format!("{binary} {suite}")).or_default() += seconds;
        }
        rows(&mut out, suites.into_iter().collect(), LISTED_MAX);
        out.push_str("\nslowest cases\n");
        let named = |(binary, case, seconds): &(String, String, f64)| (format!("{binary} {case}"), *seconds);
        rows(&mut out, self.cases.iter().map(named).collect(), LISTED_MAX);
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
        let mut costs = Costs::default();
        for line in [
            "running 3 tests",
            "test memory::short ... ok <0.001s>",
            "test memory::long ... ok <2.500s>",
            "test remote::both ... FAILED <1.500s>",
            "test remote::skipped ... ignored",
            "test result: FAILED. 2 passed; 1 failed; finished in 2.51s",
        ] {
            costs.line("api/it", line);
        }
        costs.binary("api/it", 3.0);
        let table = costs.table();
        let lines: Vec<&str> = table.lines().map(str::trim).collect();
        assert_eq!(lines[2], "3.0 s  api/it");
        assert_eq!(lines[5..7], ["2.5 s  api/it memory", "1.5 s  api/it remote"]);
        assert_eq!(lines[9], "2.5 s  api/it memory::long");
        assert_eq!(lines.len(), 12);
    }
}
