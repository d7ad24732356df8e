//! Positions in the logs, and the consistency tokens that carry them.

mod token;

use crate::error::{Error, Reason, Result};
use crate::id::Uid;
use crate::log::{EventAt, LogId, Logs};
use std::sync::Arc;

/// The identity of a data directory's past. A restore starts a new history, so that tokens from before it are
/// recognised and refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HistoryId(pub u64);

/// A place in the logs of a store: for each log that it names, after one of its events and before the next.
///
/// Positions have no order: of two that name different logs neither includes the other. On one machine there is one
/// log, and a position is one number. With many logs it is sparse: a log that it does not name is asked nothing of.
///
/// Per log it tells what its holder *did* from what it has *seen*. What it did asks for the effects on other shards,
/// too: a follow that one made stands in the other's list of followers. What it has seen asks for that log alone,
/// since what was seen there of other users' acts stands in that log, as echoes. On one machine both are one number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    history: HistoryId,
    marks: Marks,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Marks {
    /// The one log's.
    One(u64),
    /// Those of the named logs, in order of the logs.
    Sparse(Arc<[(LogId, LogMark)]>),
}

/// Where a position stands in one of many logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LogMark {
    /// Events up to this one are included.
    pub seen: u64,
    /// Effects of events up to this one are included everywhere; at most `seen`.
    pub acted: u64,
}

impl LogMark {
    fn join(self, other: Self) -> Self {
        Self { seen: self.seen.max(other.seen), acted: self.acted.max(other.acted) }
    }
}

impl Position {
    /// A place in the one log of one machine.
    pub const fn one(history: HistoryId, seq: u64) -> Self {
        Self { history, marks: Marks::One(seq) }
    }

    /// A place in some of many logs. A log that is given twice is joined.
    pub fn sparse(history: HistoryId, marks: impl IntoIterator<Item = (LogId, LogMark)>) -> Self {
        let mut all: Vec<(LogId, LogMark)> = marks.into_iter().collect();
        all.sort_unstable_by_key(|(log, _)| *log);
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.join(next.1);
            }
            same
        });
        Self { history, marks: Marks::Sparse(all.into()) }
    }

    /// The beginning of every log: names them all, and includes no event.
    pub fn beginning(history: HistoryId, logs: Logs) -> Self {
        match logs {
            Logs::One => Self::one(history, 0),
            Logs::PerGene => Self::sparse(history, logs.all().map(|log| (log, LogMark::default()))),
        }
    }

    /// Returns the position after the event of a write that the holder of the position did.
    pub fn acted(history: HistoryId, logs: Logs, at: EventAt) -> Self {
        match logs {
            Logs::One => Self::one(history, at.seq()),
            Logs::PerGene => Self::sparse(history, [(at.log(), LogMark { seen: at.seq(), acted: at.seq() })]),
        }
    }

    /// After an event that was read.
    pub fn seen(history: HistoryId, logs: Logs, at: EventAt) -> Self {
        match logs {
            Logs::One => Self::one(history, at.seq()),
            Logs::PerGene => Self::sparse(history, [(at.log(), LogMark { seen: at.seq(), acted: 0 })]),
        }
    }

    /// Returns which past it belongs to.
    pub const fn history(&self) -> HistoryId {
        self.history
    }

    /// Returns how the store that it belongs to spreads users over logs.
    pub const fn logs(&self) -> Logs {
        match self.marks {
            Marks::One(_) => Logs::One,
            Marks::Sparse(_) => Logs::PerGene,
        }
    }

    /// The last event of a user's log that is included; the beginning if that log is not named.
    pub fn of(&self, uid: Uid) -> EventAt {
        self.in_log(self.logs().of(uid))
    }

    /// The last event of a log that is included; the beginning if it is not named.
    pub fn in_log(&self, log: LogId) -> EventAt {
        EventAt::new(log, self.mark(log).map_or(0, |mark| mark.seen))
    }

    /// Returns whether the log of a user is named, so that something is asked of it.
    pub fn names(&self, uid: Uid) -> bool {
        self.mark(self.logs().of(uid)).is_some()
    }

    /// The logs that are named, with where the position stands in each.
    pub fn marks(&self) -> impl Iterator<Item = (LogId, LogMark)> + '_ {
        let (one, many): (Option<u64>, &[(LogId, LogMark)]) = match &self.marks {
            Marks::One(seq) => (Some(*seq), &[]),
            Marks::Sparse(marks) => (None, marks),
        };
        let one = one.map(|seq| (LogId(0), LogMark { seen: seq, acted: seq }));
        one.into_iter().chain(many.iter().copied())
    }

    /// Returns how many events are included, of all logs together.
    pub fn event_count(&self) -> u64 {
        self.marks().map(|(_, mark)| mark.seen).sum()
    }

    /// Returns whether an event is at or before this position.
    pub fn includes(&self, at: EventAt) -> bool {
        !at.is_after(self.in_log(at.log()))
    }

    /// Returns whether every event of `other` is included. Not a total order: neither of two positions may include
    /// the other.
    pub fn covers(&self, other: &Self) -> bool {
        match (&self.marks, &other.marks) {
            (Marks::One(mine), Marks::One(theirs)) => mine >= theirs,
            _ => other.marks().all(|(log, theirs)| self.mark(log).unwrap_or_default().seen >= theirs.seen),
        }
    }

    /// Takes in what another position of the same store includes.
    pub fn join(&mut self, other: &Self) {
        debug_assert!(
            self.history == other.history && self.logs() == other.logs(),
            "{self:?} and {other:?} are of two stores"
        );
        match (&mut self.marks, &other.marks) {
            (Marks::One(mine), Marks::One(theirs)) => *mine = (*mine).max(*theirs),
            (Marks::Sparse(mine), Marks::Sparse(theirs)) => {
                if Arc::ptr_eq(mine, theirs) || theirs.is_empty() {
                    return;
                }
                *mine = merged(mine, theirs);
            }
            // Of two stores: the backend refuses the other one's history, so nothing of it is kept.
            _ => {}
        }
    }

    /// This position and another one, if there is one to join.
    #[must_use]
    pub fn joined(mut self, other: Option<&Self>) -> Self {
        if let Some(other) = other {
            self.join(other);
        }
        self
    }

    /// The same position one event further in a log.
    #[must_use]
    pub fn after(&self, at: EventAt) -> Self {
        let further = Self::seen(self.history, self.logs(), at);
        self.clone().joined(Some(&further))
    }

    /// The same position some events before in each log that it names, or at the log's beginning.
    #[must_use]
    pub fn back(&self, events: u64) -> Self {
        let back = |mark: &LogMark| {
            let seen = mark.seen.saturating_sub(events);
            LogMark { seen, acted: mark.acted.min(seen) }
        };
        match &self.marks {
            Marks::One(seq) => Self::one(self.history, seq.saturating_sub(events)),
            Marks::Sparse(marks) => {
                Self::sparse(self.history, marks.iter().map(|(log, mark)| (*log, back(mark))))
            }
        }
    }

    /// Returns what it says of some logs alone.
    #[must_use]
    pub fn only(&self, logs: impl Fn(LogId) -> bool) -> Self {
        match &self.marks {
            Marks::One(_) => self.clone(),
            Marks::Sparse(marks) => {
                Self::sparse(self.history, marks.iter().copied().filter(|(log, _)| logs(*log)))
            }
        }
    }

    fn mark(&self, log: LogId) -> Option<LogMark> {
        match &self.marks {
            Marks::One(seq) => (log == LogId(0)).then_some(LogMark { seen: *seq, acted: *seq }),
            Marks::Sparse(marks) => {
                marks.binary_search_by_key(&log, |(log, _)| *log).ok().map(|index| marks[index].1)
            }
        }
    }

    /// Joins positions that came in one request.
    ///
    /// # Errors
    /// [`Reason::TokenFromOtherHistory`] when they are of two stores.
    fn try_join(&mut self, other: &Self) -> Result<()> {
        if self.history != other.history || self.logs() != other.logs() {
            return Err(Error::new(Reason::TokenFromOtherHistory));
        }
        self.join(other);
        Ok(())
    }
}

/// The marks of two positions, each in the order of the logs.
fn merged(mine: &[(LogId, LogMark)], theirs: &[(LogId, LogMark)]) -> Arc<[(LogId, LogMark)]> {
    let (mut mine, mut theirs) = (mine.iter().copied().peekable(), theirs.iter().copied().peekable());
    let next = || match (mine.peek(), theirs.peek()) {
        (Some((my_log, my_mark)), Some((their_log, their_mark))) if my_log == their_log => {
            let both = (*my_log, my_mark.join(*their_mark));
            mine.next();
            theirs.next();
            Some(both)
        }
        (Some((my_log, _)), Some((their_log, _))) if my_log < their_log => mine.next(),
        (Some(_), None) => mine.next(),
        _ => theirs.next(),
    };
    std::iter::from_fn(next).collect::<Vec<_>>().into()
}

#[cfg(test)]
mod tests;
