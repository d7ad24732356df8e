//! A made-up version after the first: applied to a cluster that stands, also when it is cut off.

use super::*;
use crate::postgres::Layout;
use crate::{Database, Databases};
use guanxi_servers::Postgres;

/// Parts of a database with four schemas: what is once in it, and each of them.
const PARTS: usize = 5;

/// The program of the first version.
const FIRST: Migrations = Migrations(&[MIGRATIONS.0[0]]);

/// The program of the version before this one's.
const BEFORE: Migrations = Migrations(&[MIGRATIONS.0[0], MIGRATIONS.0[1], MIGRATIONS.0[2], MIGRATIONS.0[3]]);

/// The program of the version after the first, which adds a column and a table.
const NEXT: Migrations = Migrations(&[
    MIGRATIONS.0[0],
    Migration {
        database: "alter table gx.user_state add column made_up bigint not null default 7;\n\
                   create table gx.made_up (gene smallint not null, uid bigint not null, primary key (gene, uid)) \
                   partition by list (gene);",
        schema: "create table {schema}.made_up partition of gx.made_up for values in ({genes});",
    },
]);

/// A database of a private server, in which a cluster of four schemas is made, and a user of gene 1 in it.
struct Laid {
    session: PgSession,
    layout: Layout,
    schemas: Vec<SchemaName>,
    _server: (Postgres, tempfile::TempDir),
}

async fn laid() -> Laid {
    let dir = tempfile::tempdir().unwrap();
    let server = Postgres::start(dir.path(), &[("max_locks_per_transaction", "1024")], false).unwrap();
    let databases = Databases::parse(&[format!("one={}", server.url("postgres"))]).unwrap();
    let database: &Database = databases.first();
    let session = PgSession::open(database).await.unwrap();
    let layout = Layout::new(4).unwrap();
    let schemas = layout.schemas().collect();
    let laid = Laid { session, layout, schemas, _server: (server, dir) };
    note(&laid.session).await.unwrap();
    assert_eq!(laid.run(FIRST, usize::MAX).await.unwrap(), PARTS);
    laid.session.run("insert into gx.user_state (gene, uid) values (1, 257)").await.unwrap();
    laid
}

impl Laid {
    /// Lets a program bring the tables up, and cuts it off after so many parts; returns how many it made.
    async fn run(&self, program: Migrations, parts: usize) -> Result<usize, ClusterError> {
        let mut made = 0;
        let mut done = |_| {
            made += 1;
            if made > parts { Err(ClusterError::Stopped) } else { Ok(()) }
        };
        program.migrate(&self.session, self.layout, &self.schemas, &mut done).await?;
        Ok(made)
    }

    async fn problem(&self, program: Migrations) -> Option<String> {
        program.state(&self.session, &self.schemas).await.unwrap().problem()
    }

    /// What the made-up version has of the user.
    async fn made_up(&self) -> (i64, String) {
        self.session.run("insert into gx.made_up (gene, uid) values (1, 257)").await.unwrap();
        let of_user =
            self.session.rows("select made_up from gx.user_state where uid = 257", &[]).await.unwrap();
        let place = self.session.rows("select tableoid::regclass::text from gx.made_up", &[]).await.unwrap();
        (of_user[0].get(0), place[0].get(0))
    }
}

#[test]
fn the_version_is_that_of_the_last_migration() {
    assert_eq!((VERSION, BEFORE.last(), NEXT.last()), (15, 14, 12));
    assert!(MIGRATIONS.0.iter().all(|migration| !migration.database.contains('{')));
}

#[tokio::test]
async fn a_made_up_version_is_applied_to_a_cluster_that_stands() {
    let laid = laid().await;
    assert_eq!(laid.problem(FIRST).await, None);
    assert!(laid.problem(NEXT).await.unwrap().contains("5 of its parts"));
    assert_eq!(laid.run(NEXT, usize::MAX).await.unwrap(), PARTS);
    assert_eq!(laid.run(NEXT, usize::MAX).await.unwrap(), 0, "once is enough");
    assert_eq!(laid.made_up().await, (7, "g01.made_up".to_owned()));
    assert_eq!((laid.problem(NEXT).await, laid.problem(FIRST).await), (None, None), "both serve");
    let refused = laid.run(FIRST, usize::MAX).await.unwrap_err().to_string();
    assert!(refused.contains("version 12, and this program knows 11: run the newer program"), "{refused}");
}

#[tokio::test]
async fn a_cluster_of_the_first_version_is_brought_up() {
    let laid = laid().await;
    assert!(laid.problem(MIGRATIONS).await.unwrap().contains("20 of its parts"));
    assert_eq!(laid.run(MIGRATIONS, usize::MAX).await.unwrap(), 4 * PARTS);
    assert_eq!(lacking(&laid.session, &laid.schemas).await.unwrap(), Vec::<String>::new());
    assert_eq!((laid.problem(MIGRATIONS).await, laid.problem(BEFORE).await), (None, None), "both serve");
    let refused = laid.problem(FIRST).await.unwrap();
    assert!(refused.contains("version 15, and this program serves from 11 and 12"), "{refused}");
}

#[tokio::test]
async fn a_made_up_version_that_was_cut_off_goes_on() {
    for parts in [0, 2, 4] {
        let laid = laid().await;
        let cut = laid.run(NEXT, parts).await;
        assert!(matches!(cut, Err(ClusterError::Stopped)), "{cut:?}");
        // The part after which it was told to stop is made.
        let left = PARTS - parts - 1;
        let problem = laid.problem(NEXT).await;
        assert_eq!(problem.is_some(), left > 0, "{problem:?}");
        assert_eq!(laid.run(NEXT, usize::MAX).await.unwrap(), left);
        assert_eq!(laid.made_up().await, (7, "g01.made_up".to_owned()));
    }
}

#[tokio::test]
async fn tables_of_before_the_first_release_are_refused_by_their_number() {
    let laid = laid().await;
    for (schema, version) in [("gx", 10), ("g02", 3)] {
        let change = format!("update gx.migration set version = {version} where schema = '{schema}'");
        laid.session.run(&change).await.unwrap();
        let said = format!("its tables are of version {version}, which was made before 0.1.0");
        let problem = laid.problem(FIRST).await.unwrap();
        assert!(problem.contains(&said), "{problem}");
        let refused = laid.run(NEXT, usize::MAX).await.unwrap_err().to_string();
        assert!(refused.contains(&said), "{refused}");
        laid.session
            .run(&format!("update gx.migration set version = {FIRST_VERSION} where schema = '{schema}'"))
            .await
            .unwrap();
    }
    assert_eq!(laid.problem(FIRST).await, None);
}

#[test]
fn a_program_serves_from_its_own_tables_and_the_next() {
    let state = |latest| TablesState { known: VERSION, latest, older: None, missing: Vec::new() };
    assert_eq!(state(VERSION).problem(), None);
    assert_eq!(state(VERSION + 1).problem(), None);
    assert!(state(VERSION + 2).problem().unwrap().contains("run the newer program"));
    let part = MigrationPart { schema: "g03".to_owned(), version: VERSION };
    let behind = TablesState { missing: vec![part], ..state(VERSION + 1) };
    assert!(behind.problem().unwrap().contains("the first is g03: run `guanxi cluster init`"));
}
