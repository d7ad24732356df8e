//! The people around a user: friends of friends, suggestions, groups and affinity, on guanxi and on PostgreSQL doing the same,
//! in one run: circles, then the graph, then groups, each on all systems, which are quiet when it is another one's turn.

mod calls;
mod circles;
mod contest;
mod follows;
mod groups;
mod in_process;
mod postgres;
mod right;
#[cfg(test)]
mod tests;

pub(crate) use calls::{PeopleCall, Question, RANKED_PAGE};
pub(crate) use postgres::JOIN;

use crate::peers::Target;
use crate::peers::guanxi::Installation;
use crate::peers::home::Outboxes;
use crate::report::{Results, Setup};
use crate::run::{Bench, Place, at_most};
use crate::turns::Rounds;
use circles::{Circles, Kind};
use contest::{Contest, Entrant, Task};
use follows::{Both, blocks_of, said_in};
use groups::{Groups, Of};
use guanxi_load::graph::{FollowGraph, Index, USERS_DEFAULT};
use guanxi_model::random::Rng;
use in_process::{InProcess, Reach};
use postgres::GROUPS_JOINED;
use right::{About, Blocks, ranked, workload};
use std::time::Instant;

/// Degrees of the circles.
const DEGREES: [usize; 2] = [75, 300];
/// The least number of users of the world of groups beside the users who follow 500 and the followed ones.
const WORLD_MIN: u32 = 2_000;
/// In the graph there is one block for so many users.
const USERS_A_BLOCK: u32 = 20;

/// How the comparison runs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Viewers who follow 75 who follow 75
    #[arg(long, default_value_t = 100)]
    small_circles: usize,
    /// Viewers who follow 300 who follow 300
    #[arg(long, default_value_t = 8)]
    large_circles: usize,
    /// Viewers who follow 5,000, and have scores with 1,000
    #[arg(long, default_value_t = 20)]
    scored: usize,
    /// Users whom the circles follow, the popular ones most
    #[arg(long, default_value_t = 2_000_000)]
    circle_users: u32,
    /// Users of the graph in which suggestions are asked for
    #[arg(long, default_value_t = USERS_DEFAULT)]
    users: u32,
    /// Readers of homes and groups of 500
    #[arg(long, default_value_t = 200)]
    readers: u32,
    /// Users of their world
    #[arg(long, default_value_t = 20_000)]
    world_users: u32,
    /// Posts of their world
    #[arg(long, default_value_t = 1_000_000)]
    posts: u32,
    /// Different calls per question
    #[arg(long, default_value_t = 4_000)]
    calls: usize,
    /// Connections to each system, beside one alone
    #[arg(long, default_value_t = 16)]
    connections: usize,
    #[command(flatten)]
    rounds: Rounds,
}

impl Bench for Options {
    type Found = Results;
    const NAME: Option<&'static str> = Some("people");
    const IS_DRAWN: bool = true;

    /// Circles, lists and groups stay as large as they are said to be.
    fn shrink(&mut self) {
        self.rounds.shorten();
        // PostgreSQL takes a tenth of a second to count a large circle, and must answer while it is measured.
        self.rounds.seconds = 0.6;
        self.rounds.rounds = 1;
        at_most([
            (&mut self.small_circles, 4),
            (&mut self.large_circles, 1),
            (&mut self.scored, 2),
            (&mut self.calls, 200),
            (&mut self.connections, 2),
        ]);
        at_most([
            (&mut self.circle_users, 100_000),
            (&mut self.users, 5_000),
            (&mut self.readers, 10),
            (&mut self.world_users, 4_000),
            (&mut self.posts, 40_000),
        ]);
    }

    fn run(&self, place: &Place) -> Result<Results, String> {
        let mut results = Results::new(Setup::new(place));
        results.setup.configuration = self.configuration();
        place.part("circles", |place| self.ask_circles(place, &mut results))?;
        place.part("graph", |place| self.ask_graph(place, &mut results))?;
        place.part("groups", |place| self.ask_groups(place, &mut results))?;
        Ok(results)
    }
}

impl Options {
    /// The circles.
    fn circles(&self) -> Result<Circles, String> {
        let viewers = [self.small_circles, self.large_circles];
        let kinds = [0, 1].map(|kind| Kind { degree: DEGREES[kind], viewers: viewers[kind] });
        let listed: usize = kinds.iter().map(|kind| kind.viewers * (kind.degree + 1)).sum();
        if viewers.contains(&0) || self.scored == 0 {
            return Err("there must be viewers of every kind".to_owned());
        }
        if (self.circle_users as usize) < 4 * (listed + self.scored) {
            return Err(format!("{} users are too few for the circles", self.circle_users));
        }
        Ok(Circles::draw(&kinds, self.scored, self.circle_users, self.rounds.seed))
    }

    /// The world of groups.
    fn groups(&self) -> Result<Groups, String> {
        if self.readers == 0 || self.world_users < WORLD_MIN + self.readers {
            return Err(format!("{} users are too few for {} readers", self.world_users, self.readers));
        }
        Ok(Groups::draw(self.world_users, self.readers, self.posts, self.rounds.seed))
    }

    /// What the runs are of, for the report.
    fn configuration(&self) -> Vec<(String, String)> {
        let Self { small_circles, large_circles, scored, circle_users, .. } = self;
        let mut pairs = self.rounds.configuration("cores").to_vec();
        let named = |(name, value): (&str, String)| (name.to_owned(), value);
        let circles = format!(
            "{small_circles} viewers of 75 x 75 and {large_circles} of 300 x 300, who follow {circle_users} users by their \
             popularity, and {scored} who follow 5,000 and have scores with 900 of them and 100 others"
        );
        let world = format!(
            "{} users, {} posts, {} readers, 5 % of the items hidden; a group of those whom the reader follows, and one of as \
             many others",
            self.world_users, self.posts, self.readers
        );
        pairs.extend([("circles", circles), ("world of the groups", world)].map(named));
        let graph = format!("{} users with the statistics of seed 000", self.users);
        let checked =
            "every answer for errors, one in 64 for its content, and 200 of each kind before".to_owned();
        let seed = self.rounds.seed.to_string();
        pairs.extend([("graph", graph), ("seed", seed), ("checked", checked)].map(named));
        pairs
    }

    fn contest<'a>(&'a self, results: &'a mut Results, pids: [u32; 2]) -> Contest<'a> {
        Contest { rounds: &self.rounds, connections: self.connections, pids, results }
    }

    fn ask_circles(&self, place: &Place, results: &mut Results) -> Result<(), String> {
        let circles = self.circles()?;
        eprintln!("circles: {} follows", circles.graph.edges.len());
        let start = Instant::now();
        let Both { running, mut inside } = Both::start(place, &circles.graph, said_in(&circles)?)?;
        results.setup.add(&running.server, start.elapsed());
        let start = Instant::now();
        let postgres = postgres::of_circles(place, &circles)?;
        results.setup.add(&postgres, start.elapsed());
        let Circles { graph, index, blocks, viewers, .. } = &circles;
        let drawn = |kind: usize, about| {
            workload((graph, index, blocks), &viewers[kind], about, self.rounds.seed, self.calls)
        };
        let [small, large] = [0, 1].map(|kind| drawn(kind, About::FriendsOfFriends));
        let [small_all, large_all] = [0, 1].map(|kind| drawn(kind, About::Suggestions));
        let ranked = ranked(&circles, self.rounds.seed, self.calls);
        inside.note_followed(graph, index, &viewers.concat())?;
        let [store, whole] = [Reach::Counts, Reach::Whole].map(|reach| Entrant::Inside(&inside, reach));
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
        self.contest(results, pids).run(&tasks.concat())
    }

    /// Viewers in the graph of seed 000. They are drawn by edge, so who follows more asks more often.
    fn ask_graph(&self, place: &Place, results: &mut Results) -> Result<(), String> {
        let graph = FollowGraph::generate(self.users, self.rounds.seed);
        let index = Index::of(&graph);
        let blocks = blocks_in(&graph, &index, self.rounds.seed);
        eprintln!("graph: {} users, {} follows", graph.users, graph.edges.len());
        let start = Instant::now();
        let Both { running, inside } = Both::start(place, &graph, blocks_of(&graph, &blocks)?)?;
        results.setup.add(&running.server, start.elapsed());
        let start = Instant::now();
        let (postgres, _) = postgres::of_follows(place, &graph, &index, &blocks)?;
        results.setup.add(&postgres, start.elapsed());
        let viewers: Vec<u32> = graph.edges.iter().map(|edge| edge.subject).collect();
        let [friends, suggestions] = [About::FriendsOfFriends, About::Suggestions]
            .map(|about| workload((&graph, &index, &blocks), &viewers, about, self.rounds.seed, self.calls));
        let (served, postgres) = (running.server.target(), postgres.target());
        let pids = [served.pid, postgres.pid];
        let whole = Entrant::Inside(&inside, Reach::Whole);
        let (served, postgres) = (Entrant::Served(served), Entrant::Served(postgres));
        let tasks = [
            Task::of_all(Question::FriendsOfFriends, &friends, &[whole, served, postgres]),
            Task::of_all(Question::Suggestions, &suggestions, &[whole, served]),
        ];
        self.contest(results, pids).run(&tasks.concat())
    }

    fn ask_groups(&self, place: &Place, results: &mut Results) -> Result<(), String> {
        let groups = self.groups()?;
        eprintln!("groups: {} of {} members", groups.all.len(), groups::MEMBERS);
        let installation = Installation::new(place)?;
        let start = Instant::now();
        crate::machine::runtime()?.block_on(groups.create(&installation.data))?;
        let inside = InProcess::open(&installation.copied()?.data)?;
        let guanxi = installation.serve(&[])?.server;
        results.setup.add(&guanxi, start.elapsed());
        let start = Instant::now();
        let postgres = postgres::of_groups(place, &groups)?;
        results.setup.add(&postgres, start.elapsed());
        let [home, followed, others] = group_workloads(&groups, self.calls);
        let lateral = postgres.target();
        let joined = Target { name: JOIN, protocol: &GROUPS_JOINED, ..lateral };
        let [served, lateral, joined] = [guanxi.target(), lateral, joined].map(Entrant::Served);
        let inside = Entrant::Inside(&inside, Reach::Whole);
        let all = [inside, served, lateral, joined];
        let tasks = [
            Task::of_all(Question::Home, &home, &[inside, served]),
            Task::of_all(Question::Group, &followed, &all),
            Task::of_all(Question::GroupOfOthers, &others, &all),
        ];
        let pids = [guanxi.process.pid(), postgres.process.pid()];
        self.contest(results, pids).run(&tasks.concat())
    }
}

/// Returns blocks between users and the users that their followees follow.
fn blocks_in(graph: &FollowGraph, index: &Index, seed: u64) -> Blocks {
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

/// Returns homes, groups of the users whom the reader follows, and groups of others.
fn group_workloads(groups: &Groups, calls: usize) -> [crate::calls::Workload; 3] {
    let outboxes = Outboxes::of(&groups.world);
    let of = |of| groups.workload(&outboxes, of, calls);
    [outboxes.workload(0, calls, true), of(Of::Followed), of(Of::Others)]
}
