//! The tables, as Markdown between markers.

use super::aims;
use super::{Asked, Cell, Finding, Results, Row, Setup, Swept, Table};
use crate::calls::Operation;
use crate::load::Figures;
use crate::peers::home::postgres::LATERAL;
use crate::peers::{bare, guanxi, postgres, redis};
use crate::wire::redis::Layout;
use guanxi_load::finding::{count, short_number};
use std::fmt::Write as _;
use std::path::Path;

/// From this share of its core on the load generator may have been the limit.
const LOAD_BUSY_MAX: f64 = 0.97;

/// Replaces what is between the markers of a block in a file. A file without markers is left alone, or made if `create`.
pub(super) fn replace_block(path: &Path, block: &str, text: &str, create: bool) -> Result<(), String> {
    let [start, end] = markers(block);
    let old = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(_) if create => format!("# Benchmarks\n\n{start}\n{end}\n"),
        Err(_) => return Ok(()),
    };
    match replaced(&old, block, text) {
        Some(new) => super::write(path, &new),
        None if create => Err(format!("{}: no {start} ... {end}", path.display())),
        None => Ok(()),
    }
}

fn markers(block: &str) -> [String; 2] {
    ["start", "end"].map(|place| format!("<!-- {block}:{place} -->"))
}

fn replaced(file: &str, block: &str, text: &str) -> Option<String> {
    let [start, end] = markers(block);
    let (before, rest) = file.split_once(&start)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{start}\n{text}{end}{after}"))
}

/// The table of the README: throughput by operation and system, and what the edges take.
pub(super) fn graph_short(results: &Results) -> String {
    let zset = redis::name(Layout::SortedSets);
    let mut out = table(&["calls per second", "guanxi", "PostgreSQL", "Redis", "guanxi : PostgreSQL"], 1);
    let connections = results.connections().last().copied().unwrap_or(0);
    for operation in Operation::ALL {
        let asked = Asked::Operation(operation);
        let cell = |system| or_dash(results.per_s(asked, system, connections), count);
        let factor = results.factor(asked, guanxi::NAME, postgres::NAME, connections);
        let factor = or_dash(factor, |factor| format!("{} x", short_number(factor)));
        let [own, postgres, redis] = [guanxi::NAME, postgres::NAME, zset].map(cell);
        line(&mut out, &[operation.title(), &own, &postgres, &redis, &factor]);
    }
    let bytes = |system, what| or_dash(results.per_edge(system, what), |bytes| format!("{bytes:.0}"));
    let (own, redis) = (bytes(guanxi::NAME, "disk: tables"), bytes(zset, "disk:"));
    let postgres = bytes(postgres::NAME, "disk: table and");
    line(&mut out, &["bytes per edge on disk", &own, &postgres, &redis, ""]);
    let own = bytes(guanxi::NAME, "memory: following sets, resident");
    let redis = bytes(zset, "memory: following and");
    line(&mut out, &["bytes per edge in memory", &own, "", &redis, ""]);
    out.push_str("\n![Throughput and latency](bench/results/side-by-side.svg)\n");
    out
}

/// All tables of the comparison on the graph, and those of smaller runs.
pub(super) fn graph(results: &Results, tables: &[Table]) -> String {
    let synced = results.setup.machine.fdatasync_us;
    let mut out = machine(&results.setup);
    let _infallible = writeln!(out, "; 4 KiB and `fdatasync` take {synced} us.");
    out.push_str("\n![Throughput and latency](../bench/results/side-by-side.svg)\n");
    section(&mut out, "Aims");
    rows(&mut out, &aims::graph(results));
    section(&mut out, "As fast as each can: closed loop");
    cells(&mut out, results, &results.closed);
    section(&mut out, "At half of that: open loop");
    cells(&mut out, results, &results.open);
    section(&mut out, "Bytes per edge");
    out.push_str(&table(&["system", "what", "bytes per edge"], 2));
    for size in &results.sizes {
        line(&mut out, &[&size.system, &size.what, &format!("{:.1}", size.per_edge())]);
    }
    for table in tables {
        found(&mut out, "", &table.finding);
        if !table.sweep.is_empty() {
            swept(&mut out, &table.sweep);
        }
    }
    section(&mut out, "Configuration");
    configuration(&mut out, &results.setup);
    out
}

/// All tables of the comparison of feeds.
pub(super) fn feed(results: &Results, _tables: &[Table]) -> String {
    let mut out = String::from("![Home pages and deliveries](../bench/results/feed.svg)\n\n");
    out.push_str(&(machine(&results.setup) + ".\n"));
    section(&mut out, "Feeds: aims");
    rows(&mut out, &aims::feed(results));
    section(&mut out, "Feeds: home pages of 20 over the wire, closed loop");
    cells(&mut out, results, &results.closed);
    section(&mut out, "Feeds: deliveries");
    out.push_str("| system | deliveries/s | CPU per delivery | how |\n|---|--:|--:|---|\n");
    for cell in &results.deliveries {
        let cpu = if cell.cpu_us > 0.0 { format!("{:.2} us", cell.cpu_us) } else { String::new() };
        line(&mut out, &[&cell.system, &count(cell.per_s), &cpu, &cell.how]);
    }
    section(&mut out, "Feeds: memory of inboxes");
    out.push_str("| system | bytes per entry, headers included | entries per inbox | counted by |\n");
    out.push_str("|---|--:|--:|---|\n");
    for cell in &results.memory {
        let (bytes, entries) = (format!("{:.1}", cell.per_entry), format!("{:.0}", cell.entries));
        line(&mut out, &[&cell.system, &bytes, &entries, &cell.how]);
    }
    results.in_process.iter().for_each(|finding| found(&mut out, "Feeds: ", finding));
    section(&mut out, "Feeds: configuration");
    configuration(&mut out, &results.setup);
    out
}

/// The table of the README about feeds.
pub(super) fn feed_short(results: &Results) -> String {
    let (zset, lateral) = (redis::name(Layout::SortedSets), LATERAL);
    let mut out = table(&["feeds", "guanxi", "Redis sorted sets", "PostgreSQL LATERAL"], 1);
    for followees in [75, 500, 2_000] {
        let per_s = |system| or_dash(results.per_s(Asked::Followees(followees), system, 64), count);
        let what = format!("home pages/s over the wire, {} followees", count(f64::from(followees)));
        line(&mut out, &[&what, &per_s(guanxi::PULL), &per_s(zset), &per_s(lateral)]);
    }
    let [own, redis] = [guanxi::IN_PROCESS, zset].map(|system| or_dash(results.delivered(system), count));
    line(&mut out, &["deliveries/s (guanxi in process)", &own, &redis, ""]);
    let [own, redis] = [guanxi::IN_PROCESS, zset].map(|system| {
        let found = results.memory.iter().find(|cell| cell.system == system);
        or_dash(found, |cell| format!("{:.0}", cell.per_entry))
    });
    line(&mut out, &["bytes per inbox entry", &own, &redis, ""]);
    out
}

/// All tables of the comparison of people.
pub(super) fn people(results: &Results, _tables: &[Table]) -> String {
    let mut out = String::from("![The people around a user](../bench/results/people.svg)\n\n");
    out.push_str(&(machine(&results.setup) + ".\n"));
    section(&mut out, "People: aims");
    rows(&mut out, &aims::people(results));
    section(&mut out, "People: as fast as each can, closed loop");
    cells(&mut out, results, &results.closed);
    section(&mut out, "People: at half of that, open loop");
    cells(&mut out, results, &results.open);
    section(&mut out, "People: configuration");
    configuration(&mut out, &results.setup);
    out
}

fn machine(setup: &Setup) -> String {
    let machine = &setup.machine;
    let pinned = if machine.pinned { "one core for the servers, one for the load" } else { "not pinned" };
    format!(
        "{}, {} cores ({pinned}), {} GiB, Linux {}",
        machine.cpu, machine.cores, machine.memory_gib, machine.kernel
    )
}

/// The section of a finding; `part` goes before its title.
fn found(out: &mut String, part: &str, finding: &Finding) {
    section(out, &format!("{part}{}", finding.title));
    let _infallible = writeln!(out, "{}\n", finding.how);
    if !finding.rows.is_empty() {
        rows(out, &finding.rows);
    }
}

/// How a run was made, and of what.
fn configuration(out: &mut String, setup: &Setup) {
    out.push_str("| what | value |\n|---|---|\n");
    for (name, value) in &setup.configuration {
        line(out, &[name, value]);
    }
    for system in &setup.systems {
        let settings = format!("{}: {}", system.version, system.settings.join(", "));
        line(out, &[&system.name, &settings]);
        line(out, &[&format!("loading {}", system.name), &format!("{:.1} s", system.load_s)]);
    }
}

fn section(out: &mut String, title: &str) {
    let _infallible = writeln!(out, "\n## {title}\n");
}

/// The head of a table, whose columns are numbers from one on.
fn table(columns: &[&str], numbers_from: usize) -> String {
    let aligned = |at| if at < numbers_from { "---" } else { "--:" };
    let rules: Vec<&str> = (0..columns.len()).map(aligned).collect();
    format!("| {} |\n|{}|\n", columns.join(" | "), rules.join("|"))
}

fn line(out: &mut String, columns: &[&str]) {
    let _infallible = writeln!(out, "| {} |", columns.join(" | "));
}

fn or_dash<T>(value: Option<T>, shown: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), shown)
}

fn rows(out: &mut String, rows: &[Row]) {
    out.push_str("| what | measured | aim | |\n|---|--:|--:|---|\n");
    for row in rows {
        let (aim, verdict) = match row.aim {
            Some(aim) => (aim.words(), if aim.reached(row.value) { "reached" } else { "**not reached**" }),
            None => (String::new(), ""),
        };
        line(out, &[&row.what, &format!("{} {}", short_number(row.value), row.unit), &aim, verdict]);
    }
}

fn cells(out: &mut String, results: &Results, cells: &[Cell]) {
    let columns = [
        "question",
        "system",
        "connections",
        "calls/s",
        "against PostgreSQL",
        "p50",
        "p99",
        "p99.9",
        "server CPU per call",
    ];
    out.push_str(&table(&columns, 2));
    for cell in cells {
        let (latency, cpu) = (&cell.median.latency, cell.median.server_cpu_us);
        // Only what is asked over the wire in a closed loop is compared. A bare call does nothing.
        let is_served = cell.system != bare::NAME && !cell.system.ends_with("in process");
        let is_other = is_served && !cell.system.starts_with(postgres::NAME) && cell.rate.is_none();
        let postgres = results.postgres(cell.asked, cell.connections).filter(|_| is_other);
        let factor = postgres.map(|other| format!("{} x", short_number(cell.median.per_s / other)));
        // In an open loop the generator spins on its clock and is always busy.
        let per_s = if cell.rate.is_some() { count(cell.median.per_s) } else { limited(&cell.median) };
        let connections =
            or_dash(Some(cell.connections).filter(|_| is_served || cpu > 0.0), |n| n.to_string());
        let cpu = if cpu > 0.0 { format!("{cpu:.1} us") } else { String::new() };
        let title = cell.asked.title();
        let [p50, p99, p999] = [latency.p50_us, latency.p99_us, latency.p999_us].map(time);
        let factor = factor.unwrap_or_default();
        line(out, &[&title, &cell.system, &connections, &per_s, &factor, &p50, &p99, &p999, &cpu]);
    }
}

fn swept(out: &mut String, sweep: &[Swept]) {
    let columns = ["operation", "connections", "calls/s", "CPU per call", "p50", "p99", "p99.9", "half: p50"];
    out.push_str(&table(&[&columns[..], &["p99", "p99.9"]].concat(), 1));
    for Swept { operation, connections, closed, half } in sweep {
        let (connections, cpu) = (connections.to_string(), format!("{:.1} us", closed.server_cpu_us));
        let times = [closed.latency, half.latency].map(|found| [found.p50_us, found.p99_us, found.p999_us]);
        let times: Vec<String> = times.into_iter().flatten().map(time).collect();
        let limited = limited(closed);
        let mut columns = vec![operation.title(), &connections, &limited, &cpu];
        columns.extend(times.iter().map(String::as_str));
        line(out, &columns);
    }
}

/// Calls per second, marked where the load generator was at its own limit, so that the server could do more.
fn limited(figures: &Figures) -> String {
    let mark = if figures.client_busy > LOAD_BUSY_MAX { " (load-bound)" } else { "" };
    count(figures.per_s) + mark
}

/// Microseconds in a unit that fits.
pub(super) fn time(us: f64) -> String {
    if us < 1_000.0 { format!("{us:.0} us") } else { format!("{} ms", short_number(us / 1_000.0)) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::peers::Size;
    use crate::people::{JOIN, Question};
    use crate::report::{Aim, Delivered, Memory};
    use guanxi_load::Quantiles;

    fn cell(asked: Asked, system: &str, connections: usize, per_s: f64) -> Cell {
        let latency =
            Quantiles { count: 10, p50_us: 100.0, p99_us: 2_500.0, p999_us: 9_000.0, max_us: 9_000.0 };
        let (server_busy, client_busy) = (1.0, 0.5);
        let median = Figures { latency, per_s, server_cpu_us: 7.0, server_busy, client_busy };
        Cell { asked, system: system.to_owned(), connections, rate: None, median, rounds: vec![median] }
    }

    fn results(closed: Vec<Cell>) -> Results {
        let machine = Machine {
            cpu: "a <CPU> & more".to_owned(),
            cores: 2,
            memory_gib: 8,
            kernel: "6.1".to_owned(),
            fdatasync_us: 40,
            pinned: true,
        };
        let configuration = vec![("users".to_owned(), "200".to_owned())];
        Results { closed, ..Results::new(Setup { machine, configuration, systems: vec![] }) }
    }

    /// Results in which guanxi checks 10 times as fast as PostgreSQL.
    pub(in crate::report) fn graph_results() -> Results {
        let asked = Asked::Operation(Operation::Check);
        let closed =
            vec![cell(asked, guanxi::NAME, 64, 200_000.0), cell(asked, postgres::NAME, 64, 20_000.0)];
        let sizes = vec![
            Size::new(guanxi::NAME, "disk: tables", 500, 10),
            Size::new(postgres::NAME, "disk: table and indexes", 3_080, 10),
        ];
        Results { sizes, ..results(closed) }
    }

    /// Results in which guanxi reads as fast as Redis, and 200 times as fast as PostgreSQL.
    pub(in crate::report) fn feed_results() -> Results {
        let cell = |system: &str, followees, per_s| cell(Asked::Followees(followees), system, 64, per_s);
        let delivered = |system: &str, per_s| Delivered {
            system: system.to_owned(),
            how: "somehow".to_owned(),
            per_s,
            cpu_us: 1.0,
            rounds: vec![],
        };
        let zset = redis::name(Layout::SortedSets);
        let row = Row::new("memory", 9.0, "B").aim(Aim::AtMost(12.0));
        let (system, how) = (zset.to_owned(), "used_memory".to_owned());
        Results {
            deliveries: vec![delivered(guanxi::IN_PROCESS, 1_000_000.0), delivered(zset, 100_000.0)],
            memory: vec![Memory { system, how, per_entry: 129.0, entries: 800.0 }],
            in_process: vec![Finding { title: "D".to_owned(), how: "h".to_owned(), rows: vec![row] }],
            ..results(vec![
                cell(guanxi::PULL, 75, 80_000.0),
                cell(zset, 75, 80_000.0),
                cell(guanxi::PULL, 500, 20_000.0),
                cell(LATERAL, 500, 100.0),
            ])
        }
    }

    /// Results in which guanxi answers ten times as often as PostgreSQL, and groups as often as home.
    pub(in crate::report) fn people_results() -> Results {
        let cell = |question, system: &str, connections, per_s| {
            cell(Asked::Question(question), system, connections, per_s)
        };
        let mut store = cell(Question::SmallCircle, guanxi::STORE, 1, 8_000.0);
        store.median.server_cpu_us = 0.0;
        Results {
            open: vec![cell(Question::Suggestions, guanxi::NAME, 16, 100.0)],
            ..results(vec![
                store,
                cell(Question::LargeCircle, guanxi::IN_PROCESS, 1, 200.0),
                cell(Question::Home, guanxi::NAME, 16, 20_000.0),
                cell(Question::Group, guanxi::NAME, 16, 20_000.0),
                cell(Question::Group, postgres::NAME, 16, 1_000.0),
                cell(Question::Group, JOIN, 16, 2_000.0),
            ])
        }
    }

    #[test]
    fn a_block_is_replaced_between_its_markers() {
        let [start, end] = markers("feed");
        let text = format!("a\n{start}\nold\n{end}\nb\n");
        let new = replaced(&text, "feed", "new\n").unwrap();
        assert_eq!(new, "a\n<!-- feed:start -->\nnew\n<!-- feed:end -->\nb\n");
        assert_eq!(replaced(&new, "feed", "new\n").unwrap(), new);
        assert!(replaced("no markers", "feed", "new\n").is_none());
    }

    #[test]
    fn tables_hold_figures_and_factors() {
        let full = graph(&graph_results(), &[]);
        assert!(full.contains("| 64 | 200,000 | 10 x | 100 us | 2.5 ms | 9 ms | 7.0 us |"), "{full}");
        assert!(full.contains("| PostgreSQL | disk: table and indexes | 308.0 |"), "{full}");
        let aim = "bytes per edge on disk against PostgreSQL | 0.16 x | at most 0.25 | reached";
        assert!(full.contains(aim), "{full}");
        let short = graph_short(&graph_results());
        let check = "| relation check of 20, both directions | 200,000 | 20,000 | – | 10 x |";
        assert!(short.contains(check), "{short}");
    }

    #[test]
    fn what_bounds_the_load_generator_is_marked_in_closed_loops_only() {
        let mut results = graph_results();
        results.closed[0].median.client_busy = 0.99;
        results.open = vec![Cell { rate: Some(1.0), ..results.closed[0].clone() }];
        let full = graph(&results, &[]);
        assert_eq!(full.matches("200,000 (load-bound)").count(), 1, "{full}");
    }

    #[test]
    fn aims_of_feeds_are_told_plainly_and_only_of_what_was_measured() {
        let full = feed(&feed_results(), &[]);
        for part in [
            "ZREVRANGE, 64 connections (guanxi, pull) | 1 x | at least 1 | reached",
            "LATERAL, 64 connections | 200 x | at least 100 | reached",
            "ZADD with trim | 10 x | at least 20 | **not reached**",
            "D: memory | 9 B | at most 12 | reached",
        ] {
            assert!(full.contains(part), "{part} is missing in {full}");
        }
        assert!(!full.contains("16 connections"), "{full}");
        let short = feed_short(&feed_results());
        assert!(short.contains("500 followees | 20,000 | – | 100 |"), "{short}");
    }

    #[test]
    fn aims_of_people_are_of_what_was_measured_and_factors_of_the_faster_query() {
        let full = people(&people_results(), &[]);
        for part in [
            "friends of friends, 75 x 75 in process, all of them counted: p50 | 100 us | at most 200 | reached",
            "300 x 300 in process, the best 20: p50 | 0.1 ms | at most 3 | reached",
            "at half of the maximum: p99 | 2.5 ms | at most 10 | reached",
            "pages of a group of 500 followings against home, 16 connections | 1 x | at least 0.9 | reached",
            "| group of 500 followings | guanxi | 16 | 20,000 | 10 x |",
            "| friends of friends, 75 x 75 | guanxi, store alone, in process | – | 8,000 |  |",
        ] {
            assert!(full.contains(part), "{part} is missing in {full}");
        }
        assert!(!full.contains("1 connection:") && !full.contains("others"), "{full}");
    }
}
