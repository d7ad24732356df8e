//! PostgreSQL's side: the tables of the other comparisons, and beside them what a team would add for these questions.

use super::circles::Circles;
use super::groups::Groups;
use super::right::Blocks;
use crate::peers::home::postgres as home;
use crate::peers::postgres::{self, Session};
use crate::peers::{Place, Server, write_lines};
use crate::wire::postgres::Postgres;
use guanxi_load::graph::{FollowGraph, Index};
use std::io::Write as _;
use std::path::Path;

/// What the report calls members joined with posts, the newest 20.
pub(crate) const JOIN: &str = home::JOIN;

/// What is asked about follows, in the forms that measured fastest. Who is followed already or blocked is left out before
/// it is counted: a lookup in a hash table for each follow. A page by affinity takes the highest scores from their index,
/// and probes whether the viewer follows: as a join, the planner reads all that the viewer follows, which took several times
/// as long. It answers those with a score alone, of whom there are more than a page; the others would take a second query.
const FOLLOWS: [(&str, &str); 2] = [
    (
        "friends_of_friends",
        "SELECT b.object, count(*) FROM followers AS a JOIN followers AS b ON b.subject = a.object \
         WHERE a.subject = $1 AND a.status IN (2, 3) AND b.status IN (2, 3) AND b.object <> $1 \
         AND b.object NOT IN (SELECT object FROM followers WHERE subject = $1 AND status IN (2, 3)) \
         AND b.object NOT IN (SELECT object FROM blocks WHERE subject = $1) \
         AND b.object NOT IN (SELECT subject FROM blocks WHERE object = $1) \
         GROUP BY b.object ORDER BY count(*) DESC, b.object LIMIT 20",
    ),
    (
        "by_affinity",
        "SELECT s.object FROM affinity AS s WHERE s.subject = $1 AND (SELECT true FROM followers AS f \
         WHERE f.subject = $1 AND f.object = s.object AND f.status IN (2, 3)) ORDER BY s.score DESC LIMIT 50",
    ),
];

/// The newest 20 of each member, the newest 20 of these, which the report calls as home does; with the same rules.
const GROUPS: [(&str, &str); 1] = [(
    "group",
    "SELECT p.id FROM members AS m CROSS JOIN LATERAL (SELECT id FROM posts \
     WHERE author = m.member AND NOT deleted ORDER BY id DESC LIMIT 20) AS p \
     WHERE m.owner = $1 AND m.group_id = $2 \
     AND m.member NOT IN (SELECT object FROM mutes WHERE subject = $1) \
     AND m.member NOT IN (SELECT object FROM blocks WHERE subject = $1) \
     AND m.member NOT IN (SELECT subject FROM blocks WHERE object = $1) \
     ORDER BY p.id DESC LIMIT 20",
)];

/// The query of [`JOIN`].
pub(crate) const GROUPS_JOINED: Postgres = Postgres(&[(
    "group",
    "SELECT p.id FROM posts AS p JOIN members AS m ON m.member = p.author \
     WHERE m.owner = $1 AND m.group_id = $2 AND NOT p.deleted \
     AND m.member NOT IN (SELECT object FROM mutes WHERE subject = $1) \
     AND m.member NOT IN (SELECT object FROM blocks WHERE subject = $1) \
     AND m.member NOT IN (SELECT subject FROM blocks WHERE object = $1) \
     ORDER BY p.id DESC LIMIT 20",
)]);

/// Follows from their side alone, so that they are counted without the table.
const FOLLOWS_INDEX: &str =
    "CREATE UNIQUE INDEX followers_out ON followers (subject, object) WHERE status IN (2, 3)";

/// A table of pairs.
const fn pairs_table(name: &'static str) -> (&'static str, &'static str, &'static str) {
    (name, "subject bigint NOT NULL, object bigint NOT NULL", "(subject, object)")
}

/// Starts a PostgreSQL with follows and blocks.
pub(crate) fn of_follows(
    place: &Place,
    graph: &FollowGraph,
    index: &Index,
    blocks: &Blocks,
) -> Result<Server, String> {
    let server = postgres::start_with(place, graph, index, &FOLLOWS)?;
    let (mut session, dir) = (Session::open(server.address)?, place.sub("postgres")?);
    let said = blocks.pairs().iter();
    let said = said.map(|(subject, object)| format!("{}\t{}", graph.uid(*subject), graph.uid(*object)));
    fill(&mut session, &dir, pairs_table("blocks"), said)?;
    session.run("CREATE INDEX blocks_of ON blocks (object, subject)")?;
    let scores = ("affinity", "subject bigint NOT NULL, object bigint NOT NULL, score float8 NOT NULL");
    fill(&mut session, &dir, (scores.0, scores.1, "(subject, object)"), std::iter::empty())?;
    session.run(FOLLOWS_INDEX)?;
    ready(&mut session, &["followers", "blocks"])?;
    Ok(server)
}

/// The same with scores.
pub(crate) fn of_circles(place: &Place, circles: &Circles) -> Result<Server, String> {
    let server = of_follows(place, &circles.graph, &circles.index, &circles.blocks)?;
    let mut session = Session::open(server.address)?;
    let rows = circles.scored.iter().flat_map(|(viewer, scored)| {
        let uid = |user| circles.graph.uid(user);
        let weights = (1..=scored.len()).rev();
        scored
            .iter()
            .zip(weights)
            .map(move |(other, weight)| format!("{}\t{}\t{weight}", uid(*viewer), uid(*other)))
    });
    copy(&mut session, &place.sub("postgres")?, "affinity", rows)?;
    session.run("CREATE INDEX affinity_highest ON affinity (subject, score DESC) INCLUDE (object)")?;
    ready(&mut session, &["affinity"])?;
    Ok(server)
}

/// Starts a PostgreSQL with the posts, the follows and the groups of a world.
pub(crate) fn of_groups(place: &Place, groups: &Groups) -> Result<Server, String> {
    let world = &groups.world;
    let server = home::start_with(place, world, &GROUPS)?;
    let (mut session, dir) = (Session::open(server.address)?, place.sub("postgres")?);
    let pair = |(subject, object): (u32, u32)| format!("{}\t{}", world.uid(subject), world.uid(object));
    fill(&mut session, &dir, pairs_table("blocks"), groups.blocks.iter().copied().map(pair))?;
    session.run("CREATE INDEX blocks_of ON blocks (object, subject)")?;
    let mutes =
        (0..world.users).flat_map(|user| world.muted(user).into_iter().map(move |other| (user, other)));
    fill(&mut session, &dir, pairs_table("mutes"), mutes.map(pair))?;
    let columns = "owner bigint NOT NULL, group_id bigint NOT NULL, member bigint NOT NULL";
    let members = groups.all.iter().flat_map(|group| {
        let owner = world.uid(group.owner);
        group.members.iter().map(move |member| format!("{owner}\t{}\t{}", group.id, world.uid(*member)))
    });
    fill(&mut session, &dir, ("members", columns, "(owner, group_id, member)"), members)?;
    ready(&mut session, &["blocks", "mutes", "members"])?;
    Ok(server)
}

/// Makes a table of a name, of columns and with a key, and fills it.
fn fill(
    session: &mut Session,
    dir: &Path,
    (name, columns, key): (&str, &str, &str),
    rows: impl Iterator<Item = String>,
) -> Result<(), String> {
    session.run(&format!("CREATE TABLE {name} ({columns})"))?;
    copy(session, dir, name, rows)?;
    session.run(&format!("ALTER TABLE {name} ADD PRIMARY KEY {key}")).map(drop)
}

fn copy(
    session: &mut Session,
    dir: &Path,
    name: &str,
    rows: impl Iterator<Item = String>,
) -> Result<(), String> {
    let file = dir.join(format!("{name}.tsv"));
    write_lines(&file, rows, |out, row| writeln!(out, "{row}"))?;
    session.run(&format!("COPY {name} FROM '{}'", file.display())).map(drop)
}

/// Leaves tables in their best shape.
fn ready(session: &mut Session, tables: &[&str]) -> Result<(), String> {
    for table in tables {
        session.run(&format!("VACUUM ANALYZE {table}"))?;
    }
    session.run("CHECKPOINT").map(drop)
}
