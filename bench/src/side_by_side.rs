//! The comparison: guanxi, PostgreSQL and Redis on the same graph, in one run, in turns.

use crate::calls::{Operation, Workload};
use crate::load::Prepared;
use crate::peers::{COMPARED_MAX, Server, Size, bare, guanxi, postgres, redis};
use crate::report::{Asked, Cell, Results, Setup};
use crate::run::{Bench, Place, at_most};
use crate::turns::{self, Rounds, Turn};
use crate::wire::guanxi::token_len;
use crate::wire::postgres::STATEMENTS;
use crate::wire::redis::Layout;
use guanxi_load::graph::{FollowGraph, Index, USERS_DEFAULT};
use std::time::{Duration, Instant};

/// Operations that are also measured in an open loop.
const OPEN: [Operation; 3] = [Operation::Write, Operation::Following, Operation::Check];

/// How the comparison runs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Users of the generated graph
    #[arg(long, default_value_t = USERS_DEFAULT)]
    users: u32,
    /// Connections to each system
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Different calls per operation
    #[arg(long, default_value_t = 20_000)]
    calls: usize,
    /// Only these operations
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Operation::ALL, hide_default_value = true)]
    operations: Vec<Operation>,
    #[command(flatten)]
    rounds: Rounds,
}

impl Bench for Options {
    type Found = Results;
    const NAME: Option<&'static str> = Some("side-by-side");
    const IS_DRAWN: bool = true;

    fn shrink(&mut self) {
        self.rounds.shorten();
        at_most([(&mut self.users, 5_000)]);
        at_most([(&mut self.calls, 1_000)]);
    }

    fn run(&self, place: &Place) -> Result<Results, String> {
        eprintln!("drawing the graph of {} users", self.users);
        let graph = FollowGraph::generate(self.users, self.rounds.seed);
        let index = Index::of(&graph);
        let mut field = Field { world: (&graph, &index), options: self, servers: Vec::new() };
        let (mut setup, mut sizes) = (Setup::new(place), Vec::new());
        field.start(place, &mut setup, &mut sizes)?;
        field.compare()?;
        field.add_bare_call(place, &mut setup)?;
        let closed = field.measure(&self.operations, |_, _| None)?;
        let half = |asked: Asked, system: &str| {
            let mut cells = closed.iter().filter(|cell| cell.asked == asked);
            cells.find(|cell| cell.system == system).map(|cell| cell.median.per_s / 2.0)
        };
        let open: Vec<Operation> = OPEN.into_iter().filter(|op| self.operations.contains(op)).collect();
        let open = field.measure(&open, half)?;
        setup.configuration = configuration(self, &graph, &index);
        Ok(Results { closed, open, sizes, ..Results::new(setup) })
    }
}

fn configuration(options: &Options, graph: &FollowGraph, index: &Index) -> Vec<(String, String)> {
    let mutual = graph.edges.iter().filter(|edge| index.follows(edge.object, edge.subject)).count();
    let mutual = 100.0 * mutual as f64 / graph.edges.len() as f64;
    let (users, follows, seed) = (options.users, graph.edges.len(), options.rounds.seed);
    let graph = format!("{users} users, {follows} follows, {mutual:.0} % of them mutual, seed {seed}");
    let before = [("graph", graph), ("connections", options.connections.to_string())];
    let after = [
        ("different calls per operation", options.calls.to_string()),
        ("drawn by edge", "who follows more is read more often, so that pages are mostly full".to_owned()),
        ("checked", "every answer for errors, one in 64 for its content".to_owned()),
    ];
    let named = |(name, value): (&str, String)| (name.to_owned(), value);
    let turns = options.rounds.configuration("cores, unless said otherwise");
    before.map(named).into_iter().chain(turns).chain(after.map(named)).collect()
}

/// All systems, loaded and serving.
struct Field<'a> {
    world: (&'a FollowGraph, &'a Index),
    options: &'a Options,
    servers: Vec<Server>,
}

impl Field<'_> {
    /// Starts every system and loads the same graph into each.
    fn start(&mut self, place: &Place, setup: &mut Setup, sizes: &mut Vec<Size>) -> Result<(), String> {
        let (graph, index) = self.world;
        let edges = graph.edges.len() as u64;
        let mut add = |server: Server, load| {
            setup.add(&server, load);
            self.servers.push(server);
        };
        eprintln!("guanxi: importing {edges} edges");
        let installation = guanxi::Installation::new(place)?;
        let load = installation.load(graph)?;
        // Blocks of tables would be cached beside the sets, and count as theirs.
        sizes.extend(installation.serve(&["--block-cache-mib", "1"])?.memory_sizes(graph, index)?);
        let running = installation.serve(&[])?;
        sizes.extend(running.disk_sizes(&installation.data, edges)?);
        add(running.server, load);

        eprintln!("PostgreSQL: loading {edges} edges");
        let start = Instant::now();
        let (server, mut session) = postgres::start(place, graph, index, &STATEMENTS)?;
        let load = start.elapsed();
        sizes.extend(postgres::sizes(&mut session, edges)?);
        add(server, load);

        for layout in [Layout::SortedSets, Layout::Hashes] {
            eprintln!("{}: loading {edges} edges", redis::name(layout));
            let start = Instant::now();
            let (server, found) = redis::start(place, graph, index, layout)?;
            sizes.extend(found);
            add(server, start.elapsed());
        }
        Ok(())
    }

    /// Systems that can do an operation, and whether they know the graph.
    fn able(&self, operation: Operation) -> impl Iterator<Item = (&Server, bool)> {
        let hashes = redis::name(Layout::Hashes);
        self.servers.iter().filter_map(move |server| match server.name {
            // Hashes have no order and no intersection.
            name if name == hashes => {
                matches!(operation, Operation::Write | Operation::Check).then_some((server, true))
            }
            bare::NAME => (operation == Operation::Check).then_some((server, false)),
            _ => Some((server, true)),
        })
    }

    fn draw(&self, operation: Operation, seed: u64, count: usize) -> Workload {
        Workload::draw(self.world.0, self.world.1, operation, seed, count)
    }

    /// Asks every system the same and compares the answers with the right ones.
    fn compare(&self) -> Result<(), String> {
        for &operation in &self.options.operations {
            let workload = self.draw(operation, self.options.rounds.seed + 1, COMPARED_MAX);
            self.able(operation).try_for_each(|(server, _)| server.target().compare(&workload))?;
        }
        eprintln!("all systems answer the same");
        Ok(())
    }

    fn add_bare_call(&mut self, place: &Place, setup: &mut Setup) -> Result<(), String> {
        let workload = self.draw(Operation::Check, self.options.rounds.seed, 1_000);
        let guanxi = self.servers.first().ok_or("guanxi is not running")?;
        let reply = guanxi.line()?.exchange(&guanxi.protocol.request(&workload.calls[0]))?;
        let server = bare::start(place, bare::Shape::of(&workload, token_len(&reply)?))?;
        setup.add(&server, Duration::ZERO);
        self.servers.push(server);
        Ok(())
    }

    /// Measures operations in turns over all systems. `rate` gives the rate of an open loop.
    fn measure(
        &self,
        operations: &[Operation],
        rate: impl Fn(Asked, &str) -> Option<f64>,
    ) -> Result<Vec<Cell<Asked>>, String> {
        let Options { rounds, connections, calls, .. } = self.options;
        let pids: Vec<u32> = self.servers.iter().map(|server| server.process.pid()).collect();
        let mut cells = Vec::new();
        for &operation in operations {
            let workload = self.draw(operation, rounds.seed, *calls);
            let asked = Asked::Operation(operation);
            let turns = self.able(operation).map(|(server, knows)| {
                let rate = rate(asked, server.name);
                let prepared = Prepared::new(&*server.protocol, &workload, operation.unit());
                let prepared = if knows { prepared } else { prepared.without_answers() };
                let plan = rounds.plan(*connections, rate);
                Turn::over_the_wire(asked, server.target(), prepared, plan)
            });
            let turns: Vec<Turn<'_, _>> = turns.collect();
            cells.extend(turns::measure(|asked| asked.title(), &turns, rounds.rounds, &pids)?);
        }
        Ok(cells)
    }
}
