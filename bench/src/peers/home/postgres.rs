//! PostgreSQL with posts and follows.

use crate::peers::Server;
use crate::peers::postgres::{Session, Statements, boot};
use crate::run::Place;
use crate::wire::postgres::Postgres;
use guanxi_load::World;

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
pub(crate) const LATERALLY: Statements = &[(
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
const INDEXES: [&str; 3] = [
    "ALTER TABLE posts ADD PRIMARY KEY (id)",
    "CREATE INDEX posts_outbox ON posts (author, id DESC) WHERE NOT deleted",
    "CREATE UNIQUE INDEX follows_pair ON follows (follower, followee) INCLUDE (muted)",
];

/// Starts a PostgreSQL and loads the world.
pub(crate) fn start(
    place: &Place,
    world: &World,
    statements: Statements,
) -> Result<(Server, Session), String> {
    let (server, mut session) = boot(place, LATERAL, statements, &TABLES)?;
    let flag = |is: bool| if is { 't' } else { 'f' };
    let posts = (0..world.posts).map(|number| {
        let post = world.post(number);
        let (id, author) = (world.post_id(&post), world.uid(post.author));
        format!("{id}\t{author}\t{}\t{}", flag(post.deleted), world.text(number))
    });
    session.copy("posts", posts)?;
    // Home has one's own posts: a row of one's own makes the query simple.
    let follows = (0..world.users).flat_map(|user| {
        let (muted, follower) = (world.muted(user), world.uid(user));
        world.following(user).into_iter().chain([user]).map(move |followee| {
            format!("{follower}\t{}\t{}", world.uid(followee), flag(muted.contains(&followee)))
        })
    });
    session.copy("follows", follows)?;
    session.all(&INDEXES)?;
    session.settle(&["posts", "follows"])?;
    Ok((server, session))
}

/// What the tables and indexes take on disk, in bytes.
pub(crate) fn disk_bytes(session: &mut Session) -> Result<u64, String> {
    session.number("SELECT pg_total_relation_size('posts') + pg_total_relation_size('follows')")
}
