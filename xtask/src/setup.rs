//! `cargo xtask setup`: installs the programs that tests and benchmarks start.
//!
//! Nothing is configured and nothing of the machine is used afterwards: tests and benchmarks start private
//! processes in temporary directories on free loopback ports.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{packages as foreign, schemathesis, steps};

/// One program that a test or a benchmark starts. A new need is a new row of [`TOOLS`].
pub(crate) struct Tool {
    program: &'static str,
    /// The Debian package that brings it, and after a blank others that it is no use without.
    package: &'static str,
    /// The purpose that needs it.
    purpose: &'static str,
    /// Arguments with which it ends well only when it is of use; none when it is enough that it is there.
    check: &'static [&'static str],
}

impl Tool {
    pub(crate) const fn new(program: &'static str, package: &'static str, purpose: &'static str) -> Self {
        Self { program, package, purpose, check: &[] }
    }

    /// The same, that is of use only when it ends well with these arguments.
    pub(crate) const fn checked(self, check: &'static [&'static str]) -> Self {
        Self { check, ..self }
    }

    fn is_present(&self, path: &[PathBuf]) -> bool {
        find(self.program, path).is_some_and(|program| {
            let mut check = Command::new(program);
            check.args(self.check).stdout(Stdio::null()).stderr(Stdio::null());
            self.check.is_empty() || check.status().is_ok_and(|status| status.success())
        })
    }
}

const TOOLS: &[Tool] = &[
    Tool::new("mkfs.ext4", "e2fsprogs", "the full-disk test's small file system"),
    Tool::new("mount", "mount", "the full-disk test's small file system"),
    // Debian has a python3 without its venv on most machines.
    Tool::new(
        "python3",
        "python3-venv",
        "the tests of the OpenAPI document, clients/python and examples/python",
    )
    .checked(&["-c", "import ensurepip, venv"]),
    Tool::new("node", "nodejs", "the tests of clients/typescript and examples/typescript"),
    Tool::new("npm", "npm", "the test of examples/typescript"),
    Tool::new("protoc", "protobuf-compiler libprotobuf-dev", "the test of examples/typescript"),
    Tool::new("chromium", "chromium", "the tests of the console and of examples/browser"),
    Tool::new("chromedriver", "chromium-driver", "the tests of the console in a browser"),
    Tool::new("taskset", "util-linux", "the side-by-side benchmark's pinned cores"),
    Tool::new("setpriv", "util-linux", "PostgreSQL that root starts"),
    Tool::new("postgres", "postgresql", "the tests of a cluster, and the side-by-side benchmark"),
    Tool::new("pgbouncer", "pgbouncer", "the tests of a cluster behind a pooler"),
    Tool::new("redis-server", "redis-server", "the side-by-side benchmark"),
    Tool::new("valgrind", "valgrind", "`guanxi-bench instructions`"),
];

/// Installs what is missing; quick and silent about the rest when nothing is.
///
/// # Errors
/// When apt is not there, refuses, or would need rights that this user lacks.
pub(crate) fn run() -> Result<(), String> {
    ensure(TOOLS)?;
    packages()
}

/// Installs those of some programs that are missing.
///
/// # Errors
/// As of [`run`].
pub(crate) fn ensure(tools: &[Tool]) -> Result<(), String> {
    let path = search_path();
    let missing: Vec<&Tool> = tools.iter().filter(|tool| !tool.is_present(&path)).collect();
    if missing.is_empty() {
        eprintln!("setup: all {} programs are present", tools.len());
        return Ok(());
    }
    for tool in &missing {
        eprintln!("setup: {} is missing ({}), installing {}", tool.program, tool.purpose, tool.package);
    }
    install(&missing, &path)?;
    match missing.iter().find(|tool| !tool.is_present(&search_path())) {
        Some(tool) => Err(format!("{} was installed but brings no {}", tool.package, tool.program)),
        None => Ok(()),
    }
}

/// Installs what Python and npm bring, below `target/`.
fn packages() -> Result<(), String> {
    schemathesis::install()?;
    foreign::install()
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
