//! PostgreSQL with posts and follows.

use crate::peers::postgres::{Session, boot};
use crate::peers::{Place, Server, write_lines};
use crate::wire::postgres::Postgres;
use guanxi_load::World;
use std::io::Write as _;

/// What the report calls posts joined with followees, the newest 20.
pub(crate) const JOIN: &str = "PostgreSQL join";
/// What the report calls the newest 20 of each followee, the newest 20 of these.
pub(crate) const LATERAL: &str = "PostgreSQL LATERAL";

/// The query of [`JOIN`]. A reader follows itself in the table, since home has one's own posts; muted followees and
/// deleted posts are left out.
pub(crate) const JOINED: Postgres = Postgres(&[(
    "home",
    "SELECT p.id FROM posts AS p JOIN follows AS f ON f.followee = p.author \
     WHERE f.follower = $1 AND NOT f.muted AND NOT p.deleted ORDER BY p.id DESC LIMIT 20",
)]);
/// The query of [`LATERAL`].
const LATERALLY: [(&str, &str); 1] = [(
    "home",
    "SELECT p.id FROM follows AS f CROSS JOIN LATERAL (SELECT id FROM posts \
     WHERE author = f.followee AND NOT deleted ORDER BY id DESC LIMIT 20) AS p \
     WHERE f.follower = $1 AND NOT f.muted ORDER BY p.id DESC LIMIT 20",
)];

/// The tables; their indexes are made after loading, which leaves them in their best shape.
const TABLES: [&str; 2] = [
    "CREATE TABLE posts (id bigint NOT NULL, author bigint NOT NULL, deleted boolean NOT NULL, body text NOT NULL)",
    "CREATE TABLE follows (follower bigint NOT NULL, followee bigint NOT NULL, muted boolean NOT NULL)",
];
/// Every page is answered from the two covering indexes alone.
const INDEXES: [&str; 5] = [
    "ALTER TABLE posts ADD PRIMARY KEY (id)",
    "CREATE INDEX posts_outbox ON posts (author, id DESC) WHERE NOT deleted",
    "CREATE UNIQUE INDEX follows_pair ON follows (follower, followee) INCLUDE (muted)",
    "VACUUM ANALYZE posts",
    "VACUUM ANALYZE follows",
];

/// Starts a PostgreSQL, loads the world, and answers it as a server of one query.
pub(crate) fn start(place: &Place, world: &World) -> Result<Server, String> {
    start_with(place, world, &LATERALLY)
}

/// The same with other queries.
pub(crate) fn start_with(
    place: &Place,
    world: &World,
    statements: &'static [(&'static str, &'static str)],
) -> Result<Server, String> {
    let dir = place.sub("postgres")?;
    let server = boot(&dir, place, LATERAL, statements)?;
    let (posts, follows) = (dir.join("posts.tsv"), dir.join("follows.tsv"));
    write_lines(&posts, (0..world.posts).map(|number| world.post(number)), |out, post| {
        let (id, author) = (world.post_id(&post), world.uid(post.author));
        writeln!(out, "{id}\t{author}\t{}\t{}", if post.deleted { "t" } else { "f" }, world.text(post.number))
    })?;
    write_lines(&follows, 0..world.users, |out, user| {
        let muted = world.muted(user);
        let follower = world.uid(user);
        // Home has one's own posts: a row of one's own makes the query simple.
        for followee in world.following(user).into_iter().chain([user]) {
            let flag = if muted.contains(&followee) { "t" } else { "f" };
            writeln!(out, "{follower}\t{}\t{flag}", world.uid(followee))?;
        }
        Ok(())
    })?;
    let mut session = Session::open(server.address)?;
    for table in TABLES {
        session.run(table)?;
    }
    session.run(&format!("COPY posts FROM '{}'", posts.display()))?;
    session.run(&format!("COPY follows FROM '{}'", follows.display()))?;
    for statement in INDEXES.into_iter().chain(["CHECKPOINT"]) {
        session.run(statement)?;
    }
    Ok(server)
}

/// What the tables and indexes take on disk, in bytes.
pub(crate) fn disk_bytes(server: &Server) -> Result<u64, String> {
    let mut session = Session::open(server.address)?;
    session.number("SELECT pg_total_relation_size('posts') + pg_total_relation_size('follows')")
}
