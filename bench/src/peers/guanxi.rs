//! guanxi itself: its binary, as an operator would run it.

use super::{Server, Size, write_edges};
use crate::calls::Call;
use crate::machine::disk_bytes;
use crate::run::Place;
use crate::wire::Request;
use crate::wire::connection::Line;
use crate::wire::guanxi::{Guanxi, PLAIN};
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_load::http1;
use guanxi_load::usage::resident_bytes;
use guanxi_servers::{Process, free_address, output_of, pause};
use rustix::process::Signal;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What the report calls it.
pub(crate) const NAME: &str = "guanxi";
/// Home by pull.
pub(crate) const PULL: &str = "guanxi, pull";
/// Home from inboxes.
pub(crate) const PUSH: &str = "guanxi, push";
/// Answers and deliveries in the process of the store.
pub(crate) const IN_PROCESS: &str = "guanxi, in process";
/// The store's own part of them.
pub(crate) const STORE: &str = "guanxi, store alone, in process";

/// How old the server's gauges may be.
const GAUGES_AGE_MAX: Duration = Duration::from_millis(2_500);

/// A binary with a data directory.
#[derive(Clone, Debug)]
pub(crate) struct Installation {
    place: Place,
    /// The data directory.
    pub(crate) data: PathBuf,
    /// The file of its settings, in a cluster.
    config: Option<PathBuf>,
}

/// A serving guanxi.
pub(crate) struct Running {
    /// The server.
    pub(crate) server: Server,
    /// From the start of the process to its first answer.
    pub(crate) ready: Duration,
    /// Where the operator's pages are.
    pub(crate) admin: SocketAddr,
}

impl Installation {
    /// An installation with its data in a run's directory.
    pub(crate) fn new(place: &Place) -> Result<Self, String> {
        if !place.guanxi.exists() {
            let binary = place.guanxi.display();
            return Err(format!(
                "{binary} is missing: cargo build --profile dist -p guanxi, or name one by --guanxi"
            ));
        }
        Ok(Self { place: place.clone(), data: place.dir.join("guanxi-data"), config: None })
    }

    /// A process of a cluster, with settings in a file that is named as what is said of how it carries.
    pub(crate) fn of_cluster(place: &Place, carrying: &str) -> Result<Self, String> {
        let config = Some(place.dir.join(format!("{carrying}.toml")));
        Ok(Self { config, data: place.dir.join(carrying), ..Self::new(place)? })
    }

    /// Another one with a copy of the data.
    pub(crate) fn copied(&self) -> Result<Self, String> {
        let data = self.data.with_extension("copy");
        output_of(Command::new("cp").arg("-r").arg(&self.data).arg(&data), false)?;
        Ok(Self { data, ..self.clone() })
    }

    /// A command of the binary.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.place.guanxi);
        if let Some(config) = &self.config {
            command.arg("--config").arg(config);
        }
        command.args(args);
        command
    }

    /// What the binary says of itself.
    pub(crate) fn version(&self) -> Result<String, String> {
        output_of(&self.command(&["--version"]), false).map(|version| version.trim().to_owned())
    }

    /// Imports an edge file into the data directory and answers the report and the time from the start of the
    /// process to its end.
    pub(crate) fn import(&self, edges: &Path) -> Result<(serde_json::Value, Duration), String> {
        let mut command = self.command(&["import", "edges", "--json", "--data"]);
        command.arg(&self.data).arg(edges);
        let start = Instant::now();
        let report = json_of(&command, self.place.is_pinned)?;
        Ok((report, start.elapsed()))
    }

    /// Imports a graph, and returns how long that took.
    pub(crate) fn load(&self, graph: &FollowGraph) -> Result<Duration, String> {
        let file = self.place.dir.join("edges.tsv");
        write_edges(graph, &file)?;
        self.import(&file).map(|(_, time)| time)
    }

    /// Compares all that is stored with itself; a difference is an error.
    pub(crate) fn verify(&self) -> Result<serde_json::Value, String> {
        json_of(self.command(&["verify", "--json", "--data"]).arg(&self.data), false)
    }

    /// Whether the binary serves with a flag.
    fn knows(&self, flag: &str) -> Result<bool, String> {
        let help = output_of(&self.command(&["serve", "--help"]), false)?;
        Ok(help.split_whitespace().any(|word| word == flag))
    }

    /// Serves the data directory with further flags, and answers when it has answered a call.
    pub(crate) fn serve(&self, flags: &[&str]) -> Result<Running, String> {
        self.serve_as(NAME, Guanxi::default(), flags)
    }

    /// The same under another name, asked in another way.
    pub(crate) fn serve_as(
        &self,
        name: &'static str,
        protocol: Guanxi,
        flags: &[&str],
    ) -> Result<Running, String> {
        let (address, admin) = (free_address()?, free_address()?);
        let mut command = self.command(&["serve", "--no-auth", "--data"]);
        command.arg(&self.data).args(flags);
        // A closed loop waits for as long as it has connections; it is not to be refused. Older versions refuse no call,
        // and do not know the flag.
        if self.knows("--queue-wait-max-ms")? {
            command.arg("--queue-wait-max-ms=2000");
        }
        command.args(["--listen", &address.to_string(), "--admin-listen", &admin.to_string()]);
        let (start, log) = (Instant::now(), self.data.with_extension("log"));
        let mut process = Process::start(&command, self.place.is_pinned, &log, Signal::TERM)?;
        let answers = |mut line: Line<'_>| line.call(&Call::Followers { uid: 1 }).is_ok();
        process.wait_until(|| Line::open(address, &protocol).is_ok_and(answers))?;
        let ready = start.elapsed();
        let settings = vec!["--no-auth".to_owned(), "all else by default (durability sync)".to_owned()];
        let (version, protocol) = (self.version()?, Box::new(protocol));
        let server = Server { name, version, settings, address, protocol, process, beside: None };
        Ok(Running { server, ready, admin })
    }
}

impl Running {
    /// What the edges take on disk, by the server's own account and as files.
    pub(crate) fn disk_sizes(&self, data: &Path, edges: u64) -> Result<Vec<Size>, String> {
        let metrics = self.fresh_metrics()?;
        let part = |name: &str| {
            metric(&metrics, &format!("guanxi_disk_bytes{{part=\"{name}\"}}")).unwrap_or(0.0) as u64
        };
        let size = |what: &str, bytes| Size::new(NAME, what, bytes, edges);
        Ok(vec![
            size("disk: tables", part("forward") + part("reverse") + part("records")),
            size("disk: event log", part("log")),
            size("disk: journal", part("journal")),
            size("disk: whole directory", disk_bytes(data)),
        ])
    }

    /// What following sets take in memory: reads every user who follows anybody, and sees how the process grew.
    /// Relations of both directions are answered from these sets, each of which is one direction of the graph.
    /// The first tenth of the users pays for what a server takes once (buffers of connections, threads), so only
    /// the growth over the others counts.
    pub(crate) fn memory_sizes(&self, graph: &FollowGraph, index: &Index) -> Result<Vec<Size>, String> {
        let mut line = self.server.line()?;
        let users = graph.users;
        let mut warm = |users: std::ops::Range<u32>| -> Result<u64, String> {
            let mut edges = 0;
            for user in users {
                if let Some(&first) = index.following(user).first() {
                    edges += index.following(user).len() as u64;
                    line.call(&Call::Check { subject: graph.uid(user), objects: vec![graph.uid(first)] })?;
                }
            }
            Ok(edges)
        };
        let first_edges = warm(0..users / 10)?;
        let before = resident_bytes(self.server.process.pid());
        let edges = warm(users / 10..users)?;
        let grown = resident_bytes(self.server.process.pid()).saturating_sub(before);
        let cache = metric(&self.fresh_metrics()?, "guanxi_user_cache_bytes").unwrap_or(0.0) as u64;
        let counted = "memory: following sets, by the cache's own count";
        Ok(vec![
            Size::new(NAME, "memory: following sets, resident growth", grown, edges),
            Size::new(NAME, counted, cache, first_edges + edges),
        ])
    }

    /// A connection to the operator's pages and calls.
    pub(crate) fn admin_line(&self) -> Result<Line<'static>, String> {
        Line::open(self.admin, &PLAIN)
    }

    /// The mean of all that a summary or histogram has seen.
    pub(crate) fn metric_mean(&self, name: &str) -> Result<f64, String> {
        let metrics = self.fresh_metrics()?;
        let part = |part: &str| metric(&metrics, &format!("{name}_{part}")).unwrap_or(0.0);
        Ok(part("sum") / part("count").max(1.0))
    }

    /// The page of metrics, after the server has refreshed what it measures about once a second.
    fn fresh_metrics(&self) -> Result<String, String> {
        pause(GAUGES_AGE_MAX);
        let mut line = self.admin_line()?;
        let page = line.exchange(&Request::one(http1::get("/metrics")))?;
        Ok(String::from_utf8_lossy(&http1::body(&page)?).into_owned())
    }
}

fn json_of(command: &Command, pinned: bool) -> Result<serde_json::Value, String> {
    let output = output_of(command, pinned)?;
    serde_json::from_str(&output).map_err(|error| format!("{command:?} wrote {output:?}: {error}"))
}

/// The value of the metric with exactly this name and labels.
fn metric(page: &str, name: &str) -> Option<f64> {
    page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_found_by_their_whole_name() {
        let page = "# HELP a b\na_total 3\na{part=\"x\"} 4.5\na 7\n";
        assert_eq!(metric(page, "a"), Some(7.0));
        assert_eq!(metric(page, "a{part=\"x\"}"), Some(4.5));
        assert_eq!(metric(page, "b"), None);
    }
}
