//! The programs that packing and its checks need, beside cargo: from Debian, crates.io and PyPI, by name and version.

use std::path::PathBuf;
use std::process::Command;

use super::order::{Kind, Order};
use super::targets::Target;
use crate::packages;
use crate::setup::{self, Tool};
use crate::steps::{cargo, output, root, spawn};

/// What every run needs.
const ALWAYS: &[Tool] = &[
    Tool::new("readelf", "binutils", "what a binary needs of its system"),
    Tool::new("curl", "curl", "the first minute with each package"),
    Tool::new("python3", "python3-venv", "zig, which links for each platform"),
];

/// What binaries for another processor need.
const FOREIGN: &[Tool] = &[
    Tool::new("aarch64-linux-gnu-strip", "binutils-aarch64-linux-gnu", "the symbols of aarch64"),
    Tool::new("qemu-aarch64", "qemu-user libc6-arm64-cross", "starting what is built for aarch64"),
];

/// What packages for Debian need.
const DEBIAN: &[Tool] = &[
    Tool::new("lintian", "lintian", "the check of the package for Debian"),
    Tool::new("mmdebstrap", "mmdebstrap", "the system that the package for Debian is installed into"),
];

/// What packages for Node.js need.
const NODE: &[Tool] = &[Tool::new("npm", "npm", "the packages for npm")];

/// The version of cargo-deb.
const CARGO_DEB: &str = "3.8.0";

/// Where they are, below `target/`.
pub(super) fn place() -> PathBuf {
    root().join("target/tools/dist")
}

/// Installs what an order needs; quick and silent about what is there.
pub(super) fn install(order: &Order) -> Result<(), String> {
    setup::ensure(ALWAYS)?;
    if order.targets.iter().any(|target| !target.is_native()) {
        setup::ensure(FOREIGN)?;
    }
    if order.kinds.contains(&Kind::Deb) {
        setup::ensure(DEBIAN)?;
        cargo_deb()?;
    }
    if order.kinds.contains(&Kind::Npm) || order.kinds.contains(&Kind::Clients) {
        setup::ensure(NODE)?;
    }
    packages::of_releases()?;
    order.targets.iter().try_for_each(|target| library(target))
}

/// Rust's library for a target.
fn library(target: &Target) -> Result<(), String> {
    let folder = output(Command::new("rustc").args(["--print", "target-libdir", "--target", target.triple]))?;
    if PathBuf::from(folder.trim()).is_dir() {
        return Ok(());
    }
    spawn(Command::new("rustup").args(["target", "add", target.triple]))
}

fn cargo_deb() -> Result<(), String> {
    let program = place().join("bin/cargo-deb");
    let there = output(Command::new(program).arg("--version")).unwrap_or_default();
    if there.split_whitespace().any(|word| word == CARGO_DEB) {
        return Ok(());
    }
    eprintln!("dist: installing cargo-deb {CARGO_DEB}");
    let version = format!("={CARGO_DEB}");
    let mut install = cargo(&["install", "--locked", "--quiet", "cargo-deb", "--version", &version]);
    spawn(install.arg("--root").arg(place()))
}

/// `cargo` with the programs of releases on its path.
pub(super) fn with_tools(args: &[&str]) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let place = place();
    let mut command = cargo(args);
    let (python, bin) = (place.join(".venv/bin"), place.join("bin"));
    command.env("PATH", format!("{}:{}:{path}", python.display(), bin.display()));
    command.env("ZIG_GLOBAL_CACHE_DIR", place.join("zig"));
    command
}

/// Python with the packages of releases.
pub(super) fn python() -> Command {
    Command::new(place().join(".venv/bin/python"))
}
