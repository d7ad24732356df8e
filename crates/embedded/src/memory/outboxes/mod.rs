//! Heads and tails of outboxes in memory, under the rules of [`cache`](crate::memory::cache): the newest id and event of an
//! author, and its newest ids. A home page reads the heads of all whom the viewer follows, and a few tails.

mod entry;

use crate::engine::{Engine, EngineResult, Snapshot};
use crate::memory::cache::{Cache, Fill};
use crate::rows;
use crate::view::View;
use entry::{OutboxEntry, TAIL_LEN, TailAnswer};
use guanxi_model::post::AuthorRow;
use guanxi_model::{PostId, Uid};
use guanxi_ports::{AuthorHead, OutboxAsk, OutboxPart, Outboxes};
use std::hint::black_box;

/// Heads that are brought into the processor's cache at once: an eighth of its nearest one.
const WARM_LEN: usize = 64;

/// What a commit did to an author's outbox.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutboxChange {
    /// The author after the commit.
    pub author: AuthorRow,
    /// Posts that came, each above all that were there before, in this order.
    pub appended: Vec<PostId>,
    /// Posts that came below the newest one: imported ones.
    pub inserted: Vec<PostId>,
}

/// The authors in memory.
pub(crate) struct OutboxCache {
    cache: Cache<OutboxEntry>,
    hits: metrics::Counter,
    misses: metrics::Counter,
}

impl OutboxCache {
    /// An empty cache with a byte budget.
    pub(crate) fn new(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_author_cache_total", "outcome" => outcome);
        Self { cache: Cache::new(bytes), hits: outcome("hit"), misses: outcome("miss") }
    }

    /// The head of each author, in order; never older than a view that is published before the call.
    pub(crate) fn heads(&self, authors: &[Uid], engine: &Engine) -> EngineResult<Vec<AuthorHead>> {
        let mut missing = Vec::new();
        let mut heads = Vec::with_capacity(authors.len());
        {
            let held = self.cache.read();
            for chunk in authors.chunks(WARM_LEN) {
                held.warm(chunk.iter().copied());
                for author in chunk {
                    let known = held.get(*author).map(OutboxEntry::head);
                    if known.is_none() {
                        missing.push(heads.len());
                    }
                    heads.push(known.unwrap_or_default());
                }
            }
        }
        self.hits.increment((authors.len() - missing.len()) as u64);
        if !missing.is_empty() {
            let uids: Vec<Uid> = missing.iter().map(|index| authors[*index]).collect();
            for (index, author) in missing.into_iter().zip(self.fill(&uids, engine, load_head)?) {
                heads[index] = author.head();
            }
        }
        Ok(heads)
    }

    /// At most `max` ids of each part as of a view.
    pub(crate) fn outboxes(
        &self,
        asks: &[OutboxAsk],
        max: usize,
        view: &View,
        engine: &Engine,
    ) -> EngineResult<Outboxes> {
        let (ids, parts) = (Vec::with_capacity(asks.len() * max), Vec::with_capacity(asks.len()));
        let mut known = Outboxes { ids, parts };
        let answers = self.outboxes_in_memory(asks, max, view, &mut known);
        if answers.iter().all(|answer| matches!(answer, TailAnswer::Added { .. })) {
            return Ok(known);
        }
        let unknown: Vec<Uid> = asks
            .iter()
            .zip(&answers)
            .filter_map(|(ask, answer)| (*answer == TailAnswer::Unknown).then_some(ask.author))
            .collect();
        let mut filled = self.fill(&unknown, engine, load_author)?.into_iter();
        let mut all = Outboxes::default();
        let mut start = 0;
        for ((ask, answer), part) in asks.iter().zip(answers).zip(&known.parts) {
            let held = &known.ids[start..part.end as usize];
            start = part.end as usize;
            let answer = match answer {
                TailAnswer::Unknown => filled.next().map_or(TailAnswer::Elsewhere, |author| {
                    author.part((view.seq, view.ids_high), ask.below, max, &mut all.ids)
                }),
                held_answer => {
                    all.ids.extend(held);
                    held_answer
                }
            };
            let more = match answer {
                TailAnswer::Added { more } => more,
                TailAnswer::Unknown | TailAnswer::Elsewhere => {
                    read_part(&view.snapshot, ask, max, &mut all.ids)?
                }
            };
            all.parts.push(OutboxPart { end: all.ids.len() as u32, more });
        }
        Ok(all)
    }

    /// Returns what tails tell, under one lock; a part that they cannot tell is empty. Slots are read in one pass and
    /// tails in the next, so that the cache misses of a pass overlap.
    fn outboxes_in_memory(
        &self,
        asks: &[OutboxAsk],
        max: usize,
        view: &View,
        known: &mut Outboxes,
    ) -> Vec<TailAnswer> {
        let held = self.cache.read();
        held.warm(asks.iter().map(|ask| ask.author));
        let authors: Vec<Option<&OutboxEntry>> = asks.iter().map(|ask| held.get(ask.author)).collect();
        black_box(authors.iter().flatten().fold(0, |sum, author| sum ^ author.touch_tail()));
        let mut answers = Vec::with_capacity(asks.len());
        for (ask, author) in asks.iter().zip(authors) {
            let answer = author.map_or(TailAnswer::Unknown, |author| {
                author.part((view.seq, view.ids_high), ask.below, max, &mut known.ids)
            });
            let more = matches!(answer, TailAnswer::Added { more: true });
            known.parts.push(OutboxPart { end: known.ids.len() as u32, more });
            answers.push(answer);
        }
        let hits = answers.iter().filter(|answer| matches!(answer, TailAnswer::Added { .. })).count();
        self.hits.increment(hits as u64);
        answers
    }

    /// Reads authors at one fresh snapshot and keeps them.
    fn fill(
        &self,
        authors: &[Uid],
        engine: &Engine,
        load: impl Fn(&Snapshot, Uid) -> EngineResult<OutboxEntry>,
    ) -> EngineResult<Vec<OutboxEntry>> {
        if authors.is_empty() {
            return Ok(Vec::new());
        }
        self.misses.increment(authors.len() as u64);
        let fills: Vec<Fill> = self.cache.begin_fills(authors.iter().copied());
        let snapshot = engine.snapshot();
        let loaded: EngineResult<Vec<OutboxEntry>> =
            authors.iter().map(|author| load(&snapshot, *author)).collect();
        let values = loaded.as_deref().unwrap_or_default().iter().cloned().map(Some);
        self.cache.end_fills(fills.into_iter().zip(values.chain(std::iter::repeat_n(None, authors.len()))));
        loaded
    }

    /// Applies what a commit did, before it is published. An author who writes is about to be read.
    pub(crate) fn apply(&self, changes: &[(Uid, OutboxChange)]) {
        if changes.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        for (uid, change) in changes {
            let known = held.get(*uid).map(|author| author.after(change));
            held.replace(*uid, known.unwrap_or_else(|| OutboxEntry::new(&change.author.head, None)));
        }
    }

    /// Bytes held, about, and authors held.
    pub(crate) fn size(&self) -> (usize, usize) {
        let held = self.cache.read();
        (held.bytes(), held.len())
    }
}

fn load_head(snapshot: &Snapshot, author: Uid) -> EngineResult<OutboxEntry> {
    Ok(OutboxEntry::new(&rows::posts::author(snapshot, author)?.head, None))
}

fn load_author(snapshot: &Snapshot, author: Uid) -> EngineResult<OutboxEntry> {
    let head = rows::posts::author(snapshot, author)?.head;
    if head.last_id.is_none() {
        return Ok(OutboxEntry::new(&head, None));
    }
    let ids: EngineResult<Vec<PostId>> =
        rows::posts::outbox(snapshot, author, None).take(TAIL_LEN + 1).collect();
    let mut ids = ids?;
    let complete = ids.len() <= TAIL_LEN;
    ids.truncate(TAIL_LEN);
    Ok(OutboxEntry::new(&head, Some((&ids, complete))))
}

/// Adds ids of a part from the table, and returns whether there are more.
fn read_part(snapshot: &Snapshot, ask: &OutboxAsk, max: usize, ids: &mut Vec<PostId>) -> EngineResult<bool> {
    let mut rows = rows::posts::outbox(snapshot, ask.author, ask.below);
    for id in rows.by_ref().take(max) {
        ids.push(id?);
    }
    Ok(rows.next().transpose()?.is_some())
}

#[cfg(test)]
mod tests;
