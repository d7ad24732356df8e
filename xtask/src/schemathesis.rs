//! `cargo xtask schemathesis`: the OpenAPI document against the server, for longer.

use std::path::PathBuf;
use std::process::Command;

use crate::steps::{Steps, cargo, root, spawn};

/// The packages of the tool, each with its version.
const PACKAGES: &str = "xtask/schemathesis.txt";

/// Where it is installed, below `target/`.
fn environment() -> PathBuf {
    root().join("target/tools/schemathesis")
}

/// Installs the tool into an environment of its own; quick and silent when it is there with these versions.
///
/// # Errors
/// When Python has no venv, or a package cannot be had.
pub(crate) fn install() -> Result<(), String> {
    let wanted =
        std::fs::read_to_string(root().join(PACKAGES)).map_err(|error| format!("{PACKAGES}: {error}"))?;
    let environment = environment();
    let mark = environment.join("installed.txt");
    if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    eprintln!("setup: installing schemathesis (the test of the OpenAPI document)");
    let by_hand = "apt-get install --no-install-recommends python3-venv";
    spawn(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))
        .map_err(|error| format!("{error}; Python needs venv: {by_hand}"))?;
    let pip = environment.join("bin/pip");
    spawn(
        Command::new(pip)
            .args([
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--requirement",
                PACKAGES,
            ])
            .current_dir(root()),
    )?;
    std::fs::write(&mark, wanted).map_err(|error| format!("{}: {error}", mark.display()))
}

/// Runs the test of the document with `--seconds N` and, for other requests, `--seed S`.
///
/// # Errors
/// A bad option, or a failed run.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let test = "cli::openapi::the_server_does_what_the_openapi_document_says";
    let mut command =
        cargo(&["test", "--package", "guanxi", "--test", "it", "--", "--exact", test, "--nocapture"]);
    for pair in options.chunks(2) {
        match pair {
            ["--seconds", value] => command.env("GUANXI_SCHEMATHESIS_SECONDS", value),
            ["--seed", value] => command.env("GUANXI_SCHEMATHESIS_SEED", value),
            other => return Err(format!("no such option, or no value: {}", other.join(" "))),
        };
    }
    let mut steps = Steps::default();
    steps.run("setup", install);
    steps.run("schemathesis", || spawn(&mut command));
    steps.finish()
}
