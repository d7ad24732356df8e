//! What the clients in `examples/` are made with, for their tests: npm's and Python's packages, below `target/`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::steps::{root, spawn};

/// Installs the packages of both clients; quick and silent when they are there with these versions.
///
/// # Errors
/// When a package cannot be had.
pub(crate) fn install() -> Result<(), String> {
    prepare("typescript", &["package.json", "package-lock.json"], |directory| {
        spawn(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
                .current_dir(directory),
        )
    })?;
    prepare("python", &["requirements.txt"], |directory| {
        spawn(Command::new("python3").args(["-m", "venv", "--clear", ".venv"]).current_dir(directory))?;
        let mut pip = Command::new(directory.join(".venv/bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement", "requirements.txt"]);
        spawn(pip.current_dir(directory))
    })
}

/// Copies the lists of a client's packages, and installs them beside, unless it was done with the same lists.
fn prepare(
    name: &str,
    lists: &[&str],
    install: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), String> {
    let (from, to) = (root().join("examples").join(name), root().join("target/tools/examples").join(name));
    let texts: Vec<String> = lists.iter().map(|list| read(&from.join(list))).collect::<Result<_, _>>()?;
    let mark = to.join("installed.txt");
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == texts.concat()) {
        return Ok(());
    }
    eprintln!("setup: installing the packages of examples/{name}");
    fs::create_dir_all(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    for (list, text) in lists.iter().zip(&texts) {
        write(&to.join(list), text)?;
    }
    install(&to)?;
    write(&mark, &texts.concat())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
