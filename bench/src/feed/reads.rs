//! Home pages over the wire, in turns over all systems.

use super::results::Cell;
use crate::load::{Figures, Plan, Prepared, Target, median, run};
use crate::side_by_side::wait_quiet;
use crate::wire::blocking::Line;
use crate::wire::home::{Home, HomeProtocol, HomeWorkload, Ids};
use std::net::SocketAddr;
use std::time::Duration;

/// Calls of each workload that are compared with the right answers before anything is measured.
const COMPARED: usize = 200;

/// One system in the comparison.
pub(crate) struct Entrant<'a> {
    /// What the report calls it.
    pub(crate) name: &'static str,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// What it speaks.
    pub(crate) protocol: &'a HomeProtocol,
    /// Its process.
    pub(crate) pid: u32,
    /// Whether its pages pass the rules; if not, the right pages are those without rules.
    pub(crate) rules: bool,
    /// Whether it reads only the first class: inboxes are of its readers.
    pub(crate) first_class_only: bool,
}

impl Entrant<'_> {
    fn target(&self) -> Target<'_, Home, Ids> {
        Target { address: self.address, protocol: self.protocol, pid: self.pid }
    }

    fn compare(&self, workload: &HomeWorkload) -> Result<(), String> {
        let mut line = Line::ready(self.address, self.protocol)?;
        for (call, right) in workload.calls.iter().zip(&workload.answers).take(COMPARED) {
            let answer = line.call(call).map_err(|error| format!("{}: {call:?}: {error}", self.name))?;
            if answer != *right {
                return Err(format!("{} answers {call:?} with\n{answer:?} instead of\n{right:?}", self.name));
            }
        }
        Ok(())
    }
}

/// Right answers for readers of one class.
pub(crate) struct Class {
    /// Whom they follow.
    pub(crate) followees: u32,
    /// With all rules.
    pub(crate) ruled: HomeWorkload,
    /// Without any.
    pub(crate) raw: HomeWorkload,
}

/// How pages are measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// Rounds; medians are reported.
    pub(crate) rounds: usize,
    /// Time that counts.
    pub(crate) time: Duration,
    /// Time before that.
    pub(crate) warm_up: Duration,
}

/// Checks all systems, then measures each class over each number of connections in turns.
pub(crate) fn measure(
    entrants: &[Entrant<'_>],
    classes: &[Class],
    connections: &[usize],
    how: Measure,
) -> Result<Vec<Cell>, String> {
    let pids: Vec<u32> = entrants.iter().map(|entrant| entrant.pid).collect();
    let mut cells = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        let able: Vec<&Entrant<'_>> =
            entrants.iter().filter(|entrant| number == 0 || !entrant.first_class_only).collect();
        let workload = |entrant: &Entrant<'_>| if entrant.rules { &class.ruled } else { &class.raw };
        able.iter().try_for_each(|entrant| entrant.compare(workload(entrant)))?;
        eprintln!("{} followees: all systems answer as they should", class.followees);
        for &connections in connections {
            let plan = Plan { connections, warm_up: how.warm_up, measure: how.time, rate: None };
            let mut rounds: Vec<Vec<Figures>> = vec![Vec::new(); able.len()];
            for round in 1..=how.rounds {
                for (entrant, rounds) in able.iter().zip(&mut rounds) {
                    wait_quiet(&pids);
                    let prepared = Prepared::new(entrant.protocol, workload(entrant), 1);
                    let figures = run(&entrant.target(), &prepared, plan)
                        .map_err(|error| format!("{}: {error}", entrant.name))?;
                    progress(class.followees, entrant.name, connections, round, &figures);
                    rounds.push(figures);
                }
            }
            for (entrant, rounds) in able.iter().zip(rounds) {
                let median = median(&rounds).ok_or("no round")?;
                let system = entrant.name.to_owned();
                cells.push(Cell { followees: class.followees, system, connections, median, rounds });
            }
        }
    }
    Ok(cells)
}

fn progress(followees: u32, system: &str, connections: usize, round: usize, figures: &Figures) {
    eprintln!(
        "home page, {followees:>5} followees, {connections:>2} connections, {system:18} round {round}: {:>8.0}/s  p50 \
         {:>7.0} us  p99 {:>7.0} us  {:>6.1} us CPU  server {:>3.0} %  load {:>3.0} %",
        figures.per_s,
        figures.p50_us,
        figures.p99_us,
        figures.server_cpu_us,
        figures.server_busy * 100.0,
        figures.client_busy * 100.0,
    );
}
