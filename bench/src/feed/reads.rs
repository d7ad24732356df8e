//! Home pages over the wire, in turns over all systems.

use super::results::Cell;
use crate::load::{Plan, Prepared, Target};
use crate::peers;
use crate::turns::{self, Turn};
use crate::wire::home::{Home, HomeProtocol, HomeWorkload, Ids};
use std::net::SocketAddr;
use std::time::Duration;

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
        peers::compare(self.name, self.address, self.protocol, workload)
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
            let turns: Vec<Turn<'_, _, _>> = able
                .iter()
                .map(|entrant| Turn {
                    system: entrant.name,
                    target: entrant.target(),
                    prepared: Prepared::new(entrant.protocol, workload(entrant), 1),
                    plan,
                })
                .collect();
            let what = format!("home page, {} followees, {connections} connections", class.followees);
            let found = turns::measure(&what, &turns, how.rounds, &pids)?;
            cells.extend(turns.iter().zip(found).map(|(turn, (median, rounds))| Cell {
                followees: class.followees,
                system: turn.system.to_owned(),
                connections,
                median,
                rounds,
            }));
        }
    }
    Ok(cells)
}
