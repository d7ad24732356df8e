//! A cluster of guanxi on a PostgreSQL of its own.

use crate::peers::guanxi::{Installation, Running};
use crate::peers::postgres::{self as peers, Session};
use crate::peers::{Server, Target, write_edges};
use crate::run::Place;
use crate::wire::Protocol;
use crate::wire::guanxi::Guanxi;
use guanxi_load::graph::FollowGraph;
use guanxi_servers::{Postgres, output_of};
use std::process::Command;
use std::time::{Duration, Instant};

/// What a cluster needs beside the settings of the other comparisons.
const SETTINGS: [(&str, &str); 1] = [("max_connections", "400")];

/// When the first imported post was written, in Unix milliseconds.
const FIRST_POST_MS: u64 = 1_700_000_000_000;

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

    /// Leaves the tables in their best shape.
    pub(super) fn settle(&self, databases: usize) -> Result<(), String> {
        for number in 1..=databases {
            let mut vacuum = Command::new("psql");
            vacuum.arg(self.postgres.url(&format!("d{number}"))).args(["-qc", "VACUUM ANALYZE"]);
            output_of(&vacuum, false)?;
        }
        self.session()?.run("CHECKPOINT").map(drop)
    }

    /// A server that is asked in the same databases by hand.
    pub(super) fn target<'a>(&self, name: &'static str, protocol: &'a dyn Protocol) -> Target<'a> {
        let (address, pid) = (self.postgres.address, self.postgres.process.pid());
        Target { name, address, protocol, pid, beside: None }
    }
}
