//! Home pages over the wire, in turns over all systems.

use crate::calls::Workload;
use crate::load::Prepared;
use crate::peers::Target;
use crate::report::{Asked, Cell};
use crate::turns::{self, Comparison, Turn};

/// One system in the comparison.
pub(crate) struct Entrant<'a> {
    /// The system.
    pub(crate) target: Target<'a>,
    /// Whether it holds no more than inboxes: those of the first class's readers, whose pages pass no rule.
    pub(crate) inboxes: bool,
}

/// Right answers for readers of one class.
pub(crate) struct Class {
    /// How many users they follow.
    pub(crate) followees: u32,
    /// With all rules.
    pub(crate) ruled: Workload,
    /// Without any.
    pub(crate) raw: Workload,
}

/// Checks all systems, then measures each class over each number of connections in turns.
pub(crate) fn measure(
    entrants: &[Entrant<'_>],
    classes: &[Class],
    connections: &[usize],
    how: &Comparison,
) -> Result<Vec<Cell>, String> {
    let pids: Vec<u32> = entrants.iter().map(|entrant| entrant.target.pid).collect();
    let mut cells = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        let able = entrants.iter().filter(|entrant| number == 0 || !entrant.inboxes);
        let able: Vec<_> = able
            .map(|entrant| (entrant.target, if entrant.inboxes { &class.raw } else { &class.ruled }))
            .collect();
        able.iter().try_for_each(|(target, workload)| target.compare(workload))?;
        let followees = class.followees;
        eprintln!("{followees} followees: all systems answer as they should");
        for &connections in connections {
            let turns = able.iter().map(|&(target, workload)| {
                let prepared = Prepared::new(target.protocol, workload, 1);
                Turn::over_the_wire(
                    Asked::Followees(followees),
                    target,
                    prepared,
                    how.plan(connections, None),
                )
            });
            let turns: Vec<Turn<'_, _>> = turns.collect();
            let what = format!("home page, {followees} followees, {connections} connections");
            cells.extend(turns::measure(|_| what.clone(), &turns, how.rounds, &pids)?);
        }
    }
    Ok(cells)
}
