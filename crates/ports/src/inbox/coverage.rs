//! How far the fan-out is, and what an inbox therefore vouches for. The text that defines it is in the module above.
//!
//! An example. Ann follows Bob and Cy. Her inbox was built at event 40 of each log; the fan-out is at 55, and has
//! skipped Cy's event 50 because Cy has millions of followers. Bob's last post is event 52: it was offered to Ann, for
//! 52 is not after 55. Cy's last post is event 50: it was skipped after the inbox was built, so Cy is pulled. Once Bob
//! posts event 60, Bob is pulled, too, until the fan-out has passed 60.

use crate::AuthorHead;
use guanxi_model::{EventAt, Logs, Position, Uid};
use std::collections::HashMap;
use std::sync::Arc;

/// Authors whose items were not offered to every inbox, with the last such event.
pub type Skips = HashMap<Uid, EventAt>;

/// How far the fan-out is, as one value: what it has passed, and what it left out on the way.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// Every item event up to here was offered to every inbox that was registered before it, or is skipped.
    covered: Position,
    /// What was skipped; as new as `covered` at least.
    skips: Arc<Skips>,
}

impl Coverage {
    /// Returns what an inbox knows of the fan-out. `skips` is read after `covered`.
    pub const fn new(covered: Position, skips: Arc<Skips>) -> Self {
        Self { covered, skips }
    }

    /// Returns how far the fan-out is.
    pub const fn covered(&self) -> &Position {
        &self.covered
    }

    /// The same with another place that the fan-out has passed: for simulated faults.
    #[must_use]
    pub fn moved(self, to: impl Fn(&Position) -> Position) -> Self {
        Self { covered: to(&self.covered), ..self }
    }

    /// Returns whether an inbox that was built at a position holds every item of an author from its floor on: nothing
    /// of the author changed after what was read or offered, and nothing was skipped after it was built.
    pub fn vouches(&self, built: &Position, author: Uid, head: &AuthorHead) -> bool {
        let is_old = !head.last.is_after(self.covered.of(author).later(built.of(author)));
        is_old && !self.skipped(built, author)
    }

    /// Returns whether nothing that a view knows of is newer than what the inbox vouches for, so that only
    /// [`skipped_since`](Self::skipped_since) is left to look at. With many logs a view does not say where it stands
    /// in logs that it was not asked of yet, so that the heads have to be asked: `false`.
    pub fn is_current(&self, built: &Position, view: &Position) -> bool {
        view.logs() == Logs::One && (self.covered.covers(view) || built.covers(view))
    }

    /// The authors with a skip after an inbox was built: few of all.
    pub fn skipped_since<'a>(&'a self, built: &'a Position) -> impl Iterator<Item = Uid> + 'a {
        let late = self.skips.iter().filter(|(author, at)| at.is_after(built.of(**author)));
        late.map(|(author, _)| *author)
    }

    fn skipped(&self, built: &Position, author: Uid) -> bool {
        self.skips.get(&author).is_some_and(|at| at.is_after(built.of(author)))
    }
}
