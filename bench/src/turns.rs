//! Several systems in turns.
//!
//! Machines drift, so no system has its figures from another minute than the others: each round measures every
//! system once, and medians over the rounds are reported. Before a measurement the other systems must be quiet.

use crate::calls::Workload;
use crate::load::{Figures, Plan, Prepared, run};
use crate::machine;
use crate::peers::Target;
use crate::report::{Cell, Row};
use guanxi_servers::{SERVER_CORE, pause};
use std::time::{Duration, Instant};

/// Share of one core that the servers may use together and still be called quiet.
const QUIET: f64 = 0.03;
/// How long a system may take to become quiet.
const QUIET_WAIT_MAX: Duration = Duration::from_secs(20);

/// How often and how long systems are measured.
#[derive(Clone, Debug, clap::Args)]
#[expect(clippy::struct_field_names, reason = "the option is called so")]
pub(crate) struct Rounds {
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Rounds, systems in turn; medians are reported
    #[arg(long, default_value = "5", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub(crate) rounds: usize,
    /// Seconds of load that count, per system and round, and per figure in process
    #[arg(long, default_value = "2")]
    pub(crate) seconds: f64,
    /// Seconds of load before that [default: a quarter of it]
    #[arg(long)]
    warm_up: Option<f64>,
}

impl Rounds {
    /// Makes the rounds short: whether it works, not how fast.
    pub(crate) fn shorten(&mut self) {
        self.rounds = self.rounds.min(2);
        self.seconds = self.seconds.min(0.3);
        self.warm_up = self.warm_up.map(|warm_up| warm_up.min(0.1));
    }

    /// The time that counts.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    fn warm_up(&self) -> f64 {
        self.warm_up.unwrap_or(self.seconds / 4.0)
    }

    /// The plan of one turn; see [`Plan::rate`].
    pub(crate) fn plan(&self, connections: usize, rate: Option<f64>) -> Plan {
        let warm_up = Duration::from_secs_f64(self.warm_up());
        Plan { connections, warm_up, measure: self.time(), rate }
    }

    /// How turns are taken, for the report; `cores` is what it calls who runs where.
    pub(crate) fn configuration(&self, cores: &str) -> [(String, String); 3] {
        let pinned = format!("servers on core {}, load on core {}", SERVER_CORE, machine::CLIENT_CORE);
        [
            ("rounds".to_owned(), format!("{}, systems in turn, medians reported", self.rounds)),
            ("per round".to_owned(), format!("{} s after {} s of warm-up", self.seconds, self.warm_up())),
            (cores.to_owned(), pinned),
        ]
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
    take: Box<dyn Fn(usize) -> Result<Figures, String> + 'a>,
}

impl<'a, Q> Turn<'a, Q> {
    /// Calls to a server.
    pub(crate) fn over_the_wire(asked: Q, target: Target<'a>, prepared: Prepared, plan: Plan) -> Self {
        Self::new(asked, target.name, plan, move |_| run(&target, &prepared, plan))
    }

    /// Calls to a server that are drawn anew for each round, of which so many belong together: a write that is repeated
    /// changes nothing.
    pub(crate) fn drawn(
        asked: Q,
        target: Target<'a>,
        unit: usize,
        plan: Plan,
        draw: impl Fn(usize) -> Workload + 'a,
    ) -> Self {
        let take = move |round| run(&target, &Prepared::new(target.protocol, &draw(round), unit), plan);
        Self::new(asked, target.name, plan, take)
    }

    /// Anything that makes figures, as often as there are rounds.
    pub(crate) fn new(
        asked: Q,
        system: &'static str,
        plan: Plan,
        take: impl Fn(usize) -> Result<Figures, String> + 'a,
    ) -> Self {
        Self { asked, system, connections: plan.connections, rate: plan.rate, take: Box::new(take) }
    }

    /// The same while others are paused.
    pub(crate) fn while_paused(self, pause: impl Fn(bool) + 'a) -> Self {
        let take = move |round| {
            pause(true);
            let figures = (self.take)(round);
            pause(false);
            figures
        };
        Self { take: Box::new(take), ..self }
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
            let figures = (turn.take)(round).map_err(|error| format!("{}: {error}", turn.system))?;
            let (what, rate) = (what(&turn.asked), turn.rate);
            let rate = rate.map_or(String::new(), |rate| format!(" at {rate:.0}/s"));
            eprintln!("{what:36} {:18} round {round}{rate}: {figures}", turn.system);
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

/// Calls per second, p99 and CPU of each system, and what guanxi has beside PostgreSQL where both do the same.
pub(crate) fn rows<Q>(title: &str, cells: &[Cell<Q>], are_alike: bool) -> Vec<Row> {
    let mut rows: Vec<Row> = cells.iter().flat_map(|cell| cell.rows(title)).collect();
    if let ([guanxi, postgres], true) = (cells, are_alike) {
        let what = format!("{title}: guanxi's calls per second beside PostgreSQL's");
        rows.push(Row::new(&what, guanxi.median.per_s / postgres.median.per_s, "x"));
    }
    rows
}
