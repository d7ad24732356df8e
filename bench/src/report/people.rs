//! The tables of the comparison of people.

use super::markdown::{configuration, limited, line, rows, section, short_number, time};
use super::{Aim, Cell, Row};
use crate::load::Figures;
use crate::peers::guanxi;
use crate::people::results::{Asked, is_postgres};
use crate::people::{PeopleResults, Question, system};
use std::fmt::Write as _;

/// How much of home's pages a group of as many authors must have, to be called as fast.
const AS_HOME: f64 = 0.9;

/// The aims that the results can answer.
fn aims(results: &PeopleResults) -> Vec<Row> {
    let mut found = Vec::new();
    let mut add = |what: String, value: Option<f64>, unit: &str, aim: Aim| {
        found.extend(value.map(|value| Row::new(&what, value, unit).aim(aim)));
    };
    let circles = [
        (Question::SmallCircle, 1.0, "us", Aim::AtMost(200.0)),
        (Question::LargeCircle, 1_000.0, "ms", Aim::AtMost(3.0)),
    ];
    for (question, us, unit, aim) in circles {
        for (name, what) in [(system::STORE, "all of them counted"), (system::IN_PROCESS, "the best 20")] {
            let p50 = results.closed(question, name, 1).map(|cell| cell.median.latency.p50_us / us);
            add(format!("{} in process, {what}: p50", question.title()), p50, unit, aim);
        }
    }
    let tail = |cell: Option<&Cell<Asked>>| cell.map(|cell| cell.median.latency.p99_us / 1_000.0);
    let (asked, most) = (Question::Suggestions, Aim::AtMost(10.0));
    let title = asked.title();
    let alone = tail(results.closed(asked, guanxi::NAME, 1));
    add(format!("{title}, over RPC, 1 connection: p99"), alone, "ms", most);
    let half = tail(results.open(asked, guanxi::NAME));
    add(format!("{title}, over RPC, at half of the maximum: p99"), half, "ms", most);
    let served = results.connections().into_iter().map(|connections| (guanxi::NAME, connections));
    for (name, connections) in served.chain([(system::IN_PROCESS, 1)]) {
        for group in [Question::Group, Question::GroupOfOthers] {
            let per_s = |question| results.closed(question, name, connections).map(|cell| cell.median.per_s);
            let share = per_s(group).zip(per_s(Question::Home)).map(|(group, home)| group / home);
            let how = match connections {
                _ if name == system::IN_PROCESS => "in process".to_owned(),
                1 => "1 connection".to_owned(),
                more => format!("{more} connections"),
            };
            let what = format!("pages of a {} against home, {how}", group.title());
            add(what, share, "x", Aim::AtLeast(AS_HOME));
        }
    }
    found
}

/// The block of docs/benchmarks.md.
pub(super) fn full(results: &PeopleResults) -> String {
    let mut out = String::from("![The people around a user](../bench/results/people.svg)\n");
    let machine = &results.setup.machine;
    let pinned = if machine.pinned { "one core for the servers, one for the load" } else { "not pinned" };
    let _infallible = writeln!(
        out,
        "\n{}, {} cores ({pinned}), {} GiB, Linux {}.",
        machine.cpu, machine.cores, machine.memory_gib, machine.kernel
    );
    section(&mut out, "People: aims");
    rows(&mut out, &aims(results));
    section(&mut out, "People: as fast as each can, closed loop");
    closed(&mut out, results);
    section(&mut out, "People: at half of that, open loop");
    open(&mut out, results);
    section(&mut out, "People: configuration");
    configuration(&mut out, &results.setup);
    out
}

fn closed(out: &mut String, results: &PeopleResults) {
    out.push_str(
        "| question | connections | system | calls/s | against PostgreSQL | p50 | p99 | server CPU per call |\n",
    );
    out.push_str("|---|--:|---|--:|--:|--:|--:|--:|\n");
    for question in Question::ALL {
        for connections in results.connections() {
            let postgres = results.postgres(question, connections);
            for cell in results.of(question, connections) {
                let factor = postgres.filter(|_| cell.system == guanxi::NAME);
                let factor = factor
                    .map_or(String::new(), |other| format!("{} x", short_number(cell.median.per_s / other)));
                let shown = shown(&cell.median);
                let (calls, [p50, p99, cpu]) = (limited(&cell.median), &shown);
                let connections = over(cell);
                line(out, &[question.title(), &connections, &cell.system, &calls, &factor, p50, p99, cpu]);
            }
        }
    }
}

fn open(out: &mut String, results: &PeopleResults) {
    out.push_str("| question | connections | system | calls/s | p50 | p99 | server CPU per call |\n");
    out.push_str("|---|--:|---|--:|--:|--:|--:|\n");
    for cell in &results.open {
        let shown = shown(&cell.median);
        let (calls, [p50, p99, cpu]) = (super::markdown::count(cell.median.per_s), &shown);
        line(out, &[cell.asked.question.title(), &over(cell), &cell.system, &calls, p50, p99, cpu]);
    }
}

/// Over how many connections; none in process.
fn over(cell: &Cell<Asked>) -> String {
    if cell.system == guanxi::NAME || is_postgres(&cell.system) {
        cell.connections.to_string()
    } else {
        "–".to_owned()
    }
}

/// p50, p99 and the CPU of a call, which is of servers alone.
fn shown(figures: &Figures) -> [String; 3] {
    let (latency, cpu) = (&figures.latency, figures.server_cpu_us);
    let cpu = if cpu > 0.0 { format!("{cpu:.1} us") } else { String::new() };
    [time(latency.p50_us), time(latency.p99_us), cpu]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::peers::postgres;
    use crate::report::Setup;
    use crate::report::markdown::tests::results as others;

    /// Results in which guanxi answers ten times as often as PostgreSQL, and groups as often as home.
    pub(in crate::report) fn results() -> PeopleResults {
        let others = others();
        let cell = |question, system: &str, connections, per_s| {
            let mut median = others.closed[0].median;
            median.per_s = per_s;
            let asked = Asked { question, rate: None };
            Cell { asked, system: system.to_owned(), connections, median, rounds: vec![] }
        };
        PeopleResults {
            setup: Setup { configuration: vec![], ..others.setup.clone() },
            closed: vec![
                cell(Question::SmallCircle, system::STORE, 1, 8_000.0),
                cell(Question::LargeCircle, system::IN_PROCESS, 1, 200.0),
                cell(Question::Home, guanxi::NAME, 16, 20_000.0),
                cell(Question::Group, guanxi::NAME, 16, 20_000.0),
                cell(Question::Group, postgres::NAME, 16, 1_000.0),
                cell(Question::Group, crate::people::postgres::JOIN, 16, 2_000.0),
            ],
            open: vec![cell(Question::Suggestions, guanxi::NAME, 16, 100.0)],
        }
    }

    #[test]
    fn aims_are_of_what_was_measured_and_factors_of_the_faster_query() {
        let full = full(&results());
        for part in [
            "friends of friends, 75 x 75 in process, all of them counted: p50 | 100 us | at most 200 | reached",
            "300 x 300 in process, the best 20: p50 | 0.1 ms | at most 3 | reached",
            "at half of the maximum: p99 | 2.5 ms | at most 10 | reached",
            "pages of a group of 500 followings against home, 16 connections | 1 x | at least 0.9 | reached",
            "| group of 500 followings | 16 | guanxi | 20,000 | 10 x |",
            "| friends of friends, 75 x 75 | – | guanxi, store alone, in process | 8,000 |  |",
        ] {
            assert!(full.contains(part), "{part} is missing in {full}");
        }
        assert!(!full.contains("1 connection:") && !full.contains("others"), "{full}");
    }
}
