//! `cargo xtask test`: the tests of the workspace in two tiers, and what each suite costs.

mod binaries;
mod choice;
mod costs;
mod job;
mod lanes;
mod options;
mod order;
mod place;
mod plan;
mod run;
mod tier;

use crate::steps::{Steps, cargo, spawn};
use crate::{setup, tidy};
use binaries::Compiler;
use options::Asked;
use place::Place;
use plan::Plan;
use tier::Tier;

/// Sets the machine up, then runs unit, property, conformance and crash tests, and the examples in the docs: what is run at
/// each change, or with `--all` everything.
///
/// All in the dev profile: its dependencies are optimised, so one build serves editing, testing and the crash
/// runs, and a fresh machine compiles the world once.
///
/// # Errors
/// A bad option. Names the steps that failed.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    let (tier, compiler) = match options::parse(words)? {
        Asked::Help => {
            print!("{}", options::HELP);
            return Ok(());
        }
        Asked::Run(tier, compiler) => (tier, compiler),
    };
    eprintln!("{}", said(tier));
    let mut steps = Steps::default();
    steps.run("setup", setup::run);
    let (mut plan, mut costs) = (Plan::default(), costs::Costs::default());
    steps.run("build the tests", || {
        plan = plan::plan(&binaries::build(compiler)?, tier, tier::WORLDS)?;
        Ok(())
    });
    // With all tests the store and its crashes are on the disk, as in use.
    let place = if tier == Tier::All { None } else { Place::new() };
    for (_, job) in &mut plan.jobs {
        job.variables.extend(place.iter().map(Place::variable));
    }
    steps.run("tests", || run::all(plan.jobs, &run::logs(), &mut costs));
    drop(place);
    if !tidy::packages_with_doc_tests()?.is_empty() {
        steps.run("doc tests", || doc_tests(compiler));
    }
    eprint!("{}{}", costs.table(), plan::left_out(&plan.worlds));
    eprintln!("\n{}", said(tier));
    steps.finish()
}

fn said(tier: Tier) -> String {
    match tier {
        Tier::All => "tier: all tests".to_owned(),
        Tier::EachChange { seed } => {
            format!(
                "tier: each change, seed {seed}: `cargo xtask test --seed {seed}` runs the same, `--all` everything"
            )
        }
    }
}

/// Of the whole workspace, and by the same compiler: of some packages alone, cargo would build the others' crates anew.
fn doc_tests(compiler: Compiler) -> Result<(), String> {
    spawn(
        cargo(&["test", "--workspace", "--doc", "--locked", "--quiet"])
            .envs(compiler.variables().iter().copied()),
    )
}
