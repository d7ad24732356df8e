//! How far a page of a timeline has come: what it shows, and what was looked at for it.
//!
//! One round is enough unless more candidates are hidden than the round asked for in reserve. A second round has the same
//! reserve, and each further round [`SPARE_GROWTH`] times as much, so that even the whole budget takes few rounds.

use super::page::{HomePage, ShownItems, Source};
use crate::post::{Behind, Originals};
use guanxi_model::limits::HOME_SCAN_MAX;
use guanxi_model::{Position, PostCursor, PostHeader, PostId, PostPage};

/// How the spare candidates of further rounds grow after the second one, in which a few are enough for most pages.
const SPARE_GROWTH: usize = 4;

/// A page that is being made.
pub(super) struct PageScan {
    size: usize,
    originals: Originals,
    ids: Vec<PostId>,
    shown: ShownItems,
    scanned: usize,
    spare: usize,
    /// The last candidate that was looked at, or the cursor.
    last: Option<PostId>,
    ended: bool,
}

impl PageScan {
    /// A page of which nothing is known; what it shows is kept where originals of all posts are looked up.
    pub(super) fn new(page: PostPage, originals: Originals) -> Self {
        let (shown, scanned, spare, ended) = (ShownItems::default(), 0, spare(page.size), false);
        let ids = Vec::with_capacity(first_round(page.size));
        Self { size: page.size, originals, ids, shown, scanned, spare, last: page.below, ended }
    }

    /// Returns how many candidates to look at next. Returns `None` when the page is full and one more is seen, the list
    /// ended, or the budget is used up.
    pub(super) fn wanted(&self) -> Option<usize> {
        let left = HOME_SCAN_MAX as usize - self.scanned;
        let is_done = self.ids.len() > self.size || self.ended || left == 0;
        (!is_done).then(|| (self.size + 1 - self.ids.len() + self.spare).min(left))
    }

    /// Takes in the candidates of a round, of which so many were wanted and some pass the rules.
    pub(super) fn add<'a>(
        &mut self,
        wanted: usize,
        candidates: &[PostId],
        passing: impl Iterator<Item = &'a PostHeader>,
    ) {
        self.ended = candidates.len() < wanted;
        self.scanned += candidates.len();
        self.last = candidates.last().copied().or(self.last);
        if self.originals == Originals::OfAll {
            self.shown.headers.extend(passing);
            self.ids.extend(self.shown.headers[self.ids.len()..].iter().map(|header| header.id));
        } else {
            self.ids.extend(passing.map(|header| header.id));
        }
        // The first further round has as many to spare as the first one.
        if self.scanned > first_round(self.size) {
            self.spare *= SPARE_GROWTH;
        }
    }

    /// Keeps what the posts that are shown were decided by.
    pub(super) fn keep(&mut self, behind: Behind) {
        if self.originals == Originals::OfAll {
            self.shown.behind.extend(behind);
        }
    }

    /// Candidates that were looked at.
    pub(super) const fn scanned(&self) -> usize {
        self.scanned
    }

    /// The page, and what it shows.
    pub(super) fn end(mut self, source: Source, position: Position) -> (HomePage, ShownItems) {
        let next = if self.ids.len() > self.size {
            self.ids.truncate(self.size);
            self.shown.headers.truncate(self.size);
            self.ids.last().copied()
        } else if self.ended {
            None
        } else {
            self.last
        };
        let scanned = u32::try_from(self.scanned).unwrap_or(u32::MAX);
        (HomePage { ids: self.ids, next: next.map(PostCursor), scanned, source, position }, self.shown)
    }
}

/// Candidates of the first round.
pub(super) const fn first_round(size: usize) -> usize {
    size + 1 + spare(size)
}

/// Candidates asked for beyond a page: what is deleted or hidden seldom costs another round.
const fn spare(size: usize) -> usize {
    1 + size / 12
}
