//! The cost of the index for writers: follows and posts with and without it, and how long it takes to catch up.

use super::world::World;
use crate::calls::{Operation, Workload};
use crate::load::{Figures, Plan, Prepared};
use crate::machine;
use crate::peers::guanxi::{Installation, Running};
use crate::peers::{Place, Server};
use crate::report::{Cell, Finding, Row};
use crate::turns::{self, Turn};
use crate::wire::Request;
use crate::{Common, Run};
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
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Rounds, servers in turn; medians are reported
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Seconds of load that count, per server and round
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Little data and short rounds: whether it works, not how fast
    #[arg(long)]
    quick: bool,
}

impl Options {
    fn settled(&self) -> Self {
        if !self.quick {
            return self.clone();
        }
        Self { users: self.users.min(2_000), rounds: 2, seconds: self.seconds.min(0.5), ..self.clone() }
    }
}

/// What is written.
type Written = &'static str;
const FOLLOWS: Written = "follows and unfollows";
const POSTS: Written = "posts";
/// What the servers are called.
const WITH: &str = "with search";
/// See [`WITH`].
const WITHOUT: &str = "without";

/// Measures writes.
///
/// # Errors
/// When a server cannot be started, or a call fails.
pub(crate) fn main(options: &Options, common: &Common) -> Result<Finding, String> {
    let options = options.settled();
    let session = Run::begin(common, true)?;
    let graph = FollowGraph::generate(options.users, options.seed);
    let index = Index::of(&graph);
    let with = start(common, &session.place, &graph, WITH)?;
    let without = start(common, &session.place, &graph, WITHOUT)?;
    let world = World::new(TEXTS, TEXTS, options.seed)?;
    let requests = Arc::new((0..TEXTS).map(|number| post(&world, &graph, number)).collect::<Vec<_>>());
    let follows = Workload::draw(&graph, &index, Operation::Write, options.seed, options.connections * 500);
    let [warm_up, measure] = [options.seconds / 4.0, options.seconds].map(Duration::from_secs_f64);
    let plan = Plan { connections: options.connections, warm_up, measure, rate: None };
    let caught_up = RefCell::new(Vec::new());
    let (mut follow_turns, mut post_turns) = (Vec::new(), Vec::new());
    for (name, running) in [(WITH, &with), (WITHOUT, &without)] {
        let target = crate::peers::Target { name, ..running.server.target() };
        let prepared = Prepared::new(target.protocol, &follows, Operation::Write.unit());
        follow_turns.push(Turn::over_the_wire(FOLLOWS, target, prepared, plan));
        let (requests, caught_up) = (requests.clone(), &caught_up);
        let take = move || {
            let figures = write_posts(&running.server, requests.clone(), plan)?;
            if name == WITH {
                let count = figures.latency.count;
                caught_up.borrow_mut().push((count, catch_up(&running.server, &requests[0])?));
            }
            Ok(figures)
        };
        post_turns.push(Turn::in_process(POSTS, name, take));
    }
    let pids = [with.server.process.pid(), without.server.process.pid()];
    let what = |written: &Written| (*written).to_owned();
    let mut cells = turns::measure(what, &follow_turns, options.rounds, &pids)?;
    cells.extend(turns::measure(what, &post_turns, options.rounds, &pids)?);
    drop(post_turns);
    let mut rows: Vec<Row> = [FOLLOWS, POSTS].into_iter().flat_map(|written| rows(written, &cells)).collect();
    let caught_up = caught_up.into_inner();
    let seconds = median(caught_up.iter().map(|(_, time)| time.as_secs_f64())).unwrap_or_default();
    let posts = median(caught_up.iter().map(|(count, _)| *count as f64)).unwrap_or_default();
    rows.push(Row::new("posts of a round", posts, ""));
    rows.push(Row::new("until the index has the posts of a round", seconds * 1e3, "ms"));
    Ok(Finding { title: "Writes with search".to_owned(), how: how(&options), rows })
}

fn how(options: &Options) -> String {
    format!(
        "Two servers with a graph of {} users each, one with `--search=true`, one with `--search=false`, in turns over {} \
         connections; medians of {} rounds of {} s. The index has caught up when a search answers with the token of a post \
         that is written behind all others.",
        options.users, options.connections, options.rounds, options.seconds
    )
}

fn start(common: &Common, place: &Place, graph: &FollowGraph, name: &'static str) -> Result<Running, String> {
    let mut installation = Installation::new(&common.guanxi, place)?;
    installation.data = place.dir.join(name.replace(' ', "-"));
    installation.load(place, graph)?;
    let flag = if name == WITH { "--search=true" } else { "--search=false" };
    installation.serve_with(place, &[flag])
}

fn post(world: &World, graph: &FollowGraph, number: u64) -> Vec<u8> {
    let author = graph.uid((number % u64::from(graph.users)) as u32);
    let request = CreatePostRequest { author, text: world.post(number).text, ..Default::default() };
    http1::post("/guanxi.v1.PostService/CreatePost", &request.encode_to_vec())
}

/// Posts as fast as it goes.
fn write_posts(server: &Server, requests: Arc<Vec<Vec<u8>>>, plan: Plan) -> Result<Figures, String> {
    let (pid, time) = (server.process.pid(), plan.measure);
    let shape = Shape { connections: plan.connections, rate: plan.rate, time };
    let calls = vec![TimedCalls { requests, shape, from: Vec::new() }];
    let (server_before, client_before) = (machine::cpu_of_tree(pid), machine::cpu_of_self());
    let outcomes = machine::runtime()?.block_on(open_loop::run(server.address, calls));
    let outcomes = outcomes.map_err(|error| format!("{error:?}"))?;
    let server_cpu = machine::cpu_of_tree(pid).saturating_sub(server_before).as_secs_f64();
    let client_cpu = machine::cpu_of_self().saturating_sub(client_before).as_secs_f64();
    let outcome = outcomes.first().ok_or("no outcome")?;
    let (latency, per_s) = (outcome.latency(Answered::Done), outcome.per_s(Answered::Done));
    if latency.count != outcome.sent {
        return Err(format!("{} posts were sent, and {} made", outcome.sent, latency.count));
    }
    Ok(Figures {
        latency,
        per_s,
        server_cpu_us: server_cpu * 1e6 / (latency.count as f64).max(1.0),
        server_busy: server_cpu / time.as_secs_f64(),
        client_busy: client_cpu / time.as_secs_f64(),
    })
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

fn rows(written: Written, cells: &[Cell<Written>]) -> Vec<Row> {
    let of = |system: &str| {
        let mut cells = cells.iter().filter(|cell| cell.asked == written);
        cells.find(|cell| cell.system == system).map(|cell| cell.median)
    };
    let Some((with, without)) = of(WITH).zip(of(WITHOUT)) else { return Vec::new() };
    let mut rows = Vec::new();
    for (name, figures) in [(WITH, &with), (WITHOUT, &without)] {
        let what = |figure: &str| format!("{written}, {name}: {figure}");
        rows.push(Row::new(&what("per second"), figures.per_s, "/s"));
        rows.push(Row::new(&what("p99"), figures.latency.p99_us, "us"));
        rows.push(Row::new(&what("CPU per call"), figures.server_cpu_us, "us"));
    }
    let ratio = |what: &str, with: f64, without: f64| {
        Row::new(&format!("{written}: {what} with search beside without"), with / without, "x")
    };
    rows.push(ratio("rate", with.per_s, without.per_s));
    rows.push(ratio("p99", with.latency.p99_us, without.latency.p99_us));
    rows
}
