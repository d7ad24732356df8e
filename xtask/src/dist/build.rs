//! A binary for a target, its symbols apart, and what lies beside it in an archive.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::files::{copy, copy_folder, make, place, remove, write};
use super::targets::Target;
use super::{sbom, tools};
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

/// A staged binary: what all packages of a target are made of.
pub(super) struct Built {
    pub target: &'static Target,
    pub version: String,
    /// The folder with the binary, documents, completions, manual pages and the bill of materials.
    pub folder: PathBuf,
    /// The folder with what debuggers read.
    pub symbols: PathBuf,
}

impl Built {
    /// Names the staged folders of a target.
    pub(super) fn new(target: &'static Target, version: &str) -> Self {
        let stage = place().join("work/stage");
        let name = format!("guanxi-{version}-{}", target.triple);
        let symbols = stage.join(format!("{name}-symbols"));
        Self { target, version: version.to_owned(), folder: stage.join(name), symbols }
    }

    /// The stripped binary.
    pub(super) fn binary(&self) -> PathBuf {
        self.folder.join("guanxi")
    }
}

/// Builds a target, or takes a binary that is built, and stages it.
///
/// # Errors
/// When it does not build, or needs more of a system than a release promises.
pub(super) fn stage(target: &'static Target, version: &str, taken: Option<&Path>) -> Result<Built, String> {
    let staged = Built::new(target, version);
    let binary = match taken {
        Some(binary) => binary.to_owned(),
        None => build(target)?,
    };
    for folder in [&staged.folder, &staged.symbols] {
        remove(folder)?;
        make(folder)?;
    }
    put_symbols_apart(target, &binary, &staged.binary(), &staged.symbols.join("guanxi.debug"))?;
    match target.check(&staged.binary()) {
        Err(error) if taken.is_some() => eprintln!("dist: {error}; not a binary for others"),
        checked => checked?,
    }
    beside(&staged)?;
    Ok(staged)
}

/// Builds the binary by zig's linker and C compiler, which know the C library of each target.
fn build(target: &Target) -> Result<PathBuf, String> {
    let zig = target.zig();
    let args = ["zigbuild", "--locked", "--profile", PROFILE, "--package", "guanxi", "--target", &zig];
    spawn(tools::with_tools(&args).envs(WITH_SYMBOLS).env("CARGO_INCREMENTAL", "0"))?;
    Ok(root().join("target").join(target.triple).join(PROFILE).join("guanxi"))
}

/// Everything beside the binary itself.
fn beside(staged: &Built) -> Result<(), String> {
    let folder = &staged.folder;
    for (from, to) in FILES {
        copy(&root().join(from), &folder.join(to))?;
    }
    for name in FOLDERS {
        copy_folder(&root().join(name), &folder.join(name))?;
    }
    for (shell, name) in COMPLETIONS {
        let script = output(staged.target.command(&staged.binary()).args(["completions", shell]))?;
        write(&folder.join("completions").join(name), &script)?;
    }
    spawn(staged.target.command(&staged.binary()).arg("man").arg(folder.join("man")))?;
    let bill = sbom::of(&metadata(staged.target.triple)?, &staged.version)?;
    write(&folder.join("guanxi.cdx.json"), &bill)
}

/// Strips what only debuggers read, and keeps it in a file of its own, which names itself in the binary. The names of
/// functions stay, so that a backtrace says something.
fn put_symbols_apart(target: &Target, built: &Path, stripped: &Path, symbols: &Path) -> Result<(), String> {
    spawn(target.binutils("objcopy").arg("--only-keep-debug").arg(built).arg(symbols))?;
    spawn(target.binutils("strip").arg("--strip-debug").arg("-o").arg(stripped).arg(built))?;
    let link = format!("--add-gnu-debuglink={}", symbols.display());
    spawn(target.binutils("objcopy").arg(link).arg(stripped))
}

/// What `cargo metadata` says of the workspace and all that it is built from for a target.
pub(super) fn metadata(target: &str) -> Result<Value, String> {
    let args = ["metadata", "--format-version=1", "--locked", "--filter-platform", target];
    serde_json::from_str(&output(&mut cargo(&args))?).map_err(|error| format!("cargo metadata: {error}"))
}

/// The version of a release.
pub(super) fn version() -> Result<String, String> {
    let args = ["metadata", "--format-version=1", "--locked", "--no-deps"];
    let metadata: Value = serde_json::from_str(&output(&mut cargo(&args))?)
        .map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ours = packages.iter().find(|package| package["name"] == "guanxi");
    let version = ours.and_then(|package| package["version"].as_str()).ok_or("there is no package guanxi")?;
    Ok(version.to_owned())
}

/// The platform of this machine.
pub(super) fn host() -> Result<String, String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
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
