//! A lazy merge of outboxes.
//!
//! Every author has an upper bound of its ids below the cursor. The outbox with the highest bound is opened next, and
//! only while its bound is above what is open already; so a page of 20 opens some two dozen outboxes, however many the
//! viewer follows, and never stops short of any.

use guanxi_model::{PostId, Result, Uid};
use guanxi_ports::{AuthorHead, OutboxAsk, PostView};
use std::collections::BinaryHeap;

/// Outboxes opened at once: one call for most of the first page. Later ones come some at a time, although only the
/// first of them is needed for sure, since a call for each costs more than an outbox too many.
const OPEN_MAX: usize = 24;
const OPEN_MIN: usize = 8;

/// Ids read of an outbox at once.
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
    /// A merge of the given authors' ids below a cursor.
    pub fn new<'a>(authors: impl Iterator<Item = (Uid, &'a AuthorHead)>, below: Option<PostId>) -> Self {
        let last = match below {
            Some(below) => below.just_below(),
            None => Some(PostId::MAX),
        };
        let bounds = authors.filter_map(|(author, head)| Some((head.last_id?.min(last?), author)));
        let all: Vec<(PostId, Uid)> = bounds.collect();
        match threshold(&all) {
            Some(rest) => {
                let first: Vec<(PostId, Uid)> =
                    all.iter().filter(|(bound, _)| *bound > rest).copied().collect();
                Self { closed: first.into(), all, rest: Some(rest), ..Self::default() }
            }
            None => Self { closed: all.into(), ..Self::default() },
        }
    }

    /// The highest id that is left, without taking it.
    pub async fn peek(&mut self, view: &dyn PostView) -> Result<Option<PostId>> {
        loop {
            let top = self.open.peek().map(|(id, _)| *id);
            let closed = self.closed.peek().map(|(bound, _)| *bound);
            match closed.max(self.rest) {
                None => return Ok(top),
                Some(bound) if top > Some(bound) => return Ok(top),
                _ if closed > self.rest => self.open_next(view, top).await?,
                _ => self.order_rest(),
            }
        }
    }

    /// Puts the other authors in order, too.
    fn order_rest(&mut self) {
        let rest = self.rest.take();
        self.closed
            .extend(std::mem::take(&mut self.all).into_iter().filter(|(bound, _)| Some(*bound) <= rest));
    }

    /// Takes the id that was peeked at.
    pub fn pop(&mut self) {
        let Some((id, index)) = self.open.pop() else { return };
        let part = &mut self.parts[index as usize];
        if part.next < part.end {
            let next = self.ids[part.next as usize];
            part.next += 1;
            self.open.push((next, index));
        } else if part.more
            && let Some(bound) = id.just_below()
        {
            self.closed.push((bound, part.author));
        }
    }

    /// Opens the outboxes with the highest bounds.
    async fn open_next(&mut self, view: &dyn PostView, top: Option<PostId>) -> Result<()> {
        let mut asks = Vec::with_capacity(OPEN_MAX);
        while asks.len() < OPEN_MAX
            && let Some((bound, author)) = self.closed.peek().copied()
            && (asks.len() < OPEN_MIN || top.is_none_or(|top| bound >= top))
        {
            self.closed.pop();
            asks.push(OutboxAsk { author, below: bound.just_above() });
        }
        let read = view.outboxes(&asks, RUN_LEN).await?;
        let offset = self.ids.len() as u32;
        let mut start = offset;
        self.ids.extend(read.ids);
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
