//! Searches: guanxi and PostgreSQL index the same posts and names in one run, answer the same, and are asked in turns.

mod ask;
mod back_office;
mod by_time;
mod contest;
mod dictionary;
mod fill;
mod postgres;
mod words;
mod world;
pub(crate) mod writes;

pub(crate) use ask::{Kind, POSTS_PAGE, SUGGESTED, SearchCall, USERS_PAGE, tsquery};

use crate::load::Plan;
use crate::peers::guanxi::Installation;
use crate::report::{Finding, Row, Table};
use crate::run::{Bench, Place, at_most};
use crate::turns::Rounds;
use fill::Built;
use postgres::Filled;
use std::time::Duration;
use world::World;

/// How searches are measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Posts that are searched
    #[arg(long, default_value_t = 1_000_000)]
    posts: u64,
    /// People whose names are searched
    #[arg(long, default_value_t = 1_000_000)]
    names: u64,
    /// Different calls of each kind; all those about posts are compared first
    #[arg(long, default_value_t = 200)]
    calls: usize,
    /// Connections to each system
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// Calls per second of the open loop
    #[arg(long, default_value_t = 500.0)]
    rate: f64,
    /// Measure a page by time in an index alone of so many documents, beside one of a tenth of them, and nothing else
    #[arg(long, value_name = "DOCUMENTS", num_args = 0..=1, default_missing_value = "10000000")]
    page_by_time: Option<u64>,
    /// Measure also what calls of users take while a back office sums up all rows
    #[arg(long)]
    back_office: bool,
    #[command(flatten)]
    rounds: Rounds,
}

impl Bench for Options {
    type Found = Table;

    fn shrink(&mut self) {
        self.rounds.shorten();
        at_most([(&mut self.posts, 5_000), (&mut self.names, 2_000)]);
        at_most([(&mut self.calls, 40)]);
    }

    fn name(&self) -> Option<&'static str> {
        Some(if self.page_by_time.is_some() { "search-by-time" } else { "search" })
    }

    fn run(&self, place: &Place) -> Result<Table, String> {
        let found = match self.page_by_time {
            Some(documents) => by_time::measure(documents, self, place),
            None => self.contest(place),
        };
        found.map(Table::from)
    }
}

impl Options {
    /// The plan of a turn; see [`Plan::rate`].
    fn plan(&self, rate: Option<f64>) -> Plan {
        self.rounds.plan(self.connections, rate)
    }

    fn contest(&self, place: &Place) -> Result<Finding, String> {
        if self.calls < self.connections {
            return Err("there must be as many calls as connections".to_owned());
        }
        let world = World::new(self.posts, self.names, self.rounds.seed)?;
        let installation = Installation::new(place)?;
        let (posts, users) = crate::machine::runtime()?.block_on(fill::create(&installation.data, &world))?;
        let filled = postgres::start(place, &world)?;
        let guanxi = installation.serve(&[])?;
        let questions = contest::compare(&world, self, &guanxi.server, &filled.server)?;
        let mut rows = sizes(&world, posts, users, &filled);
        rows.extend(contest::measure(&questions, self, &guanxi.server, &filled.server)?);
        if self.back_office {
            rows.extend(back_office::measure(&world, self, &guanxi)?);
        }
        Ok(Finding { title: "Search".to_owned(), how: self.how(), rows })
    }

    fn how(&self) -> String {
        let Self { posts, names, calls, connections, rounds: Rounds { rounds, seconds, .. }, .. } = self;
        format!(
            "{posts} posts of {names} people with names, a third of both Chinese, by the frequencies of a dictionary, the others by \
             Zipf's law; a quarter of the posts for followers only. PostgreSQL has the same tokens as tsvector with a GIN index, the \
             rule of visibility as SQL, and pg_trgm for names; it plans each call for its words. Of each kind of search of posts \
             {calls} calls are compared first: both answer the same ids in the same order. Names are found by rules of its own on \
             each system. {rounds} rounds of {seconds} s, systems in turn, medians; {connections} connections. Indexes are built \
             by one process on one core; rates of building are by CPU time."
        )
    }
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
