//! What the comparison found.

use crate::report::{Cell, Setup};
use std::collections::BTreeSet;

/// How guanxi is named in the report where it is not asked over the wire.
pub(crate) mod system {
    /// All of an answer, in the process of the store.
    pub(crate) const IN_PROCESS: &str = "guanxi, in process";
    /// The store's own part of it.
    pub(crate) const STORE: &str = "guanxi, store alone, in process";
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Question {
    /// Friends of friends of viewers who follow 75 who follow 75.
    SmallCircle,
    /// The same of 300 who follow 300.
    LargeCircle,
    /// Suggestions for all reasons to the first.
    SmallSuggestions,
    /// The same to the second.
    LargeSuggestions,
    /// A page of 5,000 followings by affinity.
    ByAffinity,
    /// Friends of friends in the graph of seed 000.
    FriendsOfFriends,
    /// Suggestions for all reasons there.
    Suggestions,
    /// Home pages of readers who follow 500.
    Home,
    /// Pages of a group of the users whom the reader follows.
    Group,
    /// Pages of a group of others.
    GroupOfOthers,
}

impl Question {
    /// All of them, in the order of the report.
    pub(crate) const ALL: [Self; 10] = [
        Self::SmallCircle,
        Self::LargeCircle,
        Self::SmallSuggestions,
        Self::LargeSuggestions,
        Self::FriendsOfFriends,
        Self::Suggestions,
        Self::Home,
        Self::Group,
        Self::GroupOfOthers,
        Self::ByAffinity,
    ];

    /// What the report calls it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::SmallCircle => "friends of friends, 75 x 75",
            Self::LargeCircle => "friends of friends, 300 x 300",
            Self::SmallSuggestions => "20 suggestions, 75 x 75",
            Self::LargeSuggestions => "20 suggestions, 300 x 300",
            Self::ByAffinity => "5,000 followings by affinity, a page of 50",
            Self::FriendsOfFriends => "friends of friends, graph",
            Self::Suggestions => "20 suggestions, graph",
            Self::Home => "home of 500 followings",
            Self::Group => "group of 500 followings",
            Self::GroupOfOthers => "group of 500 others",
        }
    }
}

/// A question, and how it was asked.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Asked {
    /// What.
    pub(crate) question: Question,
    /// Calls per second that were sent, in an open loop.
    pub(crate) rate: Option<f64>,
}

/// Everything that a run found.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct PeopleResults {
    /// Where, how and what.
    #[serde(flatten)]
    pub(crate) setup: Setup,
    /// As fast as each can: over some connections, or one call after the other in process.
    pub(crate) closed: Vec<Cell<Asked>>,
    /// At half of that.
    pub(crate) open: Vec<Cell<Asked>>,
}

impl PeopleResults {
    /// Over how many connections systems were asked in closed loops, the fewest first.
    pub(crate) fn connections(&self) -> BTreeSet<usize> {
        self.closed.iter().map(|cell| cell.connections).collect()
    }

    /// The cells of a question in a closed loop over so many connections.
    pub(crate) fn of(&self, question: Question, connections: usize) -> impl Iterator<Item = &Cell<Asked>> {
        let cells = self.closed.iter();
        cells.filter(move |cell| cell.asked.question == question && cell.connections == connections)
    }

    /// The one of a system.
    pub(crate) fn closed(
        &self,
        question: Question,
        system: &str,
        connections: usize,
    ) -> Option<&Cell<Asked>> {
        self.of(question, connections).find(|cell| cell.system == system)
    }

    /// The cell of a question in an open loop.
    pub(crate) fn open(&self, question: Question, system: &str) -> Option<&Cell<Asked>> {
        self.open.iter().find(|cell| cell.asked.question == question && cell.system == system)
    }

    /// Calls per second of PostgreSQL, by the fastest of its queries.
    pub(crate) fn postgres(&self, question: Question, connections: usize) -> Option<f64> {
        let cells = self.of(question, connections).filter(|cell| is_postgres(&cell.system));
        cells.map(|cell| cell.median.per_s).max_by(f64::total_cmp)
    }
}

/// Whether a system is PostgreSQL, with any query.
pub(crate) fn is_postgres(system: &str) -> bool {
    system.starts_with(crate::peers::postgres::NAME)
}
