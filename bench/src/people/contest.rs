//! Questions in turns over all systems: first whether they answer as they should, then how fast.

use super::calls::Question;
use super::in_process::{InProcess, Reach};
use crate::calls::Workload;
use crate::load::Prepared;
use crate::peers::{COMPARED_MAX, Target, guanxi};
use crate::report::{Asked, Results};
use crate::turns::{self, Rounds, Turn};

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
    fn turn(&self, rounds: &Rounds, connections: usize, rate: Option<f64>) -> Option<Turn<'a, Asked>> {
        let (asked, workload) = (Asked::Question(self.question), self.workload);
        let plan = rounds.plan(connections, rate);
        match self.entrant {
            Entrant::Served(target) => {
                let prepared = Prepared::new(target.protocol, workload, 1);
                Some(Turn::over_the_wire(asked, target, prepared, plan))
            }
            Entrant::Inside(..) if connections > 1 => None,
            Entrant::Inside(store, reach) => {
                let name = if reach == Reach::Counts { guanxi::STORE } else { guanxi::IN_PROCESS };
                Some(Turn::new(asked, name, plan, move |_| store.measure(workload, reach, plan)))
            }
        }
    }
}

/// What all questions share.
pub(super) struct Contest<'a> {
    pub(super) rounds: &'a Rounds,
    /// Connections beside one alone.
    pub(super) connections: usize,
    /// Servers that must be quiet before a turn.
    pub(super) pids: [u32; 2],
    /// Where findings go.
    pub(super) results: &'a mut Results,
}

impl Contest<'_> {
    /// Checks all systems, then measures every question: over one connection, over several, and some at half of that.
    pub(super) fn run(self, tasks: &[Task<'_>]) -> Result<(), String> {
        let Contest { rounds, connections, pids, results } = self;
        tasks.iter().try_for_each(Task::compare)?;
        eprintln!("all systems answer as they should");
        let measure =
            |turns: Vec<Turn<'_, Asked>>| turns::measure(|asked| asked.title(), &turns, rounds.rounds, &pids);
        for connections in [1, connections] {
            let turns = tasks.iter().filter_map(|task| task.turn(rounds, connections, None));
            results.closed.extend(measure(turns.collect())?);
        }
        let half = |task: &Task<'_>| {
            let Entrant::Served(target) = task.entrant else { return None };
            Some(results.per_s(Asked::Question(task.question), target.name, connections)? / 2.0)
        };
        let opened = tasks.iter().filter(|task| OPEN.contains(&task.question));
        let turns = opened.filter_map(|task| task.turn(rounds, connections, Some(half(task)?)));
        let open = measure(turns.collect())?;
        results.open.extend(open);
        Ok(())
    }
}
