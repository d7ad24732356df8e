//! A cluster of guanxi on PostgreSQL, and the same two-shard design by hand on the same server, in one run.

mod by_hand;
pub(crate) mod schemes;
mod served;

use crate::calls::{Answer, Call, Operation, Workload};
use crate::load::Figures;
use crate::peers::{Server, Target};
use crate::report::{Aim, Cell, Finding, Row, Table};
use crate::run::{Bench, Place, at_most};
use crate::turns::{self, Rounds, Turn};
use by_hand::ByHand;
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_load::{Latencies, Quantiles};
use served::Cluster;
use std::time::{Duration, Instant};

/// guanxi, whose workers carry what follows.
const LOG: &str = "guanxi, carrying log";
/// guanxi, where the writer carries it before its answer.
const SYNC: &str = "guanxi, carrying sync";

/// What guanxi has to reach of the calls per second of writes by hand, and may take of its processor time and of the time that one
/// caller waits: the hand-made peer does not speak RPC, and has no rules.
const SHARE_MIN: f64 = 0.9;
const CPU_MAX: f64 = 1.0;
const ALONE_MAX: f64 = 2.0;

/// Microseconds of processor time that a page or a check from memory may take, and the ids of a home.
const FROM_MEMORY_US: f64 = 35.0;
const HOME_IDS_US: f64 = 130.0;
const HOME_POSTS_US: f64 = 400.0;

/// guanxi, which keeps nothing in memory.
const FORGETFUL: &str = "guanxi, without memory";

/// What it may take of the processor time by hand, beside that of a call that asks no database.
const FORGETFUL_MAX: f64 = 1.25;
const FORGETFUL_FOLLOWERS_MAX: f64 = 1.5;

/// Posts that are imported in a second.
const POSTS_PER_S_MIN: f64 = 10_000.0;

/// What is asked, in this order.
const OPERATIONS: [Operation; 4] =
    [Operation::Write, Operation::Following, Operation::Followers, Operation::Check];

/// What is asked of the same users again and again, so that guanxi has it in memory.
const AGAIN: [Operation; 3] = [Operation::Following, Operation::Followers, Operation::Check];

/// Calls of which each is asked again and again.
const AGAIN_CALLS: usize = 300;

/// How many users a reader of a home follows.
const HOME_FOLLOWS: std::ops::RangeInclusive<usize> = 60..=90;

/// Posts of each user.
const POSTS_EACH: u64 = 5;

/// How long a follow may take to be seen from the other side.
const SEEN_WAIT_MAX: Duration = Duration::from_secs(10);

/// How a cluster is measured.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Users of the graph
    #[arg(long, default_value_t = 20_000)]
    users: u32,
    /// Callers at a time, beside one alone
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// How many databases the clusters have
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4])]
    databases: Vec<usize>,
    /// Follows of which it is noted when the other side has them
    #[arg(long, default_value_t = 300)]
    carried: usize,
    #[command(flatten)]
    rounds: Rounds,
}

/// A graph that is loaded everywhere.
struct World {
    graph: FollowGraph,
    index: Index,
}

impl Bench for Options {
    type Found = Table;
    const NAME: Option<&'static str> = Some("cluster");

    fn shrink(&mut self) {
        self.rounds.shorten();
        self.rounds.rounds = 1;
        at_most([(&mut self.users, 1_000)]);
        at_most([(&mut self.connections, 8), (&mut self.carried, 10)]);
    }

    fn run(&self, place: &Place) -> Result<Table, String> {
        let graph = FollowGraph::generate(self.users, self.rounds.seed);
        let world = World { index: Index::of(&graph), graph };
        let mut rows = Vec::new();
        for (nth, &databases) in self.databases.iter().enumerate() {
            rows.extend(place.part(&format!("databases-{databases}"), |place| {
                OnPlace { options: self, world: &world, place, databases }.measure(nth == 0)
            })?);
        }
        let how = format!(
            "{} users, {} follows; {} rounds of {} s, systems in turn, medians; {} callers, and one alone. All \
             servers share a core: PostgreSQL, and guanxi with its RPC. By hand, prepared statements go to the same \
             PostgreSQL without RPC and rules: both edges, both counters, the limit, the request id and one row of a log, in \
             two transactions. Shares of processor time count that of the caller by hand, which has a client of the database as guanxi has. \
             Every write has a request id. Databases are of one server, so more of them show what they \
             cost, not what they bring.",
            self.users,
            world.graph.edges.len(),
            self.rounds.rounds,
            self.rounds.seconds,
            self.connections,
        );
        Ok(Finding { title: "A cluster".to_owned(), how, rows }.into())
    }
}

impl Options {
    /// Units that a system does not come to in a round: a write that is repeated changes nothing.
    fn units(&self, connections: usize) -> usize {
        const PER_S: f64 = 12_000.0;
        ((self.rounds.seconds * 1.25 * PER_S) as usize).max(connections * 4)
    }
}

/// What is asked of all systems in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Calls that are drawn anew for each round.
    Anew(Operation),
    /// A few calls, the same in all rounds.
    Again(Operation),
    /// A few homes, the same in all rounds: ids, or whole posts.
    Home { with_posts: bool },
}

impl Asked {
    const fn unit(self) -> usize {
        match self {
            Self::Anew(operation) | Self::Again(operation) => operation.unit(),
            Self::Home { .. } => 1,
        }
    }

    fn title(self) -> String {
        match self {
            Self::Anew(operation) => operation.title().to_owned(),
            Self::Again(operation) => format!("{}, asked again", operation.title()),
            Self::Home { with_posts } => {
                format!("home of about 75 followees, {}", if with_posts { "posts" } else { "ids" })
            }
        }
    }

    /// Microseconds of processor time that a call may take.
    const fn cpu_max(self) -> Option<f64> {
        match self {
            Self::Anew(_) => None,
            Self::Again(_) => Some(FROM_MEMORY_US),
            Self::Home { with_posts } => Some(if with_posts { HOME_POSTS_US } else { HOME_IDS_US }),
        }
    }
}

/// One cluster, in one place.
struct OnPlace<'a> {
    options: &'a Options,
    world: &'a World,
    place: &'a Place,
    databases: usize,
}

impl OnPlace<'_> {
    /// Starts the cluster, compares its answers, and measures it; the first beside the hand-made one, and whole.
    fn measure(&self, is_first: bool) -> Result<Vec<Row>, String> {
        let Self { options, world, place, databases } = *self;
        eprintln!("a cluster of {databases} databases");
        let cluster = Cluster::start(place, databases)?;
        let of = |what: &str| format!("{what}, {databases} databases");
        let mut rows = vec![Row::new(&of("laying out"), cluster.init.as_secs_f64(), "s")];
        let log = cluster.serve(LOG, "log")?;
        let start = Instant::now();
        cluster.import(&log, &world.graph)?;
        let per_s = world.graph.edges.len() as f64 / start.elapsed().as_secs_f64();
        rows.push(Row::new(&of("importing edges over RPC"), per_s, "/s"));
        let start = Instant::now();
        cluster.import_posts(&log, &world.graph, POSTS_EACH)?;
        let per_s = f64::from(world.graph.users) * POSTS_EACH as f64 / start.elapsed().as_secs_f64();
        let row = Row::new(&of("importing posts over RPC"), per_s, "/s");
        rows.push(row.aim(Aim::AtLeast(POSTS_PER_S_MIN)));
        cluster.settle(databases)?;
        let (sync, by_hand) = (cluster.serve(SYNC, "sync")?, ByHand::default());
        if is_first {
            by_hand::load(&mut cluster.session()?, &world.graph)?;
        }
        let (log, sync) = (&log.server, &sync.server);
        let members = [log, sync];
        let mut targets = vec![log.target(), sync.target()];
        targets.extend(is_first.then(|| cluster.target(by_hand::NAME, &by_hand)));
        targets.iter().try_for_each(|target| self.compare(target))?;
        eprintln!("all systems answer as they should");
        for operation in OPERATIONS {
            for connections in [options.connections, 1] {
                rows.extend(self.turns(&members, &targets, Asked::Anew(operation), connections)?);
            }
        }
        for operation in AGAIN {
            rows.extend(self.turns(&members, &targets, Asked::Again(operation), options.connections)?);
        }
        for with_posts in [false, true] {
            let asked = Asked::Home { with_posts };
            rows.extend(self.turns(&members, &targets[..2], asked, options.connections)?);
        }
        if is_first {
            rows.extend(self.without_memory(&cluster, &members, &by_hand)?);
        }
        for (member, other) in [(log, sync), (sync, log)] {
            other.pause(true);
            let seen = self.carried(member);
            other.pause(false);
            let seen = seen?;
            let what = |figure: &str| of(&format!("{}: seen from the other side, {figure}", member.name));
            rows.push(Row::new(&what("p50"), seen.p50_us / 1e3, "ms"));
            rows.push(Row::new(&what("p99"), seen.p99_us / 1e3, "ms").aim(Aim::AtMost(1_000.0)));
        }
        Ok(rows)
    }

    fn draw(&self, operation: Operation, seed: u64, units: usize) -> Workload {
        Workload::draw(&self.world.graph, &self.world.index, operation, seed, units)
    }

    /// What a round asks.
    fn workload(&self, asked: Asked, round: usize, units: usize) -> Workload {
        match asked {
            Asked::Anew(operation) => self.draw(operation, 100 + round as u64, units),
            Asked::Again(operation) => self.draw(operation, 99, AGAIN_CALLS),
            Asked::Home { with_posts } => self.homes(with_posts),
        }
    }

    /// The newest page of the homes of readers of about 75 users. Whether they are right is shown elsewhere.
    fn homes(&self, with_posts: bool) -> Workload {
        let World { graph, index } = self.world;
        let readers = (0..graph.users).filter(|user| HOME_FOLLOWS.contains(&index.following(*user).len()));
        let readers: Vec<u32> = readers.collect();
        let calls = readers
            .iter()
            .cycle()
            .take(AGAIN_CALLS)
            .map(|user| Call::Home { uid: graph.uid(*user), with_posts })
            .collect();
        Workload { calls, answers: Vec::new() }
    }

    /// What is read must be right before anything is measured.
    fn compare(&self, target: &Target<'_>) -> Result<(), String> {
        OPERATIONS.iter().try_for_each(|operation| target.compare(&self.draw(*operation, 7, 100)))
    }

    /// All rounds of an operation, systems in turn, while the others stand still.
    fn turns(
        &self,
        members: &[&Server],
        targets: &[Target<'_>],
        asked: Asked,
        connections: usize,
    ) -> Result<Vec<Row>, String> {
        let (title, cells) = self.cells(members, targets, asked, connections)?;
        let is_write = asked == Asked::Anew(Operation::Write);
        let mut rows = turns::rows(&title, &cells, false);
        if let [log, sync, by_hand] = &*cells {
            for cell in [log, sync] {
                let (found, hand) = (&cell.median, &by_hand.median);
                let share = |what: &str, share: f64| {
                    Row::new(&format!("{title}: {} beside by hand, {what}", cell.system), share, "x")
                };
                let per_s = share("calls per second", found.per_s / hand.per_s);
                let cpu = share("processor time of a call", found.server_cpu_us / with_client(hand));
                let waits = share("time of a call", found.latency.p50_us / hand.latency.p50_us);
                let is_aim = is_write && cell.system == LOG;
                rows.extend(match connections {
                    1 => [per_s, cpu, if is_aim { waits.aim(Aim::AtMost(ALONE_MAX)) } else { waits }],
                    _ if is_aim => [per_s.aim(Aim::AtLeast(SHARE_MIN)), cpu.aim(Aim::AtMost(CPU_MAX)), waits],
                    _ => [per_s, cpu, waits],
                });
            }
        }
        if let Some(us) = asked.cpu_max() {
            let what = format!("{title}: {LOG}, processor time of a call");
            rows.push(Row::new(&what, cells[0].median.server_cpu_us, "us").aim(Aim::AtMost(us)));
        }
        Ok(rows)
    }

    /// The figures of an operation, systems in turn, while the others stand still; and what the report calls it.
    fn cells(
        &self,
        members: &[&Server],
        targets: &[Target<'_>],
        asked: Asked,
        connections: usize,
    ) -> Result<(String, Vec<Cell<()>>), String> {
        let is_write = asked == Asked::Anew(Operation::Write);
        let units = if is_write { self.options.units(connections) } else { 4_000.max(connections) };
        let plan = self.options.rounds.plan(connections, None);
        let turns = targets.iter().map(|target| {
            let draw = move |round| self.workload(asked, round, units);
            let others = members.iter().copied().filter(|member| member.name != target.name);
            let others: Vec<&Server> = others.collect();
            let pause = move |is_paused| others.iter().for_each(|member| member.pause(is_paused));
            Turn::drawn((), *target, asked.unit(), plan, draw).while_paused(pause)
        });
        let turns: Vec<Turn<'_, ()>> = turns.collect();
        let title = format!("{}, {connections} callers, {} databases", asked.title(), self.databases);
        // A process that is paused in the midst of its work would hold its locks.
        let databases = members[0].beside.as_slice();
        let cells = turns::measure(|()| title.clone(), &turns, self.options.rounds.rounds, databases)?;
        Ok((title, cells))
    }

    /// What reads cost of which a process keeps nothing, beside those by hand and a call that asks no database.
    fn without_memory(
        &self,
        cluster: &Cluster,
        members: &[&Server],
        by_hand: &ByHand,
    ) -> Result<Vec<Row>, String> {
        let flags = ["--user-cache-mib=0", "--author-cache-mib=0", "--item-cache-mib=0"];
        let forgetful = cluster.serve_with(FORGETFUL, "log", &flags)?;
        let all: Vec<&Server> = members.iter().copied().chain([&forgetful.server]).collect();
        let targets = [forgetful.server.target(), cluster.target(by_hand::NAME, by_hand)];
        let connections = self.options.connections;
        let (_, bare) =
            self.cells(&all, &[members[0].target()], Asked::Again(Operation::Check), connections)?;
        let bare = bare[0].median.server_cpu_us;
        let mut rows = Vec::new();
        for (operation, most) in [
            (Operation::Check, FORGETFUL_MAX),
            (Operation::Following, FORGETFUL_MAX),
            (Operation::Followers, FORGETFUL_FOLLOWERS_MAX),
        ] {
            let (title, cells) = self.cells(&all, &targets, Asked::Anew(operation), connections)?;
            let share = cells[0].median.server_cpu_us / (with_client(&cells[1].median) + bare);
            let what = format!("{title}: {FORGETFUL}, beside by hand and a call from memory, processor time");
            rows.extend(turns::rows(&title, &cells, false));
            rows.push(Row::new(&what, share, "x").aim(Aim::AtMost(most)));
        }
        Ok(rows)
    }

    /// When follows that were answered are seen from the other side without a token.
    fn carried(&self, member: &Server) -> Result<Quantiles, String> {
        let mut line = member.line()?;
        let mut latencies = Latencies::default();
        let workload = self.draw(Operation::Write, 900, self.options.carried);
        for unit in workload.calls.chunks(2) {
            let [Call::Follow { a, b }, unfollow] = unit else { continue };
            line.call(&unit[0])?;
            let start = Instant::now();
            while !first_is(&line.call(&Call::Followers { uid: *b })?, *a) {
                if start.elapsed() > SEEN_WAIT_MAX {
                    return Err(format!("{}: {a} was not seen among the followers of {b}", member.name));
                }
            }
            latencies.record(start.elapsed());
            line.call(unfollow)?;
        }
        Ok(latencies.quantiles())
    }
}

/// Microseconds of processor time of a call and of its caller: a program that asks a database by hand has a client, as guanxi has.
fn with_client(figures: &Figures) -> f64 {
    figures.server_cpu_us + figures.client_busy * 1e6 / figures.per_s
}

/// Whether a page begins with somebody.
fn first_is(answer: &Answer, uid: u64) -> bool {
    matches!(answer, Answer::Page(page) if page.first().is_some_and(|(first, _)| *first == uid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::postgres::boot;
    use crate::run::tests::place;

    #[test]
    fn the_hand_made_peer_answers_as_it_should_and_takes_its_writes_back() {
        let (_dir, place) = place();
        let (server, mut session) = boot(&place, "by hand", &[], &[]).unwrap();
        let graph = FollowGraph::generate(500, 2);
        let index = Index::of(&graph);
        by_hand::load(&mut session, &graph).unwrap();
        let by_hand = ByHand::default();
        let target = Target { protocol: &by_hand, ..server.target() };
        for _ in 0..2 {
            for operation in OPERATIONS {
                target.compare(&Workload::draw(&graph, &index, operation, 3, 100)).unwrap();
            }
        }
        let wrong = "SELECT count(*) FROM counts AS c WHERE \
            following <> (SELECT count(*) FROM follow WHERE subject = c.uid AND active) \
            OR followers <> (SELECT count(*) FROM fan WHERE object = c.uid AND active)";
        assert_eq!(session.run(wrong).unwrap(), ["0"]);
        let logged = session.number("SELECT count(*) FROM log").unwrap();
        assert_eq!(logged, 4 * 100);
    }
}
