//! Running test binaries in their lanes, each with its output in one piece.

use std::path::{Path, PathBuf};

use super::costs::Costs;
use super::job::Job;
use super::lanes::Lanes;
use super::order::Turn;
use crate::steps::root;

/// The folder in which the output of each run grows.
pub(super) fn logs() -> PathBuf {
    root().join("target/test-output")
}

/// Runs each job to its end, also after others failed.
///
/// # Errors
/// Names the jobs that failed. When there are none: the build has said why.
pub(super) fn all(jobs: Vec<(Turn, Job)>, logs: &Path, costs: &mut Costs) -> Result<(), String> {
    if jobs.is_empty() {
        return Err("there is nothing to run".to_owned());
    }
    let mut failed = Vec::new();
    let work = |job: &Job| {
        eprintln!("     {} begins", job.name);
        job.run(logs)
    };
    Lanes::new(jobs.into_iter().map(|(turn, job)| (turn.lane, job))).run(work, |job, ended| {
        println!("\n     {}\n{}", job.name, ended.output.trim_end());
        println!("     {} took {:.1} s", job.name, ended.seconds);
        costs.ended(&job.name, &ended);
        if let Some(complaint) = &ended.complaint {
            println!("     {} FAILED: {complaint}", job.name);
            failed.push(format!("{} ({complaint})", job.name));
        }
    });
    if failed.is_empty() { Ok(()) } else { Err(failed.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::lanes::Lane;

    fn script(name: &str, script: &str) -> (Turn, Job) {
        let (args, variables) = (vec!["-c".to_owned(), script.to_owned()], Vec::new());
        let job = Job {
            name: name.to_owned(),
            program: "/bin/sh".into(),
            folder: "/".into(),
            args,
            variables,
            cases: 0,
        };
        (Turn { lane: Lane::Computes, rank: 0, threads: None }, job)
    }

    #[test]
    fn a_run_that_fails_is_named_and_the_next_one_runs() {
        let good = "echo 'test result: ok. 0 passed; 0 failed'";
        let mut costs = Costs::default();
        let jobs = vec![script("bad", "exit 101"), script("good", good), script("cut off", "exit 0")];
        let logs = std::env::temp_dir().join(format!("xtask-run-{}", std::process::id()));
        let error = all(jobs, &logs, &mut costs).unwrap_err();
        assert!(error.contains("bad (failed tests)"), "{error}");
        assert!(error.contains("cut off (it ended without a result)"), "{error}");
        std::fs::remove_dir_all(&logs).unwrap();
        assert!(!error.contains("good") && costs.table().contains("good"), "{error}");
    }
}
