//! A made-up version after the first: applied to a cluster that stands, also when it is cut off.

use super::*;
use crate::Databases;
use guanxi_servers::Postgres;

/// This program.
const FIRST: Migrations = MIGRATIONS;

/// The program of two versions more, each of which adds something.
const NEXT: Migrations = Migrations(&[
    MIGRATIONS.0[0],
    MIGRATIONS.0[1],
    MIGRATIONS.0[2],
    MIGRATIONS.0[3],
    "alter table gx.user_state add column made_up bigint not null default 7;",
    "create table gx.made_up (gene smallint not null, uid bigint not null, primary key (gene, uid));",
]);

/// A database of a private server, in which the versions of this program are made, and a user of gene 1 in it.
struct Laid {
    session: PgSession,
    _server: (Postgres, tempfile::TempDir),
}

async fn empty() -> Laid {
    let dir = tempfile::tempdir().unwrap();
    let server = Postgres::start(dir.path(), &[], false).unwrap();
    let databases = Databases::parse(&[format!("one={}", server.url("postgres"))]).unwrap();
    let session = PgSession::open(databases.first()).await.unwrap();
    let laid = Laid { session, _server: (server, dir) };
    note(&laid.session).await.unwrap();
    laid
}

async fn laid() -> Laid {
    let laid = empty().await;
    assert_eq!(laid.run(FIRST, usize::MAX).await.unwrap(), FIRST.0.len());
    laid.session.run("insert into gx.user_state (gene, uid) values (1, 257)").await.unwrap();
    laid
}

impl Laid {
    /// Lets a program bring the tables up, and cuts it off after so many versions; returns how many it made.
    async fn run(&self, program: Migrations, versions: usize) -> Result<usize, DatabaseError> {
        let mut made = 0;
        let mut done = |_| {
            made += 1;
            if made > versions { Err(DatabaseError::Stopped) } else { Ok(()) }
        };
        program.migrate(&self.session, &mut done).await?;
        Ok(made)
    }

    async fn problem(&self, program: Migrations) -> Option<String> {
        program.state(&self.session).await.unwrap().problem()
    }

    /// What the made-up versions have of the user.
    async fn made_up(&self) -> i64 {
        self.session.run("insert into gx.made_up (gene, uid) values (1, 257)").await.unwrap();
        let of_user =
            self.session.rows("select made_up from gx.user_state where uid = 257", &[]).await.unwrap();
        of_user[0].get(0)
    }
}

#[test]
fn the_version_is_that_of_the_last_migration() {
    assert_eq!((TABLES_VERSION, FIRST.last(), NEXT.last()), (19, 19, 21));
}

#[tokio::test]
async fn tables_that_were_never_made_are_to_be_made() {
    let laid = empty().await;
    let problem = laid.problem(FIRST).await.unwrap();
    assert!(problem.contains("not made") && problem.contains("guanxi cluster init"), "{problem}");
    assert_eq!(FIRST.state(&laid.session).await.unwrap().made(), None);
}

#[tokio::test]
async fn made_up_versions_are_applied_to_a_cluster_that_stands() {
    let laid = laid().await;
    assert_eq!(laid.problem(FIRST).await, None);
    assert!(laid.problem(NEXT).await.unwrap().contains("of version 19, and this program works with 21"));
    assert_eq!(laid.run(NEXT, usize::MAX).await.unwrap(), 2);
    assert_eq!(laid.run(NEXT, usize::MAX).await.unwrap(), 0, "once is enough");
    assert_eq!(laid.made_up().await, 7);
    assert_eq!(laid.problem(NEXT).await, None);
    let refused = laid.run(FIRST, usize::MAX).await.unwrap_err().to_string();
    assert!(refused.contains("version 21, and this program knows 19: run the newer program"), "{refused}");
    assert_eq!(lacking(&laid.session).await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_made_up_version_that_was_cut_off_goes_on() {
    let laid = laid().await;
    let cut = laid.run(NEXT, 0).await;
    assert!(matches!(cut, Err(DatabaseError::Stopped)), "{cut:?}");
    // The version after which it was told to stop is made.
    assert!(laid.problem(NEXT).await.unwrap().contains("of version 20"));
    assert_eq!(laid.run(NEXT, usize::MAX).await.unwrap(), 1);
    assert_eq!(laid.made_up().await, 7);
}

#[tokio::test]
async fn tables_of_an_older_layout_are_refused_with_the_way_out() {
    let laid = laid().await;
    for version in [10, 15] {
        let older =
            format!("delete from gx.migration; insert into gx.migration (version) values ({version})");
        laid.session.run(&older).await.unwrap();
        let said = format!("its tables are of version {version}, whose layout is not read any more");
        for refused in
            [laid.problem(FIRST).await.unwrap(), laid.run(NEXT, usize::MAX).await.unwrap_err().to_string()]
        {
            assert!(refused.contains(&said) && refused.contains("guanxi restore"), "{refused}");
        }
    }
}

#[test]
fn a_program_serves_from_its_own_tables_and_the_next() {
    let state = |latest| TablesState { known: TABLES_VERSION, latest };
    assert_eq!(state(TABLES_VERSION).problem(), None);
    assert_eq!(state(TABLES_VERSION + 1).problem(), None);
    assert!(state(TABLES_VERSION + 2).problem().unwrap().contains("run the newer program"));
}

/// Keys and indexes of tables with genes that have no gene in front, and what reads them.
const WITHOUT_GENE_IN_FRONT: &[(&str, &str)] = &[
    // Exports walk the whole database in this order.
    ("follow (subject, object, gene)", "an export of follows"),
    ("block (subject, object, gene)", "an export of blocks"),
    ("mute (subject, object, gene)", "an export of mutes"),
    ("contact_claim (kind, contact, gene)", "a walk of all claims"),
    ("post (id, gene)", "an export of posts"),
    ("liker (post, uid, gene)", "an export of likes"),
    ("unlocking (uid, gene)", "a walk of all users that approve those who wait"),
    ("account (uid)", "an export of users"),
    // What others have of a user is in the shards of those.
    ("follow (object, subject) where not active", "who has left a user"),
    ("block (object, subject) where active", "who blocks a user"),
    ("mute (object, subject) where active", "who has muted a user"),
    ("dismissed (uid, viewer)", "who has dismissed a user"),
    ("affinity (uid, actor)", "who has a score with a user"),
    ("group_member (member, owner, id)", "in whose groups a user is"),
    (
        "session (uid, created_ms desc, id)",
        "with the gene in front it would be taken where a session is looked up by its id",
    ),
    // What is over first, in the whole database.
    ("mute (until_ms, subject, object) where active and until_ms is not null", "mutes that end"),
    ("request (expires_ms, receiver, sender) where kind is not null", "requests that expire"),
    ("request (cooling_ms, receiver, sender) where cooling_ms is not null", "rejections that end"),
    ("sent (mark) where kind is not null and not waits", "places of requests that never arrived"),
    ("sent (cooling_ms) where cooling_ms is not null", "rejections that end"),
    ("answer (at_ms)", "answers that are forgotten"),
    ("account (status_ms, uid) where status = 'deleted'", "users whose rest is erased"),
    ("account (uid) where status = 'erased'", "a walk of erased users"),
    ("signed_out (at_ms)", "sign-outs that are forgotten"),
    ("post (deleted_ms, id) where deleted_ms is not null", "posts that are purged"),
    ("session (expires_ms, id) where expires_ms is not null", "sessions that expire"),
];

#[test]
fn keys_and_indexes_begin_with_the_gene() {
    let text = MIGRATIONS.0.concat();
    let mut without = Vec::new();
    let mut table = None;
    let mut has_gene = std::collections::BTreeSet::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("create table gx.") {
            table = rest.split(' ').next();
        }
        let Some(name) = table else { continue };
        if line.trim_start().starts_with("gene smallint not null") {
            has_gene.insert(name);
        }
        let key = line.trim().trim_end_matches(',').strip_prefix("primary key ");
        let index = line.split_once("index on gx.").map(|(_, rest)| rest.trim_end_matches(';'));
        let of = match (key, index) {
            (Some(columns), _) => Some((name, format!("{name} {columns}"))),
            (_, Some(index)) => Some((index.split(' ').next().unwrap_or_default(), index.to_owned())),
            _ => None,
        };
        if let Some((name, index)) =
            of.filter(|(name, index)| has_gene.contains(name) && !index.contains("(gene"))
        {
            without.push((name.to_owned(), index));
        }
    }
    let without: std::collections::BTreeSet<String> = without.into_iter().map(|(_, index)| index).collect();
    let listed = WITHOUT_GENE_IN_FRONT.iter().map(|(index, _)| (*index).to_owned()).collect();
    assert_eq!(without, listed, "each is listed with its reason");
}
