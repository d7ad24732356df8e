//! A cluster of guanxi on a PostgreSQL of its own.

use crate::peers::guanxi::{Installation, Running};
use crate::peers::postgres::{self as peers, Session};
use crate::peers::{Server, Target, write_edges};
use crate::run::Place;
use crate::wire::Protocol;
use crate::wire::guanxi::Guanxi;
use guanxi_load::graph::FollowGraph;
use guanxi_servers::{Postgres, output_of};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

/// What a cluster needs beside the settings of the other comparisons.
const SETTINGS: [(&str, &str); 1] = [("max_connections", "400")];

/// When the first imported post was written, in Unix milliseconds.
const FIRST_POST_MS: u64 = 1_700_000_000_000;

/// How long the events of an import may take to be applied: half an hour.
const APPLIED_WITHIN: Duration = Duration::from_mins(30);

/// The time between two looks whether they are.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// What each of its databases is a part of.
pub(super) struct Cluster {
    /// The server of all databases.
    pub(super) postgres: Postgres,
    /// How long laying it out took.
    pub(super) init: Duration,
    place: Place,
}

impl Cluster {
    /// Starts the databases and lays the cluster out.
    pub(super) fn start(place: &Place, databases: usize) -> Result<Self, String> {
        let dir = place.sub("databases")?;
        let settings = [&peers::SETTINGS[..], &SETTINGS].concat();
        let postgres = Postgres::start(&dir, &settings, place.is_pinned)?;
        let mut session = Session::open(postgres.address, dir)?;
        let mut list = Vec::new();
        for number in 1..=databases {
            session.run(&format!("CREATE DATABASE d{number}"))?;
            list.push(format!("\"d{number}={}\"", postgres.url(&format!("d{number}"))));
        }
        for carrying in ["log", "sync"] {
            let text = format!("databases = [{}]\ncarrying = \"{carrying}\"\n", list.join(", "));
            crate::report::write(&place.dir.join(format!("{carrying}.toml")), &text)?;
        }
        let init = Installation::of_cluster(place, "log")?.command(&["cluster", "init", "--json"]);
        let start = Instant::now();
        output_of(&init, place.is_pinned)?;
        Ok(Self { postgres, init: start.elapsed(), place: place.clone() })
    }

    /// A connection for simple queries.
    pub(super) fn session(&self) -> Result<Session, String> {
        Session::open(self.postgres.address, self.place.dir.clone())
    }

    /// Starts a process of it.
    pub(super) fn serve(&self, name: &'static str, carrying: &str) -> Result<Running, String> {
        self.serve_with(name, carrying, &[])
    }

    /// The same with flags.
    pub(super) fn serve_with(
        &self,
        name: &'static str,
        carrying: &str,
        flags: &[&str],
    ) -> Result<Running, String> {
        let installation = Installation::of_cluster(&self.place, carrying)?;
        let running = installation.serve_as(name, Guanxi::keyed(name), flags)?;
        let server = Server { beside: Some(self.postgres.process.pid()), ..running.server };
        Ok(Running { server, ..running })
    }

    /// Loads a graph through a process.
    pub(super) fn import(&self, member: &Running, graph: &FollowGraph) -> Result<(), String> {
        let file = self.place.dir.join("edges.tsv");
        write_edges(graph, &file)?;
        let mut import = Installation::new(&self.place)?.command(&["import", "edges", "--json", "--server"]);
        import.arg(format!("http://{}", member.admin)).arg(&file).env("GUANXI_TOKEN", "none");
        output_of(&import, false).map(drop)
    }

    /// Moves a data directory with a graph into the cluster, which nothing serves yet. No event is left to apply. Returns how
    /// long the move took.
    pub(super) fn migrate(&self, graph: &FollowGraph) -> Result<Duration, String> {
        let directory = Installation::new(&self.place)?;
        directory.load(graph)?;
        let mut migrate = directory.command(&["migrate", "--json", "--from"]);
        migrate.arg(&directory.data).arg("--to").arg(self.place.dir.join("log.toml"));
        let begun = Instant::now();
        output_of(&migrate, false)?;
        Ok(begun.elapsed())
    }

    /// Has each user of a graph write some posts, through a process.
    pub(super) fn import_posts(
        &self,
        member: &Running,
        graph: &FollowGraph,
        posts_each: u64,
    ) -> Result<(), String> {
        let post = |(user, key): (u32, u64)| {
            let (author, time_ms) = (graph.uid(user), FIRST_POST_MS + u64::from(user) * 1_000 + key);
            format!("{{\"author\":{author},\"key\":\"{key}\",\"time\":{time_ms},\"text\":\"post {key}\"}}\n")
        };
        let all = (0..graph.users).flat_map(|user| (0..posts_each).map(move |key| (user, key)));
        let lines: String = all.map(post).collect();
        let file = self.place.dir.join("posts.ndjson");
        crate::report::write(&file, &lines)?;
        let mut import = Installation::new(&self.place)?.command(&["import", "posts", "--json", "--server"]);
        import.arg(format!("http://{}", member.admin)).arg(&file).env("GUANXI_TOKEN", "none");
        output_of(&import, false).map(drop)
    }

    /// Waits until each database has applied the logs of all, and leaves the tables in their best shape.
    #[expect(clippy::disallowed_methods, reason = "other processes apply the logs, and cannot wake this one")]
    pub(super) fn settle(&self, databases: usize) -> Result<(), String> {
        let begun = Instant::now();
        while self.is_behind(databases)? {
            if begun.elapsed() > APPLIED_WITHIN {
                return Err(format!("the events of an import were not applied within {APPLIED_WITHIN:?}"));
            }
            std::thread::sleep(LOOK_EVERY);
        }
        eprintln!(
            "the events of imports were applied {:.1} s after their answers",
            begun.elapsed().as_secs_f64()
        );
        (1..=databases).try_for_each(|number| self.ask(number, "VACUUM ANALYZE").map(drop))?;
        self.session()?.run("CHECKPOINT").map(drop)
    }

    /// Whether any database lacks events of any log.
    fn is_behind(&self, databases: usize) -> Result<bool, String> {
        let marks = |what: &str| -> Result<Vec<BTreeMap<u8, u64>>, String> {
            (1..=databases).map(|number| read_marks(&self.ask(number, what)?)).collect()
        };
        let ends = marks("SELECT gene, seq FROM gx.shard WHERE seq > 0")?;
        let applied = marks("SELECT source, seq FROM gx.applied")?;
        let has = |applied: &BTreeMap<u8, u64>, gene, seq| applied.get(gene).is_some_and(|mark| mark >= seq);
        Ok(!applied.iter().all(|applied| ends.iter().flatten().all(|(gene, seq)| has(applied, gene, seq))))
    }

    /// The rows of a statement in a database, with tabs between their columns.
    fn ask(&self, number: usize, statement: &str) -> Result<String, String> {
        let mut psql = Command::new("psql");
        psql.arg(self.postgres.url(&format!("d{number}"))).args(["-qAtF", "\t", "-c", statement]);
        output_of(&psql, false)
    }

    /// A server that is asked in the same databases by hand.
    pub(super) fn target<'a>(&self, name: &'static str, protocol: &'a dyn Protocol) -> Target<'a> {
        let (address, pid) = (self.postgres.address, self.postgres.process.pid());
        Target { name, address, protocol, pid, beside: None }
    }
}

/// Reads a gene and a number of an event from each line.
fn read_marks(lines: &str) -> Result<BTreeMap<u8, u64>, String> {
    let mark = |line: &str| {
        let (gene, seq) = line.split_once('\t')?;
        Some((gene.parse().ok()?, seq.parse().ok()?))
    };
    lines.lines().map(|line| mark(line).ok_or_else(|| format!("{line:?} is no mark of a log"))).collect()
}
