//! What was aimed at, and whether it was reached.

use super::{Aim, Asked, Cell, Results, Row};
use crate::calls::Operation;
use crate::peers::home::postgres::LATERAL;
use crate::peers::{bare, guanxi, postgres, redis};
use crate::people::Question;
use crate::wire::redis::Layout;

/// How much of home's pages a group of as many authors must have, to be called as fast.
const AS_HOME: f64 = 0.9;

/// Aims, as far as results can answer them.
#[derive(Default)]
struct Aims(Vec<Row>);

impl Aims {
    fn add(&mut self, what: &str, value: Option<f64>, unit: &str, aim: Aim) {
        self.0.extend(value.map(|value| Row::new(what, value, unit).aim(aim)));
    }
}

fn p99_ms(cell: Option<&Cell>) -> Option<f64> {
    cell.map(|cell| cell.median.latency.p99_us / 1_000.0)
}

fn ratio(own: Option<f64>, other: Option<f64>) -> Option<f64> {
    own.zip(other).map(|(own, other)| own / other)
}

/// The aims of the comparison on the graph.
pub(super) fn graph(results: &Results) -> Vec<Row> {
    let mut aims = Aims::default();
    let connections = results.connections().last().copied().unwrap_or(0);
    let speed = |operation, against: &str| {
        results.factor(Asked::Operation(operation), guanxi::NAME, against, connections)
    };
    let (zset, hashes) = (redis::name(Layout::SortedSets), redis::name(Layout::Hashes));
    let (write, page) = (Operation::Write, Operation::Following);
    for (what, factor, least) in [
        ("durable follow / unfollow against PostgreSQL", speed(write, postgres::NAME), 2.0),
        ("the same, next step", speed(write, postgres::NAME), 4.0),
        ("durable follow / unfollow against Redis, next step", speed(write, zset), 1.0),
        ("following page with relation against PostgreSQL", speed(page, postgres::NAME), 6.0),
        ("relation check of 20 against PostgreSQL", speed(Operation::Check, postgres::NAME), 5.0),
    ] {
        aims.add(what, factor, "x", Aim::AtLeast(least));
    }
    let check = Asked::Operation(Operation::Check);
    let cpu = |system| results.closed(check, system, connections).map(|cell| cell.median.server_cpu_us);
    let share = ratio(cpu(guanxi::NAME), cpu(bare::NAME));
    aims.add("CPU of a relation check against a bare call", share, "x", Aim::AtMost(1.3));
    let p99 = p99_ms(results.open(check, guanxi::NAME));
    aims.add("relation check at half of the maximum: p99", p99, "ms", Aim::AtMost(1.0));
    let bytes =
        |own: &str, peer, of: &str| ratio(results.per_edge(guanxi::NAME, own), results.per_edge(peer, of));
    let disk = bytes("disk: tables", postgres::NAME, "disk: table and");
    aims.add("bytes per edge on disk against PostgreSQL", disk, "x", Aim::AtMost(0.25));
    // One set per user answers both directions of a check here; Redis needs both hashes for the same.
    for (of, which) in [
        ("memory: following and", "that answer both directions"),
        ("memory: following only", "of following alone"),
    ] {
        let memory = bytes("memory: following sets, resident", hashes, of);
        let what = format!("memory per cached edge against Redis hashes {which}");
        aims.add(&what, memory, "x", Aim::AtMost(1.0 / 3.0));
    }
    aims.0
}

/// The aims of the comparison of feeds.
pub(super) fn feed(results: &Results) -> Vec<Row> {
    let mut aims = Aims::default();
    let zset = redis::name(Layout::SortedSets);
    let connections = results.connections();
    for &connections in &connections {
        for own in [guanxi::PULL, guanxi::PUSH] {
            let factor = results.factor(Asked::Followees(75), own, zset, connections);
            let what =
                format!("home page over RPC against Redis ZREVRANGE, {connections} connections ({own})");
            aims.add(&what, factor, "x", Aim::AtLeast(1.0));
        }
    }
    for connections in connections {
        let factor = results.factor(Asked::Followees(500), guanxi::PULL, LATERAL, connections);
        let what =
            format!("home page of 500 followees against PostgreSQL LATERAL, {connections} connections");
        aims.add(&what, factor, "x", Aim::AtLeast(100.0));
    }
    let delivered = ratio(results.delivered(guanxi::IN_PROCESS), results.delivered(zset));
    let what = "deliveries in process against pipelined ZADD with trim";
    aims.add(what, delivered, "x", Aim::AtLeast(20.0));
    for finding in &results.in_process {
        let aimed = finding.rows.iter().filter(|row| row.aim.is_some());
        aims.0
            .extend(aimed.map(|row| Row { what: format!("{}: {}", finding.title, row.what), ..row.clone() }));
    }
    aims.0
}

/// The aims of the comparison of people.
pub(super) fn people(results: &Results) -> Vec<Row> {
    let mut aims = Aims::default();
    let circles = [
        (Question::SmallCircle, 1.0, "us", Aim::AtMost(200.0)),
        (Question::LargeCircle, 1_000.0, "ms", Aim::AtMost(3.0)),
    ];
    for (question, us, unit, aim) in circles {
        for (name, what) in [(guanxi::STORE, "all of them counted"), (guanxi::IN_PROCESS, "the best 20")] {
            let cell = results.closed(Asked::Question(question), name, 1);
            let p50 = cell.map(|cell| cell.median.latency.p50_us / us);
            aims.add(&format!("{} in process, {what}: p50", question.title()), p50, unit, aim);
        }
    }
    let (asked, most) = (Asked::Question(Question::Suggestions), Aim::AtMost(10.0));
    let alone = p99_ms(results.closed(asked, guanxi::NAME, 1));
    aims.add(&format!("{}, over RPC, 1 connection: p99", asked.title()), alone, "ms", most);
    let half = p99_ms(results.open(asked, guanxi::NAME));
    aims.add(&format!("{}, over RPC, at half of the maximum: p99", asked.title()), half, "ms", most);
    let served = results.connections().into_iter().map(|connections| (guanxi::NAME, connections));
    for (name, connections) in served.chain([(guanxi::IN_PROCESS, 1)]) {
        for group in [Question::Group, Question::GroupOfOthers] {
            let per_s = |question| results.per_s(Asked::Question(question), name, connections);
            let how = match connections {
                _ if name == guanxi::IN_PROCESS => "in process".to_owned(),
                1 => "1 connection".to_owned(),
                more => format!("{more} connections"),
            };
            let what = format!("pages of a {} against home, {how}", group.title());
            aims.add(&what, ratio(per_s(group), per_s(Question::Home)), "x", Aim::AtLeast(AS_HOME));
        }
    }
    aims.0
}

#[cfg(test)]
mod tests {
    use super::super::markdown::tests;
    use super::*;

    #[test]
    fn bounds_hold_on_their_own_side() {
        assert!(Aim::AtLeast(2.0).reached(2.0) && !Aim::AtLeast(2.0).reached(1.9));
        assert!(Aim::AtMost(2.0).reached(2.0) && !Aim::AtMost(2.0).reached(2.1));
    }

    #[test]
    fn ratios_are_of_medians_and_missing_ones_are_left_out() {
        let rows = graph(&tests::graph_results());
        let first = rows.iter().find(|row| row.what.starts_with("relation check of 20")).unwrap();
        assert!((first.value - 10.0).abs() < 1e-9, "{first:?}");
        assert!(!rows.iter().any(|row| row.what.contains("bare")));
    }
}
