//! The run: circles, then the graph, then groups, each on all systems, which are quiet when it is another one's turn.

use super::calls::Question;
use super::circles::Circles;
use super::contest::{self, Entrant, Found, Task};
use super::follows::{Both, blocks_of, copied, said_in};
use super::groups::{Groups, Of};
use super::in_process::{InProcess, Reach};
use super::options::Options;
use super::postgres::{self, GROUPS_JOINED};
use super::right::{About, Blocks, ranked, workload};
use crate::Common;
use crate::peers::guanxi::Installation;
use crate::peers::home::Outboxes;
use crate::peers::{Place, Target};
use crate::report::{Results, Setup};
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_model::random::Rng;
use std::time::Instant;

/// In the graph there is one block for so many users.
const USERS_A_BLOCK: u32 = 20;

/// Runs the comparison and writes its results.
///
/// # Errors
/// When a system cannot be started, answers wrongly, or fails a call.
pub(crate) fn main(options: &Options, common: &Common) -> Result<Results, String> {
    let options = options.settled();
    let run = crate::Run::begin(common, true)?;
    let mut setup = Setup::new(&common.dir, run.place.pinned);
    setup.configuration = options.configuration();
    let mut results = Results::new(setup);
    for (name, part) in [("circles", circles as Part), ("graph", graph), ("groups", groups)] {
        let place = Place { dir: run.place.sub(name)?, ..run.place.clone() };
        let found = part(&place, common, &options, &mut results.setup)?;
        results.closed.extend(found.closed);
        results.open.extend(found.open);
        // Every file that stays goes with the run's directory.
        let _stays = std::fs::remove_dir_all(&place.dir);
    }
    options.comparison.keep(common, "people", &results)?;
    Ok(results)
}

/// One world with its questions.
type Part = fn(&Place, &Common, &Options, &mut Setup) -> Result<Found, String>;

fn circles(place: &Place, common: &Common, options: &Options, setup: &mut Setup) -> Result<Found, String> {
    let circles = options.circles()?;
    eprintln!("circles: {} follows", circles.graph.edges.len());
    let start = Instant::now();
    let Both { running, mut inside } = Both::start(place, common, &circles.graph, said_in(&circles)?)?;
    setup.add(&running.server, start.elapsed());
    let start = Instant::now();
    let postgres = postgres::of_circles(place, &circles)?;
    setup.add(&postgres, start.elapsed());
    let Circles { graph, index, blocks, viewers, .. } = &circles;
    let drawn = |kind: usize, about| {
        workload((graph, index, blocks), &viewers[kind], about, options.comparison.seed, options.calls)
    };
    let [small, large] = [0, 1].map(|kind| drawn(kind, About::FriendsOfFriends));
    let [small_all, large_all] = [0, 1].map(|kind| drawn(kind, About::Suggestions));
    let ranked = ranked(&circles, options.comparison.seed, options.calls);
    inside.note_followed(graph, index, &viewers.concat())?;
    let (store, whole) = (Entrant::Inside(&inside, Reach::Counts), Entrant::Inside(&inside, Reach::Whole));
    let (served, postgres) = (running.server.target(), postgres.target());
    let pids = [served.pid, postgres.pid];
    let (served, postgres) = (Entrant::Served(served), Entrant::Served(postgres));
    let tasks = [
        Task::of_all(Question::SmallCircle, &small, &[store, whole, served, postgres]),
        Task::of_all(Question::LargeCircle, &large, &[store, whole, served, postgres]),
        Task::of_all(Question::SmallSuggestions, &small_all, &[whole, served]),
        Task::of_all(Question::LargeSuggestions, &large_all, &[whole, served]),
        Task::of_all(Question::ByAffinity, &ranked, &[whole, served, postgres]),
    ];
    contest::run(&tasks.concat(), options, &pids)
}

/// Viewers in the graph of seed 000. They are drawn by edge, so who follows more asks more often.
fn graph(place: &Place, common: &Common, options: &Options, setup: &mut Setup) -> Result<Found, String> {
    let graph = FollowGraph::generate(options.users, options.comparison.seed);
    let index = Index::of(&graph);
    let blocks = blocks_in(&graph, &index, options.comparison.seed);
    eprintln!("graph: {} users, {} follows", graph.users, graph.edges.len());
    let start = Instant::now();
    let Both { running, inside } = Both::start(place, common, &graph, blocks_of(&graph, &blocks)?)?;
    setup.add(&running.server, start.elapsed());
    let start = Instant::now();
    let (postgres, _) = postgres::of_follows(place, &graph, &index, &blocks)?;
    setup.add(&postgres, start.elapsed());
    let viewers: Vec<u32> = graph.edges.iter().map(|edge| edge.subject).collect();
    let [friends, suggestions] = [About::FriendsOfFriends, About::Suggestions].map(|about| {
        let seed = options.comparison.seed;
        workload((&graph, &index, &blocks), &viewers, about, seed, options.calls)
    });
    let (served, postgres) = (running.server.target(), postgres.target());
    let pids = [served.pid, postgres.pid];
    let whole = Entrant::Inside(&inside, Reach::Whole);
    let (served, postgres) = (Entrant::Served(served), Entrant::Served(postgres));
    let tasks = [
        Task::of_all(Question::FriendsOfFriends, &friends, &[whole, served, postgres]),
        Task::of_all(Question::Suggestions, &suggestions, &[whole, served]),
    ];
    contest::run(&tasks.concat(), options, &pids)
}

/// Returns blocks between users and the users that their followees follow.
pub(crate) fn blocks_in(graph: &FollowGraph, index: &Index, seed: u64) -> Blocks {
    let (mut rng, mut blocks) = (Rng::new(seed + 2), Blocks::default());
    for _ in 0..graph.users / USERS_A_BLOCK {
        let edge = graph.edges[rng.below(graph.edges.len())];
        let others = index.following(edge.object);
        if !others.is_empty() {
            let (one, other) = (edge.subject, others[rng.below(others.len())]);
            let (one, other) = if rng.below(2) == 0 { (one, other) } else { (other, one) };
            blocks.add(index, one, other);
        }
    }
    blocks
}

fn groups(place: &Place, common: &Common, options: &Options, setup: &mut Setup) -> Result<Found, String> {
    let groups = options.groups()?;
    eprintln!("groups: {} of {} members", groups.all.len(), super::groups::MEMBERS);
    let installation = Installation::new(&common.guanxi, place)?;
    let start = Instant::now();
    crate::machine::runtime()?.block_on(groups.create(&installation.data))?;
    let inside = InProcess::open(&copied(&installation.data)?)?;
    let guanxi = installation.serve(place)?.server;
    setup.add(&guanxi, start.elapsed());
    let start = Instant::now();
    let postgres = postgres::of_groups(place, &groups)?;
    setup.add(&postgres, start.elapsed());
    let tasks = group_workloads(&groups, options.calls);
    let lateral = postgres.target();
    let joined = Target { name: postgres::JOIN, protocol: &GROUPS_JOINED, ..lateral };
    let served = Entrant::Served(guanxi.target());
    let inside = Entrant::Inside(&inside, Reach::Whole);
    let all = [inside, served, Entrant::Served(lateral), Entrant::Served(joined)];
    let [home, followed, others] = &tasks;
    let tasks = [
        Task::of_all(Question::Home, home, &[inside, served]),
        Task::of_all(Question::Group, followed, &all),
        Task::of_all(Question::GroupOfOthers, others, &all),
    ];
    contest::run(&tasks.concat(), options, &[guanxi.target().pid, lateral.pid])
}

/// Returns homes, groups of the users whom the reader follows, and groups of others.
pub(crate) fn group_workloads(groups: &Groups, calls: usize) -> [crate::calls::Workload; 3] {
    let outboxes = Outboxes::of(&groups.world);
    let of = |of| groups.workload(&outboxes, of, calls);
    [outboxes.workload(0, calls, true), of(Of::Followed), of(Of::Others)]
}
