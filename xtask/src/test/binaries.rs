//! The test binaries of the workspace: building them all, and running one after the other.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::costs::Costs;
use crate::steps::{cargo, output};

/// One binary full of tests.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TestBinary {
    /// Its package, and its target where that has another name.
    name: String,
    /// Where its package lies, in which cargo would run it.
    folder: PathBuf,
    path: PathBuf,
}

/// Builds every test of the workspace.
///
/// # Errors
/// When something does not compile; cargo has said what.
pub(super) fn build() -> Result<Vec<TestBinary>, String> {
    let args = ["test", "--workspace", "--tests", "--no-run", "--quiet"];
    let mut command = cargo(&args);
    command.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    let messages = output(&mut command)?;
    let binaries: Vec<TestBinary> = messages.lines().filter_map(of_message).collect();
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
    Some(TestBinary { name, folder: folder.to_owned(), path: PathBuf::from(message["executable"].as_str()?) })
}

/// Runs each binary to its end, whatever the others said, with its output on the terminal.
///
/// # Errors
/// Names the binaries with a failed test.
pub(super) fn run(binaries: &[TestBinary], costs: &mut Costs) -> Result<(), String> {
    let mut failed = Vec::new();
    for binary in binaries {
        eprintln!("\n     {}", binary.name);
        let start = Instant::now();
        let passed = run_one(binary, costs)?;
        costs.binary(&binary.name, start.elapsed().as_secs_f64());
        if !passed {
            failed.push(binary.name.as_str());
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed tests in {}", failed.join(", "))) }
}

fn run_one(binary: &TestBinary, costs: &mut Costs) -> Result<bool, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", binary.path.display());
    let mut command = Command::new(&binary.path);
    command.current_dir(&binary.folder).env("CARGO_MANIFEST_DIR", &binary.folder).stdout(Stdio::piped());
    // The time of each case is an option that the harness of a stable compiler shows to this variable only.
    command.args(["-Z", "unstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1");
    let mut child = command.spawn().map_err(failed)?;
    let lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufReader::lines);
    for line in lines {
        let line = line.map_err(failed)?;
        println!("{line}");
        costs.line(&binary.name, &line);
    }
    Ok(child.wait().map_err(failed)?.success())
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
    fn a_binary_that_fails_is_named_and_the_next_one_runs() {
        let binary = |name: &str, path: &str| TestBinary {
            name: name.to_owned(),
            folder: PathBuf::from("/"),
            path: PathBuf::from(path),
        };
        let mut costs = Costs::default();
        let all = [binary("bad", "/bin/false"), binary("good", "/bin/true")];
        assert_eq!(run(&all, &mut costs), Err("failed tests in bad".to_owned()));
        assert!(costs.table().contains("good"));
    }
}
