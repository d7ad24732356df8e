//! Documents whose counters are not those of the facts any more.
//!
//! A counter changes with every follow and like, and to write its document each time would cost more than the follow. So an
//! event marks the document, which is written once in a while, with all changes until then. Memory holds a limited number of
//! marks; beyond that limit all documents are written, one by one.

use guanxi_model::Position;
use std::collections::{HashSet, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

/// How long a mark waits before its document is written, in milliseconds: a document is written for its counters once in that time.
pub const REFRESH_MS: u64 = 10 * 60 * 1_000;

/// Marks in memory: with their positions some 20 MB.
pub(super) const MARKS_MAX: usize = 262_144;

/// The mark of a document that is to be written.
struct Mark<I> {
    id: I,
    due_ms: u64,
    /// Where the follower stood before the event.
    before: Arc<Position>,
}

/// A walk over all documents.
struct Sweep<I> {
    after: Option<I>,
    due_ms: u64,
    before: Arc<Position>,
}

/// The marks of one index.
pub(super) struct Dirty<I> {
    refresh_ms: u64,
    marks: VecDeque<Mark<I>>,
    marked: HashSet<I>,
    sweep: Option<Sweep<I>>,
    /// The sweep after that.
    next_sweep: Option<Sweep<I>>,
    max: usize,
}

/// The documents to write next.
pub(super) enum Due<I> {
    /// Nothing now.
    Nothing,
    /// These.
    Marked(Vec<I>),
    /// All after this one.
    AllAfter(Option<I>),
}

impl<I: Copy + Eq + Hash> Dirty<I> {
    pub(super) fn new(refresh_ms: u64, max: usize) -> Self {
        let (marks, marked, sweep, next_sweep) = (VecDeque::new(), HashSet::new(), None, None);
        Self { refresh_ms, marks, marked, sweep, next_sweep, max }
    }

    /// Marks a document for an event behind a position.
    pub(super) fn mark(&mut self, id: I, before: &Arc<Position>, now_ms: u64) {
        if self.marked.contains(&id) {
            return;
        }
        if self.marks.len() >= self.max {
            let before = self.marks.front().map_or(before, |mark| &mark.before).clone();
            self.mark_all(&before, now_ms);
        }
        self.marked.insert(id);
        self.marks.push_back(Mark { id, due_ms: now_ms + self.refresh_ms, before: before.clone() });
    }

    /// Marks all documents for events behind a position.
    pub(super) fn mark_all(&mut self, before: &Arc<Position>, now_ms: u64) {
        self.marks.clear();
        self.marked.clear();
        let sweep = Sweep { after: None, due_ms: now_ms + self.refresh_ms, before: before.clone() };
        if self.sweep.is_none() {
            self.sweep = Some(sweep);
        } else {
            self.next_sweep.get_or_insert(sweep);
        }
    }

    /// Forgets all marks: all documents are written anew.
    pub(super) fn forget(&mut self) {
        *self = Self::new(self.refresh_ms, self.max);
    }

    /// Up to where all counters are those of the facts; `None` if they are wherever the follower stands.
    pub(super) fn counters(&self) -> Option<&Arc<Position>> {
        let sweep = self.sweep.as_ref().map(|sweep| &sweep.before);
        sweep.or_else(|| self.marks.front().map(|mark| &mark.before))
    }

    /// When something is to be written, in Unix milliseconds.
    pub(super) fn due_ms(&self) -> Option<u64> {
        let sweep = self.sweep.as_ref().map(|sweep| sweep.due_ms);
        sweep.into_iter().chain(self.marks.front().map(|mark| mark.due_ms)).min()
    }

    /// Returns the documents to write now, at most so many of the marked ones. They stay marked until [`Self::done`].
    pub(super) fn due(&self, now_ms: u64, max: usize) -> Due<I> {
        if let Some(sweep) = self.sweep.as_ref().filter(|sweep| sweep.due_ms <= now_ms) {
            return Due::AllAfter(sweep.after);
        }
        let due = self.marks.iter().take(max).take_while(|mark| mark.due_ms <= now_ms);
        let due: Vec<I> = due.map(|mark| mark.id).collect();
        if due.is_empty() { Due::Nothing } else { Due::Marked(due) }
    }

    /// So many of the first marks were written for.
    pub(super) fn done(&mut self, many: usize) {
        for mark in self.marks.drain(..many.min(self.marks.len())) {
            self.marked.remove(&mark.id);
        }
    }

    /// All up to this one were written; none if there are no more.
    pub(super) fn swept(&mut self, last: Option<I>) {
        match (last, &mut self.sweep) {
            (Some(last), Some(sweep)) => sweep.after = Some(last),
            _ => self.sweep = self.next_sweep.take(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::HistoryId;

    fn at(seq: u64) -> Arc<Position> {
        Arc::new(Position::one(HistoryId(7), seq))
    }

    fn marked(due: Due<u64>) -> Vec<u64> {
        match due {
            Due::Marked(ids) => ids,
            Due::Nothing => Vec::new(),
            Due::AllAfter(after) => vec![1_000 + after.unwrap_or_default()],
        }
    }

    #[test]
    fn a_document_is_due_once_for_all_that_came() {
        let mut dirty = Dirty::new(100, 10);
        assert_eq!((dirty.counters(), dirty.due_ms()), (None, None));
        for (id, seq, now_ms) in [(1, 5, 0), (2, 6, 10), (1, 7, 20)] {
            dirty.mark(id, &at(seq), now_ms);
        }
        assert_eq!((dirty.counters(), dirty.due_ms()), (Some(&at(5)), Some(100)));
        assert_eq!(marked(dirty.due(99, 9)), [] as [u64; 0]);
        assert_eq!(marked(dirty.due(100, 9)), [1]);
        assert_eq!(marked(dirty.due(200, 1)), [1]);
        dirty.done(1);
        assert_eq!(dirty.counters(), Some(&at(6)), "what is not written yet is owed");
        dirty.mark(1, &at(8), 150);
        assert_eq!(marked(dirty.due(1_000, 9)), [2, 1]);
        dirty.done(2);
        assert_eq!((dirty.counters(), dirty.due_ms()), (None, None));
    }

    #[test]
    fn beyond_the_memory_all_are_swept_and_what_is_marked_meanwhile_is_kept() {
        let mut dirty = Dirty::new(100, 2);
        for id in 1..=3 {
            dirty.mark(id, &at(id), 0);
        }
        assert_eq!(dirty.counters(), Some(&at(1)), "the oldest mark counts");
        assert_eq!(marked(dirty.due(100, 9)), [1_000]);
        dirty.swept(Some(7));
        assert_eq!(marked(dirty.due(100, 9)), [1_007]);
        for id in 4..=5 {
            dirty.mark(id, &at(10 + id), 50);
        }
        assert_eq!(dirty.counters(), Some(&at(1)), "until the sweep has ended");
        dirty.swept(None);
        assert_eq!(dirty.counters(), Some(&at(3)), "3 and 4 were too many once more");
        assert_eq!(marked(dirty.due(149, 9)), [] as [u64; 0]);
        assert_eq!(marked(dirty.due(150, 9)), [1_000]);
        dirty.swept(None);
        assert_eq!(marked(dirty.due(150, 9)), [5]);
    }
}
