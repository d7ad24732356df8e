//! What was aimed at, and whether it was reached.

use super::{Aim, Results, Row};
use crate::calls::Operation;
use crate::peers::{bare, guanxi, postgres, redis};
use crate::wire::redis::Layout;

/// The aims of the comparison that the results can answer.
pub(crate) fn of(results: &Results) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |what: &str, value: Option<f64>, unit: &str, aim: Aim| {
        rows.extend(value.map(|value| Row::new(what, value, unit).aim(aim)));
    };
    let speed = |operation, against: &str| {
        let per_s = |system: &str| results.closed(operation, system).map(|cell| cell.median.per_s);
        Some(per_s(guanxi::NAME)? / per_s(against)?)
    };
    let zset = redis::name(Layout::SortedSets);
    let write = Operation::Write;
    add("durable follow / unfollow against PostgreSQL", speed(write, postgres::NAME), "x", Aim::AtLeast(2.0));
    add("the same, next step", speed(write, postgres::NAME), "x", Aim::AtLeast(4.0));
    add("durable follow / unfollow against Redis, next step", speed(write, zset), "x", Aim::AtLeast(1.0));
    add(
        "following page with relation against PostgreSQL",
        speed(Operation::Following, postgres::NAME),
        "x",
        Aim::AtLeast(6.0),
    );
    let check = Operation::Check;
    add("relation check of 20 against PostgreSQL", speed(check, postgres::NAME), "x", Aim::AtLeast(5.0));
    let cpu = |system| results.closed(check, system).map(|cell| cell.median.server_cpu_us);
    let share = cpu(guanxi::NAME).zip(cpu(bare::NAME)).map(|(own, bare)| own / bare);
    add("CPU of a relation check against a bare call", share, "x", Aim::AtMost(1.3));
    let p99 = results.open(check, guanxi::NAME).map(|cell| cell.median.latency.p99_us / 1000.0);
    add("relation check at half of the maximum: p99", p99, "ms", Aim::AtMost(1.0));
    let ratio = |own: Option<f64>, other: Option<f64>| own.zip(other).map(|(own, other)| own / other);
    let disk = ratio(
        results.per_edge(guanxi::NAME, "disk: tables"),
        results.per_edge(postgres::NAME, "disk: table and"),
    );
    add("bytes per edge on disk against PostgreSQL", disk, "x", Aim::AtMost(0.25));
    let hashes = redis::name(Layout::Hashes);
    // One set per user answers both directions of a check here; Redis needs both hashes for the same.
    let memory = |of: &str| {
        ratio(
            results.per_edge(guanxi::NAME, "memory: following sets, resident"),
            results.per_edge(hashes, of),
        )
    };
    let third = Aim::AtMost(1.0 / 3.0);
    let both = memory("memory: following and");
    add("memory per cached edge against Redis hashes that answer both directions", both, "x", third);
    let one = memory("memory: following only");
    add("memory per cached edge against Redis hashes of following alone", one, "x", third);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_on_their_own_side() {
        assert!(Aim::AtLeast(2.0).reached(2.0) && !Aim::AtLeast(2.0).reached(1.9));
        assert!(Aim::AtMost(2.0).reached(2.0) && !Aim::AtMost(2.0).reached(2.1));
    }

    #[test]
    fn ratios_are_of_medians_and_missing_ones_are_left_out() {
        let results = crate::report::markdown::tests::results();
        let rows = of(&results);
        let first = rows.iter().find(|row| row.what.starts_with("relation check of 20")).unwrap();
        assert!((first.value - 10.0).abs() < 1e-9, "{first:?}");
        assert!(!rows.iter().any(|row| row.what.contains("bare")));
    }
}
