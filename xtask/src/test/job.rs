//! One run of a test binary: how it is started, and whether it did what it was started for.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A run of a test binary.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Its binary, and what of it where that is not all.
    pub(super) name: String,
    pub(super) program: PathBuf,
    /// In which cargo would run it.
    pub(super) folder: PathBuf,
    pub(super) args: Vec<String>,
    /// What it finds in its environment.
    pub(super) variables: Vec<(String, String)>,
    /// How many cases it runs.
    pub(super) cases: usize,
}

/// The result of a run.
pub(super) struct Ended {
    /// Everything that it wrote, errors among it as they came.
    pub(super) output: String,
    pub(super) seconds: f64,
    /// What is wrong with the run, if anything is.
    pub(super) complaint: Option<String>,
}

impl Job {
    /// Runs it to its end. Its output goes into a file of `logs`, which tells how far it is.
    pub(super) fn run(&self, logs: &std::path::Path) -> Ended {
        let start = Instant::now();
        let ran = self.output(logs);
        let seconds = start.elapsed().as_secs_f64();
        match ran {
            Ok((output, passed)) => {
                Ended { complaint: complaint(&output, passed, self.cases), output, seconds }
            }
            Err(complaint) => Ended { output: String::new(), seconds, complaint: Some(complaint) },
        }
    }

    /// A file and not a pipe: what a test leaves running by mistake would hold a pipe open for ever.
    fn output(&self, logs: &std::path::Path) -> Result<(String, bool), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.program.display());
        fs::create_dir_all(logs).map_err(failed)?;
        let path = logs.join(format!("{}.txt", self.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-")));
        let log = File::create(&path).map_err(failed)?;
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        // Shows the harness of a stable compiler its options that are not.
        command.env("RUSTC_BOOTSTRAP", "1").stdin(Stdio::null());
        command.stderr(log.try_clone().map_err(failed)?).stdout(log);
        let status = command.status().map_err(failed)?;
        let output = fs::read(&path).map_err(failed)?;
        Ok((String::from_utf8_lossy(&output).into_owned(), status.success()))
    }
}

/// A binary that ends well has said so, and has met as many cases as it was to run: one that a test ended with `exit(0)` has
/// not, nor one whose filter means others.
fn complaint(output: &str, passed: bool, cases: usize) -> Option<String> {
    if !passed {
        return Some("failed tests".to_owned());
    }
    let Some(result) = output.lines().rev().find_map(|line| line.strip_prefix("test result: ok. ")) else {
        return Some("it ended without a result".to_owned());
    };
    // Such as `12 passed; 0 failed; 1 ignored; 0 measured; 250 filtered out`.
    let met = result.split("; ").filter(|part| ["passed", "ignored"].iter().any(|word| part.ends_with(word)));
    let met: usize = met.filter_map(|part| part.split(' ').next()?.parse::<usize>().ok()).sum();
    (met != cases).then(|| format!("it met {met} cases of {cases}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str =
        "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out; finished in 0.00s";

    fn run(script: &str) -> Ended {
        let logs = std::env::temp_dir().join(format!("xtask-job-{}", std::process::id()));
        let job = Job {
            name: script.to_owned(),
            program: PathBuf::from("/bin/sh"),
            folder: PathBuf::from("/"),
            args: vec!["-c".to_owned(), script.to_owned()],
            variables: vec![("GUANXI_WORD".to_owned(), "three".to_owned())],
            cases: 1,
        };
        job.run(&logs)
    }

    #[test]
    fn output_is_whole_and_in_its_order() {
        let ended = run(&format!("echo one; echo two >&2; echo $GUANXI_WORD; echo '{RESULT}'"));
        assert_eq!(ended.output, format!("one\ntwo\nthree\n{RESULT}\n"));
        assert_eq!(ended.complaint, None);
    }

    #[test]
    fn a_failed_run_keeps_its_output() {
        let ended = run("echo test a ... FAILED; exit 101");
        assert_eq!(ended.output, "test a ... FAILED\n");
        assert_eq!(ended.complaint.as_deref(), Some("failed tests"));
    }

    #[test]
    fn a_run_that_ends_before_its_result_fails() {
        let ended = run("echo running 3 tests; exit 0");
        assert_eq!(ended.complaint.as_deref(), Some("it ended without a result"));
    }

    #[test]
    fn a_run_of_other_cases_than_it_was_to_run_fails() {
        let ignored = RESULT.replace("1 passed", "0 passed").replace("0 ignored", "1 ignored");
        assert_eq!(complaint(&ignored, true, 1), None);
        let fewer = RESULT.replace("1 passed", "0 passed");
        assert_eq!(complaint(&fewer, true, 1).as_deref(), Some("it met 0 cases of 1"));
    }
}
