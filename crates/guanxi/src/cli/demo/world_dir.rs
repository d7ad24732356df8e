//! Where the world of the demo is: in a directory that goes with it, or in one that is kept.

use super::super::complain;
use guanxi_server::{Context, Failure, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The directory of the demo.
pub(super) enum WorldDir {
    /// It is removed at the end, however that comes.
    Scratch(TempDir),
    Kept(PathBuf),
}

impl WorldDir {
    /// Makes the directory. One that is kept must have nothing in it.
    pub(super) fn new(keep: Option<&Path>) -> Outcome<Self> {
        let Some(dir) = keep else {
            let made = tempfile::Builder::new().prefix("guanxi-demo-").tempdir();
            return Ok(Self::Scratch(made.context("cannot make a directory")?));
        };
        let cannot = || format!("cannot make {}", dir.display());
        fs::create_dir_all(dir).context(cannot())?;
        if fs::read_dir(dir).context(cannot())?.next().is_some() {
            return Err(Failure::usage(format_args!(
                "{} is not empty; name a new directory with --keep, or serve this one with guanxi serve --data",
                dir.display()
            )));
        }
        Ok(Self::Kept(dir.to_owned()))
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Scratch(dir) => dir.path(),
            Self::Kept(dir) => dir,
        }
    }

    /// Removes the directory, or says how its world is served.
    pub(super) fn end(self) -> Outcome {
        match self {
            Self::Scratch(dir) => {
                complain(format_args!("ended; removed {}", dir.path().display()));
                dir.close().context("cannot remove the demo's directory")
            }
            Self::Kept(dir) => {
                let dir = dir.display();
                complain(format_args!("ended; kept {dir}: guanxi serve --data {dir} --no-auth"));
                Ok(())
            }
        }
    }
}
