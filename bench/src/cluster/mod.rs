//! A cluster of guanxi on PostgreSQL, and the same two-shard design by hand on the same server, in one run.

mod by_hand;
mod served;

use crate::calls::{Answer, Call, Operation, Workload};
use crate::load::{Figures, Plan, Prepared, run};
use crate::peers::{Place, Target};
use crate::report::{Aim, Finding, Row};
use crate::turns::wait_quiet;
use crate::wire::connection::Line;
use crate::{Common, Run};
use by_hand::ByHand;
use guanxi_load::graph::{FollowGraph, Index};
use guanxi_load::{Latencies, Quantiles};
use served::{Cluster, Member};
use std::time::{Duration, Instant};

/// guanxi, whose workers carry what follows.
const LOG: &str = "guanxi, carrying log";
/// guanxi, where the writer carries it before its answer.
const SYNC: &str = "guanxi, carrying sync";

/// What guanxi has to reach of the calls per second by hand: the hand-made peer does not speak RPC, and has no rules.
const SHARE_MIN: f64 = 0.77;

/// What is asked, in this order.
const OPERATIONS: [Operation; 4] =
    [Operation::Write, Operation::Following, Operation::Followers, Operation::Check];

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
    /// Schemas of each cluster
    #[arg(long, default_value_t = 64)]
    schemas: u32,
    /// How many databases the clusters have
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4])]
    databases: Vec<usize>,
    /// Rounds, systems in turn; medians are reported
    #[arg(long, default_value_t = 5)]
    rounds: u64,
    /// Seconds of load that count, per system and round
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Follows of which it is noted when the other side has them
    #[arg(long, default_value_t = 300)]
    carried: usize,
    /// A small graph and short rounds: whether it works, not how fast
    #[arg(long)]
    quick: bool,
}

/// A graph that is loaded everywhere.
struct World {
    graph: FollowGraph,
    index: Index,
}

/// Measures clusters.
///
/// # Errors
/// When a system cannot be started, answers wrongly, or fails a call.
pub(crate) fn main(options: &Options, common: &Common) -> Result<Finding, String> {
    let options = options.settled();
    let session = Run::begin(common, true)?;
    let graph = FollowGraph::generate(options.users, 1);
    let world = World { index: Index::of(&graph), graph };
    let mut rows = Vec::new();
    for (nth, databases) in options.databases.iter().enumerate() {
        let name = format!("databases-{databases}");
        let place = Place { dir: session.place.sub(&name)?, ..session.place.clone() };
        let on_place = OnPlace { options: &options, world: &world, place: &place, databases: *databases };
        rows.extend(on_place.measure(common, nth == 0)?);
        // Every file that stays goes with the run's directory.
        let _stays = std::fs::remove_dir_all(&place.dir);
    }
    Ok(Finding {
        title: "A cluster".to_owned(),
        how: format!(
            "{} users, {} follows, {} schemas; {} rounds of {} s, systems in turn, medians; {} callers, and one alone. All \
             servers share a core: PostgreSQL, and guanxi with its RPC. By hand, prepared statements go to the same \
             PostgreSQL without RPC and rules: both edges, both counters, the limit, the request id and one row of a log, in \
             two transactions. Every write has a request id. Databases are of one server, so more of them show what they \
             cost, not what they bring.",
            options.users,
            world.graph.edges.len(),
            options.schemas,
            options.rounds,
            options.seconds,
            options.connections,
        ),
        rows,
    })
}

impl Options {
    fn settled(&self) -> Self {
        if !self.quick {
            return self.clone();
        }
        Self {
            users: self.users.min(1_000),
            connections: self.connections.min(8),
            schemas: self.schemas.min(4),
            rounds: 1,
            seconds: self.seconds.min(0.3),
            carried: self.carried.min(10),
            ..self.clone()
        }
    }

    fn plan(&self, connections: usize) -> Plan {
        let measure = Duration::from_secs_f64(self.seconds);
        Plan { connections, warm_up: measure / 4, measure, rate: None }
    }

    /// Units that a system does not come to in a round: a write that is repeated changes nothing.
    fn units(&self, connections: usize) -> usize {
        const PER_S: f64 = 12_000.0;
        ((self.seconds * 1.25 * PER_S) as usize).max(connections * 4)
    }
}

/// One cluster, in one place.
struct OnPlace<'a> {
    options: &'a Options,
    world: &'a World,
    place: &'a Place,
    databases: usize,
}

/// The system that is measured, and the systems that are paused meanwhile.
struct Entrant<'a> {
    target: Target<'a>,
    member: Option<&'a Member>,
}

impl OnPlace<'_> {
    /// Starts the cluster, compares its answers, and measures it; the first beside the hand-made one, and whole.
    fn measure(&self, common: &Common, is_first: bool) -> Result<Vec<Row>, String> {
        let Self { options, world, place, databases } = *self;
        eprintln!("a cluster of {databases} databases");
        let cluster = Cluster::start(common, place, databases, options.schemas)?;
        let of = |what: &str| format!("{what}, {databases} databases of {} schemas", options.schemas);
        let mut rows = vec![Row::new(&of("laying out"), cluster.init.as_secs_f64(), "s")];
        let log = cluster.serve(place, LOG, "log")?;
        let start = Instant::now();
        cluster.import(place, &log, &world.graph)?;
        let per_s = world.graph.edges.len() as f64 / start.elapsed().as_secs_f64();
        rows.push(Row::new(&of("importing edges over RPC"), per_s, "/s"));
        cluster.settle(place, databases)?;
        let (sync, by_hand) = (cluster.serve(place, SYNC, "sync")?, ByHand::default());
        if is_first {
            by_hand::load(&mut cluster.session(place)?, &world.graph)?;
        }
        let mut entrants = vec![
            Entrant { target: log.target(), member: Some(&log) },
            Entrant { target: sync.target(), member: Some(&sync) },
        ];
        if is_first {
            entrants.push(Entrant { target: cluster.target(by_hand::NAME, &by_hand), member: None });
        }
        for entrant in &entrants {
            self.compare(&entrant.target)?;
        }
        eprintln!("all systems answer as they should");
        for operation in OPERATIONS {
            for connections in [options.connections, 1] {
                rows.extend(self.turns(&entrants, operation, connections, is_first)?);
            }
        }
        for (member, other) in [(&log, &sync), (&sync, &log)] {
            other.pause(true);
            let seen = self.carried(member);
            other.pause(false);
            let seen = seen?;
            let what =
                |figure: &str| of(&format!("{}: seen from the other side, {figure}", member.target().name));
            rows.push(Row::new(&what("p50"), seen.p50_us / 1e3, "ms"));
            rows.push(Row::new(&what("p99"), seen.p99_us / 1e3, "ms").aim(Aim::AtMost(1_000.0)));
        }
        Ok(rows)
    }

    fn draw(&self, operation: Operation, seed: u64, units: usize) -> Workload {
        Workload::draw(&self.world.graph, &self.world.index, operation, seed, units)
    }

    /// What is read must be right before anything is measured.
    fn compare(&self, target: &Target<'_>) -> Result<(), String> {
        OPERATIONS.iter().try_for_each(|operation| target.compare(&self.draw(*operation, 7, 100)))
    }

    /// All rounds of an operation, systems in turn.
    fn turns(
        &self,
        entrants: &[Entrant<'_>],
        operation: Operation,
        connections: usize,
        is_first: bool,
    ) -> Result<Vec<Row>, String> {
        let mut found: Vec<Vec<Figures>> = vec![Vec::new(); entrants.len()];
        for round in 0..self.options.rounds {
            let is_write = operation == Operation::Write;
            let units = if is_write { self.options.units(connections) } else { 4_000.max(connections) };
            let workload = self.draw(operation, 100 + round, units);
            for (entrant, found) in entrants.iter().zip(&mut found) {
                found.push(turn(entrants, entrant, &workload, operation, self.options.plan(connections))?);
            }
        }
        let asked = format!("{}, {connections} callers, {} databases", operation.title(), self.databases);
        let medians = found.iter().map(|found| Figures::median(found).ok_or("no round"));
        let medians = medians.collect::<Result<Vec<_>, _>>()?;
        let mut rows = Vec::new();
        for (entrant, median) in entrants.iter().zip(&medians) {
            let what = |figure: &str| format!("{asked}, {}: {figure}", entrant.target.name);
            rows.push(Row::new(&what("calls per second"), median.per_s, "/s"));
            rows.push(Row::new(&what("p50"), median.latency.p50_us, "us"));
            rows.push(Row::new(&what("p99"), median.latency.p99_us, "us"));
            rows.push(Row::new(&what("CPU per call"), median.server_cpu_us, "us"));
        }
        if let ([log, sync, by_hand], true) = (&*medians, is_first) {
            for (name, median) in [(LOG, log), (SYNC, sync)] {
                let row =
                    Row::new(&format!("{asked}: {name} beside by hand"), median.per_s / by_hand.per_s, "x");
                let is_aim = connections > 1 && (name == LOG || operation == Operation::Write);
                rows.push(if is_aim { row.aim(Aim::AtLeast(SHARE_MIN)) } else { row });
            }
        }
        Ok(rows)
    }

    /// When follows that were answered are seen from the other side without a token.
    fn carried(&self, member: &Member) -> Result<Quantiles, String> {
        let target = member.target();
        let mut line = Line::open(target.address, target.protocol)?;
        let mut latencies = Latencies::default();
        let workload = self.draw(Operation::Write, 900, self.options.carried);
        for unit in workload.calls.chunks(2) {
            let [Call::Follow { a, b }, unfollow] = unit else { continue };
            line.call(&unit[0])?;
            let start = Instant::now();
            while !first_is(&line.call(&Call::Followers { uid: *b })?, *a) {
                if start.elapsed() > SEEN_WAIT_MAX {
                    return Err(format!("{}: {a} was not seen among the followers of {b}", target.name));
                }
            }
            latencies.record(start.elapsed());
            line.call(unfollow)?;
        }
        Ok(latencies.quantiles())
    }
}

/// Whether a page begins with somebody.
fn first_is(answer: &Answer, uid: u64) -> bool {
    matches!(answer, Answer::Page(page) if page.first().is_some_and(|(first, _)| *first == uid))
}

/// One turn of one system; the others stand still.
fn turn(
    all: &[Entrant<'_>],
    entrant: &Entrant<'_>,
    workload: &Workload,
    operation: Operation,
    plan: Plan,
) -> Result<Figures, String> {
    // A process that is paused in the midst of its work would hold its locks.
    wait_quiet(&[entrant.target.beside.unwrap_or(entrant.target.pid)]);
    let prepared = Prepared::new(entrant.target.protocol, workload, operation.unit());
    let others = all.iter().filter(|other| other.target.name != entrant.target.name);
    let others: Vec<&Member> = others.filter_map(|other| other.member).collect();
    others.iter().for_each(|member| member.pause(true));
    let asked = run(&entrant.target, &prepared, plan);
    others.iter().for_each(|member| member.pause(false));
    let figures = asked.map_err(|error| format!("{}: {error}", entrant.target.name))?;
    eprintln!(
        "{:40} {:22} {:>3} {:>8.0}/s  p50 {:>7.0} us  p99 {:>7.0} us  {:>6.1} us CPU",
        operation.title(),
        entrant.target.name,
        plan.connections,
        figures.per_s,
        figures.latency.p50_us,
        figures.latency.p99_us,
        figures.server_cpu_us,
    );
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::postgres::boot;
    use crate::peers::tests::place;

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
