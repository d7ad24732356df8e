//! What every benchmark has: a directory of its own, a core for its servers, and findings that are kept and shown.

use crate::machine::CLIENT_CORE;
use crate::report;
use clap::Args;
use guanxi_load::usage::stay_on;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What all runs can be told.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Common {
    /// The guanxi binary
    #[arg(long, global = true, default_value = "target/dist/guanxi")]
    guanxi: PathBuf,
    /// Where servers keep their data; should be on the disk that matters, not in memory
    #[arg(long, global = true, default_value = "/var/tmp")]
    dir: PathBuf,
    /// Where results go
    #[arg(long, global = true, default_value = "bench/results")]
    pub(crate) results: PathBuf,
    /// Do not pin servers and load to cores of their own
    #[arg(long, global = true)]
    no_pin: bool,
    /// Do not write docs and README
    #[arg(long, global = true)]
    no_docs: bool,
    /// Little data and short rounds: whether it works, not how fast
    #[arg(long, global = true)]
    quick: bool,
    /// Write the results to standard output, too
    #[arg(long, global = true)]
    json: bool,
}

/// A benchmark, with its options.
pub(crate) trait Bench: Clone {
    /// What it finds.
    type Found: Found;

    /// The file that the results are kept in; `None` keeps nothing.
    const NAME: Option<&'static str> = None;

    /// Whether the load and the servers get a core each. What is started by a pinned process inherits its core, so a run
    /// that gives a server the whole machine is not pinned.
    const IS_PINNED: bool = true;

    /// Whether docs and plots are drawn anew from the results.
    const IS_DRAWN: bool = false;

    /// Takes little data and short rounds.
    fn shrink(&mut self) {}

    /// The file of the results under these options.
    fn name(&self) -> Option<&'static str> {
        Self::NAME
    }

    /// Measures in a place.
    ///
    /// # Errors
    /// When a system cannot be started, answers wrongly, or fails a call.
    fn run(&self, place: &Place) -> Result<Self::Found, String>;
}

/// What a benchmark finds.
pub(crate) trait Found: serde::Serialize {
    /// Shows it on the terminal, unless that was done on the way.
    fn tell(&self) {}
}

/// Runs a benchmark, and keeps and shows what it finds. Its directory is gone when it ends.
pub(crate) fn run<B: Bench>(bench: &B, common: &Common) -> Result<(), String> {
    let mut bench = bench.clone();
    if common.quick {
        bench.shrink();
    }
    let dir = directory(&common.dir).map_err(|error| format!("{}: {error}", common.dir.display()))?;
    let place = Place {
        dir: dir.path().to_owned(),
        guanxi: common.guanxi.clone(),
        may_pin: !common.no_pin,
        is_pinned: false,
    };
    let found = bench.run(&if B::IS_PINNED { place.pinned() } else { place })?;
    found.tell();
    if let Some(name) = bench.name() {
        report::save(&common.results, name, &found)?;
    }
    if B::IS_DRAWN && !common.no_docs {
        report::draw(&common.results, Path::new("."))?;
    }
    if common.json {
        println!("{}", serde_json::to_string(&found).map_err(|error| error.to_string())?);
    }
    Ok(())
}

/// Where servers run.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// A directory, readable by all users.
    pub(crate) dir: PathBuf,
    /// The guanxi binary.
    pub(crate) guanxi: PathBuf,
    /// Whether servers may be pinned to their core.
    pub(crate) may_pin: bool,
    /// Whether they are.
    pub(crate) is_pinned: bool,
}

impl Place {
    /// The same, with the load on its core from now on, and the servers that are started on theirs.
    pub(crate) fn pinned(self) -> Self {
        let pin = || stay_on(CLIENT_CORE).inspect_err(|error| eprintln!("not pinned: {error}"));
        Self { is_pinned: self.may_pin && pin().is_ok(), ..self }
    }

    /// A directory for one server.
    pub(crate) fn sub(&self, name: &str) -> Result<PathBuf, String> {
        let dir = self.dir.join(name);
        std::fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        Ok(dir)
    }

    /// A place in a directory of this one.
    pub(crate) fn inside(&self, name: &str) -> Result<Self, String> {
        Ok(Self { dir: self.sub(name)?, ..self.clone() })
    }

    /// Does a part of a run in a directory that is gone afterwards.
    pub(crate) fn part<T>(
        &self,
        name: &str,
        work: impl FnOnce(&Self) -> Result<T, String>,
    ) -> Result<T, String> {
        let place = self.inside(name)?;
        let done = work(&place);
        // What stays goes with the run's directory.
        let _stays = std::fs::remove_dir_all(&place.dir);
        done
    }

    /// The file that a server's output goes to.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.log"))
    }
}

/// How a run's directory is named, before the id of its process.
const DIR_PREFIX: &str = "guanxi-bench-";

/// Makes the directory of this run, and removes those of interrupted ones.
fn directory(parent: &Path) -> std::io::Result<tempfile::TempDir> {
    remove_leftovers(parent);
    let prefix = format!("{DIR_PREFIX}{}-", std::process::id());
    let dir = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent)?;
    // PostgreSQL may run as another user.
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755))?;
    Ok(dir)
}

/// Removes the directories of interrupted runs, whose processes are gone.
fn remove_leftovers(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(DIR_PREFIX)?.split('-').next());
        let pid = pid.and_then(|pid| pid.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            // Somebody else's directory stays.
            let _not_ours = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Lowers numbers to what a quick run takes.
pub(crate) fn at_most<'a, T: PartialOrd + 'a>(bounds: impl IntoIterator<Item = (&'a mut T, T)>) {
    for (number, most) in bounds {
        if *number > most {
            *number = most;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A place that PostgreSQL can enter, too, which may run as another user.
    pub(crate) fn place() -> (tempfile::TempDir, Place) {
        let dir = directory(&std::env::temp_dir()).unwrap();
        let (path, guanxi) = (dir.path().to_owned(), PathBuf::new());
        (dir, Place { dir: path, guanxi, may_pin: false, is_pinned: false })
    }

    #[test]
    fn directories_of_dead_runs_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        // Above the highest process id of Linux.
        let dead = dir.path().join(format!("{DIR_PREFIX}5000000-abc"));
        let alive = dir.path().join(format!("{DIR_PREFIX}{}-abc", std::process::id()));
        let foreign = dir.path().join("other-5000000-abc");
        for path in [&dead, &alive, &foreign] {
            std::fs::create_dir(path).unwrap();
        }
        remove_leftovers(dir.path());
        assert!(!dead.exists() && alive.exists() && foreign.exists());
    }
}
