//! A small Debian in a folder, to install packages into.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::files::{copy, make};
use super::tools;
use crate::steps::{output, spawn};

/// The release that packages are tried on.
const SUITE: &str = "bookworm";

/// An installed system, without a kernel and without systemd.
pub(super) struct System {
    folder: PathBuf,
}

impl System {
    /// Unpacks a system that mmdebstrap has made, now or in a run before.
    pub(super) fn new(folder: &Path) -> Result<Self, String> {
        let archive = tools::place().join(format!("{SUITE}.tar"));
        if !archive.is_file() {
            let unfinished = archive.with_extension("part.tar");
            let mut bootstrap = Command::new("mmdebstrap");
            bootstrap.args(["--quiet", "--variant=apt", "--include=adduser", SUITE]).arg(&unfinished);
            spawn(&mut bootstrap)?;
            std::fs::rename(&unfinished, &archive)
                .map_err(|error| format!("{}: {error}", archive.display()))?;
        }
        make(folder)?;
        // Devices cannot be made in every container, and nothing here needs them but these.
        let mut tar = Command::new("tar");
        tar.args(["--extract", "--numeric-owner", "--exclude=./dev/*", "--file"]).arg(&archive);
        spawn(tar.arg("--directory").arg(folder))?;
        let system = Self { folder: folder.to_owned() };
        std::fs::write(system.path("dev/null"), "").map_err(|error| format!("dev/null: {error}"))?;
        Ok(system)
    }

    /// A path in the system.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// Runs a command in the system as root.
    pub(super) fn run(&self, words: &[&str]) -> Result<(), String> {
        let mut command = Command::new("chroot");
        command.arg(&self.folder).args(words).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        output(command.envs([("DEBIAN_FRONTEND", "noninteractive"), ("LC_ALL", "C.UTF-8")])).map(drop)
    }

    /// Installs or upgrades a package; files of settings that were changed are kept.
    pub(super) fn install(&self, package: &Path) -> Result<(), String> {
        copy(package, &self.path("tmp/package.deb"))?;
        self.run(&["dpkg", "--force-confold", "--install", "/tmp/package.deb"])
    }

    /// A program of the system, as the user of the service.
    pub(super) fn as_service(&self, program: &str) -> Command {
        let mut command = Command::new("chroot");
        command.args(["--userspec=guanxi:guanxi", "--groups="]).arg(&self.folder).arg(program);
        command
    }

    /// Checks that a path is there, or that it is not.
    pub(super) fn must_have(&self, path: &str, there: bool) -> Result<(), String> {
        match self.path(path).symlink_metadata().is_ok() {
            found if found == there => Ok(()),
            true => Err(format!("the system still has {path}")),
            false => Err(format!("the system lacks {path}")),
        }
    }
}
