//! A pooler of our own in front of a PostgreSQL.

use crate::postgres::{Owner, USER};
use crate::process::{Process, free_address};
use rustix::process::Signal;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// A running pgbouncer, which gives connections to a server by transactions; dropping it ends it.
#[derive(Debug)]
pub struct PgBouncer {
    /// Its process.
    pub process: Process,
    /// Where it listens.
    pub address: SocketAddr,
}

impl PgBouncer {
    /// Starts a pooler of a server, with at most so many connections to each database.
    ///
    /// # Errors
    /// What is missing, or what it says, in words for people.
    pub fn start(dir: &Path, server: SocketAddr, connections: usize) -> Result<Self, String> {
        let address = free_address()?;
        let (host, port) = (server.ip(), server.port());
        let (here, listens) = (address.ip(), address.port());
        let settings = format!(
            "[databases]\n* = host={host} port={port} user={USER}\n\
             [pgbouncer]\nlisten_addr = {here}\nlisten_port = {listens}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = transaction\ndefault_pool_size = {connections}\nmax_client_conn = 1000\n"
        );
        let file = dir.join("pgbouncer.ini");
        fs::write(&file, settings).map_err(|error| format!("{}: {error}", file.display()))?;
        let mut command = Owner::of(dir)?.command(&program()?);
        command.arg(&file);
        let mut process = Process::start(&command, false, &dir.join("pgbouncer.log"), Signal::INT)?;
        process.wait_listening(address)?;
        Ok(Self { process, address })
    }

    /// The URL of a database behind it.
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://{USER}@{}/{database}", self.address)
    }
}

/// Debian has it where only root looks for programs.
fn program() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let found = dirs.map(|dir| dir.join("pgbouncer")).find(|program| program.exists());
    found.ok_or_else(|| "pgbouncer is not installed: run `cargo xtask setup`".to_owned())
}
