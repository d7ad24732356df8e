//! Clusters that are ready for a case, on one server for all cases that run at once. A cluster is emptied and used again.

use crate::world::{SETTINGS, databases};
use guanxi_cluster::{CarryMode, ClusterOptions, InitTerms, MemoryBytes, init};
use guanxi_model::HistoryId;
use guanxi_servers::Postgres;
use std::sync::{Arc, Mutex, Weak};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// How many databases a cluster has, how it carries, and what its processes hold in memory.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub databases: usize,
    pub carrying: CarryMode,
    /// Whether every case ends in another cluster, which is filled from a dump of its own.
    pub restores: bool,
    pub memory: MemoryBytes,
}

/// Memory that forgets most of what a case asks about.
const TINY: MemoryBytes = MemoryBytes {
    pairs: 1 << 12,
    viewers: 1 << 12,
    outboxes: 1 << 12,
    headers: 1 << 12,
    posts: 1 << 12,
    counters: 1 << 12,
    marks: 1 << 12,
    standings: 1 << 12,
    lists: 1 << 12,
};

impl Shape {
    /// One database in mode log, unless `GUANXI_CLUSTER` says otherwise: `4,sync`, or `4,sync,` with `restored`, `tiny` for little
    /// memory, or `forgetful` for none.
    pub(crate) fn of_environment() -> Self {
        let text = std::env::var("GUANXI_CLUSTER").unwrap_or_else(|_| "1,log".to_owned());
        let mut words = text.split(',');
        let databases = words.next().unwrap().parse().unwrap();
        let carrying = if words.next() == Some("sync") { CarryMode::Sync } else { CarryMode::Log };
        let word = words.next();
        let memory = match word {
            Some("tiny") => TINY,
            Some("forgetful") => MemoryBytes::NONE,
            _ => ClusterOptions::default().memory,
        };
        Self { databases, carrying, restores: word == Some("restored"), memory }
    }
}

/// A server with clusters.
struct Shelf {
    server: Postgres,
    /// Clusters that no test uses now, and how many there are in all.
    free: Mutex<(Vec<usize>, usize)>,
    _dir: TempDir,
}

/// The server, while any case runs.
static SHELF: Mutex<Weak<Shelf>> = Mutex::new(Weak::new());

/// A cluster for one case; it goes back when it is dropped.
pub(crate) struct Lent {
    shelf: Arc<Shelf>,
    number: usize,
    /// The lines of its databases.
    pub lines: Vec<String>,
}

impl Lent {
    /// Takes a cluster without users.
    pub(crate) async fn take(history: HistoryId) -> Self {
        let shelf = Shelf::get();
        let shape = Shape::of_environment();
        let (free, made) = {
            let mut free = shelf.free.lock().unwrap();
            let found = free.0.pop();
            free.1 += usize::from(found.is_none());
            (found, free.1)
        };
        let names = |number: usize| (0..shape.databases).map(move |n| format!("case{number}_{n}"));
        let client = shelf.client("postgres").await;
        let number = free.unwrap_or(made);
        for name in names(number) {
            if free.is_some() {
                shelf.empty(&client, &name, history).await;
            } else {
                client.batch_execute(&format!("create database {name}")).await.unwrap();
            }
        }
        let line = |(n, name): (usize, String)| format!("d{n}={}", shelf.server.url(&name));
        let lines: Vec<String> = names(number).enumerate().map(line).collect();
        if free.is_none() {
            let terms = InitTerms { history };
            init(&databases(&lines), terms, &mut |_| Ok(())).await.unwrap();
        }
        Self { shelf, number, lines }
    }
}

impl Lent {
    /// Runs statements in its first database.
    pub(crate) async fn run(&self, statements: &str) {
        let (_, url) = self.lines[0].split_once('=').unwrap();
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(statements).await.unwrap();
    }

    /// How many rows a question has in its first database.
    pub(crate) async fn count(&self, question: &str) -> usize {
        let (_, url) = self.lines[0].split_once('=').unwrap();
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client.query(question, &[]).await.unwrap().len()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.shelf.free.lock().unwrap().0.push(self.number);
    }
}

impl Shelf {
    /// The server that runs, or a new one.
    fn get() -> Arc<Self> {
        let mut running = SHELF.lock().unwrap();
        if let Some(shelf) = running.upgrade() {
            return shelf;
        }
        let dir = tempfile::tempdir().unwrap();
        let mut settings = SETTINGS.to_vec();
        settings.push(("max_connections", "400"));
        let server = Postgres::start(dir.path(), &settings, false).unwrap();
        let shelf = Arc::new(Self { server, free: Mutex::default(), _dir: dir });
        *running = Arc::downgrade(&shelf);
        shelf
    }

    async fn client(&self, database: &str) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.server.url(database), NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    /// Ends what is left of the case before, removes its rows, and gives the database a history.
    async fn empty(&self, client: &Client, name: &str, HistoryId(history): HistoryId) {
        let end = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1";
        client.query(end, &[&name]).await.unwrap();
        let client = self.client(name).await;
        let tables = "select c.oid::regclass::text from pg_class c where c.relnamespace = 'gx'::regnamespace \
            and c.relkind in ('r', 'p') and not c.relispartition \
            and c.relname not in ('database', 'migration', 'shard', 'applied', 'credential_state', 'data_key', \
            'erased_id_key')";
        let tables = client.query(tables, &[]).await.unwrap();
        let mut statements: Vec<String> =
            tables.iter().map(|row| format!("delete from {}", row.get::<_, String>(0))).collect();
        statements.push("update gx.shard set seq = 0, stamp = 0, post_high = 0, first_seq = 1".to_owned());
        statements.push("update gx.applied set seq = 0, version = null".to_owned());
        statements.push("update gx.credential_state set change = 0, many = 0, forgotten = 0".to_owned());
        // The map of a cluster is in its first database.
        let map = client.query("select 1 where to_regclass('meta.cluster') is not null", &[]).await.unwrap();
        for table in map.iter().map(|_| "meta.cluster").chain(["gx.database"]) {
            statements.push(format!("update {table} set history = {}", history.cast_signed()));
        }
        client.batch_execute(&statements.join("; ")).await.unwrap();
    }
}
