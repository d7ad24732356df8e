//! A server with empty databases.

use guanxi_cluster::{DatabaseError, Databases, InitReport, InitStep, InitTerms, init};
use guanxi_model::HistoryId;
use guanxi_servers::Postgres;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// Settings of a server under test. A cluster asks for none that a server has not by itself.
pub(crate) const SETTINGS: &[(&str, &str)] = &[
    // No replica follows these servers, and their databases are filled and emptied all the time.
    ("wal_level", "minimal"),
    ("max_wal_senders", "0"),
    ("max_wal_size", "4GB"),
    ("autovacuum", "off"),
    // Each connection is a process that maps it.
    ("shared_buffers", "64MB"),
];

pub(crate) const HISTORY: HistoryId = HistoryId(0xfeed_0000_0000_0007);

pub(crate) struct World {
    pub server: Postgres,
    settings: Vec<(&'static str, &'static str)>,
    dir: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(SETTINGS)
    }

    pub(crate) fn with(settings: &[(&'static str, &'static str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let server = Postgres::start(dir.path(), settings, false).unwrap();
        Self { server, settings: settings.to_vec(), dir }
    }

    /// Ends the server as a crash would.
    pub(crate) fn kill(&mut self) {
        self.server.process.kill();
    }

    /// Starts it again where it was; what is left of the one before may take a moment to end.
    pub(crate) fn resume(&mut self) {
        let mut tries = 0;
        loop {
            match Postgres::resume(self.dir.path(), self.server.address, &self.settings, false) {
                Ok(server) => break self.server = server,
                Err(error) => assert!(tries < 50, "{error}"),
            }
            tries += 1;
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// A copy of all that the server has, which is ended for that as by a crash and started again.
    pub(crate) fn copy(&mut self) -> TempDir {
        self.kill();
        let copy = tempfile::tempdir().unwrap();
        copy_all(self.dir.path(), copy.path());
        self.resume();
        copy
    }

    /// Puts a copy in the place of all that the server has, which has ended.
    pub(crate) fn put_back(&self, copy: &TempDir) {
        let ended = Command::new("find").arg(self.dir.path()).args(["-mindepth", "1", "-delete"]).status();
        assert!(ended.unwrap().success());
        copy_all(copy.path(), self.dir.path());
    }

    /// What the server has logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("server.log")).unwrap()
    }

    /// Makes empty databases; returns their lines.
    pub(crate) async fn make(&self, names: &[&str]) -> Vec<String> {
        let client = self.client("postgres").await;
        for name in names {
            client.batch_execute("set default_transaction_read_only = off").await.unwrap();
            client.batch_execute(&format!("create database {name}")).await.unwrap();
        }
        names.iter().map(|name| self.line(name, name)).collect()
    }

    /// The line that gives a database a name in the cluster.
    pub(crate) fn line(&self, name: &str, database: &str) -> String {
        format!("{name}={}", self.server.url(database))
    }

    pub(crate) async fn client(&self, database: &str) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.server.url(database), NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    /// Everything that a database has: relations, and the rows of all tables but when they were written.
    pub(crate) async fn picture(&self, database: &str) -> Vec<String> {
        let client = self.client(database).await;
        let question = "select c.oid::regclass::text, c.relkind::text from pg_class c \
                        join pg_namespace n on n.oid = c.relnamespace \
                        where n.nspname in ('gx', 'meta') or n.nspname ~ '^g[0-9a-f]{2}$' order by 1";
        let relations = client.query(question, &[]).await.unwrap();
        let mut picture = Vec::new();
        for relation in relations {
            let (name, kind): (String, String) = (relation.get(0), relation.get(1));
            picture.push(format!("{kind} {name}"));
            if kind == "r" {
                let rows = format!(
                    "select (to_jsonb(t) - 'created_at' - 'done_at' - '{DRAWN}')::text from {name} t order by 1"
                );
                let rows = client.query(&rows, &[]).await.unwrap();
                picture.extend(rows.iter().map(|row| format!("{name} {}", row.get::<_, String>(0))));
            }
        }
        picture
    }
}

/// The column of `gx.data_key` that each database draws anew.
const DRAWN: &str = "key";

fn copy_all(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status();
    assert!(copied.unwrap().success());
}

pub(crate) fn databases(lines: &[String]) -> Databases {
    Databases::parse(lines).unwrap()
}

/// Lays out a cluster; after so many steps it is told to stop.
pub(crate) async fn lay_out(
    lines: &[String],
    history: HistoryId,
    steps: usize,
) -> Result<InitReport, DatabaseError> {
    let mut left = steps;
    let mut step = |_: InitStep| {
        let Some(fewer) = left.checked_sub(1) else { return Err(DatabaseError::Stopped) };
        left = fewer;
        Ok(())
    };
    init(&databases(lines), InitTerms { history }, &mut step).await
}

pub(crate) async fn laid_out(lines: &[String]) -> InitReport {
    lay_out(lines, HISTORY, usize::MAX).await.unwrap()
}
