//! From the test binaries to runs, in the order in which they begin.

use super::binaries::TestBinary;
use super::job::Job;
use super::order::{self, Turn};

/// Plans one run of each binary.
///
/// # Errors
/// When a table names a binary that is gone.
pub(super) fn plan(binaries: &[TestBinary]) -> Result<Vec<(Turn, Job)>, String> {
    let names: Vec<&str> = binaries.iter().map(|binary| binary.name.as_str()).collect();
    order::check(&names)?;
    let mut jobs: Vec<(Turn, Job)> = binaries.iter().map(job).collect();
    jobs.sort_by_key(|(turn, _)| turn.rank);
    Ok(jobs)
}

fn job(binary: &TestBinary) -> (Turn, Job) {
    let turn = order::turn(&binary.name);
    // The time of each case is an option that the harness of a stable compiler shows with an environment variable only.
    let mut args: Vec<String> = ["-Z", "unstable-options", "--report-time"].map(str::to_owned).into();
    args.extend(turn.threads.map(|threads| format!("--test-threads={threads}")));
    let (name, program, folder) = (binary.name.clone(), binary.path.clone(), binary.folder.clone());
    (turn, Job { name, program, folder, args, variables: Vec::new(), cases: binary.cases.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn binary(name: &str) -> TestBinary {
        let (folder, path) = (PathBuf::from("/"), PathBuf::from("/bin/sh"));
        TestBinary { name: name.to_owned(), folder, path, cases: vec!["one".to_owned()] }
    }

    #[test]
    fn each_binary_has_a_run_and_the_longest_begin_first() {
        let names = ["model (lib)", "api/it", "embedded/it", "spec/it", "guanxi/it", "sim/it", "cluster/it"];
        let plan = plan(&names.map(binary)).unwrap();
        assert_eq!((plan.len(), plan.last().unwrap().1.name.as_str()), (7, "model (lib)"));
        let cluster = &plan.iter().find(|(_, job)| job.name == "cluster/it").unwrap().1;
        assert!(cluster.args.contains(&"--test-threads=6".to_owned()), "{cluster:?}");
        assert!(super::plan(&[binary("model (lib)")]).is_err());
    }
}
