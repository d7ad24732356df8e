//! Random traces. The seeds are the same in every run; `cargo xtask oracle` plays others, and more.

use guanxi_sim::campaign::{Plan, Report, Shape, run};
use guanxi_sim::{Keeper, Subject, generate, play};

/// Traces on each shape of many logs: as many as find every mutation there.
const TRACES_OF_MANY_LOGS: u64 = 450;

fn played(shape: Shape, traces: u64) -> Report {
    let report = run(Plan { shape, seed: 1, traces, on_disk_every: 100, threads: 2 }, |_| ());
    if let Some(finding) = &report.finding {
        panic!("{finding}");
    }
    let counts = report.counts;
    assert_eq!((report.traces, counts.missing, counts.repeated, counts.leaked), (traces, 0, 0, 0));
    report
}

#[test]
fn homes_are_exact_on_many_logs_with_delays_and_disorder() {
    for shape in [Shape::ByGene, Shape::Delayed, Shape::Disordered] {
        let counts = played(shape, TRACES_OF_MANY_LOGS).counts;
        println!("{shape:?}: {counts:?}");
        assert!(counts.pages > 30_000 && counts.items > 80_000, "homes are read, and not empty: {counts:?}");
        assert!(counts.from_inbox * 4 > counts.from_pull, "inboxes are used: {counts:?}");
        assert!(counts.grouped > 2_000, "groups have timelines: {counts:?}");
        assert!(counts.erased > 400, "users are deleted: {counts:?}");
        assert!(counts.ended > 600 && counts.overtaken > 80, "times end, and meet others: {counts:?}");
    }
}

#[test]
fn homes_of_random_histories_are_exact_under_every_policy() {
    let counts = played(Shape::OneLog, 2_000).counts;
    println!("{counts:?}");
    assert!(counts.pages > 400_000 && counts.items > 1_000_000, "homes are read, and not empty: {counts:?}");
    assert!(counts.erased > 4_000, "users are deleted: {counts:?}");
    assert!(counts.ended > 6_000 && counts.overtaken > 1_000, "times end, and meet others: {counts:?}");
    assert!(counts.grouped > 30_000, "groups have timelines: {counts:?}");
    assert!(counts.from_inbox * 5 > counts.from_pull, "inboxes are used: {counts:?}");
    let steady = counts.steady_from_inbox as f64 / counts.steady as f64;
    assert!(counts.steady > 900 && steady >= 0.9, "pushed pages come from inboxes: {counts:?}");
}

#[test]
fn a_seed_goes_the_same_way_every_time() {
    for seed in 1..=10 {
        let trace = generate::trace(seed);
        assert_eq!(trace, generate::trace(seed));
        for keeper in [Keeper::Memory, Keeper::MemoryDisordered] {
            let subject = Subject { keeper, mode: None, mutation: None };
            assert_eq!(play(&trace, subject), play(&trace, subject));
        }
    }
}
