//! The tables of the comparison of feeds.

use super::markdown::{configuration, count, found, limited, line, rows, section, short_number, time};
use super::{Aim, Row};
use crate::feed::{FeedResults, system};
use crate::peers::home::postgres;
use crate::peers::redis;
use crate::wire::redis::Layout;
use std::fmt::Write as _;

/// Connections that the aims name.
const CONNECTIONS: [usize; 2] = [16, 64];
/// Readers of an ordinary number of followees.
const ORDINARY: u32 = 75;

/// The aims that the results can answer.
pub(super) fn aims(results: &FeedResults) -> Vec<Row> {
    let mut found = Vec::new();
    let mut add = |what: String, value: Option<f64>, aim: Aim| {
        found.extend(value.map(|value| Row::new(&what, value, "x").aim(aim)));
    };
    let zset = redis::name(Layout::SortedSets);
    for connections in CONNECTIONS {
        for own in [system::PULL, system::PUSH] {
            let factor = results.factor(ORDINARY, own, zset, connections);
            let what =
                format!("home page over RPC against Redis ZREVRANGE, {connections} connections ({own})");
            add(what, factor, Aim::AtLeast(1.0));
        }
    }
    let lateral = postgres::LATERAL;
    for connections in CONNECTIONS {
        let factor = results.factor(500, system::PULL, lateral, connections);
        let what =
            format!("home page of 500 followees against PostgreSQL LATERAL, {connections} connections");
        add(what, factor, Aim::AtLeast(100.0));
    }
    let against = results.delivered(system::IN_PROCESS).zip(results.delivered(zset));
    let factor = against.map(|(own, redis)| own / redis);
    add("deliveries in process against pipelined ZADD with trim".to_owned(), factor, Aim::AtLeast(20.0));
    let in_process = results.in_process.iter().flat_map(|finding| {
        finding.rows.iter().filter(|row| row.aim.is_some()).map(|row| {
            let what = format!("{}: {}", finding.title, row.what);
            Row { what, ..row.clone() }
        })
    });
    found.extend(in_process);
    found
}

/// The block of docs/benchmarks.md.
pub(super) fn full(results: &FeedResults) -> String {
    let mut out = String::from("![Home pages and deliveries](../bench/results/feed.svg)\n");
    let machine = &results.setup.machine;
    let _infallible = writeln!(
        out,
        "\n{}, {} cores, {} GiB, Linux {}.",
        machine.cpu, machine.cores, machine.memory_gib, machine.kernel
    );
    section(&mut out, "Feeds: aims");
    rows(&mut out, &aims(results));
    section(&mut out, "Feeds: home pages of 20 over the wire, closed loop");
    pages(&mut out, results);
    section(&mut out, "Feeds: deliveries");
    deliveries(&mut out, results);
    section(&mut out, "Feeds: memory of inboxes");
    memory(&mut out, results);
    for finding in &results.in_process {
        found(&mut out, "Feeds: ", finding);
    }
    section(&mut out, "Feeds: configuration");
    configuration(&mut out, &results.setup);
    out
}

fn pages(out: &mut String, results: &FeedResults) {
    out.push_str(
        "| followees | connections | system | pages/s | against PostgreSQL LATERAL | p50 | p99 | server CPU per page |\n",
    );
    out.push_str("|--:|--:|---|--:|--:|--:|--:|--:|\n");
    let lateral = postgres::LATERAL;
    for cell in &results.pages {
        let factor = results.factor(cell.asked.followees, &cell.system, lateral, cell.connections);
        let factor = factor.filter(|_| cell.system != lateral);
        line(
            out,
            &[
                &count(f64::from(cell.asked.followees)),
                &cell.connections.to_string(),
                &cell.system,
                &limited(&cell.median),
                &factor.map_or(String::new(), |factor| format!("{} x", short_number(factor))),
                &time(cell.median.latency.p50_us),
                &time(cell.median.latency.p99_us),
                &format!("{:.1} us", cell.median.server_cpu_us),
            ],
        );
    }
}

fn deliveries(out: &mut String, results: &FeedResults) {
    out.push_str("| system | deliveries/s | CPU per delivery | how |\n|---|--:|--:|---|\n");
    for cell in &results.deliveries {
        let cpu = if cell.cpu_us > 0.0 { format!("{:.2} us", cell.cpu_us) } else { String::new() };
        line(out, &[&cell.system, &count(cell.per_s), &cpu, &cell.how]);
    }
}

fn memory(out: &mut String, results: &FeedResults) {
    out.push_str("| system | bytes per entry, headers included | entries per inbox | counted by |\n");
    out.push_str("|---|--:|--:|---|\n");
    for cell in &results.memory {
        line(
            out,
            &[&cell.system, &format!("{:.1}", cell.per_entry), &format!("{:.0}", cell.entries), &cell.how],
        );
    }
}

/// The block of the README.
pub(super) fn short(results: &FeedResults) -> String {
    let mut out =
        String::from("| feeds | guanxi | Redis sorted sets | PostgreSQL LATERAL |\n|---|--:|--:|--:|\n");
    let (zset, lateral) = (redis::name(Layout::SortedSets), postgres::LATERAL);
    let dash = || "–".to_owned();
    for followees in [ORDINARY, 500, 2_000] {
        let per_s =
            |system| results.cell(followees, system, 64).map_or_else(dash, |cell| count(cell.median.per_s));
        let what = format!("home pages/s over the wire, {} followees", count(f64::from(followees)));
        line(&mut out, &[&what, &per_s(system::PULL), &per_s(zset), &per_s(lateral)]);
    }
    let delivered = |system| results.delivered(system).map_or_else(dash, count);
    line(
        &mut out,
        &["deliveries/s (guanxi in process)", &delivered(system::IN_PROCESS), &delivered(zset), ""],
    );
    let bytes = |system: &str| {
        let found = results.memory.iter().find(|cell| cell.system == system);
        found.map_or_else(dash, |cell| format!("{:.0}", cell.per_entry))
    };
    line(&mut out, &["bytes per inbox entry", &bytes(system::IN_PROCESS), &bytes(zset), ""]);
    out
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::feed::results::{Asked, Delivered, Memory};
    use crate::report::markdown::tests::results as others;
    use crate::report::{Cell, Finding, Setup};

    /// Results in which guanxi reads as fast as Redis, and 200 times as fast as PostgreSQL.
    pub(in crate::report) fn results() -> FeedResults {
        let others = others();
        let cell = |system: &str, followees, per_s| {
            let mut median = others.closed[0].median;
            median.per_s = per_s;
            let asked = Asked { followees };
            Cell { asked, system: system.to_owned(), connections: 64, median, rounds: vec![] }
        };
        let delivered = |system: &str, per_s| Delivered {
            system: system.to_owned(),
            how: "somehow".to_owned(),
            per_s,
            cpu_us: 1.0,
            rounds: vec![],
        };
        let zset = redis::name(Layout::SortedSets);
        let row = Row::new("memory", 9.0, "B").aim(Aim::AtMost(12.0));
        FeedResults {
            setup: Setup { configuration: vec![], ..others.setup },
            pages: vec![
                cell(system::PULL, 75, 80_000.0),
                cell(zset, 75, 80_000.0),
                cell(system::PULL, 500, 20_000.0),
                cell(postgres::LATERAL, 500, 100.0),
            ],
            deliveries: vec![delivered(system::IN_PROCESS, 1_000_000.0), delivered(zset, 100_000.0)],
            memory: vec![Memory {
                system: zset.to_owned(),
                how: "used_memory".to_owned(),
                per_entry: 129.0,
                entries: 800.0,
            }],
            in_process: vec![Finding { title: "D".to_owned(), how: "h".to_owned(), rows: vec![row] }],
        }
    }

    #[test]
    fn aims_are_told_plainly_and_only_of_what_was_measured() {
        let full = full(&results());
        assert!(
            full.contains("ZREVRANGE, 64 connections (guanxi, pull) | 1 x | at least 1 | reached"),
            "{full}"
        );
        assert!(full.contains("LATERAL, 64 connections | 200 x | at least 100 | reached"), "{full}");
        assert!(full.contains("ZADD with trim | 10 x | at least 20 | **not reached**"), "{full}");
        assert!(full.contains("D: memory | 9 B | at most 12 | reached") && !full.contains("16 connections"));
        let short = short(&results());
        assert!(short.contains("500 followees | 20,000 | – | 100 |"), "{short}");
    }
}
