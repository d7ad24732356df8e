//! PostgreSQL's side: the tables of the other comparisons, and beside them what a team would add for these questions.

use super::circles::Circles;
use super::groups::Groups;
use super::right::Blocks;
use crate::peers::Server;
use crate::peers::home::postgres as home;
use crate::peers::postgres::{self, Session, Statements};
use crate::run::Place;
use crate::wire::postgres::Postgres;
use guanxi_load::graph::{FollowGraph, Index};

/// What the report calls members joined with posts, the newest 20.
pub(crate) const JOIN: &str = home::JOIN;

/// What is asked about follows, in the forms that measured fastest. Who is followed already or blocked is left out before
/// it is counted: a lookup in a hash table for each follow. A page by affinity takes the highest scores from their index,
/// and probes whether the viewer follows: as a join, the planner reads all that the viewer follows, which took several times
/// as long. It answers those with a score alone, of whom there are more than a page; the others would take a second query.
const FOLLOWS: Statements = &[
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
const GROUPS: Statements = &[(
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

/// Starts a PostgreSQL with follows and blocks.
pub(crate) fn of_follows(
    place: &Place,
    graph: &FollowGraph,
    index: &Index,
    blocks: &Blocks,
) -> Result<(Server, Session), String> {
    let (server, mut session) = postgres::start(place, graph, index, FOLLOWS)?;
    let pair = |(subject, object): &(u32, u32)| format!("{}\t{}", graph.uid(*subject), graph.uid(*object));
    fill(&mut session, PAIRS, "blocks", blocks.pairs().iter().map(pair))?;
    session.run("CREATE INDEX blocks_of ON blocks (object, subject)")?;
    let scores = ("subject bigint NOT NULL, object bigint NOT NULL, score float8 NOT NULL", PAIRS.1);
    fill(&mut session, scores, "affinity", std::iter::empty())?;
    session.run(FOLLOWS_INDEX)?;
    session.settle(&["followers", "blocks"])?;
    Ok((server, session))
}

/// The same with scores.
pub(crate) fn of_circles(place: &Place, circles: &Circles) -> Result<Server, String> {
    let (server, mut session) = of_follows(place, &circles.graph, &circles.index, &circles.blocks)?;
    let uid = |user| circles.graph.uid(user);
    let rows = circles.scored.iter().flat_map(|(viewer, scored)| {
        let weighted = scored.iter().zip((1..=scored.len()).rev());
        weighted.map(move |(other, weight)| format!("{}\t{}\t{weight}", uid(*viewer), uid(*other)))
    });
    session.copy("affinity", rows)?;
    session.run("CREATE INDEX affinity_highest ON affinity (subject, score DESC) INCLUDE (object)")?;
    session.settle(&["affinity"])?;
    Ok(server)
}

/// Starts a PostgreSQL with the posts, the follows and the groups of a world.
pub(crate) fn of_groups(place: &Place, groups: &Groups) -> Result<Server, String> {
    let world = &groups.world;
    let (server, mut session) = home::start(place, world, GROUPS)?;
    let pair = |(subject, object): (u32, u32)| format!("{}\t{}", world.uid(subject), world.uid(object));
    fill(&mut session, PAIRS, "blocks", groups.blocks.iter().copied().map(pair))?;
    session.run("CREATE INDEX blocks_of ON blocks (object, subject)")?;
    let mutes =
        (0..world.users).flat_map(|user| world.muted(user).into_iter().map(move |other| (user, other)));
    fill(&mut session, PAIRS, "mutes", mutes.map(pair))?;
    let columns = "owner bigint NOT NULL, group_id bigint NOT NULL, member bigint NOT NULL";
    let members = groups.all.iter().flat_map(|group| {
        let owner = world.uid(group.owner);
        group.members.iter().map(move |member| format!("{owner}\t{}\t{}", group.id, world.uid(*member)))
    });
    fill(&mut session, (columns, "(owner, group_id, member)"), "members", members)?;
    session.settle(&["blocks", "mutes", "members"])?;
    Ok(server)
}

/// Columns and key of a table of pairs.
const PAIRS: (&str, &str) = ("subject bigint NOT NULL, object bigint NOT NULL", "(subject, object)");

/// Makes a table with columns and a key, and fills it.
fn fill(
    session: &mut Session,
    (columns, key): (&str, &str),
    name: &str,
    rows: impl Iterator<Item = String>,
) -> Result<(), String> {
    session.run(&format!("CREATE TABLE {name} ({columns})"))?;
    session.copy(name, rows)?;
    session.run(&format!("ALTER TABLE {name} ADD PRIMARY KEY {key}")).map(drop)
}
