//! The items that the fan-out has left to readers, author by author.

use guanxi_model::{EventAt, Uid};
use guanxi_ports::SKIPS_MAX;
use std::collections::HashMap;

/// The skips that inboxes were told of, in the detail that taking one back needs. They outlive a worker, as the
/// inboxes do.
#[derive(Default)]
pub(super) struct SkipBook(HashMap<Uid, AuthorSkips>);

/// The skipped items of an author.
#[derive(Default)]
struct AuthorSkips {
    /// Items whose tasks run on after `covered` has passed them.
    running: Vec<EventAt>,
    /// The last item that was given up.
    lost: Option<EventAt>,
}

impl AuthorSkips {
    fn last(&self) -> Option<EventAt> {
        self.running.iter().copied().chain(self.lost).reduce(EventAt::later)
    }
}

impl SkipBook {
    /// An item's task runs on.
    pub(super) fn run(&mut self, author: Uid, at: EventAt) {
        self.0.entry(author).or_default().running.push(at);
    }

    /// An item's task is done. Answers whether it was a skip, so that it can be taken back.
    pub(super) fn done(&mut self, author: Uid, at: EventAt) -> bool {
        let Some(skips) = self.0.get_mut(&author) else { return false };
        let before = skips.running.len();
        skips.running.retain(|running| *running != at);
        let was_skip = skips.running.len() < before;
        if skips.last().is_none() {
            self.0.remove(&author);
        }
        was_skip
    }

    /// The last skip of an author that still holds.
    pub(super) fn last(&self, author: Uid) -> Option<EventAt> {
        self.0.get(&author).and_then(AuthorSkips::last)
    }

    /// An item is given up. The inboxes hold a bounded number of skips and drop everything beyond; what is remembered
    /// here may then be forgotten, too, but for what runs.
    pub(super) fn lose(&mut self, author: Uid, at: EventAt) {
        let skips = self.0.entry(author).or_default();
        skips.running.retain(|running| *running != at);
        skips.lost = Some(skips.lost.map_or(at, |lost| lost.later(at)));
        if self.0.len() > SKIPS_MAX {
            self.0.retain(|_, skips| !skips.running.is_empty());
        }
    }

    /// The worker is gone, and what it was at is never finished.
    pub(super) fn lose_running(&mut self) {
        for skips in self.0.values_mut() {
            skips.lost = skips.last();
            skips.running.clear();
        }
    }

    /// No inbox is left that a skip could matter to.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::LogId;

    const fn at(seq: u64) -> EventAt {
        EventAt::new(LogId(0), seq)
    }

    #[test]
    fn a_skip_taken_back_uncovers_the_one_before() {
        let (author, mut book) = (Uid::MIN, SkipBook::default());
        assert!(!book.done(author, at(3)), "it was never a skip");
        book.run(author, at(3));
        book.lose(author, at(4));
        book.run(author, at(7));
        assert!(book.done(author, at(7)));
        assert_eq!(book.last(author), Some(at(4)));
        assert!(book.done(author, at(3)));
        assert_eq!(book.last(author), Some(at(4)));
    }

    #[test]
    fn what_a_dead_worker_was_at_stays_skipped_under_the_next() {
        let (author, mut book) = (Uid::MIN, SkipBook::default());
        book.run(author, at(3));
        book.lose_running();
        book.run(author, at(9));
        assert!(book.done(author, at(9)));
        assert_eq!(book.last(author), Some(at(3)));
    }
}
