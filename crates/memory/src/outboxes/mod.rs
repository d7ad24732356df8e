//! Heads and tails of outboxes in memory, under the rules of [`cache`](crate::cache): the newest id and event of an
//! author, and its newest ids. A home page reads the heads of all whom the viewer follows, and a few tails.

mod entry;

pub use entry::{OutboxEntry, TAIL_LEN, TailAnswer};

use crate::apply::posts::AuthorEvent;
use crate::cache::{Cache, Fills};
use crate::cut::Cut;
use guanxi_model::post::AuthorRow;
use guanxi_model::{LogId, Logs, PostId, Uid};
use guanxi_ports::{AuthorHead, OutboxAsk, OutboxPart, Outboxes};
use std::collections::BTreeSet;
use std::hint::black_box;

/// Heads that are brought into the processor's cache at once: an eighth of its nearest one.
const WARM_LEN: usize = 64;

/// What a commit did to an author's outbox.
#[derive(Clone, Debug, Default)]
pub struct OutboxChange {
    /// The author after the commit.
    pub author: AuthorRow,
    /// Posts that came, each above all that were there before, in this order.
    pub appended: Vec<PostId>,
    /// Posts that came below the newest one: imported ones.
    pub inserted: Vec<PostId>,
}

/// The authors in memory.
pub struct OutboxCache {
    cache: Cache<OutboxEntry>,
    hits: metrics::Counter,
    misses: metrics::Counter,
}

impl OutboxCache {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_author_cache_total", "outcome" => outcome);
        Self { cache: Cache::new(bytes), hits: outcome("hit"), misses: outcome("miss") }
    }

    /// The head of each author, in order, and the places of authors whom memory does not have. A head is never older than a cut
    /// that was published before the call; it may be newer.
    pub fn heads<C: Cut>(&self, authors: &[Uid], _cut: &C) -> (Vec<AuthorHead>, Vec<usize>) {
        let mut missing = Vec::new();
        let mut heads = Vec::with_capacity(authors.len());
        let held = self.cache.read();
        for chunk in authors.chunks(WARM_LEN) {
            held.warm(chunk.iter().copied());
            for author in chunk {
                let known = held.get(*author).map(|entry| entry.head(C::LOGS.of(*author)));
                if known.is_none() {
                    missing.push(heads.len());
                }
                heads.push(known.unwrap_or_default());
            }
        }
        drop(held);
        self.hits.increment((authors.len() - missing.len()) as u64);
        (heads, missing)
    }

    /// At most `max` ids of each part as of a cut, and what tails told of each; a part that they cannot tell is empty. All are
    /// probed under one lock. Slots are read in one pass and tails in the next, so that the cache misses of a pass overlap.
    pub fn outboxes(&self, asks: &[OutboxAsk], max: usize, cut: &impl Cut) -> (Outboxes, Vec<TailAnswer>) {
        let (ids, parts) = (Vec::with_capacity(asks.len() * max), Vec::with_capacity(asks.len()));
        let mut known = Outboxes { ids, parts };
        let held = self.cache.read();
        held.warm(asks.iter().map(|ask| ask.author));
        let authors: Vec<Option<&OutboxEntry>> = asks.iter().map(|ask| held.get(ask.author)).collect();
        black_box(authors.iter().flatten().fold(0, |sum, author| sum ^ author.touch_tail()));
        let mut answers = Vec::with_capacity(asks.len());
        for (ask, author) in asks.iter().zip(authors) {
            let answer =
                author.map_or(TailAnswer::Unknown, |author| author.part(ask, max, cut, &mut known.ids));
            let more = matches!(answer, TailAnswer::Added { more: true });
            known.parts.push(OutboxPart { end: known.ids.len() as u32, more });
            answers.push(answer);
        }
        drop(held);
        let hits = answers.iter().filter(|answer| matches!(answer, TailAnswer::Added { .. })).count();
        self.hits.increment(hits as u64);
        (known, answers)
    }

    /// Registers fills of authors whom memory does not have, or not whole; their snapshot comes after.
    pub fn begin_fills(&self, authors: &[Uid]) -> Fills<'_, OutboxEntry> {
        self.misses.increment(authors.len() as u64);
        self.cache.begin_fills(authors.iter().copied())
    }

    /// Applies what a commit did, before it is published. An author who writes is about to be read.
    pub fn apply(&self, changes: &[(Uid, OutboxChange)]) {
        if changes.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        for (uid, change) in changes {
            let known = held.get(*uid).map(|author| author.changed_by(change));
            held.replace(*uid, known.unwrap_or_else(|| OutboxEntry::new(&change.author.head, None)));
        }
    }

    /// Makes what a commit of a log says of outboxes, before it is published. No author comes into memory by it.
    pub fn follow(&self, seq: u64, events: &[(Uid, AuthorEvent)]) {
        if events.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        events.iter().for_each(|(author, event)| held.change(*author, seq, event));
    }

    /// Forgets authors of whom it is not known what a commit did to them.
    pub fn forget(&self, authors: &[Uid]) {
        self.cache.forget(authors);
    }

    /// Forgets all authors of some logs. It looks at all authors that are held.
    pub fn forget_logs(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        self.cache.forget_logs::<Uid>(logs, gone);
    }

    /// Bytes held, about, and authors held.
    pub fn size(&self) -> (usize, usize) {
        let held = self.cache.read();
        (held.bytes(), held.count())
    }
}

#[cfg(test)]
mod tests;
