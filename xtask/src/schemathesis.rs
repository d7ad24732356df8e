//! The tool that makes requests of the OpenAPI document, for a test and for `cargo xtask schemathesis`.

use std::path::PathBuf;
use std::process::Command;

use crate::steps::{root, spawn};

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
