//! The three schemes of seed 000 by hand, in one database, and a cluster of one database on the same server.
//!
//! One table has two rows for each follow, one seen from each side. Two tables have one row for each follow, and one for each two
//! friends. Split tables have a row of the follower and a row of the followed, in two transactions, since the two may lie in two
//! databases. Removals are logical. Beside the seed's text they have the index that each list needs, and no request ids, limits,
//! counters or log.

use super::by_hand::ByHand;
use super::served::Cluster;
use super::{LOG, OPERATIONS, World};
use crate::calls::{Operation, Workload};
use crate::import::users_for;
use crate::peers::postgres::{self as peers, Session, Statements};
use crate::peers::{Server, Target};
use crate::report::{Finding, Row, Table};
use crate::run::{Bench, Place, at_most};
use crate::turns::{self, Rounds, Turn};
use crate::wire::postgres::{Postgres, STATEMENTS as ONE_TABLE};
use guanxi_load::graph::{FollowGraph, Index};

/// What the report calls the schemes.
const NAMES: [&str; 3] = ["one table", "two tables", "split tables"];

/// The tables of the schemes, as a question for their sizes names them.
const TABLES_OF: [&[&str]; 3] =
    [&["followers"], &["two_follow", "two_friend"], &["split_follow", "split_fan"]];

const TWO_TABLES: Statements = &[
    (
        "follow",
        "WITH back AS (SELECT FROM two_follow WHERE subject = $2 AND object = $1 AND active), \
         edge AS (INSERT INTO two_follow AS f (subject, object, ts, active) \
         SELECT $1, $2, $4::bigint, true WHERE $3::text IS NOT NULL ON CONFLICT (subject, object) \
         DO UPDATE SET ts = excluded.ts, active = true WHERE NOT f.active RETURNING object), \
         friend AS (INSERT INTO two_friend AS f (subject, object, ts, active) \
         SELECT least($1, $2), greatest($1, $2), $4::bigint, true FROM edge WHERE EXISTS (SELECT FROM back) \
         ON CONFLICT (subject, object) DO UPDATE SET ts = excluded.ts, active = true) \
         SELECT (SELECT count(*) FROM edge), (SELECT count(*) FROM back)",
    ),
    (
        "unfollow",
        "WITH back AS (SELECT FROM two_follow WHERE subject = $2 AND object = $1 AND active), \
         edge AS (UPDATE two_follow SET active = false WHERE subject = $1 AND object = $2 AND active \
         AND $3::text IS NOT NULL AND $4::bigint > 0 RETURNING object), \
         friend AS (UPDATE two_friend SET active = false WHERE subject = least($1, $2) \
         AND object = greatest($1, $2) AND active AND EXISTS (SELECT FROM edge)) \
         SELECT (SELECT count(*) FROM edge), (SELECT count(*) FROM back)",
    ),
    (
        "following",
        "SELECT object, 0::bigint FROM two_follow WHERE subject = $1 AND active ORDER BY ts DESC, object DESC LIMIT 20",
    ),
    (
        "followers",
        "SELECT subject, 0::bigint FROM two_follow WHERE object = $1 AND active ORDER BY ts DESC, subject DESC LIMIT 20",
    ),
    (
        "relations",
        "SELECT o, coalesce((SELECT 2 FROM two_follow WHERE subject = $1 AND object = o AND active), 0) \
         + coalesce((SELECT 1 FROM two_follow WHERE subject = o AND object = $1 AND active), 0) \
         FROM unnest($2::bigint[]) AS o",
    ),
];

const SPLIT_TABLES: Statements = &[
    (
        "follow",
        "WITH back AS (SELECT FROM split_follow WHERE subject = $2 AND object = $1 AND status > 0), \
         edge AS (INSERT INTO split_follow AS f (subject, object, ts, status) SELECT $1, $2, $4::bigint, \
         CASE WHEN EXISTS (SELECT FROM back) THEN 3 ELSE 2 END WHERE $3::text IS NOT NULL \
         ON CONFLICT (subject, object) DO UPDATE SET ts = excluded.ts, status = excluded.status \
         WHERE f.status = 0 RETURNING object) \
         SELECT (SELECT count(*) FROM edge), (SELECT count(*) FROM back)",
    ),
    (
        "followed",
        "WITH fan AS (INSERT INTO split_fan (subject, object, ts, active) VALUES ($1, $2, $3, true) \
         ON CONFLICT (subject, object) DO UPDATE SET ts = excluded.ts, active = true) \
         UPDATE split_follow SET status = 3 WHERE subject = $1 AND object = $2 AND status = 2",
    ),
    (
        "unfollow",
        "WITH back AS (SELECT FROM split_follow WHERE subject = $2 AND object = $1 AND status > 0), \
         edge AS (UPDATE split_follow SET status = 0 WHERE subject = $1 AND object = $2 AND status > 0 \
         AND $3::text IS NOT NULL AND $4::bigint > 0 RETURNING object) \
         SELECT (SELECT count(*) FROM edge), (SELECT count(*) FROM back)",
    ),
    (
        "unfollowed",
        "WITH fan AS (UPDATE split_fan SET active = false WHERE subject = $1 AND object = $2 AND active \
         AND $3::bigint > 0) \
         UPDATE split_follow SET status = 2 WHERE subject = $1 AND object = $2 AND status = 3",
    ),
    (
        "following",
        "SELECT object, 0::bigint FROM split_follow WHERE subject = $1 AND status > 0 \
         ORDER BY ts DESC, object DESC LIMIT 20",
    ),
    (
        "followers",
        "SELECT object, 0::bigint FROM split_fan WHERE subject = $1 AND active ORDER BY ts DESC, object DESC LIMIT 20",
    ),
    (
        "relations",
        "SELECT o, coalesce((SELECT 2 FROM split_follow WHERE subject = $1 AND object = o AND status > 0), 0) \
         + coalesce((SELECT 1 FROM split_fan WHERE subject = $1 AND object = o AND active), 0) \
         FROM unnest($2::bigint[]) AS o",
    ),
];

const MAKE: [&str; 4] = [
    "CREATE TABLE two_follow (subject bigint NOT NULL, object bigint NOT NULL, ts bigint NOT NULL, active boolean NOT NULL)",
    "CREATE TABLE two_friend (subject bigint NOT NULL, object bigint NOT NULL, ts bigint NOT NULL, active boolean NOT NULL)",
    "CREATE TABLE split_follow (subject bigint NOT NULL, object bigint NOT NULL, ts bigint NOT NULL, status smallint NOT NULL)",
    "CREATE TABLE split_fan (subject bigint NOT NULL, object bigint NOT NULL, ts bigint NOT NULL, active boolean NOT NULL)",
];

/// The indexes, when the tables are filled.
const FINISH: [&str; 10] = [
    "ALTER TABLE two_follow ADD PRIMARY KEY (subject, object)",
    "CREATE INDEX ON two_follow (subject, ts DESC, object DESC) WHERE active",
    "CREATE INDEX ON two_follow (object, ts DESC, subject DESC) WHERE active",
    "ALTER TABLE two_friend ADD PRIMARY KEY (subject, object)",
    "CREATE INDEX ON two_friend (subject, ts DESC) WHERE active",
    "CREATE INDEX ON two_friend (object, ts DESC) WHERE active",
    "ALTER TABLE split_follow ADD PRIMARY KEY (subject, object)",
    "CREATE INDEX ON split_follow (subject, ts DESC, object DESC) WHERE status > 0",
    "ALTER TABLE split_fan ADD PRIMARY KEY (subject, object)",
    "CREATE INDEX ON split_fan (subject, ts DESC, object DESC) WHERE active",
];

/// Makes the tables of all schemes, and loads a graph into each.
fn load(session: &mut Session, World { graph, index }: &World) -> Result<(), String> {
    peers::load(session, graph, index)?;
    session.all(&MAKE)?;
    let ends = |edge: usize| {
        let edge = &graph.edges[edge];
        (
            graph.uid(edge.subject),
            graph.uid(edge.object),
            edge.at_s * 1_000_000,
            index.state(edge.subject, edge.object),
        )
    };
    let all = || (0..graph.edges.len()).map(ends);
    session.copy("two_follow", all().map(|(a, b, at, _)| format!("{a}\t{b}\t{at}\tt")))?;
    let friends = all().filter(|(a, b, _, state)| a < b && *state == 3);
    session.copy("two_friend", friends.map(|(a, b, at, _)| format!("{a}\t{b}\t{at}\tt")))?;
    session.copy("split_follow", all().map(|(a, b, at, state)| format!("{a}\t{b}\t{at}\t{state}")))?;
    session.copy("split_fan", all().map(|(a, b, at, _)| format!("{b}\t{a}\t{at}\tt")))?;
    session.all(&FINISH)?;
    session.settle(&["two_follow", "two_friend", "split_follow", "split_fan"])
}

/// Writes in a second that no system reaches: one that is repeated changes nothing.
const WRITES_PER_S: f64 = 12_000.0;

/// How the schemes are measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Follows of the graphs, about: one table has two rows for each, a million and 20 million
    #[arg(long, value_delimiter = ',', default_values_t = [500_000, 10_000_000])]
    follows: Vec<u32>,
    /// Callers at a time
    #[arg(long, default_value_t = 64)]
    connections: usize,
    #[command(flatten)]
    rounds: Rounds,
}

impl Bench for Options {
    type Found = Table;
    const NAME: Option<&'static str> = Some("schemes");

    fn shrink(&mut self) {
        self.rounds.shorten();
        self.rounds.rounds = 1;
        self.follows.truncate(1);
        at_most(self.follows.iter_mut().map(|follows| (follows, 3_000)));
        at_most([(&mut self.connections, 8)]);
    }

    fn run(&self, place: &Place) -> Result<Table, String> {
        let mut rows = Vec::new();
        for &follows in &self.follows {
            rows.extend(place.part(&format!("follows-{follows}"), |place| self.with(follows, place))?);
        }
        let how = format!(
            "{} rounds of {} s, systems in turn, medians; {} callers. All servers share a core: PostgreSQL, and guanxi with its \
             RPC. The schemes are asked by prepared statements on the same PostgreSQL.",
            self.rounds.rounds, self.rounds.seconds, self.connections,
        );
        Ok(Finding { title: "The schemes of seed 000".to_owned(), how, rows }.into())
    }
}

impl Options {
    /// All systems with one graph.
    fn with(&self, follows: u32, place: &Place) -> Result<Vec<Row>, String> {
        let graph = FollowGraph::generate(users_for(follows), self.rounds.seed);
        let world = World { index: Index::of(&graph), graph };
        let (users, follows) = (world.graph.users, world.graph.edges.len());
        eprintln!("{users} users, {follows} follows");
        let cluster = Cluster::start(place, 1)?;
        let moved = cluster.migrate(&world.graph)?;
        eprintln!("a directory with them became a cluster in {:.1} s", moved.as_secs_f64());
        let log = cluster.serve(LOG, "log")?;
        cluster.settle(1)?;
        let mut session = cluster.session()?;
        load(&mut session, &world)?;
        let of = |what: &str| format!("{what}, {follows} follows");
        let mut rows = vec![Row::new(&of("users"), f64::from(users), "")];
        let in_bytes = |bytes: u64| bytes as f64 / follows as f64;
        for (name, tables) in NAMES.into_iter().zip(TABLES_OF) {
            let sizes: Vec<String> =
                tables.iter().map(|table| format!("pg_total_relation_size('{table}')")).collect();
            let bytes = session.number(&format!("SELECT {}", sizes.join(" + ")))?;
            rows.push(Row::new(&of(&format!("{name}: disk for a follow")), in_bytes(bytes), "bytes"));
        }
        let bytes = session.number("SELECT pg_database_size('d1')")?;
        rows.push(Row::new(&of(&format!("{LOG}: disk for a follow")), in_bytes(bytes), "bytes"));
        let (two, split) = (ByHand::of(TWO_TABLES, false), ByHand::of(SPLIT_TABLES, true));
        let [one_name, two_name, split_name] = NAMES;
        let one = Postgres(&ONE_TABLE);
        let targets = [
            log.server.target(),
            cluster.target(one_name, &one),
            cluster.target(two_name, &two),
            cluster.target(split_name, &split),
        ];
        for target in &targets {
            OPERATIONS.iter().try_for_each(|operation| target.compare(&draw(&world, *operation, 7, 100)))?;
        }
        eprintln!("all systems answer as they should");
        for operation in OPERATIONS {
            rows.extend(self.turns(&world, &log.server, &targets, operation)?);
        }
        Ok(rows)
    }

    /// All rounds of an operation, systems in turn, while guanxi stands still for the others.
    fn turns(
        &self,
        world: &World,
        log: &Server,
        targets: &[Target<'_>],
        operation: Operation,
    ) -> Result<Vec<Row>, String> {
        let is_write = operation == Operation::Write;
        let units = if is_write { (self.rounds.seconds * 1.25 * WRITES_PER_S) as usize } else { 4_000 };
        let units = units.max(self.connections * 4);
        let plan = self.rounds.plan(self.connections, None);
        let turns = targets.iter().map(|target| {
            let draw = move |round| draw(world, operation, 100 + round as u64, units);
            let is_other = log.name != target.name;
            let pause = move |is_paused| {
                if is_other {
                    log.pause(is_paused);
                }
            };
            Turn::drawn((), *target, operation.unit(), plan, draw).while_paused(pause)
        });
        let turns: Vec<Turn<'_, ()>> = turns.collect();
        let title = format!("{}, {} follows", operation.title(), world.graph.edges.len());
        let cells = turns::measure(|()| title.clone(), &turns, self.rounds.rounds, log.beside.as_slice())?;
        Ok(turns::rows(&title, &cells, false))
    }
}

fn draw(World { graph, index }: &World, operation: Operation, seed: u64, units: usize) -> Workload {
    Workload::draw(graph, index, operation, seed, units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::postgres::boot;
    use crate::run::tests::place;
    use crate::wire::Protocol;

    #[test]
    fn the_schemes_answer_as_they_should_and_take_their_writes_back() {
        let (_dir, place) = place();
        let (server, mut session) = boot(&place, "by hand", &[], &[]).unwrap();
        let graph = FollowGraph::generate(500, 2);
        let world = World { index: Index::of(&graph), graph };
        load(&mut session, &world).unwrap();
        let friends = "SELECT concat((SELECT count(*) FROM two_friend WHERE active), ' ', \
            (SELECT count(*) FROM split_follow WHERE status = 3), ' ', (SELECT count(*) FROM followers WHERE status = 3))";
        let before = session.run(friends).unwrap();
        let (one, two, split) =
            (Postgres(&ONE_TABLE), ByHand::of(TWO_TABLES, false), ByHand::of(SPLIT_TABLES, true));
        let all: [&dyn Protocol; 3] = [&one, &two, &split];
        for protocol in all {
            let target = Target { protocol, ..server.target() };
            for operation in OPERATIONS.into_iter().chain(OPERATIONS) {
                target.compare(&draw(&world, operation, 3, 100)).unwrap();
            }
        }
        assert_eq!(session.run(friends).unwrap(), before);
        let differing = "SELECT count(*) FROM followers AS f FULL JOIN \
            (SELECT subject, object FROM split_follow WHERE status > 0) AS s USING (subject, object) \
            FULL JOIN (SELECT subject, object FROM two_follow WHERE active) AS t USING (subject, object) \
            WHERE (coalesce(f.status, 0) >= 2) <> (s IS NOT NULL) OR (s IS NULL) <> (t IS NULL)";
        assert_eq!(session.number(differing).unwrap(), 0);
    }
}
