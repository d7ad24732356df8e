//! The tables, as Markdown between markers.

use super::aims;
use super::{Asked, Cell, Finding, Results, Row, Setup, Swept, Table};
use crate::calls::Operation;
use crate::load::Figures;
use crate::peers::{bare, guanxi, postgres, redis};
use crate::wire::redis::Layout;
pub(crate) use guanxi_load::finding::{count, short_number};
use std::fmt::Write as _;
use std::path::Path;

/// Which generated text of a file is meant: the name in its markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// The graph.
    Bench,
    /// Feeds.
    Feed,
    /// The people around a user.
    People,
}

impl Block {
    /// Where the generated text begins.
    const fn start(self) -> &'static str {
        match self {
            Self::Bench => "<!-- bench:start -->",
            Self::Feed => "<!-- feed:start -->",
            Self::People => "<!-- people:start -->",
        }
    }

    /// Where it ends.
    const fn end(self) -> &'static str {
        match self {
            Self::Bench => "<!-- bench:end -->",
            Self::Feed => "<!-- feed:end -->",
            Self::People => "<!-- people:end -->",
        }
    }
}

/// From this share of its core on the load generator may have been the limit.
const LOAD_BUSY_MAX: f64 = 0.97;

/// Replaces what is between the markers of a file. A file without markers is left alone, or made if `create`.
pub(crate) fn replace_block(path: &Path, block: Block, text: &str, create: bool) -> Result<(), String> {
    let old = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(_) if create => format!("# Benchmarks\n\n{}\n{}\n", block.start(), block.end()),
        Err(_) => return Ok(()),
    };
    let Some(new) = replaced(&old, block, text) else {
        let missing = || format!("{}: no {} ... {}", path.display(), block.start(), block.end());
        return if create { Err(missing()) } else { Ok(()) };
    };
    super::write(path, &new)
}

fn replaced(file: &str, block: Block, text: &str) -> Option<String> {
    let (start, end) = (block.start(), block.end());
    let (before, rest) = file.split_once(start)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{start}\n{text}{end}{after}"))
}

/// The table of the README: throughput by operation and system, and what the edges take.
pub(crate) fn short(results: &Results) -> String {
    let zset = redis::name(Layout::SortedSets);
    let mut out = String::from(
        "| calls per second | guanxi | PostgreSQL | Redis | guanxi : PostgreSQL |\n|---|--:|--:|--:|--:|\n",
    );
    for operation in Operation::ALL {
        let per_s = |system| results.closed(operation, system).map(|cell| cell.median.per_s);
        let cell = |system| per_s(system).map_or("–".to_owned(), count);
        let (own, postgres) = (per_s(guanxi::NAME), per_s(postgres::NAME));
        let factor = own
            .zip(postgres)
            .map_or("–".to_owned(), |(own, other)| format!("{} x", short_number(own / other)));
        let title = operation.title();
        line(&mut out, &[title, &cell(guanxi::NAME), &cell(postgres::NAME), &cell(zset), &factor]);
    }
    let bytes =
        |system, what| results.per_edge(system, what).map_or("–".to_owned(), |bytes| format!("{bytes:.0}"));
    line(
        &mut out,
        &[
            "bytes per edge on disk",
            &bytes(guanxi::NAME, "disk: tables"),
            &bytes(postgres::NAME, "disk: table and"),
            &bytes(zset, "disk:"),
            "",
        ],
    );
    line(
        &mut out,
        &[
            "bytes per edge in memory",
            &bytes(guanxi::NAME, "memory: following sets, resident"),
            "",
            &bytes(zset, "memory: following and"),
            "",
        ],
    );
    out.push_str("\n![Throughput and latency](bench/results/side-by-side.svg)\n");
    out
}

/// All tables of docs/benchmarks.md.
pub(crate) fn full(results: &Results, tables: &[Table]) -> String {
    let mut out = String::new();
    let machine = &results.setup.machine;
    let pinned = if machine.pinned { "one core for the servers, one for the load" } else { "not pinned" };
    let _infallible = writeln!(
        out,
        "{}, {} cores ({pinned}), {} GiB, Linux {}; 4 KiB and `fdatasync` take {} us.",
        machine.cpu, machine.cores, machine.memory_gib, machine.kernel, machine.fdatasync_us
    );
    out.push_str("\n![Throughput and latency](../bench/results/side-by-side.svg)\n");
    section(&mut out, "Aims");
    rows(&mut out, &aims::of(results));
    section(&mut out, "As fast as each can: closed loop");
    cells(&mut out, results, &results.closed);
    section(&mut out, "At half of that: open loop");
    cells(&mut out, results, &results.open);
    section(&mut out, "Bytes per edge");
    out.push_str("| system | what | bytes per edge |\n|---|---|--:|\n");
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

/// The section of a finding; `part` goes before its title.
pub(super) fn found(out: &mut String, part: &str, finding: &Finding) {
    section(out, &format!("{part}{}", finding.title));
    let _infallible = writeln!(out, "{}\n", finding.how);
    if !finding.rows.is_empty() {
        rows(out, &finding.rows);
    }
}

/// How a run was made, and of what.
pub(super) fn configuration(out: &mut String, setup: &Setup) {
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

pub(super) fn section(out: &mut String, title: &str) {
    let _infallible = writeln!(out, "\n## {title}\n");
}

pub(super) fn line(out: &mut String, columns: &[&str]) {
    let _infallible = writeln!(out, "| {} |", columns.join(" | "));
}

pub(super) fn rows(out: &mut String, rows: &[Row]) {
    out.push_str("| what | measured | aim | |\n|---|--:|--:|---|\n");
    for row in rows {
        let (aim, verdict) = match row.aim {
            Some(aim) => (aim.words(), if aim.reached(row.value) { "reached" } else { "**not reached**" }),
            None => (String::new(), ""),
        };
        line(out, &[&row.what, &format!("{} {}", short_number(row.value), row.unit), &aim, verdict]);
    }
}

fn cells(out: &mut String, results: &Results, cells: &[Cell<Asked>]) {
    out.push_str(
        "| operation | system | calls/s | against PostgreSQL | p50 | p99 | p99.9 | server CPU per call |\n",
    );
    out.push_str("|---|---|--:|--:|--:|--:|--:|--:|\n");
    for cell in cells {
        let latency = &cell.median.latency;
        let postgres =
            results.closed(cell.asked.operation, postgres::NAME).filter(|_| cell.asked.rate.is_none());
        let shown = cell.system != bare::NAME && cell.system != postgres::NAME;
        let factor = postgres.filter(|_| shown).map(|other| cell.median.per_s / other.median.per_s);
        let factor = factor.map_or(String::new(), |factor| format!("{} x", short_number(factor)));
        // In an open loop the generator spins on its clock and is always busy.
        let per_s = if cell.asked.rate.is_some() { count(cell.median.per_s) } else { limited(&cell.median) };
        line(
            out,
            &[
                cell.asked.operation.title(),
                &cell.system,
                &per_s,
                &factor,
                &time(latency.p50_us),
                &time(latency.p99_us),
                &time(latency.p999_us),
                &format!("{:.1} us", cell.median.server_cpu_us),
            ],
        );
    }
}

fn swept(out: &mut String, sweep: &[Swept]) {
    out.push_str("| operation | connections | calls/s | CPU per call | p50 | p99 | p99.9 | half: p50 | p99 | p99.9 |\n");
    out.push_str("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for Swept { operation, connections, closed, half } in sweep {
        line(
            out,
            &[
                operation.title(),
                &connections.to_string(),
                &limited(closed),
                &format!("{:.1} us", closed.server_cpu_us),
                &time(closed.latency.p50_us),
                &time(closed.latency.p99_us),
                &time(closed.latency.p999_us),
                &time(half.latency.p50_us),
                &time(half.latency.p99_us),
                &time(half.latency.p999_us),
            ],
        );
    }
}

/// Calls per second, marked where the load generator was at its own limit, so that the server could do more.
pub(super) fn limited(figures: &Figures) -> String {
    let mark = if figures.client_busy > LOAD_BUSY_MAX { " (load-bound)" } else { "" };
    count(figures.per_s) + mark
}

/// Microseconds in a unit that fits.
pub(crate) fn time(us: f64) -> String {
    if us < 1_000.0 { format!("{us:.0} us") } else { format!("{} ms", short_number(us / 1_000.0)) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::peers::Size;
    use guanxi_load::Quantiles;

    /// Results in which guanxi checks 10 times as fast as PostgreSQL.
    pub(crate) fn results() -> Results {
        let cell = |system: &str, per_s| {
            let figures = Figures {
                latency: Quantiles {
                    count: 10,
                    p50_us: 100.0,
                    p99_us: 2_500.0,
                    p999_us: 9_000.0,
                    max_us: 9_000.0,
                },
                per_s,
                server_cpu_us: 7.0,
                server_busy: 1.0,
                client_busy: 0.5,
            };
            Cell {
                asked: Asked { operation: Operation::Check, rate: None },
                system: system.to_owned(),
                connections: 64,
                median: figures,
                rounds: vec![figures],
            }
        };
        let size = |system: &str, what: &str, bytes| Size {
            system: system.to_owned(),
            what: what.to_owned(),
            bytes,
            edges: 10,
        };
        let machine = Machine {
            cpu: "a <CPU> & more".to_owned(),
            cores: 2,
            memory_gib: 8,
            kernel: "6.1".to_owned(),
            fdatasync_us: 40,
            pinned: true,
        };
        let configuration = vec![("users".to_owned(), "200".to_owned())];
        Results {
            setup: Setup { machine, configuration, systems: vec![] },
            closed: vec![cell(guanxi::NAME, 200_000.0), cell(postgres::NAME, 20_000.0)],
            open: vec![],
            sizes: vec![
                size(guanxi::NAME, "disk: tables", 500),
                size(postgres::NAME, "disk: table and indexes", 3_080),
            ],
        }
    }

    #[test]
    fn a_block_is_replaced_between_its_markers() {
        for block in [Block::Bench, Block::Feed, Block::People] {
            let (start, end) = (block.start(), block.end());
            let text = format!("a\n{start}\nold\n{end}\nb\n");
            let new = replaced(&text, block, "new\n").unwrap();
            assert_eq!(new, format!("a\n{start}\nnew\n{end}\nb\n"));
            assert_eq!(replaced(&new, block, "new\n").unwrap(), new);
            assert!(replaced("no markers", block, "new\n").is_none());
        }
    }

    #[test]
    fn tables_hold_figures_and_factors() {
        let full = full(&results(), &[]);
        assert!(full.contains("| 200,000 | 10 x | 100 us | 2.5 ms | 9 ms | 7.0 us |"), "{full}");
        assert!(full.contains("| PostgreSQL | disk: table and indexes | 308.0 |"), "{full}");
        assert!(
            full.contains("bytes per edge on disk against PostgreSQL | 0.16 x | at most 0.25 | reached"),
            "{full}"
        );
        let short = short(&results());
        assert!(
            short.contains("| relation check of 20, both directions | 200,000 | 20,000 | – | 10 x |"),
            "{short}"
        );
    }

    #[test]
    fn what_bounds_the_load_generator_is_marked_in_closed_loops_only() {
        let mut results = results();
        results.closed[0].median.client_busy = 0.99;
        let asked = Asked { rate: Some(1.0), ..results.closed[0].asked };
        results.open = vec![Cell { asked, ..results.closed[0].clone() }];
        let full = full(&results, &[]);
        assert_eq!(full.matches("200,000 (load-bound)").count(), 1, "{full}");
    }
}
