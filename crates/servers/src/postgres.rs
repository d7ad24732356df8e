//! A PostgreSQL of our own.

use crate::process::{Process, free_address, output_of};
use rustix::process::Signal;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

/// PostgresSettings of a server that differ from its defaults, by name.
pub type PostgresSettings<'a> = &'a [(&'a str, &'a str)];

/// The superuser, who needs no password.
pub(crate) const USER: &str = "postgres";

/// What a server says that starts while processes of a killed one, which notice its end by and by, still hold its memory.
const MEMORY_HELD: &str = "pre-existing shared memory block";

/// How often a server is started anew that says so. A try takes some tens of milliseconds.
const RESUME_TRIES: usize = 100;

/// A running PostgreSQL; dropping it ends it.
#[derive(Debug)]
pub struct Postgres {
    /// Its process.
    pub process: Process,
    /// Where it listens.
    pub address: SocketAddr,
    /// What `postgres --version` says.
    pub version: String,
}

impl Postgres {
    /// Makes a database directory in `dir`, which belongs to the server from then on, and starts a server of it that anybody
    /// on this machine may use. `pinned` puts it on [`SERVER_CORE`](crate::SERVER_CORE).
    ///
    /// # Errors
    /// What is missing, or what the server says, in words for people.
    pub fn start(dir: &Path, settings: PostgresSettings<'_>, pinned: bool) -> Result<Self, String> {
        let programs = programs()?;
        let owner = Owner::of(dir)?;
        let data = dir.join("data");
        let mut initdb = owner.command(&programs.join("initdb"));
        initdb.arg(format!("--username={USER}"));
        initdb.args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-instructions", "--no-sync"]);
        output_of(initdb.arg("-D").arg(&data), false)?;
        Self::resume(dir, free_address()?, settings, pinned)
    }

    /// Starts a server of a directory that [`start`](Self::start) made, where it listened before.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn resume(
        dir: &Path,
        address: SocketAddr,
        settings: PostgresSettings<'_>,
        pinned: bool,
    ) -> Result<Self, String> {
        let mut tries = RESUME_TRIES;
        loop {
            match Self::try_resume(dir, address, settings, pinned) {
                Err(error) if tries > 0 && error.contains(MEMORY_HELD) => tries -= 1,
                ended => return ended,
            }
        }
    }

    fn try_resume(
        dir: &Path,
        address: SocketAddr,
        settings: PostgresSettings<'_>,
        pinned: bool,
    ) -> Result<Self, String> {
        let programs = programs()?;
        let port = address.port().to_string();
        let mut command = Owner::of(dir)?.command(&programs.join("postgres"));
        command.arg("-D").arg(dir.join("data")).args(["-h", "127.0.0.1", "-p", &port, "-k", ""]);
        for (name, value) in settings {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        let mut process = Process::start(&command, pinned, &dir.join("server.log"), Signal::INT)?;
        let mut is_ready = Command::new(programs.join("pg_isready"));
        is_ready.args(["-q", "-h", "127.0.0.1", "-p", &port]);
        process.wait_until(|| is_ready.status().is_ok_and(|status| status.success()))?;
        let version = output_of(Command::new(programs.join("postgres")).arg("--version"), false)?;
        Ok(Self { process, address, version: version.trim().to_owned() })
    }

    /// Leaves it to itself, as [`Process::leave`] does.
    pub fn leave(self) -> u32 {
        self.process.leave()
    }

    /// The URL of a database of it.
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://{USER}@{}/{database}", self.address)
    }
}

/// Gives a file to the server of a directory, which alone may read it: a key, such as that of its certificate.
///
/// # Errors
/// When this user may not do that.
pub fn give(dir: &Path, file: &Path) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", file.display());
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).map_err(wrong)?;
    let Some((uid, gid)) = Owner::of(dir)?.0 else { return Ok(()) };
    chown(file, Some(uid), Some(gid)).map_err(wrong)
}

/// The account that runs the server: PostgreSQL refuses to run as root.
pub(crate) struct Owner(Option<(u32, u32)>);

impl Owner {
    /// The user of the server, which owns `dir` from now on: ourselves, or an unprivileged user when we are root.
    pub(crate) fn of(dir: &Path) -> Result<Self, String> {
        let metadata = fs::metadata(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        if !rustix::process::geteuid().is_root() {
            return Ok(Self(None));
        }
        if metadata.uid() != 0 {
            return Ok(Self(Some((metadata.uid(), metadata.gid()))));
        }
        let passwd = fs::read_to_string("/etc/passwd").map_err(|error| format!("/etc/passwd: {error}"))?;
        let ids = ["postgres", "nobody"].iter().find_map(|name| ids_of(&passwd, name));
        let (uid, gid) = ids.ok_or("neither a user postgres nor nobody: run it as a normal user")?;
        chown(dir, Some(uid), Some(gid)).map_err(|error| format!("{}: {error}", dir.display()))?;
        Ok(Self(Some((uid, gid))))
    }

    /// A command that runs as it.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let Some((uid, gid)) = self.0 else { return Command::new(program) };
        let mut command = Command::new("setpriv");
        command.args([format!("--reuid={uid}"), format!("--regid={gid}"), "--clear-groups".to_owned()]);
        command.arg(program);
        command
    }
}

fn ids_of(passwd: &str, name: &str) -> Option<(u32, u32)> {
    let line = passwd.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// Returns where the server's programs are: the newest version that Debian installed, or the path.
fn programs() -> Result<PathBuf, String> {
    let installed = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut dirs: Vec<(u32, PathBuf)> = installed
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    dirs.extend(std::env::split_paths(&path).map(|dir| (0, dir)));
    dirs.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    let found = dirs.into_iter().map(|(_, dir)| dir).find(|dir| dir.join("initdb").exists());
    found.ok_or_else(|| "no PostgreSQL server is installed: run `cargo xtask setup`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_its_whole_name() {
        let passwd = "nobodyelse:x:1:2::/:/bin/sh\nnobody:x:65534:65533:nobody:/:/bin/false\n";
        assert_eq!(ids_of(passwd, "nobody"), Some((65534, 65533)));
        assert_eq!(ids_of(passwd, "postgres"), None);
    }

    #[test]
    fn a_server_starts_ends_and_starts_again_where_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let settings: PostgresSettings<'_> = &[("max_connections", "11")];
        let first = Postgres::start(dir.path(), settings, false).unwrap();
        let address = first.address;
        assert!(first.version.contains("PostgreSQL"), "{}", first.version);
        assert_eq!(first.url("postgres"), format!("postgresql://postgres@{address}/postgres"));
        drop(first);
        let mut again = Postgres::resume(dir.path(), address, settings, false).unwrap();
        again.process.kill();
        Postgres::resume(dir.path(), address, settings, false).unwrap();
    }
}
