//! `cargo xtask rebuild-times`: how long one waits after an edit, for the binary and for the tests.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use crate::steps::{cargo, root, spawn};

/// The crates that are edited, from the bottom up.
const EDITED: &[&str] = &["model", "ports", "centers", "embedded", "cluster", "rim", "api"];

/// Edits of each crate; the median of their times is shown.
const RUNS_DEFAULT: usize = 3;

/// What is built after an edit, and its name in the table.
const BUILDS: &[(&str, &[&str])] = &[
    ("binary", &["build", "--quiet", "--package", "guanxi"]),
    ("tests", &["test", "--quiet", "--workspace", "--tests", "--no-run"]),
];

/// Edits each crate `--runs N` times by a public item at the end of its `lib.rs`, and builds after each edit.
///
/// # Errors
/// A bad option, or a build that fails.
pub(crate) fn run(options: &[&str]) -> Result<(), String> {
    let runs = runs(options)?;
    for (_, args) in BUILDS {
        spawn(&mut cargo(args))?;
    }
    for name in EDITED {
        let mut times = vec![Vec::new(); BUILDS.len()];
        for _ in 0..runs {
            for (times, (_, args)) in times.iter_mut().zip(BUILDS) {
                let _edit = Edit::make(root().join("crates").join(name).join("src/lib.rs"))?;
                let start = Instant::now();
                spawn(&mut cargo(args))?;
                times.push(start.elapsed().as_secs_f64());
            }
        }
        let shown =
            BUILDS.iter().zip(times).map(|((what, _), times)| format!("{what} {:6.1} s", median(times)));
        println!("{name:10} {}", shown.collect::<Vec<String>>().join("   "));
    }
    Ok(())
}

fn runs(options: &[&str]) -> Result<usize, String> {
    match options {
        [] => Ok(RUNS_DEFAULT),
        ["--runs", number] => number
            .parse()
            .ok()
            .filter(|runs| *runs > 0)
            .ok_or_else(|| format!("--runs {number}: not a count")),
        other => Err(format!("no such options: {}", other.join(" "))),
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// An edit of one file, taken back when it is dropped.
struct Edit {
    path: PathBuf,
    before: String,
}

impl Edit {
    fn make(path: PathBuf) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let before = fs::read_to_string(&path).map_err(failed)?;
        // Public, so that all crates that depend on it are built again, as after a real change.
        let item =
            "\n/// An edit of `cargo xtask rebuild-times`, which takes it back.\npub const EDITED: u8 = 0;\n";
        fs::write(&path, format!("{before}{item}")).map_err(failed)?;
        Ok(Self { path, before })
    }
}

impl Drop for Edit {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.path, &self.before) {
            eprintln!("{}: {error}: take the constant at its end away", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_taken_back() {
        let path = std::env::temp_dir().join(format!("xtask-edit-{}.rs", std::process::id()));
        fs::write(&path, "//! A file.\n").unwrap();
        let edit = Edit::make(path.clone()).unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains("pub const EDITED"));
        drop(edit);
        assert_eq!(fs::read_to_string(&path).unwrap(), "//! A file.\n");
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn options_are_read_and_the_median_is_in_the_middle() {
        assert_eq!(runs(&[]), Ok(RUNS_DEFAULT));
        assert_eq!(runs(&["--runs", "5"]), Ok(5));
        assert!(runs(&["--runs", "0"]).is_err() && runs(&["--run"]).is_err());
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
    }
}
