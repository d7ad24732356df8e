//! From the test binaries and a tier to runs, in the order in which they begin.

use std::fmt::Write as _;

use super::binaries::TestBinary;
use super::job::Job;
use super::order::{self, Turn};
use super::tier::{Tier, World};

/// Where a table of this command is to be mended.
const TABLE: &str = "xtask/src/test/tier.rs";

/// What is to be run.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The runs.
    pub(super) jobs: Vec<(Turn, Job)>,
    /// Each world with how many of its cases run, of how many.
    pub(super) worlds: Vec<WorldRun>,
}

/// A world, how many of its cases run, and how many there are.
pub(super) type WorldRun = (&'static str, usize, usize);

/// A world with its binary and the cases of it that run, and that do not.
struct Chosen<'a> {
    world: &'static World,
    binary: &'a TestBinary,
    run: Vec<&'a str>,
    left: Vec<&'a str>,
}

/// Plans the runs: one of each binary, without what the tier leaves out, and one of each world with an environment of its own.
///
/// # Errors
/// When a table names a binary that is gone, or a world without cases.
pub(super) fn plan(binaries: &[TestBinary], tier: Tier, worlds: &'static [World]) -> Result<Plan, String> {
    let names: Vec<&str> = binaries.iter().map(|binary| binary.name.as_str()).collect();
    order::check(&names)?;
    let chosen: Vec<Chosen<'_>> =
        worlds.iter().map(|world| choose(world, binaries, tier)).collect::<Result<_, _>>()?;
    let usual = binaries.iter().map(|binary| usual(binary, &chosen));
    let apart = chosen.iter().filter(|it| !it.world.variables.is_empty() && !it.run.is_empty()).map(apart);
    let mut jobs: Vec<(Turn, Job)> = usual.chain(apart).collect();
    for (_, job) in &mut jobs {
        job.variables.extend(tier.variables());
    }
    jobs.sort_by_key(|(turn, _)| turn.rank);
    let worlds = chosen.iter().map(|it| (it.world.name, it.run.len(), it.run.len() + it.left.len()));
    Ok(Plan { worlds: worlds.collect(), jobs })
}

fn choose<'a>(world: &'static World, binaries: &'a [TestBinary], tier: Tier) -> Result<Chosen<'a>, String> {
    let World { name, binary, cases, .. } = world;
    let binary = binaries
        .iter()
        .find(|it| it.name == *binary)
        .ok_or_else(|| format!("{name}: no test binary {binary}: mend its row in {TABLE}"))?;
    let is_of_world = |case: &str| case == *cases || case.rsplit_once("::").is_some_and(|it| it.0 == *cases);
    let all: Vec<&str> = binary.cases.iter().map(String::as_str).filter(|case| is_of_world(case)).collect();
    if all.is_empty() {
        return Err(format!("{name}: {} has no case {cases}: mend its row in {TABLE}", binary.name));
    }
    let run = tier.chosen(world.share, &all);
    let left = all.into_iter().filter(|case| !run.contains(case)).collect();
    Ok(Chosen { world, binary, run, left })
}

/// The run of a binary, without what its worlds leave out.
fn usual(binary: &TestBinary, chosen: &[Chosen<'_>]) -> (Turn, Job) {
    let of_binary = chosen.iter().filter(|it| it.binary == binary && it.world.variables.is_empty());
    let left: Vec<&str> = of_binary.flat_map(|it| it.left.iter().copied()).collect();
    let filter = left.iter().flat_map(|case| ["--skip", case]).collect();
    job(binary, binary.name.clone(), filter, binary.cases.len() - left.len())
}

/// The run of a world with an environment of its own.
fn apart(chosen: &Chosen<'_>) -> (Turn, Job) {
    let Chosen { world, binary, run, .. } = chosen;
    let (turn, mut job) = job(binary, format!("{} ({})", binary.name, world.name), run.clone(), run.len());
    job.variables
        .extend(world.variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    (turn, job)
}

fn job(binary: &TestBinary, name: String, filter: Vec<&str>, cases: usize) -> (Turn, Job) {
    let turn = order::turn(&binary.name);
    // The time of each case is an option that the harness of a stable compiler shows with an environment variable only.
    let mut args: Vec<String> = ["-Z", "unstable-options", "--report-time"].map(str::to_owned).into();
    args.extend(turn.threads.map(|threads| format!("--test-threads={threads}")));
    if !filter.is_empty() {
        args.push("--exact".to_owned());
        args.extend(filter.into_iter().map(str::to_owned));
    }
    let (program, folder) = (binary.path.clone(), binary.folder.clone());
    (turn, Job { name, program, folder, args, variables: Vec::new(), cases })
}

/// The table of what the tier leaves out.
pub(super) fn left_out(worlds: &[WorldRun]) -> String {
    let mut out = String::from("\ncases run, of cases there are, where some were left out\n");
    for (name, run, of) in worlds.iter().filter(|(_, run, of)| run < of) {
        let _infallible = writeln!(out, "{run:>6} of {of:>4}  {name}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::tier::{Share, WORLDS};
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    const CHANGE: Tier = Tier::EachChange { seed: 5 };

    fn binary(name: &str, cases: &[String]) -> TestBinary {
        let (folder, path) = (PathBuf::from("/"), PathBuf::from("/bin/sh"));
        TestBinary { name: name.to_owned(), folder, path, cases: cases.to_vec() }
    }

    /// All binaries of the tables, each with forty cases of every world of it, and one that is of none.
    fn binaries() -> Vec<TestBinary> {
        let rows = WORLDS.iter().map(|world| world.binary);
        let names: BTreeSet<&str> = rows.chain(["model (lib)"]).collect();
        let of = |name: &&str| {
            let rows = WORLDS.iter().filter(|world| world.binary == *name);
            let mut cases: Vec<String> =
                rows.flat_map(|world| (0..40).map(|n| format!("{}::c{n}", world.cases))).collect();
            cases.push("other::case".to_owned());
            cases.sort();
            cases.dedup();
            binary(name, &cases)
        };
        names.iter().map(of).collect()
    }

    fn job<'a>(plan: &'a Plan, name: &str) -> &'a Job {
        &plan.jobs.iter().find(|(_, job)| job.name == name).unwrap().1
    }

    #[test]
    fn each_binary_has_a_run_and_the_longest_begin_first() {
        let plan = plan(&binaries(), Tier::All, &[]).unwrap();
        assert_eq!(plan.jobs.len(), binaries().len());
        assert_eq!(plan.jobs.last().unwrap().1.name, "model (lib)");
        let cluster = job(&plan, "cluster/it");
        assert!(cluster.args.contains(&"--test-threads=6".to_owned()), "{cluster:?}");
        assert!(!cluster.args.contains(&"--exact".to_owned()), "{cluster:?}");
    }

    #[test]
    fn at_each_change_nine_tenths_of_a_repeated_world_are_skipped() {
        let plan = plan(&binaries(), CHANGE, WORLDS).unwrap();
        let server = job(&plan, "server/it");
        let skipped = |of: &str| server.args.iter().filter(|arg| arg.starts_with(of)).count();
        assert_eq!(skipped("conformance::embedded::c"), 36);
        let skipped = skipped("conformance::");
        let there = binaries().iter().find(|it| it.name == "server/it").unwrap().cases.len();
        assert_eq!(server.cases, there - skipped);
        assert!(!job(&plan, "model (lib)").args.contains(&"--skip".to_owned()));
        assert!(plan.worlds.contains(&("RPC over embedded", 4, 40)), "{:?}", plan.worlds);
        assert!(server.variables.iter().any(|(name, _)| name == "GUANXI_FUZZ_SECONDS"));
    }

    #[test]
    fn a_world_with_an_environment_of_its_own_runs_apart() {
        let name = "cluster/it (cluster of four databases, in mode sync)";
        let change = plan(&binaries(), CHANGE, WORLDS).unwrap();
        let sync = job(&change, name);
        assert_eq!(sync.cases, 1);
        assert_eq!(sync.args.iter().filter(|arg| arg.starts_with("conformance::")).count(), 1);
        assert!(sync.variables.contains(&("GUANXI_CLUSTER".to_owned(), "4,sync".to_owned())));
        assert!(!change.jobs.iter().any(|(_, job)| job.name.contains("1,000 of each damage")));
        let all = plan(&binaries(), Tier::All, WORLDS).unwrap();
        assert_eq!(job(&all, name).cases, 40);
        assert!(all.jobs.iter().any(|(_, job)| job.name.contains("1,000 of each damage")));
        assert!(all.worlds.iter().all(|(_, run, of)| run == of));
    }

    #[test]
    fn a_row_that_chooses_nothing_is_a_mistake_of_the_table() {
        const GONE: &[World] = &[World {
            name: "gone",
            binary: "spec/it",
            cases: "memory::gone",
            variables: &[],
            share: Share::Whole,
        }];
        const NO_BINARY: &[World] = &[World { binary: "spec/gone", ..GONE_ROW }];
        const GONE_ROW: World =
            World { name: "gone", binary: "", cases: "memory", variables: &[], share: Share::Nothing };
        for tier in [CHANGE, Tier::All] {
            let error = plan(&binaries(), tier, GONE).unwrap_err();
            assert!(error.contains("spec/it has no case memory::gone"), "{error}");
            let error = plan(&binaries(), tier, NO_BINARY).unwrap_err();
            assert!(error.contains("no test binary spec/gone"), "{error}");
        }
    }

    #[test]
    fn what_was_left_out_is_told() {
        let told = left_out(&[("embedded", 274, 274), ("RPC over embedded", 28, 274), ("damages", 0, 1)]);
        let rows: Vec<&str> = told.lines().skip(2).map(str::trim).collect();
        assert_eq!(rows, ["28 of  274  RPC over embedded", "0 of    1  damages"]);
    }
}
