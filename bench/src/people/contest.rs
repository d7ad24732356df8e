//! Questions in turns over all systems: first whether they answer as they should, then how fast.

use super::calls::Question;
use super::in_process::{InProcess, Reach};
use super::options::Options;
use crate::calls::Workload;
use crate::load::Prepared;
use crate::peers::{COMPARED_MAX, Target, guanxi};
use crate::report::{Asked, Cell};
use crate::turns::{self, Turn};

/// Questions that are also asked in an open loop: those with an aim for the tail of an answer.
const OPEN: [Question; 2] = [Question::FriendsOfFriends, Question::Suggestions];

/// The system that answers.
#[derive(Clone, Copy)]
pub(crate) enum Entrant<'a> {
    /// A server.
    Served(Target<'a>),
    /// A store in this process.
    Inside(&'a InProcess, Reach),
}

/// One question to one system.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    /// What.
    pub(crate) question: Question,
    /// The system that is asked.
    pub(crate) entrant: Entrant<'a>,
    /// The calls with their right answers.
    pub(crate) workload: &'a Workload,
}

/// What was found.
#[derive(Default)]
pub(crate) struct Found {
    /// In closed loops.
    pub(crate) closed: Vec<Cell>,
    /// In open loops.
    pub(crate) open: Vec<Cell>,
}

impl<'a> Task<'a> {
    /// The same question to several.
    pub(crate) fn of_all(question: Question, workload: &'a Workload, entrants: &[Entrant<'a>]) -> Vec<Self> {
        entrants.iter().map(|entrant| Task { question, entrant: *entrant, workload }).collect()
    }

    /// Compares the first answers with the right ones.
    pub(crate) fn compare(&self) -> Result<(), String> {
        match self.entrant {
            Entrant::Served(target) => target.compare(self.workload),
            Entrant::Inside(store, reach) => store.compare(self.workload, reach, COMPARED_MAX),
        }
    }

    /// Its turn over some connections; a store in this process is asked by one caller only.
    fn turn(&self, options: &Options, connections: usize, rate: Option<f64>) -> Option<Turn<'a, Asked>> {
        let (asked, workload) = (Asked::Question(self.question), self.workload);
        let plan = options.comparison.plan(connections, rate);
        match self.entrant {
            Entrant::Served(target) => {
                let prepared = Prepared::new(target.protocol, workload, 1);
                Some(Turn::over_the_wire(asked, target, prepared, plan))
            }
            Entrant::Inside(..) if connections > 1 => None,
            Entrant::Inside(store, reach) => {
                let name = if reach == Reach::Counts { guanxi::STORE } else { guanxi::IN_PROCESS };
                Some(Turn::in_process(asked, name, move || store.measure(workload, reach, plan)))
            }
        }
    }
}

/// Checks all systems, then measures every question: over one connection, over several, and some at half of that.
pub(crate) fn run(tasks: &[Task<'_>], options: &Options, pids: &[u32]) -> Result<Found, String> {
    tasks.iter().try_for_each(Task::compare)?;
    eprintln!("all systems answer as they should");
    let measure = |turns: Vec<Turn<'_, Asked>>| {
        let what = |asked: &Asked| asked.title();
        turns::measure(what, &turns, options.comparison.rounds, pids)
    };
    let mut found = Found::default();
    for connections in [1, options.connections] {
        let turns = tasks.iter().filter_map(|task| task.turn(options, connections, None));
        found.closed.extend(measure(turns.collect())?);
    }
    let half = |task: &Task<'_>| {
        let Entrant::Served(target) = task.entrant else { return None };
        let mut cells = found.closed.iter().filter(|cell| cell.connections == options.connections);
        let cell =
            cells.find(|cell| cell.asked == Asked::Question(task.question) && cell.system == target.name)?;
        Some(cell.median.per_s / 2.0)
    };
    let opened = tasks.iter().filter(|task| OPEN.contains(&task.question));
    let turns = opened.filter_map(|task| task.turn(options, options.connections, Some(half(task)?)));
    found.open = measure(turns.collect())?;
    Ok(found)
}
