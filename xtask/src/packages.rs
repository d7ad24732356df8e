//! What npm and Python bring for tests, below `target/`: the packages of the clients in `examples/`, and the programs that
//! check the OpenAPI document and the types of our own clients.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::steps::{root, spawn};

/// Installs all of them; quick and silent when they are there with these versions.
///
/// # Errors
/// When a package cannot be had.
pub(crate) fn install() -> Result<(), String> {
    prepare("examples/typescript", "examples/typescript", NPM_LISTS, npm)?;
    prepare("examples/python", "examples/python", &["requirements.txt"], |place| pip(place, &[]))?;
    prepare("xtask/checks", "checks", &["package.json", "package-lock.json", "requirements.txt"], |place| {
        npm(place)?;
        // The list is of all that is needed.
        pip(place, &["--no-deps"])
    })
}

/// Installs what packs releases: zig, which links for each platform, and what writes wheels.
///
/// # Errors
/// When a package cannot be had.
pub(crate) fn of_releases() -> Result<(), String> {
    prepare("xtask/src/dist", "dist", &["requirements.txt"], |place| pip(place, &["--no-deps"]))
}

/// What says which packages of npm.
const NPM_LISTS: &[&str] = &["package.json", "package-lock.json"];

fn npm(place: &Path) -> Result<(), String> {
    let options = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    spawn(Command::new("npm").args(options).current_dir(place))
}

fn pip(place: &Path, options: &[&str]) -> Result<(), String> {
    spawn(Command::new("python3").args(["-m", "venv", "--clear", ".venv"]).current_dir(place))?;
    let mut pip = Command::new(place.join(".venv/bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--requirement", "requirements.txt"]);
    spawn(pip.args(options).current_dir(place))
}

/// Copies the lists of packages from a folder of the repository to one of `target/tools`, and installs them there, unless
/// it was done with the same lists.
fn prepare(
    from: &str,
    to: &str,
    lists: &[&str],
    install: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), String> {
    let (name, from, to) = (from, root().join(from), root().join("target/tools").join(to));
    let texts: Vec<String> = lists.iter().map(|list| read(&from.join(list))).collect::<Result<_, _>>()?;
    let mark = to.join("installed.txt");
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == texts.concat()) {
        return Ok(());
    }
    eprintln!("setup: installing the packages of {name}");
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
