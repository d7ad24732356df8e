//! `cargo xtask setup`: installs the programs that tests and benchmarks start.
//!
//! Nothing is configured and nothing of the machine is used afterwards: tests and benchmarks start private
//! processes in temporary directories on free loopback ports.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{examples, schemathesis, steps};

/// One program that a test or a benchmark starts. A new need is a new row of [`TOOLS`].
struct Tool {
    program: &'static str,
    /// The Debian package that brings it, and after a blank others that it is no use without.
    package: &'static str,
    /// Who needs it.
    purpose: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { program: "mkfs.ext4", package: "e2fsprogs", purpose: "the full-disk test's small file system" },
    Tool { program: "mount", package: "mount", purpose: "the full-disk test's small file system" },
    Tool {
        program: "python3",
        package: "python3-venv",
        purpose: "the tests of the OpenAPI document and of examples/python",
    },
    Tool { program: "node", package: "nodejs", purpose: "the test of examples/typescript" },
    Tool { program: "npm", package: "npm", purpose: "the test of examples/typescript" },
    Tool {
        program: "protoc",
        package: "protobuf-compiler libprotobuf-dev",
        purpose: "the test of examples/typescript",
    },
    Tool { program: "chromium", package: "chromium", purpose: "the test of examples/browser" },
    Tool { program: "taskset", package: "util-linux", purpose: "the side-by-side benchmark's pinned cores" },
    Tool { program: "setpriv", package: "util-linux", purpose: "the side-by-side benchmark's PostgreSQL" },
    Tool { program: "postgres", package: "postgresql", purpose: "the side-by-side benchmark" },
    Tool { program: "redis-server", package: "redis-server", purpose: "the side-by-side benchmark" },
];

/// Installs what is missing; quick and silent about the rest when nothing is.
///
/// # Errors
/// When apt is not there, refuses, or would need rights that this user lacks.
pub(crate) fn run() -> Result<(), String> {
    let path = search_path();
    let missing: Vec<&Tool> = TOOLS.iter().filter(|tool| find(tool.program, &path).is_none()).collect();
    if missing.is_empty() {
        eprintln!("setup: all {} programs are present", TOOLS.len());
        return packages();
    }
    for tool in &missing {
        eprintln!("setup: {} is missing ({}), installing {}", tool.program, tool.purpose, tool.package);
    }
    install(&missing, &path)?;
    match missing.iter().find(|tool| find(tool.program, &search_path()).is_none()) {
        Some(tool) => Err(format!("{} was installed but brings no {}", tool.package, tool.program)),
        None => packages(),
    }
}

/// Installs what Python and npm bring, below `target/`.
fn packages() -> Result<(), String> {
    schemathesis::install()?;
    examples::install()
}

fn install(missing: &[&Tool], path: &[PathBuf]) -> Result<(), String> {
    let packages: Vec<&str> = missing.iter().flat_map(|tool| tool.package.split(' ')).collect();
    let by_hand = format!("apt-get install --no-install-recommends {}", packages.join(" "));
    if find("apt-get", path).is_none() {
        return Err(format!("this is no Debian: install these by other means: {}", packages.join(", ")));
    }
    let prefix = privilege(path).ok_or_else(|| format!("neither root nor sudo; have root run: {by_hand}"))?;
    steps::spawn(&mut apt(prefix, &["update", "--quiet=2"]))?;
    let mut args = vec!["install", "--yes", "--quiet=2", "--no-install-recommends"];
    args.extend(&packages);
    steps::spawn(&mut apt(prefix, &args)).map_err(|error| format!("{error}; try by hand: {by_hand}"))
}

/// The words that go before a command which needs root: none for root itself.
fn privilege(path: &[PathBuf]) -> Option<&'static [&'static str]> {
    let id = steps::output(Command::new("id").arg("-u")).unwrap_or_default();
    if id.trim() == "0" {
        return Some(&[]);
    }
    find("sudo", path).map(|_| -> &'static [&'static str] { &["sudo"] })
}

fn apt(prefix: &[&str], args: &[&str]) -> Command {
    let words: Vec<&str> =
        prefix.iter().copied().chain(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(args);
    command
}

/// `PATH`, the directories of administrators' programs, and those where Debian hides PostgreSQL's server.
fn search_path() -> Vec<PathBuf> {
    let variable = std::env::var_os("PATH").unwrap_or_default();
    let mut path: Vec<PathBuf> = std::env::split_paths(&variable).collect();
    path.extend(["/usr/sbin", "/sbin"].map(PathBuf::from));
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        path.extend(versions.flatten().map(|version| version.path().join("bin")));
    }
    path
}

fn find(program: &str, path: &[PathBuf]) -> Option<PathBuf> {
    path.iter().map(|directory| directory.join(program)).find(|candidate| is_program(candidate))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_and_missing_ones_are_missed() {
        let path = search_path();
        assert!(find("sh", &path).is_some());
        assert!(find("no-such-program-anywhere", &path).is_none());
        assert!(find("passwd", &[PathBuf::from("/etc")]).is_none(), "a file without the x bit is no program");
    }
}
