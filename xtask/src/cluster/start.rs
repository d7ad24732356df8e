//! Starting the servers and processes of a cluster, all or none of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use guanxi_servers::{Postgres, PostgresSettings, Process, Signal, output_of};
use serde_json::Value;

use super::options::ClusterOptions;
use super::place::{ClusterPlace, PlacedProcess};

/// What a cluster asks of a server: connections for four processes and the verbs of operators.
const SETTINGS: PostgresSettings<'_> = &[("max_connections", "300")];

/// The processes, with their roles.
const PROCESSES: [(&str, &str); 4] = [
    ("api1", "api"),
    ("api2", "api"),
    ("worker1", "worker,repair,index"),
    ("worker2", "worker,repair,index"),
];

/// What is there if it all goes well.
struct ClusterStart {
    dir: PathBuf,
    processes: Vec<(&'static str, Process, String)>,
    servers: Vec<Postgres>,
}

/// Starts everything and leaves it to itself, or ends what has started and removes the directory.
///
/// # Errors
/// The process that did not start, with its last words; that the caller has gone.
pub(super) fn start(options: &ClusterOptions, is_alone: &AtomicBool) -> Result<(), String> {
    let dir = &options.dir;
    let binary = options.binary.as_deref().ok_or("--held wants a --binary")?;
    fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut start = ClusterStart { dir: dir.clone(), processes: Vec::new(), servers: Vec::new() };
    let started = start.all(options.databases, binary, is_alone);
    match started {
        Ok(()) => start.leave(),
        Err(problem) => {
            start.processes.clear();
            start.servers.clear();
            fs::remove_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
            Err(problem)
        }
    }
}

impl ClusterStart {
    fn all(&mut self, databases: usize, binary: &Path, is_alone: &AtomicBool) -> Result<(), String> {
        let check = || {
            if is_alone.load(Ordering::Relaxed) { Err("interrupted".to_owned()) } else { Ok(()) }
        };
        for number in 1..=databases {
            check()?;
            let dir = self.dir.join(format!("d{number}"));
            fs::create_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
            self.servers.push(Postgres::start(&dir, SETTINGS, false)?);
        }
        let line =
            |(server, number): (&Postgres, usize)| format!("  \"d{number}={}\",\n", server.url("postgres"));
        let lines: String = self.servers.iter().zip(1..).map(line).collect();
        let config = self.dir.join("cluster.toml");
        let text = format!("databases = [\n{lines}]\n");
        fs::write(&config, text).map_err(|error| format!("{}: {error}", config.display()))?;
        check()?;
        let mut init = self.guanxi(binary);
        output_of(init.args(["cluster", "init"]), false)?;
        for (name, roles) in PROCESSES {
            check()?;
            self.process(binary, name, roles)?;
        }
        check()
    }

    /// The program on this cluster, without settings of the environment.
    fn guanxi(&self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GUANXI_")) {
            command.env_remove(name);
        }
        command.arg("--config").arg(self.dir.join("cluster.toml"));
        command
    }

    /// Starts a process and waits until it listens.
    fn process(&mut self, binary: &Path, name: &'static str, roles: &str) -> Result<(), String> {
        let dir = self.dir.join(name);
        let mut command = self.guanxi(binary);
        command.args(["serve", "--roles", roles, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        command.arg("--data").arg(&dir);
        if roles.contains("index") {
            command.args(["--index-listen", "127.0.0.1:0", "--index-dir"]).arg(dir.join("index"));
        }
        let log = self.dir.join(format!("{name}.log"));
        let mut process = Process::start(&command, false, &log, Signal::INT)?;
        let (endpoints, pid) = (dir.join("endpoints.json"), process.pid());
        let mut address = None;
        process.wait_until(|| {
            address = fs::read(&endpoints).ok().and_then(|text| told(&text, pid, roles == "api"));
            address.is_some()
        })?;
        self.processes.push((name, process, address.unwrap_or_default()));
        Ok(())
    }

    /// Leaves all of it to itself, and writes what it is.
    fn leave(self) -> Result<(), String> {
        let Self { dir, processes, servers } = self;
        let placed = processes.iter().map(|(name, process, address)| PlacedProcess {
            name: (*name).to_owned(),
            pid: process.pid(),
            address: address.clone(),
        });
        let server = |(server, number): (&Postgres, usize)| PlacedProcess {
            name: format!("d{number}"),
            pid: server.process.pid(),
            address: server.url("postgres"),
        };
        let all = placed.chain(servers.iter().zip(1..).map(server)).collect();
        // Before they are left: what cannot be found again is not left.
        ClusterPlace { dir, processes: all }.write()?;
        for (_, process, _) in processes {
            process.leave();
        }
        for server in servers {
            server.leave();
        }
        Ok(())
    }
}

/// Where a process listens, as its file says once it does.
fn told(endpoints: &[u8], pid: u32, answers_calls: bool) -> Option<String> {
    let value: Value = serde_json::from_slice(endpoints).ok()?;
    if value["pid"] != pid {
        return None;
    }
    let (api, admin) = (value["listen"].as_str()?, value["admin_listen"].as_str()?);
    Some(if answers_calls {
        format!("API http://{api}, operators http://{admin}")
    } else {
        format!("health and metrics http://{admin}")
    })
}
