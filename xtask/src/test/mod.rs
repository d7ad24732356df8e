//! `cargo xtask test`: every test of the workspace, and what each suite costs.

mod binaries;
mod costs;
mod job;
mod lanes;
mod order;
mod plan;
mod run;

use crate::steps::{Steps, cargo, spawn};
use crate::{setup, tidy};

/// Sets the machine up, then runs unit, property, conformance and crash tests, and the examples in the docs.
///
/// All in the dev profile: its dependencies are optimised, so one build serves editing, testing and the crash
/// runs, and a fresh machine compiles the world once.
///
/// # Errors
/// Names the steps that failed.
pub(crate) fn run() -> Result<(), String> {
    let mut steps = Steps::default();
    steps.run("setup", setup::run);
    let (mut jobs, mut costs) = (Vec::new(), costs::Costs::default());
    steps.run("build the tests", || {
        jobs = plan::plan(&binaries::build()?)?;
        Ok(())
    });
    steps.run("tests", || run::all(jobs, &run::logs(), &mut costs));
    let packages = tidy::packages_with_doc_tests()?;
    if !packages.is_empty() {
        steps.run("doc tests", || doc_tests(&packages));
    }
    eprint!("{}", costs.table());
    steps.finish()
}

fn doc_tests(packages: &[String]) -> Result<(), String> {
    let mut command = cargo(&["test", "--doc"]);
    for package in packages {
        command.args(["--package", package]);
    }
    spawn(&mut command)
}
