//! The comparison: guanxi, PostgreSQL and Redis on the same graph, in one run, in turns.

use crate::calls::{Operation, Workload};
use crate::load::Prepared;
use crate::peers::{Place, Server, Size, bare, guanxi, postgres, redis};
use crate::report::{Asked, Cell, Results, Setup};
use crate::turns::{self, Comparison, Turn};
use crate::wire::guanxi::token_len;
use crate::wire::postgres::STATEMENTS;
use crate::wire::redis::Layout;
use guanxi_load::graph::{FollowGraph, Index, USERS_DEFAULT};
use std::time::{Duration, Instant};

/// Units of each operation that are compared between all systems before anything is measured.
const COMPARED: usize = 200;
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
    #[arg(long, value_delimiter = ',')]
    operations: Vec<Operation>,
    #[command(flatten)]
    comparison: Comparison,
}

impl Options {
    fn settled(&self) -> Self {
        let mut options = Self { comparison: self.comparison.settled(), ..self.clone() };
        if options.operations.is_empty() {
            options.operations = Operation::ALL.to_vec();
        }
        if options.comparison.quick {
            options.users = options.users.min(5_000);
            options.calls = options.calls.min(1_000);
        }
        options
    }
}

/// Runs the comparison and writes its results.
///
/// # Errors
/// When a system cannot be started, answers differently, or fails a call.
pub(crate) fn main(options: &Options, common: &crate::Common) -> Result<Results, String> {
    let options = options.settled();
    let run = crate::Run::begin(common, true)?;
    eprintln!("drawing the graph of {} users", options.users);
    let graph = FollowGraph::generate(options.users, options.comparison.seed);
    let index = Index::of(&graph);
    let mut field = Field::start(&run.place, common, &graph, &index)?;
    field.compare(&graph, &index, &options)?;
    field.add_bare_call(&run.place, &graph, &index, &options)?;

    let closed = field.measure(&graph, &index, &options, &options.operations, |_, _| None)?;
    let half = |asked: Asked, system: &str| {
        let found = closed.iter().find(|cell| cell.asked == asked && cell.system == system);
        found.map(|cell| cell.median.per_s / 2.0)
    };
    let open: Vec<Operation> = OPEN.into_iter().filter(|op| options.operations.contains(op)).collect();
    let open = field.measure(&graph, &index, &options, &open, half)?;
    field.setup.configuration = configuration(&options, &graph, &index);
    let results = Results { closed, open, sizes: field.sizes, ..Results::new(field.setup) };
    options.comparison.keep(common, "side-by-side", &results)?;
    Ok(results)
}

fn configuration(options: &Options, graph: &FollowGraph, index: &Index) -> Vec<(String, String)> {
    let mutual = graph.edges.iter().filter(|edge| index.follows(edge.object, edge.subject)).count();
    let mutual = 100.0 * mutual as f64 / graph.edges.len() as f64;
    let (users, follows, seed) = (options.users, graph.edges.len(), options.comparison.seed);
    let graph = format!("{users} users, {follows} follows, {mutual:.0} % of them mutual, seed {seed}");
    let before = [("graph", graph), ("connections", options.connections.to_string())];
    let after = [
        ("different calls per operation", options.calls.to_string()),
        ("drawn by edge", "who follows more is read more often, so that pages are mostly full".to_owned()),
        ("checked", "every answer for errors, one in 64 for its content".to_owned()),
    ];
    let named = |(name, value): (&str, String)| (name.to_owned(), value);
    let turns = options.comparison.configuration("cores, unless said otherwise");
    before.map(named).into_iter().chain(turns).chain(after.map(named)).collect()
}

/// All systems, loaded and serving.
struct Field {
    servers: Vec<Server>,
    setup: Setup,
    sizes: Vec<Size>,
}

impl Field {
    /// Starts every system and loads the same graph into each.
    fn start(
        place: &Place,
        common: &crate::Common,
        graph: &FollowGraph,
        index: &Index,
    ) -> Result<Self, String> {
        let setup = Setup::new(&place.dir, place.pinned);
        let mut field = Self { servers: Vec::new(), setup, sizes: Vec::new() };
        let edges = graph.edges.len() as u64;

        eprintln!("guanxi: importing {edges} edges");
        let installation = guanxi::Installation::new(&common.guanxi, place)?;
        let load = installation.load(place, graph)?;
        // Blocks of tables would be cached beside the sets, and count as theirs.
        let small = installation.serve_with(place, &["--block-cache-mib", "1"])?;
        field.sizes.extend(small.memory_sizes(graph, index)?);
        drop(small);
        let running = installation.serve(place)?;
        field.sizes.extend(running.disk_sizes(&installation.data, edges)?);
        field.add(running.server, load);

        eprintln!("PostgreSQL: loading {edges} edges");
        let start = Instant::now();
        let (server, mut session) = postgres::start(place, graph, index, &STATEMENTS)?;
        let load = start.elapsed();
        field.sizes.extend(postgres::sizes(&mut session, edges)?);
        field.add(server, load);

        for layout in [Layout::SortedSets, Layout::Hashes] {
            eprintln!("{}: loading {edges} edges", redis::name(layout));
            let start = Instant::now();
            let (server, sizes) = redis::start(place, graph, index, layout)?;
            field.sizes.extend(sizes);
            field.add(server, start.elapsed());
        }
        Ok(field)
    }

    fn add(&mut self, server: Server, load: Duration) {
        self.setup.add(&server, load);
        self.servers.push(server);
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

    /// Asks every system the same and compares the answers with the right ones.
    fn compare(&self, graph: &FollowGraph, index: &Index, options: &Options) -> Result<(), String> {
        for &operation in &options.operations {
            let workload = Workload::draw(graph, index, operation, options.comparison.seed + 1, COMPARED);
            for (server, _) in self.able(operation) {
                server.target().compare(&workload)?;
            }
        }
        eprintln!("all systems answer the same");
        Ok(())
    }

    fn add_bare_call(
        &mut self,
        place: &Place,
        graph: &FollowGraph,
        index: &Index,
        options: &Options,
    ) -> Result<(), String> {
        let workload = Workload::draw(graph, index, Operation::Check, options.comparison.seed, 1_000);
        let guanxi = self.servers.first().ok_or("guanxi is not running")?;
        let mut line = guanxi.line()?;
        let reply = line.exchange(&guanxi.protocol.request(&workload.calls[0]))?;
        let server = bare::start(place, bare::Shape::of(&workload, token_len(&reply)?))?;
        self.add(server, Duration::ZERO);
        Ok(())
    }

    /// Measures operations in turns over all systems. `rate` gives the rate of an open loop.
    fn measure(
        &self,
        graph: &FollowGraph,
        index: &Index,
        options: &Options,
        operations: &[Operation],
        rate: impl Fn(Asked, &str) -> Option<f64>,
    ) -> Result<Vec<Cell>, String> {
        let pids: Vec<u32> = self.servers.iter().map(|server| server.process.pid()).collect();
        let mut cells = Vec::new();
        for &operation in operations {
            let workload = Workload::draw(graph, index, operation, options.comparison.seed, options.calls);
            let asked = Asked::Operation(operation);
            let turns = self.able(operation).map(|(server, knows)| {
                let rate = rate(asked, server.name);
                let prepared = Prepared::new(&*server.protocol, &workload, operation.unit());
                let prepared = if knows { prepared } else { prepared.without_answers() };
                let plan = options.comparison.plan(options.connections, rate);
                Turn::over_the_wire(asked, server.target(), prepared, plan)
            });
            let turns: Vec<Turn<'_, _>> = turns.collect();
            cells.extend(turns::measure(
                |_| operation.title().to_owned(),
                &turns,
                options.comparison.rounds,
                &pids,
            )?);
        }
        Ok(cells)
    }
}
