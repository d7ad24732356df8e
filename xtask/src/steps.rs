//! Running commands as named, timed steps.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The workspace's root directory.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("xtask lives one level below the root").to_owned()
}

/// The same cargo that started us, in the workspace's root.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    // Set for our own tests by `cargo xtask test`; cargo would take it for another compiler and build anew.
    command.args(args).current_dir(root()).env_remove("RUSTC_BOOTSTRAP");
    command
}

/// Runs one command with its output on the terminal.
///
/// # Errors
/// When it cannot be started or does not end with success.
pub(crate) fn spawn(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}").replace('"', "");
    let status = command.status().map_err(|error| format!("cannot start {shown}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} ended with {status}")) }
}

/// Runs one command and returns what it wrote to its standard output.
///
/// # Errors
/// When it cannot be started or does not end with success; the message ends with its standard error.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}").replace('"', "");
    let output = command.output().map_err(|error| format!("cannot start {shown}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{shown} ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// The steps of one command, with their times.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<(String, f64, bool)>,
}

impl Steps {
    /// Announces and runs one step. A failure is remembered, so that the following steps still run and report.
    pub(crate) fn run(&mut self, name: &str, step: impl FnOnce() -> Result<(), String>) {
        eprintln!("==> {name}");
        let start = Instant::now();
        let result = step();
        let seconds = start.elapsed().as_secs_f64();
        if let Err(message) = &result {
            eprintln!("==> {name} failed: {message}");
        }
        self.done.push((name.to_owned(), seconds, result.is_ok()));
    }

    /// Prints the table of times, with their sum.
    ///
    /// # Errors
    /// Names the steps that failed.
    pub(crate) fn finish(self) -> Result<(), String> {
        eprintln!();
        for (name, seconds, passed) in &self.done {
            let word = if *passed { "ok" } else { "FAILED" };
            eprintln!("{seconds:>8.1} s  {word:<6}  {name}");
        }
        eprintln!("{:>8.1} s  in all", self.done.iter().map(|(_, seconds, _)| seconds).sum::<f64>());
        let failed: Vec<&str> =
            self.done.iter().filter(|(_, _, passed)| !passed).map(|(name, _, _)| name.as_str()).collect();
        if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_does_not_stop_the_others_but_fails_the_run() {
        let mut steps = Steps::default();
        let mut ran = false;
        steps.run("first", || Err("broken".to_owned()));
        steps.run("second", || {
            ran = true;
            Ok(())
        });
        assert!(ran);
        assert_eq!(steps.finish(), Err("failed: first".to_owned()));
    }

    #[test]
    fn a_command_that_fails_is_named_with_its_complaint() {
        let error = output(Command::new("sh").args(["-c", "echo no room >&2; exit 3"])).unwrap_err();
        assert!(error.contains("exit status: 3") && error.contains("no room"), "{error}");
    }
}
