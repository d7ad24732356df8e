//! Several systems in turns.
//!
//! Machines drift, so no system has its figures from another minute than the others: each round measures every
//! system once, and medians over the rounds are reported. Before a measurement the other systems must be quiet.

use crate::load::{Figures, Plan, Prepared, run};
use crate::peers::Target;
use crate::report::{self, Cell};
use crate::{Common, machine};
use guanxi_servers::{SERVER_CORE, pause};
use std::path::Path;
use std::time::{Duration, Instant};

/// Share of one core that the servers may use together and still be called quiet.
const QUIET: f64 = 0.03;
/// How long a system may take to become quiet.
const QUIET_WAIT_MAX: Duration = Duration::from_secs(20);

/// What all comparisons can be told.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Comparison {
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Rounds; medians are reported
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Seconds of load that count, per system and round, and per figure in process
    #[arg(long, default_value_t = 2.0)]
    pub(crate) seconds: f64,
    /// Seconds of load before that
    #[arg(long, default_value_t = 0.5)]
    warm_up: f64,
    /// Little data and short rounds: whether it works, not how fast
    #[arg(long)]
    pub(crate) quick: bool,
    /// Do not write docs and README
    #[arg(long)]
    no_docs: bool,
}

impl Comparison {
    /// The same with what `--quick` changes.
    pub(crate) fn settled(&self) -> Self {
        let mut settled = self.clone();
        if self.quick {
            settled.rounds = self.rounds.min(2);
            settled.seconds = self.seconds.min(0.3);
            settled.warm_up = self.warm_up.min(0.1);
        }
        settled
    }

    /// The plan of one turn; see [`Plan::rate`].
    pub(crate) fn plan(&self, connections: usize, rate: Option<f64>) -> Plan {
        let [warm_up, measure] = [self.warm_up, self.seconds].map(Duration::from_secs_f64);
        Plan { connections, warm_up, measure, rate }
    }

    /// How turns are taken, for the report; `cores` is what it calls who runs where.
    pub(crate) fn configuration(&self, cores: &str) -> [(String, String); 3] {
        let pinned = format!("servers on core {}, load on core {}", SERVER_CORE, machine::CLIENT_CORE);
        [
            ("rounds".to_owned(), format!("{}, systems in turn, medians reported", self.rounds)),
            ("per round".to_owned(), format!("{} s after {} s of warm-up", self.seconds, self.warm_up)),
            (cores.to_owned(), pinned),
        ]
    }

    /// Keeps what was found, and draws it.
    pub(crate) fn keep(
        &self,
        common: &Common,
        name: &str,
        found: &impl serde::Serialize,
    ) -> Result<(), String> {
        report::save(&common.results, name, found)?;
        if self.no_docs { Ok(()) } else { report::draw(&common.results, Path::new(".")) }
    }
}

/// What one system does when its turn comes.
pub(crate) struct Turn<'a, Q> {
    /// The question, in the words of the report.
    asked: Q,
    /// The name of the asked system in the report.
    system: &'static str,
    /// Callers at a time.
    connections: usize,
    /// Calls per second of an open loop.
    rate: Option<f64>,
    take: Box<dyn Fn() -> Result<Figures, String> + 'a>,
}

impl<'a, Q> Turn<'a, Q> {
    /// Calls to a server.
    pub(crate) fn over_the_wire(asked: Q, target: Target<'a>, prepared: Prepared, plan: Plan) -> Self {
        let take = Box::new(move || run(&target, &prepared, plan));
        Self { asked, system: target.name, connections: plan.connections, rate: plan.rate, take }
    }

    /// Calls in this process, one after the other.
    pub(crate) fn in_process(
        asked: Q,
        system: &'static str,
        take: impl Fn() -> Result<Figures, String> + 'a,
    ) -> Self {
        Self { asked, system, connections: 1, rate: None, take: Box::new(take) }
    }
}

/// Measures every system once a round. `pids` must be quiet before a turn; `what` names a question for the terminal.
///
/// # Errors
/// A failed call, or no round.
pub(crate) fn measure<Q: Clone>(
    what: impl Fn(&Q) -> String,
    turns: &[Turn<'_, Q>],
    rounds: usize,
    pids: &[u32],
) -> Result<Vec<Cell<Q>>, String> {
    let mut found: Vec<Vec<Figures>> = vec![Vec::new(); turns.len()];
    for round in 1..=rounds {
        for (turn, found) in turns.iter().zip(&mut found) {
            wait_quiet(pids);
            let figures = (turn.take)().map_err(|error| format!("{}: {error}", turn.system))?;
            progress(&what(&turn.asked), turn, round, &figures);
            found.push(figures);
        }
    }
    let cell = |(turn, rounds): (&Turn<'_, Q>, Vec<Figures>)| {
        Ok(Cell {
            asked: turn.asked.clone(),
            system: turn.system.to_owned(),
            connections: turn.connections,
            rate: turn.rate,
            median: Figures::median(&rounds).ok_or("no round")?,
            rounds,
        })
    };
    turns.iter().zip(found).map(cell).collect()
}

/// Waits until no server works any more: compactions, checkpoints and the like belong to no turn.
pub(crate) fn wait_quiet(pids: &[u32]) {
    let total = || -> Duration { pids.iter().map(|pid| machine::cpu_of_tree(*pid)).sum() };
    let interval = Duration::from_millis(200);
    let deadline = Instant::now() + QUIET_WAIT_MAX;
    loop {
        let before = total();
        pause(interval);
        let busy = total().saturating_sub(before).as_secs_f64() / interval.as_secs_f64();
        if busy <= QUIET {
            return;
        }
        if Instant::now() > deadline {
            eprintln!("the servers are still busy ({:.0} % of a core); going on", busy * 100.0);
            return;
        }
    }
}

fn progress<Q>(what: &str, turn: &Turn<'_, Q>, round: usize, figures: &Figures) {
    let rate = turn.rate.map_or(String::new(), |rate| format!(" at {rate:.0}/s"));
    eprintln!(
        "{what:36} {:18} round {round}{rate}: {:>8.0}/s  p50 {:>7.0} us  p99 {:>7.0} us  {:>6.1} us CPU  server {:>3.0} \
         %  load {:>3.0} %",
        turn.system,
        figures.per_s,
        figures.latency.p50_us,
        figures.latency.p99_us,
        figures.server_cpu_us,
        figures.server_busy * 100.0,
        figures.client_busy * 100.0,
    );
}
