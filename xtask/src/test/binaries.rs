//! The test binaries of the workspace.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::steps::{cargo, output};

/// One binary full of tests.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TestBinary {
    /// Its package, and its target where that has another name.
    pub(super) name: String,
    /// Where its package lies, in which cargo would run it.
    pub(super) folder: PathBuf,
    pub(super) path: PathBuf,
    /// The paths of its cases, ignored ones among them.
    pub(super) cases: Vec<String>,
}

/// Which compiler builds the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compiler {
    /// The usual one.
    Rustc,
    /// Clippy, which compiles as the usual one does, and refuses what its lints find. One build serves lints and tests:
    /// `cargo clippy` beside it compiles every crate a second time.
    Clippy,
}

impl Compiler {
    /// What cargo finds in its environment.
    pub(super) const fn variables(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Rustc => &[],
            // The two variables that `cargo clippy -- -D warnings` sets, for a check alone.
            Self::Clippy => &[
                ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"),
                ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"),
            ],
        }
    }
}

/// Builds every test and binary of the workspace, and asks each test binary for its cases.
///
/// # Errors
/// When something does not compile; cargo has said what. When a binary does not list its cases.
pub(super) fn build(compiler: Compiler) -> Result<Vec<TestBinary>, String> {
    let args = ["test", "--workspace", "--tests", "--bins", "--locked", "--no-run", "--quiet"];
    let mut command = cargo(&args);
    command.envs(compiler.variables().iter().copied());
    command.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let messages = output(&mut command)?;
    let mut binaries: Vec<TestBinary> = messages.lines().filter_map(of_message).collect();
    for binary in &mut binaries {
        let mut list = Command::new(&binary.path);
        list.args(["--list", "--format", "terse"]).current_dir(&binary.folder);
        binary.cases = cases(&output(&mut list)?);
    }
    if binaries.is_empty() { Err("cargo names no test binary".to_owned()) } else { Ok(binaries) }
}

fn of_message(line: &str) -> Option<TestBinary> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let package = folder.file_name()?.to_str()?;
    let target = message["target"]["name"].as_str()?;
    let kind = message["target"]["kind"][0].as_str()?;
    let name = if kind == "test" { format!("{package}/{target}") } else { format!("{package} ({kind})") };
    let path = PathBuf::from(message["executable"].as_str()?);
    Some(TestBinary { name, folder: folder.to_owned(), path, cases: Vec::new() })
}

/// Reads lines of `feed::pages: test`.
fn cases(list: &str) -> Vec<String> {
    list.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_names_test_binaries_among_other_artifacts() {
        let artifact = |test: bool, kind: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/x/crates/api/Cargo.toml","target":
                {{"name":"it","kind":["{kind}"]}},"profile":{{"test":{test}}},"executable":"/x/target/it-1"}}"#
            )
        };
        let name = |line: &str| of_message(line).map(|binary| binary.name);
        assert_eq!(name(&artifact(true, "test")).as_deref(), Some("api/it"));
        assert_eq!(name(&artifact(true, "lib")).as_deref(), Some("api (lib)"));
        assert_eq!(name(&artifact(false, "bin")), None);
        assert_eq!(name("error: not json"), None);
    }

    #[test]
    fn a_binary_lists_its_cases() {
        assert_eq!(cases("feed::pages: test\nnoise\nlate::one: test\n"), ["feed::pages", "late::one"]);
    }
}
