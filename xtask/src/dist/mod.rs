//! `cargo xtask dist`: what a release is made of; `cargo xtask image`: a container image of it.
//!
//! Everything comes from `cargo install`, the binary itself and files of this repository. Beside cargo it needs tar,
//! gzip, sha256sum, and strip and objcopy of binutils.

mod files;
mod image;
mod minute;
mod sbom;
mod symbols;
#[expect(dead_code, reason = "packing for each target uses it")]
mod targets;

pub(crate) use image::run as image;

use std::path::Path;
use std::process::Command;

use files::{checksums, copy, copy_folder, list, make, pack, place, remove, write};
use serde_json::Value;

use crate::steps::{cargo, output, root, spawn};

/// The profile of all that is installed.
const PROFILE: &str = "dist";

/// Keeps symbols in the binary, so that they can be put apart. Only archives have them: an installed program has
/// none.
const WITH_SYMBOLS: [(&str, &str); 2] =
    [("CARGO_PROFILE_DIST_DEBUG", "line-tables-only"), ("CARGO_PROFILE_DIST_STRIP", "none")];

/// The shells that completions are written for, and what their files are called.
const COMPLETIONS: &[(&str, &str)] = &[("bash", "guanxi.bash"), ("zsh", "_guanxi"), ("fish", "guanxi.fish")];

/// Files of the repository that are in an archive, and where.
const FILES: &[(&str, &str)] = &[
    ("LICENSE", "LICENSE"),
    ("README.md", "README.md"),
    ("README.zh-CN.md", "README.zh-CN.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("deploy/guanxi.service", "guanxi.service"),
];

/// Folders of the repository that are in an archive with all that is in them.
const FOLDERS: &[&str] = &["docs"];

/// What a release is called.
struct Release {
    /// `guanxi-VERSION-TARGET`.
    name: String,
    version: String,
}

/// Makes the archives, with checksums, and starts what is in them as another user.
///
/// # Errors
/// When a step fails; it is named.
pub(crate) fn run() -> Result<(), String> {
    let place = place();
    let metadata = metadata()?;
    let release = release(&metadata)?;
    remove(&place)?;
    let install = place.join("install");
    let built = install.join("bin/guanxi");
    // The same way that users take who build it themselves.
    let mut installing =
        cargo(&["install", "--locked", "--path", "crates/guanxi", "--profile", PROFILE, "--no-track"]);
    spawn(installing.arg("--force").arg("--root").arg(&install).envs(WITH_SYMBOLS))?;
    let staged = place.join(&release.name);
    make(&staged)?;
    let symbols = place.join(format!("{}-symbols", release.name));
    make(&symbols)?;
    put_symbols_apart(&built, &staged.join("guanxi"), &symbols.join("guanxi.debug"))?;
    stage(&staged, &sbom::of(&metadata, &release.version)?)?;
    for (folder, what) in [(&staged, ""), (&symbols, "-symbols")] {
        pack(folder, &place.join(format!("{}{what}.tar.gz", release.name)))?;
    }
    checksums(&place)?;
    remove(&install)?;
    check_unprivileged(&place.join(format!("{}.tar.gz", release.name)), &release.name)?;
    eprintln!("dist: {} has {}", place.display(), list(&place)?.join(", "));
    Ok(())
}

/// Everything beside the binary itself.
fn stage(staged: &Path, sbom: &str) -> Result<(), String> {
    let guanxi = staged.join("guanxi");
    for (from, to) in FILES {
        copy(&root().join(from), &staged.join(to))?;
    }
    for folder in FOLDERS {
        copy_folder(&root().join(folder), &staged.join(folder))?;
    }
    let completions = staged.join("completions");
    make(&completions)?;
    for (shell, name) in COMPLETIONS {
        let script = output(Command::new(&guanxi).args(["completions", shell]))?;
        write(&completions.join(name), &script)?;
    }
    spawn(Command::new(&guanxi).arg("man").arg(staged.join("man")))?;
    write(&staged.join("guanxi.cdx.json"), sbom)
}

/// Strips what only debuggers read, and keeps it in a file of its own, which names itself in the binary. The names of
/// functions stay, so that a backtrace says something.
fn put_symbols_apart(built: &Path, stripped: &Path, symbols: &Path) -> Result<(), String> {
    spawn(Command::new("objcopy").arg("--only-keep-debug").arg(built).arg(symbols))?;
    spawn(Command::new("strip").arg("--strip-debug").arg("-o").arg(stripped).arg(built))?;
    let link = format!("--add-gnu-debuglink={}", symbols.display());
    spawn(Command::new("objcopy").arg(link).arg(stripped))
}

/// Unpacks an archive as a user would, and starts what is in it with nothing writable but its data.
fn check_unprivileged(archive: &Path, name: &str) -> Result<(), String> {
    let place = place().join("unpacked");
    make(&place)?;
    spawn(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&place))?;
    let script = root().join("deploy/check-unprivileged.sh");
    let binary = place.join(name).join("guanxi");
    spawn(Command::new(script).arg(&binary))?;
    minute::Minute::new(&place)?.spend(&Command::new(binary))?;
    remove(&place)
}

/// What `cargo metadata` says of the workspace and all that it is built from.
fn metadata() -> Result<Value, String> {
    let target = target()?;
    let args = ["metadata", "--format-version=1", "--locked", "--filter-platform", &target];
    serde_json::from_str(&output(&mut cargo(&args))?).map_err(|error| format!("cargo metadata: {error}"))
}

/// The platform of this machine, which is the one that is built for.
fn target() -> Result<String, String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
}

fn release(metadata: &Value) -> Result<Release, String> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ours = packages.iter().find(|package| package["name"] == "guanxi");
    let version = ours.and_then(|package| package["version"].as_str()).ok_or("there is no package guanxi")?;
    Ok(Release { name: format!("guanxi-{version}-{}", target()?), version: version.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_archive_is_made_of_is_there() {
        for (from, _) in FILES {
            assert!(root().join(from).is_file(), "{from}");
        }
        for folder in FOLDERS {
            assert!(root().join(folder).is_dir(), "{folder}");
        }
    }
}
