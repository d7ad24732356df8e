//! Random traces. The seeds are the same in every run; `cargo xtask oracle` plays others, and more.

use guanxi_sim::campaign::{Plan, run};
use guanxi_sim::{Keeper, Subject, generate, play};

#[test]
fn homes_of_random_histories_are_exact_under_every_policy() {
    let report = run(Plan { seed: 1, traces: 2_000, on_disk_every: 100, threads: 2 }, |_| ());
    if let Some(finding) = &report.finding {
        panic!("{finding}");
    }
    let counts = report.counts;
    println!("{counts:?}");
    assert_eq!((report.traces, counts.missing, counts.repeated), (2_000, 0, 0));
    assert!(counts.pages > 400_000 && counts.items > 1_000_000, "homes are read, and not empty: {counts:?}");
    assert!(counts.from_inbox * 5 > counts.from_pull, "inboxes are used: {counts:?}");
    let steady = counts.steady_from_inbox as f64 / counts.steady as f64;
    assert!(counts.steady > 1_500 && steady >= 0.9, "pushed pages come from inboxes: {counts:?}");
}

#[test]
fn a_seed_goes_the_same_way_every_time() {
    for seed in 1..=10 {
        let trace = generate::trace(seed);
        assert_eq!(trace, generate::trace(seed));
        let subject = Subject { keeper: Keeper::Memory, mode: None, mutation: None };
        assert_eq!(play(&trace, subject), play(&trace, subject));
    }
}
