//! What the checks work with: a folder of their own, and a binary.

use crate::steps::{cargo, root, spawn};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder below `target/`, and the binary that is checked.
pub(super) struct Work {
    dir: PathBuf,
    binary: PathBuf,
}

impl Work {
    /// Makes the folder anew, and finds the binary: the named one, else the one that was built last, else cargo builds one.
    pub(super) fn new(binary: Option<&str>) -> Result<Self, String> {
        let dir = root().join("target/deploy-check");
        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        }
        fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let binary = match binary {
            Some(path) => PathBuf::from(path),
            None => built()?,
        };
        eprintln!("the binary is {}", binary.display());
        Ok(Self { dir, binary })
    }

    /// A path in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// A file in the folder.
    pub(super) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> Result<PathBuf, String> {
        let path = self.path(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// The binary, in an environment without settings of its own.
    pub(super) fn guanxi(&self) -> Command {
        let mut command = Command::new(&self.binary);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GUANXI_")) {
            command.env_remove(name);
        }
        command
    }
}

/// The binary that was built last in this workspace.
fn built() -> Result<PathBuf, String> {
    let candidates = ["release", "debug"].map(|profile| root().join("target").join(profile).join("guanxi"));
    let time = |path: &Path| path.metadata().and_then(|meta| meta.modified()).ok();
    if let Some(last) = candidates.iter().filter(|path| path.exists()).max_by_key(|path| time(path)) {
        return Ok(last.clone());
    }
    spawn(&mut cargo(&["build", "--package", "guanxi"]))?;
    Ok(root().join("target/debug/guanxi"))
}
