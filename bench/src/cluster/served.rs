//! A cluster of guanxi on a PostgreSQL of its own.

use crate::calls::Call;
use crate::peers::guanxi::Installation;
use crate::peers::postgres::{self as peers, Session};
use crate::peers::{Place, Target, write_edges};
use crate::wire::connection::Line;
use crate::wire::guanxi::Guanxi;
use guanxi_load::graph::FollowGraph;
use guanxi_servers::{Postgres, Process, free_address, output_of};
use rustix::process::{Pid, Signal, kill_process};
use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

/// What a cluster needs beside the settings of the other comparisons.
const SETTINGS: [(&str, &str); 2] = [("max_connections", "400"), ("max_locks_per_transaction", "1024")];

/// What each of its databases is a part of.
pub(super) struct Cluster {
    /// The server of all databases.
    pub(super) postgres: Postgres,
    /// How long laying it out took.
    pub(super) init: Duration,
    installation: Installation,
    file: std::path::PathBuf,
}

/// A process of a cluster.
pub(super) struct Member {
    name: &'static str,
    address: SocketAddr,
    admin: SocketAddr,
    protocol: Guanxi,
    process: Process,
    databases: u32,
}

impl Cluster {
    /// Starts the databases and lays the cluster out.
    pub(super) fn start(
        common: &crate::Common,
        place: &Place,
        databases: usize,
        schemas: u32,
    ) -> Result<Self, String> {
        let dir = place.sub("databases")?;
        let settings = [&peers::SETTINGS[..], &SETTINGS].concat();
        let postgres = Postgres::start(&dir, &settings, place.pinned)?;
        let mut session = Session::open(postgres.address, dir)?;
        let mut list = Vec::new();
        for number in 1..=databases {
            session.run(&format!("CREATE DATABASE d{number}"))?;
            list.push(format!("\"d{number}={}\"", postgres.url(&format!("d{number}"))));
        }
        let file = place.dir.join("cluster.toml");
        crate::report::write(&file, &format!("databases = [{}]\n", list.join(", ")))?;
        let installation = Installation::new(&common.guanxi, place)?;
        let mut init = Command::new(&installation.binary);
        init.arg("--config").arg(&file).args([
            "cluster",
            "init",
            "--json",
            "--schemas",
            &schemas.to_string(),
        ]);
        let start = Instant::now();
        output_of(&init, place.pinned)?;
        Ok(Self { postgres, init: start.elapsed(), installation, file })
    }

    /// Starts a process of it.
    pub(super) fn serve(
        &self,
        place: &Place,
        name: &'static str,
        carrying: &'static str,
    ) -> Result<Member, String> {
        let (address, admin) = (free_address()?, free_address()?);
        let mut command = Command::new(&self.installation.binary);
        command.arg("--config").arg(&self.file).arg("serve").arg("--data").arg(place.sub(carrying)?);
        command.args(["--no-auth", "--queue-wait-max-ms=2000"]).env("GUANXI_CARRYING", carrying);
        command.args(["--listen", &address.to_string(), "--admin-listen", &admin.to_string()]);
        let mut process = Process::start(&command, place.pinned, &place.log(carrying), Signal::TERM)?;
        let protocol = Guanxi::keyed(name);
        process.wait_until(|| {
            Line::open(address, &protocol)
                .is_ok_and(|mut line| line.call(&Call::Followers { uid: 1 }).is_ok())
        })?;
        Ok(Member { name, address, admin, protocol, process, databases: self.postgres.process.pid() })
    }

    /// Loads a graph through a process.
    pub(super) fn import(&self, place: &Place, member: &Member, graph: &FollowGraph) -> Result<(), String> {
        let file = place.dir.join("edges.tsv");
        write_edges(graph, &file)?;
        let mut import = Command::new(&self.installation.binary);
        import.args(["import", "edges"]).arg(&file).arg("--server").arg(format!("http://{}", member.admin));
        import.env("GUANXI_TOKEN", "none");
        output_of(import.arg("--json"), false).map(drop)
    }

    /// A connection for simple queries.
    pub(super) fn session(&self, place: &Place) -> Result<Session, String> {
        Session::open(self.postgres.address, place.dir.clone())
    }

    /// Leaves the tables in their best shape.
    pub(super) fn settle(&self, place: &Place, databases: usize) -> Result<(), String> {
        for number in 1..=databases {
            let mut vacuum = Command::new("psql");
            vacuum.arg(self.postgres.url(&format!("d{number}"))).args(["-qc", "VACUUM ANALYZE"]);
            output_of(&vacuum, false)?;
        }
        self.session(place)?.run("CHECKPOINT").map(drop)
    }

    /// A server that is asked in the same databases by hand.
    pub(super) fn target<'a>(
        &self,
        name: &'static str,
        protocol: &'a dyn crate::wire::Protocol,
    ) -> Target<'a> {
        Target {
            name,
            address: self.postgres.address,
            protocol,
            pid: self.postgres.process.pid(),
            beside: None,
        }
    }
}

impl Member {
    /// What is asked of it, and where.
    pub(super) fn target(&self) -> Target<'_> {
        Target {
            name: self.name,
            address: self.address,
            protocol: &self.protocol,
            pid: self.process.pid(),
            beside: Some(self.databases),
        }
    }

    /// Stops it where it is: while it is another's turn it does not even look for events.
    pub(super) fn pause(&self, is_paused: bool) {
        let signal = if is_paused { Signal::STOP } else { Signal::CONT };
        if let Some(pid) = i32::try_from(self.process.pid()).ok().and_then(Pid::from_raw) {
            // It fails only for a process that has ended, which the next call will tell.
            let _ended = kill_process(pid, signal);
        }
    }
}

impl Drop for Member {
    /// A paused process cannot end.
    fn drop(&mut self) {
        self.pause(false);
    }
}
