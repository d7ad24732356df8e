//! Several systems in turns.
//!
//! Machines drift, so no system has its figures from another minute than the others: each round measures every
//! system once, and medians over the rounds are reported. Before a measurement the other systems must be quiet.

use crate::load::{Figures, Plan, Prepared, Target, median, run};
use crate::machine;
use crate::process::pause;
use std::fmt::Debug;
use std::time::{Duration, Instant};

/// Share of one core that the servers may use together and still be called quiet.
const QUIET: f64 = 0.03;
/// How long a system may take to become quiet.
const QUIET_WAIT_MAX: Duration = Duration::from_secs(20);

/// What one system does when its turn comes.
pub(crate) struct Turn<'a, C, A> {
    /// What the report calls it.
    pub(crate) system: &'static str,
    /// Where it is.
    pub(crate) target: Target<'a, C, A>,
    /// What it is asked.
    pub(crate) prepared: Prepared<C, A>,
    /// How fast.
    pub(crate) plan: Plan,
}

/// Measures every system once a round; returns the median and the rounds of each. `pids` must be quiet before a turn.
///
/// # Errors
/// A failed call, or no round.
pub(crate) fn measure<C: Debug, A: Debug + PartialEq>(
    what: &str,
    turns: &[Turn<'_, C, A>],
    rounds: usize,
    pids: &[u32],
) -> Result<Vec<(Figures, Vec<Figures>)>, String> {
    let mut found: Vec<Vec<Figures>> = vec![Vec::new(); turns.len()];
    for round in 1..=rounds {
        for (turn, found) in turns.iter().zip(&mut found) {
            wait_quiet(pids);
            let figures = run(&turn.target, &turn.prepared, turn.plan)
                .map_err(|error| format!("{}: {error}", turn.system))?;
            progress(what, turn, round, &figures);
            found.push(figures);
        }
    }
    found.into_iter().map(|rounds| Ok((median(&rounds).ok_or("no round")?, rounds))).collect()
}

/// Waits until no server works any more: compactions, checkpoints and the like belong to nobody's turn.
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

fn progress<C, A>(what: &str, turn: &Turn<'_, C, A>, round: usize, figures: &Figures) {
    let rate = turn.plan.rate.map_or(String::new(), |rate| format!(" at {rate:.0}/s"));
    eprintln!(
        "{what:36} {:18} round {round}{rate}: {:>8.0}/s  p50 {:>7.0} us  p99 {:>7.0} us  {:>6.1} us CPU  server {:>3.0} \
         %  load {:>3.0} %",
        turn.system,
        figures.per_s,
        figures.p50_us,
        figures.p99_us,
        figures.server_cpu_us,
        figures.server_busy * 100.0,
        figures.client_busy * 100.0,
    );
}
