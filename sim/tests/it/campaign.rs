//! Random traces. The seeds are the same in every run; `cargo xtask oracle` plays others, and more.

use guanxi_sim::campaign::{Plan, Report, Shape, run};
use guanxi_sim::{Keeper, Subject, generate, play};

/// Traces on one log.
const TRACES_OF_ONE_LOG: u64 = 2_000;

/// Traces on each shape of many logs: as many as find every mutation there.
const TRACES_OF_MANY_LOGS: u64 = 450;

/// Which traces are played: all, or with `GUANXI_SIM_TENTH`, a number from 0 to 9, that tenth of them.
#[derive(Clone, Copy)]
struct Part {
    tenth: Option<u64>,
}

impl Part {
    fn of_environment() -> Self {
        let tenth = std::env::var("GUANXI_SIM_TENTH").ok().map(|text| text.parse().expect("a number"));
        assert!(tenth.is_none_or(|tenth| tenth < 10), "there are ten tenths, from 0 on");
        Self { tenth }
    }

    fn played(self, shape: Shape, traces: u64) -> Report {
        let (seed, traces) = match self.tenth {
            None => (1, traces),
            Some(tenth) => (1 + tenth * (traces / 10), traces / 10),
        };
        let report = run(Plan { shape, seed, traces, on_disk_every: 100, threads: 2 }, |_| ());
        if let Some(finding) = &report.finding {
            panic!("{finding}");
        }
        let counts = report.counts;
        assert_eq!((report.traces, counts.missing, counts.repeated, counts.leaked), (traces, 0, 0, 0));
        report
    }

    /// At least how many of something are met where all traces meet so many. Tenths differ, and each meets half of its share.
    fn least(self, of_all: u64) -> u64 {
        if self.tenth.is_some() { of_all / 20 } else { of_all }
    }
}

#[test]
fn homes_are_exact_on_many_logs_with_delays_and_disorder() {
    let part = Part::of_environment();
    let least = |of_all| part.least(of_all);
    for shape in [Shape::ByGene, Shape::Delayed, Shape::Disordered] {
        let counts = part.played(shape, TRACES_OF_MANY_LOGS).counts;
        println!("{shape:?}: {counts:?}");
        assert!(counts.pages > least(30_000) && counts.items > least(80_000), "homes are read: {counts:?}");
        assert!(counts.from_inbox * 4 > counts.from_pull, "inboxes are used: {counts:?}");
        assert!(counts.grouped > least(2_000), "groups have timelines: {counts:?}");
        assert!(counts.erased > least(400), "users are deleted: {counts:?}");
        let (ended, overtaken) = (counts.ended > least(600), counts.overtaken > least(80));
        assert!(ended && overtaken, "times end, and meet others: {counts:?}");
    }
}

#[test]
fn homes_of_random_histories_are_exact_under_every_policy() {
    let part = Part::of_environment();
    let least = |of_all| part.least(of_all);
    let counts = part.played(Shape::OneLog, TRACES_OF_ONE_LOG).counts;
    println!("{counts:?}");
    assert!(counts.pages > least(400_000) && counts.items > least(1_000_000), "homes are read: {counts:?}");
    assert!(counts.erased > least(4_000), "users are deleted: {counts:?}");
    let (ended, overtaken) = (counts.ended > least(6_000), counts.overtaken > least(1_000));
    assert!(ended && overtaken, "times end, and meet others: {counts:?}");
    assert!(counts.grouped > least(30_000), "groups have timelines: {counts:?}");
    assert!(counts.from_inbox * 5 > counts.from_pull, "inboxes are used: {counts:?}");
    let steady = counts.steady_from_inbox as f64 / counts.steady as f64;
    assert!(counts.steady > least(900) && steady >= 0.9, "pushed pages come from inboxes: {counts:?}");
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
