//! `cargo xtask deploy-check`: the files of `deploy/` that Kubernetes and systemd read.
//!
//! It needs the network, to install a validator. So it is not a part of `.ci/run`.

mod manifests;
mod work;

use crate::steps::{Steps, root};
use std::process::Command;
use work::Work;

/// Checks everything, with `--binary PATH` for a guanxi that is built already.
///
/// # Errors
/// A bad option, or a check that failed.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let binary = match options {
        [] => None,
        ["--binary", path] => Some(*path),
        other => return Err(format!("no such option, or no value: {}", other.join(" "))),
    };
    let mut steps = Steps::default();
    steps.run("programs", manifests::install);
    steps.run("manifests", manifests::validate);
    steps.run("systemd unit", unit);
    match Work::new(binary) {
        Ok(work) => steps.run("settings of manifests", || manifests::settings(&work)),
        Err(error) => steps.run("binary", || Err(error)),
    }
    steps.finish()
}

/// Lets systemd look at the unit, where it is installed. It complains of the program, which need not be installed.
fn unit() -> Result<(), String> {
    let unit = root().join("deploy/guanxi.service");
    let Ok(verified) = Command::new("systemd-analyze").arg("verify").arg(&unit).output() else {
        eprintln!("systemd-analyze is not installed: the unit is not verified");
        return Ok(());
    };
    let said = String::from_utf8_lossy(&verified.stderr);
    let problem =
        said.lines().find(|line| line.contains("guanxi.service") && !line.contains("is not executable"));
    problem.map_or(Ok(()), |problem| Err(problem.to_owned()))
}
