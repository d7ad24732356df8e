//! Two tiers of tests: what runs at each change, and what `cargo xtask test --all` runs. The line between them is in the
//! tables of this file, and nowhere else: no test knows of it, and `cargo test` runs every case.

use super::choice;

/// Which tests run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// What is run at each change; of what is sampled, the cases that the seed chooses.
    EachChange { seed: u64 },
    /// Everything: before a release, and after a change of the ports, the planner, the suite or the engine.
    All,
}

/// How much of a world runs at each change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// Every case.
    Whole,
    /// Half of the cases, another one for each commit.
    Half,
    /// A quarter of the cases, another one for each commit.
    Quarter,
    /// A tenth of the cases, another one for each commit.
    Tenth,
    /// A fortieth of the cases, another one for each commit.
    Fortieth,
    /// No case.
    Nothing,
}

/// Cases of one test binary, and what they run in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct World {
    /// As the output calls it.
    pub(super) name: &'static str,
    /// Their binary.
    pub(super) binary: &'static str,
    /// Their module, or the path of a single case.
    pub(super) cases: &'static str,
    /// What they find in their environment, in a run of their own. A world without variables is part of its binary's usual run.
    pub(super) variables: &'static [(&'static str, &'static str)],
    pub(super) share: Share,
}

const fn world(name: &'static str, binary: &'static str, cases: &'static str, share: Share) -> World {
    World { name, binary, cases, variables: &[], share }
}

impl World {
    /// The same with variables.
    const fn with(self, variables: &'static [(&'static str, &'static str)]) -> Self {
        Self { variables, ..self }
    }
}

/// The worlds of the conformance suite, and the long shapes of other tests. A case that belongs to no row runs at each change.
pub(super) const WORLDS: &[World] = &[
    world("memory, one log", "spec/it", "memory", Share::Whole),
    world("memory, a log for each gene", "spec/it", "memory::by_gene", Share::Tenth),
    // What delays and disorder change is in few cases, and the simulator plays both.
    world("memory, delayed", "spec/it", "memory::delayed", Share::Quarter),
    world("memory, disordered", "spec/it", "memory::disordered", Share::Quarter),
    world("memory behind wrappers", "spec/it", "metered", Share::Tenth),
    world("embedded", "embedded/it", "conformance", Share::Quarter),
    world("RPC over memory", "server/it", "conformance::memory", Share::Quarter),
    world("RPC over embedded", "server/it", "conformance::embedded", Share::Tenth),
    // A case takes a hundred times as long there as on memory: a twentieth on both was 290 of the 2,700 seconds of all cases.
    world("cluster of one database", "cluster/it", "conformance", Share::Fortieth),
    world("cluster of four databases, in mode sync", "cluster/it", "conformance", Share::Fortieth)
        .with(&[("GUANXI_CLUSTER", "4,sync")]),
    world("cluster of two databases with little memory", "cluster/it", "conformance", Share::Nothing)
        .with(&[("GUANXI_CLUSTER", "2,log,tiny")]),
    world("cluster of two databases without memory", "cluster/it", "conformance", Share::Nothing)
        .with(&[("GUANXI_CLUSTER", "2,sync,forgetful")]),
    // Histories of many seconds each, which fail together when what they have in common breaks.
    world("checks of a cluster", "cluster/it", "checks", Share::Half),
    world("runs of checks of a cluster", "cluster/it", "checks_runs", Share::Half),
    world("writes of a cluster that are cut off", "cluster/it", "cut_off", Share::Half),
    world("faults of a cluster", "cluster/it", "faults", Share::Half),
    world("databases that lost commits", "cluster/it", "losses", Share::Half),
    world("checks beside writers", "cluster/it", "checks_load", Share::Half),
    world("calls of operators", "cluster/it", "operators", Share::Half),
    world("first starts of a cluster", "cluster/it", "init", Share::Half),
    world("what a cluster clears away", "cluster/it", "housekeeping", Share::Half),
    world("meetings of two shards", "cluster/it", "meetings", Share::Half),
    world("histories of the simulator", "sim/it", "campaign", Share::Half),
    world("communities that move with their users", "guanxi/it", "cli::moving_users", Share::Half),
    world("imports by command", "guanxi/it", "cli::import", Share::Half),
    world("exports by command", "guanxi/it", "cli::exports", Share::Half),
    world("dumps that are proved", "guanxi/it", "cli::proof", Share::Half),
    world("disks without room", "guanxi/it", "cli::disk", Share::Half),
    // At each change a browser opens each page once. What more it does is not of each change: tests without a browser ask the same
    // pages for what strangers may send.
    world("the console in every look", "guanxi/it", "browser::looks", Share::Nothing),
    world("the console by keys, on a phone, without script", "guanxi/it", "browser::reach", Share::Nothing),
    world("hostile texts in the console", "guanxi/it", "browser::texts", Share::Nothing),
    world("damage that is mended in the console", "guanxi/it", "browser::mending", Share::Nothing),
    world("pages of other origins beside the console", "guanxi/it", "browser::elsewhere", Share::Half),
    world("pictures of the console", "guanxi/it", "browser::pictures", Share::Nothing),
    // Not a tenth before all of it has passed once: a commit must not fail by the cases that it draws. `random_operations_4`
    // does not yet.
    world("cluster restored from a dump", "cluster/it", "conformance", Share::Nothing)
        .with(&[("GUANXI_CLUSTER", "1,log,restored")]),
    world("a million homes on a cluster", "cluster/it", "oracle", Share::Nothing)
        .with(&[("GUANXI_TRACES", "650")]),
    world("a million homes on two databases with little memory", "cluster/it", "oracle", Share::Nothing)
        .with(&[("GUANXI_TRACES", "650"), ("GUANXI_CLUSTER", "2,log,tiny")]),
    world("a million homes on four databases without memory", "cluster/it", "oracle", Share::Nothing)
        .with(&[("GUANXI_TRACES", "650"), ("GUANXI_CLUSTER", "4,sync,forgetful")]),
    world("1,000 of each damage to a cluster", "cluster/it", "damages", Share::Nothing)
        .with(&[("GUANXI_DAMAGES", "1000")]),
    world(
        "500 of each parting",
        "cluster/it",
        "leaks::whoever_is_parted_from_gets_no_later_post",
        Share::Nothing,
    )
    .with(&[("GUANXI_LEAK_PAIRS", "500")]),
    world("every outage of a database, for longer", "cluster/it", "outages", Share::Nothing)
        .with(&[("GUANXI_FAULTS", "all")]),
    world("a minute of checks beside writers", "cluster/it", "checks_load", Share::Nothing)
        .with(&[("GUANXI_CHECKS_SECONDS", "60")]),
    world("a minute of writes beside the snapshot of a dump", "cluster/it", "vacuum", Share::Nothing)
        .with(&[("GUANXI_DUMP_SECONDS", "60")]),
    world(
        "60,000 histories of memory",
        "memory/it",
        "histories::what_memory_tells_is_what_rows_tell",
        Share::Nothing,
    )
    .with(&[("GUANXI_MEMORY_HISTORIES", "60000")]),
    world("plans of statements on a million rows", "cluster/it", "plans", Share::Nothing)
        .with(&[("GUANXI_PLAN_ROWS", "1000000")]),
    world(
        "500 kills of a server",
        "guanxi/it",
        "crash::every_acknowledged_write_survives_kills",
        Share::Nothing,
    )
    .with(&[("GUANXI_TEST_KILLS", "500")]),
    world(
        "every file damaged ten times",
        "embedded/it",
        "damage::no_damage_to_any_file_gives_a_wrong_answer",
        Share::Nothing,
    )
    .with(&[("GUANXI_DAMAGE_ROUNDS", "10")]),
];

/// The value of a variable at each change.
enum Value {
    Fixed(&'static str),
    /// A number below this one, another one for each commit.
    OfSeedBelow(u64),
}

/// What makes tests short at each change. With `--all` they are as long as `cargo test` has them.
const SHORTER: &[(&str, Value)] = &[
    // Each target of the decoders; otherwise three seconds.
    ("GUANXI_FUZZ_SECONDS", Value::Fixed("1")),
    // One tenth of the simulator's traces; otherwise all.
    ("GUANXI_SIM_TENTH", Value::OfSeedBelow(10)),
    // A third of the calls of accounts, each at each place where a server dies; otherwise all.
    ("GUANXI_CRASH_THIRD", Value::OfSeedBelow(3)),
    // Kills of a server; otherwise fifty.
    ("GUANXI_TEST_KILLS", Value::Fixed("20")),
    // One kind of garbage in each column of a cluster's tables; otherwise five.
    ("GUANXI_GARBAGE", Value::OfSeedBelow(5)),
    // Damages of each kind, of a third of the kinds; otherwise twenty of all.
    ("GUANXI_DAMAGES", Value::Fixed("5")),
    ("GUANXI_DAMAGES_THIRD", Value::OfSeedBelow(3)),
    // One history of requests that checks of a cluster look at; otherwise three.
    ("GUANXI_CHECKS_HISTORY", Value::OfSeedBelow(3)),
    // One of the two modes in which a cluster carries; otherwise both.
    ("GUANXI_CARRY_MODE", Value::OfSeedBelow(2)),
    // Histories of homes on a cluster; otherwise twelve.
    ("GUANXI_TRACES", Value::Fixed("3")),
];

impl Tier {
    /// What all runs find in their environment.
    pub(super) fn variables(self) -> Vec<(String, String)> {
        let Self::EachChange { seed } = self else { return Vec::new() };
        let value = |name: &str, value: &Value| match value {
            Value::Fixed(text) => (*text).to_owned(),
            Value::OfSeedBelow(end) => (choice::hash(name, seed) % end).to_string(),
        };
        SHORTER.iter().map(|(name, it)| ((*name).to_owned(), value(name, it))).collect()
    }

    /// Which of a world's cases run.
    pub(super) fn chosen<'a>(self, share: Share, cases: &[&'a str]) -> Vec<&'a str> {
        match (self, share) {
            (Self::All, _) | (_, Share::Whole) => cases.to_vec(),
            (Self::EachChange { seed }, Share::Half) => choice::part(cases, 2, seed),
            (Self::EachChange { seed }, Share::Quarter) => choice::part(cases, 4, seed),
            (Self::EachChange { seed }, Share::Tenth) => choice::part(cases, 10, seed),
            (Self::EachChange { seed }, Share::Fortieth) => choice::part(cases, 40, seed),
            (_, Share::Nothing) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGE: Tier = Tier::EachChange { seed: 7 };

    #[test]
    fn rows_are_of_different_cases_or_environments() {
        for (n, row) in WORLDS.iter().enumerate() {
            let is_same = |other: &World| {
                (other.binary, other.cases, other.variables) == (row.binary, row.cases, row.variables)
            };
            assert!(!WORLDS[n + 1..].iter().any(is_same), "{row:?} stands twice");
            assert!(!WORLDS[n + 1..].iter().any(|other| other.name == row.name), "{row:?} has a namesake");
        }
    }

    #[test]
    fn each_change_runs_whole_worlds_and_parts_of_others_and_all_runs_everything() {
        let names: Vec<String> = (0..50).map(|n| format!("suite::case_{n}")).collect();
        let cases: Vec<&str> = names.iter().map(String::as_str).collect();
        let many = |tier: Tier, share| tier.chosen(share, &cases).len();
        let shares =
            [Share::Whole, Share::Half, Share::Quarter, Share::Tenth, Share::Fortieth, Share::Nothing];
        assert_eq!(shares.map(|it| many(CHANGE, it)), [50, 25, 13, 5, 2, 0]);
        assert_eq!(shares.map(|it| many(Tier::All, it)), [50; 6]);
    }

    #[test]
    fn every_backend_has_a_world_that_runs_at_each_change() {
        let runs = |row: &&World| row.share != Share::Nothing && row.variables.is_empty();
        let binaries: Vec<&str> = WORLDS.iter().filter(runs).map(|row| row.binary).collect();
        assert!(
            ["spec/it", "embedded/it", "cluster/it", "server/it"].iter().all(|name| binaries.contains(name))
        );
    }

    #[test]
    fn tests_are_shortened_at_each_change_alone() {
        assert!(Tier::All.variables().is_empty());
        let variables = CHANGE.variables();
        assert!(variables.contains(&("GUANXI_FUZZ_SECONDS".to_owned(), "1".to_owned())), "{variables:?}");
        assert_eq!(variables, CHANGE.variables());
    }
}
