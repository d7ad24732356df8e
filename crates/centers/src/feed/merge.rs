//! A lazy merge of outboxes.
//!
//! Every author has an upper bound of its ids below the cursor. The outbox with the highest bound is opened next, and only
//! while its bound is above all ids that are open already. So a page of 20 opens about two dozen outboxes, even if the viewer
//! follows many users, and no author is missed.
//!
//! A call opens as many outboxes as ids are wanted, since more of the highest bounds cannot matter. (Outboxes whose bound is
//! the cursor itself are apart: that bound says nothing of them.) It reads several ids for each that is wanted. So one call
//! is enough for a page of any size, unless an author wrote many times its share of the page. Then a second call, which reads
//! few other outboxes, goes on with that author's outbox.
//!
//! An example. Ann wants three ids of Bob, Cy and Di, whose last posts are 90, 80 and 70. All three outboxes are opened:
//! Bob's has 90 and 50, Cy's 80 and 79, and Di's 70. 90 comes first, for no bound is above it; then 80 and 79. If Ann wanted
//! two ids, Di's outbox would stay closed: 90 and 80 are above all ids of Di.

use guanxi_model::{PostId, Result, Uid};
use guanxi_ports::{AuthorHead, OutboxAsk, PostView};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Outboxes opened at once at least: only the first of them is needed for sure, but a call for each costs more than an
/// outbox too many.
const OPEN_MIN: usize = 8;

/// Outboxes opened at once at most: a call takes bounded memory.
const OPEN_MAX: usize = 8_192;

/// Ids read at once for each that is wanted: spread over the outboxes that are opened, and at least so many of each.
const RUN_LEN: usize = 8;

/// Of more authors than this, only those with the highest bounds are put in order at first.
const ORDERED_MAX: usize = 256;

/// Bounds that a threshold is chosen from, and about how many authors it lets through.
const SAMPLES: usize = 64;
const FIRST: usize = 96;

/// The merge of some authors' outboxes, newest first.
#[derive(Debug, Default)]
pub(super) struct Merge {
    /// Outboxes to open or to go on with: no id of them is above the bound.
    closed: BinaryHeap<(PostId, Uid)>,
    /// All outboxes, while those with a bound of at most `rest` are not in `closed` yet.
    all: Vec<(PostId, Uid)>,
    rest: Option<PostId>,
    /// The next id of each open part.
    open: BinaryHeap<(PostId, u32)>,
    parts: Vec<Part>,
    ids: Vec<PostId>,
}

/// Part of an outbox, as indexes into the ids that were read.
#[derive(Clone, Copy, Debug)]
struct Part {
    author: Uid,
    /// The id after the one that is in the heap.
    next: u32,
    end: u32,
    more: bool,
}

impl Merge {
    /// A merge of the given authors' ids, each below a cursor of its own.
    pub(super) fn new<'a>(authors: impl Iterator<Item = (Uid, &'a AuthorHead, Option<PostId>)>) -> Self {
        let last = |below: Option<PostId>| below.map_or(Some(PostId::MAX), PostId::just_below);
        // Nearly every user has written something.
        let mut all: Vec<(PostId, Uid)> = Vec::with_capacity(authors.size_hint().1.unwrap_or(0));
        all.extend(
            authors.filter_map(|(author, head, below)| Some((head.last_id?.min(last(below)?), author))),
        );
        match threshold(&all) {
            Some(rest) => {
                let first: Vec<(PostId, Uid)> =
                    all.iter().filter(|(bound, _)| *bound > rest).copied().collect();
                Self { closed: first.into(), all, rest: Some(rest), ..Self::default() }
            }
            None => Self { closed: all.into(), ..Self::default() },
        }
    }

    /// The highest id that is left, without taking it; or a lower one or none, if what is `held` elsewhere is above all
    /// that is closed. So many are `wanted` before long.
    pub(super) async fn peek(
        &mut self,
        view: &dyn PostView,
        held: Option<PostId>,
        wanted: usize,
    ) -> Result<Option<PostId>> {
        loop {
            let top = self.open.peek().map(|(id, _)| *id);
            let closed = self.closed.peek().map(|(bound, _)| *bound);
            match closed.max(self.rest) {
                None => return Ok(top),
                Some(bound) if top > Some(bound) => return Ok(top),
                Some(bound) if held > Some(bound) => return Ok(top),
                _ if closed > self.rest => self.open_next(view, wanted).await?,
                _ => self.order_rest(),
            }
        }
    }

    /// Puts the other authors in order, too.
    fn order_rest(&mut self) {
        let Some(rest) = self.rest.take() else { return };
        self.closed.extend(std::mem::take(&mut self.all).into_iter().filter(|(bound, _)| *bound <= rest));
    }

    /// The highest bound of all.
    fn highest_closed(&mut self) -> Option<(PostId, Uid)> {
        if self.closed.is_empty() {
            self.order_rest();
        }
        self.closed.peek().copied()
    }

    /// Takes the id that was peeked at.
    pub(super) fn pop(&mut self) {
        let Some(mut top) = self.open.peek_mut() else { return };
        let (id, index) = *top;
        let part = &mut self.parts[index as usize];
        if part.next < part.end {
            // In its place: the heap is put in order once.
            *top = (self.ids[part.next as usize], index);
            part.next += 1;
            return;
        }
        PeekMut::pop(top);
        if part.more
            && let Some(bound) = id.just_below()
        {
            self.closed.push((bound, part.author));
        }
    }

    /// Opens the outboxes with the highest bounds that the ids wanted may be in.
    async fn open_next(&mut self, view: &dyn PostView, wanted: usize) -> Result<()> {
        let (least, first) = (self.least(wanted), self.closed.peek().map(|(bound, _)| *bound));
        let mut asks = Vec::with_capacity(wanted.clamp(OPEN_MIN, OPEN_MAX).min(self.closed.len()));
        let mut ranked = 0;
        while asks.len() < OPEN_MAX
            && ranked < wanted.max(OPEN_MIN)
            && let Some((bound, author)) = self.highest_closed()
            && least.is_none_or(|least| bound >= least)
        {
            self.closed.pop();
            asks.push(OutboxAsk { author, below: bound.just_above() });
            // Of equal bounds at a cursor all are needed before any of them is known.
            ranked += usize::from(Some(bound) != first);
        }
        let run = (wanted * RUN_LEN / asks.len().max(1)).clamp(RUN_LEN, wanted.max(RUN_LEN));
        let read = view.outboxes(&asks, run).await?;
        let offset = self.ids.len() as u32;
        let mut start = offset;
        if self.ids.is_empty() {
            self.ids = read.ids;
        } else {
            self.ids.extend(read.ids);
        }
        self.open.reserve(asks.len());
        self.parts.reserve(asks.len());
        for (ask, part) in asks.into_iter().zip(read.parts) {
            let end = offset + part.end;
            if start < end {
                self.open.push((self.ids[start as usize], self.parts.len() as u32));
                self.parts.push(Part { author: ask.author, next: start + 1, end, more: part.more });
            }
            start = end;
        }
        Ok(())
    }
}

impl Merge {
    /// Returns a lower bound of the last of so many ids, as far as the open outboxes tell.
    fn least(&self, wanted: usize) -> Option<PostId> {
        let last = wanted.checked_sub(1)?;
        let left = |part: u32| {
            let Part { next, end, .. } = self.parts[part as usize];
            self.ids[next as usize..end as usize].iter().copied()
        };
        let open = self.open.iter();
        let mut known: Vec<PostId> = open.flat_map(|(id, part)| left(*part).chain([*id])).collect();
        (last < known.len()).then(|| *known.select_nth_unstable_by(last, |a, b| b.cmp(a)).1)
    }
}

/// A bound that the highest about [`FIRST`] of many bounds are above; `None` for few. A guess from samples: it only
/// decides how many are put in order at once.
fn threshold(all: &[(PostId, Uid)]) -> Option<PostId> {
    if all.len() <= ORDERED_MAX {
        return None;
    }
    let mut samples: Vec<PostId> = all.iter().step_by(all.len() / SAMPLES).map(|(bound, _)| *bound).collect();
    samples.sort_unstable_by(|a, b| b.cmp(a));
    samples.get(samples.len() * FIRST / all.len()).copied()
}
