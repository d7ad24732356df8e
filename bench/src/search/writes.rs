//! The cost of the index for writers: follows and posts with and without it, and how long it takes to catch up.

use super::world::World;
use crate::calls::{Operation, Workload};
use crate::load::{Figures, Plan, Prepared, Usage};
use crate::machine;
use crate::peers::Server;
use crate::peers::guanxi::{Installation, Running};
use crate::report::{Finding, Row, Table};
use crate::run::{Bench, Place, at_most};
use crate::turns::{self, Rounds, Turn};
use crate::wire::Request;
use buffa::Message;
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_load::http1;
use guanxi_load::open_loop::{self, Answered, Shape, TimedCalls};
use guanxi_load::quantiles::median;
use guanxi_load::rpc::message;
use guanxi_proto::v1::{CreatePostRequest, SearchPostsRequest, WritePostResponse};
use guanxi_servers::pause;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Texts that are posted, in turn.
const TEXTS: u64 = 5_000;
/// How long an index may take to catch up.
const CATCH_UP_MAX: Duration = Duration::from_mins(10);
/// Between two questions whether it has.
const ASK_EVERY: Duration = Duration::from_millis(10);

/// How writes are measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Users of the graph of follows
    #[arg(long, default_value_t = 200_000)]
    users: u32,
    /// Connections to each server
    #[arg(long, default_value_t = 16)]
    connections: usize,
    #[command(flatten)]
    rounds: Rounds,
}

/// What the servers are called.
const WITH: &str = "with search";
/// See [`WITH`].
const WITHOUT: &str = "without";

impl Bench for Options {
    type Found = Table;
    const NAME: Option<&'static str> = Some("search-writes");

    fn shrink(&mut self) {
        self.rounds.shorten();
        at_most([(&mut self.users, 2_000)]);
    }

    fn run(&self, place: &Place) -> Result<Table, String> {
        let Rounds { seed, rounds, .. } = self.rounds;
        let graph = FollowGraph::generate(self.users, seed);
        let index = Index::of(&graph);
        let (with, without) = (start(place, &graph, WITH)?, start(place, &graph, WITHOUT)?);
        let world = World::new(TEXTS, TEXTS, seed)?;
        let requests = Arc::new((0..TEXTS).map(|number| post(&world, &graph, number)).collect::<Vec<_>>());
        let follows = Workload::draw(&graph, &index, Operation::Write, seed, self.connections * 500);
        let plan = self.rounds.plan(self.connections, None);
        let caught_up = RefCell::new(Vec::new());
        let (mut follow_turns, mut post_turns) = (Vec::new(), Vec::new());
        for (name, running) in [(WITH, &with), (WITHOUT, &without)] {
            let target = crate::peers::Target { name, ..running.server.target() };
            let prepared = Prepared::new(target.protocol, &follows, Operation::Write.unit());
            follow_turns.push(Turn::over_the_wire((), target, prepared, plan));
            let (requests, caught_up) = (requests.clone(), &caught_up);
            let take = move |_| {
                let figures = write_posts(&running.server, requests.clone(), plan)?;
                if name == WITH {
                    let count = figures.latency.count;
                    caught_up.borrow_mut().push((count, catch_up(&running.server, &requests[0])?));
                }
                Ok(figures)
            };
            post_turns.push(Turn::new((), name, plan, take));
        }
        let pids = [with.server.process.pid(), without.server.process.pid()];
        let mut rows = Vec::new();
        for (written, turns) in [("follows and unfollows", &follow_turns), ("posts", &post_turns)] {
            let cells = turns::measure(|()| written.to_owned(), turns, rounds, &pids)?;
            rows.extend(turns::rows(written, &cells, false));
            let [with, without] = [0, 1].map(|at| cells[at].median);
            let ratio = |what: &str, with: f64, without: f64| {
                Row::new(&format!("{written}: {what} with search beside without"), with / without, "x")
            };
            rows.push(ratio("rate", with.per_s, without.per_s));
            rows.push(ratio("p99", with.latency.p99_us, without.latency.p99_us));
        }
        drop(post_turns);
        let caught_up = caught_up.into_inner();
        let seconds = median(caught_up.iter().map(|(_, time)| time.as_secs_f64())).unwrap_or_default();
        let posts = median(caught_up.iter().map(|(count, _)| *count as f64)).unwrap_or_default();
        rows.push(Row::new("posts of a round", posts, ""));
        rows.push(Row::new("until the index has the posts of a round", seconds * 1e3, "ms"));
        Ok(Finding { title: "Writes with search".to_owned(), how: how(self), rows }.into())
    }
}

fn how(options: &Options) -> String {
    format!(
        "Two servers with a graph of {} users each, one with `--search=true`, one with `--search=false`, in turns over {} \
         connections; medians of {} rounds of {} s. The index has caught up when a search answers with the token of a post \
         that is written behind all others.",
        options.users, options.connections, options.rounds.rounds, options.rounds.seconds
    )
}

fn start(place: &Place, graph: &FollowGraph, name: &str) -> Result<Running, String> {
    let installation = Installation::new(&place.inside(name)?)?;
    installation.load(graph)?;
    installation.serve(&[if name == WITH { "--search=true" } else { "--search=false" }])
}

fn post(world: &World, graph: &FollowGraph, number: u64) -> Vec<u8> {
    let author = graph.uid((number % u64::from(graph.users)) as u32);
    let request = CreatePostRequest { author, text: world.post(number).text, ..Default::default() };
    http1::post("/guanxi.v1.PostService/CreatePost", &request.encode_to_vec())
}

/// Posts as fast as it goes.
fn write_posts(server: &Server, requests: Arc<Vec<Vec<u8>>>, plan: Plan) -> Result<Figures, String> {
    let time = plan.measure;
    let shape = Shape { connections: plan.connections, rate: plan.rate, time };
    let calls = vec![TimedCalls { requests, shape, from: Vec::new() }];
    let before = Usage::of(&server.target());
    let outcomes = machine::runtime()?.block_on(open_loop::run(server.address, calls));
    let outcomes = outcomes.map_err(|error| format!("{error:?}"))?;
    let outcome = outcomes.first().ok_or("no outcome")?;
    let latency = outcome.latency(Answered::Done);
    if latency.count != outcome.sent {
        return Err(format!("{} posts were sent, and {} made", outcome.sent, latency.count));
    }
    Figures::of(latency, time, &Usage::of(&server.target()).since(&before))
}

/// Posts once more, and waits until a search has that.
fn catch_up(server: &Server, request: &[u8]) -> Result<Duration, String> {
    let start = Instant::now();
    let reply = server.line()?.exchange(&Request::one(request.to_vec()))?;
    let token = message::<WritePostResponse>(&http1::body(&reply)?)?.token;
    let search = SearchPostsRequest { query: "qtea".to_owned(), token, ..Default::default() };
    let search = http1::post("/guanxi.v1.SearchService/SearchPosts", &search.encode_to_vec());
    loop {
        match server.line()?.exchange(&Request::one(search.clone())) {
            Ok(_) => return Ok(start.elapsed()),
            Err(error) if start.elapsed() > CATCH_UP_MAX => return Err(error),
            // It is behind.
            Err(_) => pause(ASK_EVERY),
        }
    }
}
