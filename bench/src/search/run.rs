//! A run: the world on both systems, what their indexes take, and the contest.

use super::fill::{self, Built};
use super::options::Options;
use super::postgres::{self, Filled};
use super::world::World;
use super::{back_office, by_time, contest};
use crate::peers::guanxi::Installation;
use crate::report::{Finding, Row};
use crate::{Common, Run};
use std::time::Duration;

/// Measures searches; returns what the results are called, too.
///
/// # Errors
/// When a system cannot be started, both differ, or a call fails.
pub(crate) fn main(options: &Options, common: &Common) -> Result<(&'static str, Finding), String> {
    let options = options.settled();
    if let Some(documents) = options.page_by_time {
        return Ok(("search-by-time", by_time::main(documents, &options, common)?));
    }
    Ok(("search", contest_of(&options, common)?))
}

fn contest_of(options: &Options, common: &Common) -> Result<Finding, String> {
    if options.calls < options.connections {
        return Err("there must be as many calls as connections".to_owned());
    }
    let session = Run::begin(common, true)?;
    let place = &session.place;
    let world = World::new(options.posts, options.names, options.seed)?;
    let installation = Installation::new(&common.guanxi, place)?;
    let (posts, users) = crate::machine::runtime()?.block_on(fill::create(&installation.data, &world))?;
    let filled = postgres::start(place, &world)?;
    let guanxi = installation.serve(place)?;
    let questions = contest::compare(&world, options, &guanxi.server, &filled.server)?;
    let mut rows = sizes(&world, posts, users, &filled);
    rows.extend(contest::measure(&questions, options, &guanxi.server, &filled.server)?);
    if options.back_office {
        rows.extend(back_office::measure(&world, options, &guanxi)?);
    }
    Ok(Finding { title: "Search".to_owned(), how: how(options), rows })
}

fn how(options: &Options) -> String {
    let Options { posts, names, calls, connections, rounds, seconds, .. } = options;
    format!(
        "{posts} posts of {names} people with names, a third of both Chinese, by the frequencies of a dictionary, the others by \
         Zipf's law; a quarter of the posts for followers only. PostgreSQL has the same tokens as tsvector with a GIN index, the \
         rule of visibility as SQL, and pg_trgm for names; it plans each call for its words. Of each kind of search of posts \
         {calls} calls are compared first: both answer the same ids in the same order. Names are found by rules of its own on \
         each system. {rounds} rounds of {seconds} s, systems in turn, medians; {connections} connections. Indexes are built \
         by one process on one core; rates of building are by CPU time."
    )
}

/// What both indexes take to build and on the disk.
fn sizes(world: &World, posts: Built, users: Built, filled: &Filled) -> Vec<Row> {
    let per_s = |count: u64, time: Duration| count as f64 / time.as_secs_f64().max(1e-9);
    let per = |bytes: u64, count: u64| bytes as f64 / count as f64;
    let (ours, theirs) = (per_s(world.posts, posts.cpu), per_s(world.posts, filled.cpu));
    vec![
        Row::new("posts indexed by guanxi, per second of CPU", ours, "posts/s"),
        Row::new("posts indexed by guanxi, by the clock", per_s(world.posts, posts.time), "posts/s"),
        Row::new("posts indexed by PostgreSQL, per second of CPU", theirs, "posts/s"),
        Row::new("posts indexed by PostgreSQL, by the clock", per_s(world.posts, filled.time), "posts/s"),
        Row::new("posts indexed: guanxi's rate beside PostgreSQL's, by CPU", ours / theirs, "x"),
        Row::new("index of posts, guanxi", per(posts.bytes, world.posts), "B/post"),
        Row::new("index of posts, PostgreSQL: GIN", per(filled.index_bytes, world.posts), "B/post"),
        Row::new(
            "index of posts, PostgreSQL: lexemes in the table",
            per(filled.lexeme_bytes, world.posts),
            "B/post",
        ),
        Row::new("names indexed by guanxi, per second of CPU", per_s(world.names, users.cpu), "names/s"),
        Row::new("index of names, guanxi", per(users.bytes, world.names), "B/name"),
    ]
}
