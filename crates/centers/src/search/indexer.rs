//! The follower that keeps an index.
//!
//! It loads each post or user that an event names from a view that includes the event, and hands documents to the thread that
//! writes. It writes the present state, never what an event says: repeated events, and a start at an earlier position, change
//! nothing. The position is in the commit that holds the documents. In a cluster it is a place in each of 256 logs, and an echo
//! of another log's event changes nothing in a document but counters.

use super::dirty::{Dirty, Due, MARKS_MAX};
use crate::log_readers::Follower;
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::{Clock, Event, LogId, Position, Reason, Result};
use guanxi_ports::{
    BoxFuture, EventBatch, IndexChange, IndexDoc, IndexStage, Indexing, Log, Store, StoreView,
    UnreadableEvent,
};
use std::collections::BTreeSet;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

/// The source of an index.
pub trait IndexSource: Send + Sync + 'static {
    /// The document that the index is given.
    type Doc: IndexDoc;

    /// How many a step of a walk through all of them reads.
    const WALK_AT_ONCE: usize;

    /// Returns the document that an event may have changed, but for counters. An event that another log left behind here
    /// changed none.
    fn changed(event: &Event) -> Option<SourceId<Self>>;

    /// Returns the document that an event may have changed that cannot be read.
    fn named(event: &UnreadableEvent) -> Option<SourceId<Self>>;

    /// Returns the documents whose counters an event may have changed, as far as the event says.
    fn counted(event: &Event) -> [Option<SourceId<Self>>; 2];

    /// Returns the document that an event is about, if the event may change the counters of other documents, which only the
    /// facts name: see [`Self::counting_for`].
    fn counts(_event: &Event) -> Option<SourceId<Self>> {
        None
    }

    /// In whose counters some count.
    fn counting_for<'a>(
        _view: &'a dyn StoreView,
        _ids: &'a [SourceId<Self>],
    ) -> BoxFuture<'a, Result<Vec<SourceId<Self>>>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    /// The first ones after one, in the order of their ids; none when there are no more.
    fn all(
        view: &dyn StoreView,
        after: Option<SourceId<Self>>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<SourceId<Self>>>>;

    /// Returns the changes of some documents for an index, in their order.
    fn changes<'a>(
        view: &'a dyn StoreView,
        ids: &'a [SourceId<Self>],
    ) -> BoxFuture<'a, Result<IndexChanges<Self>>>;
}

/// The ids of the documents of a source.
pub type SourceId<S> = <<S as IndexSource>::Doc as IndexDoc>::Id;

/// The changes that an index of a source is given at once.
pub type IndexChanges<S> = Vec<IndexChange<<S as IndexSource>::Doc>>;

/// Keeps an index, at the position of the events that it has taken in.
pub struct Indexer<S: IndexSource> {
    facts: Arc<dyn Store>,
    pub(super) index: Box<dyn Indexing<S::Doc>>,
    walk: Option<Walk<SourceId<S>>>,
    /// How many a step of the walk reads.
    pub(super) walk_at_once: usize,
    /// Whether all that came was read, so that it is kept before more is.
    is_caught_up: bool,
    clock: Arc<dyn Clock>,
    /// The documents whose counters have changed since they were written.
    dirty: Dirty<SourceId<S>>,
    /// Until when no document is written for its counters, in Unix milliseconds.
    rests_until_ms: u64,
}

/// Documents that are written at once for their counters.
const REFRESHED_AT_ONCE: usize = 64;

/// How long the next ones wait after that, in milliseconds: so that they take a small part of a core.
const REFRESH_REST_MS: u64 = 64;

/// A walk through all that is indexed, for a new index. Events are read after it, from where the logs ended before it.
#[derive(Clone, Copy, Debug)]
struct Walk<I> {
    after: Option<I>,
}

impl<S: IndexSource> fmt::Debug for Indexer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexer").field("walk", &self.walk).finish_non_exhaustive()
    }
}

impl<S: IndexSource> Indexer<S> {
    /// Begins at the position of the index. An index that does not exist is first built from all facts, and so is an index of
    /// events that the logs have lost. An index that an error left half built goes on where it was.
    ///
    /// # Errors
    /// When the logs cannot be read, or the index not be written.
    pub async fn begin(
        facts: Arc<dyn Store>,
        log: &dyn Log,
        index: Box<dyn Indexing<S::Doc>>,
        (clock, refresh_ms): (Arc<dyn Clock>, u64),
    ) -> Result<Self> {
        let mut indexer = Self {
            facts,
            index,
            walk: None,
            walk_at_once: S::WALK_AT_ONCE,
            is_caught_up: false,
            clock,
            dirty: Dirty::new(refresh_ms, MARKS_MAX),
            rests_until_ms: 0,
        };
        let head = log.head().await?;
        match indexer.index.stage() {
            _ if is_ahead(indexer.index.position(), &head) => indexer.begin_anew(head).await?,
            IndexStage::Whole => {
                if let Some(counters) = indexer.index.counters().cloned() {
                    indexer.mark_again(log, counters).await?;
                }
            }
            IndexStage::Building(after) => indexer.walk = Some(Walk { after }),
            IndexStage::Absent => indexer.begin_anew(head).await?,
        }
        Ok(indexer)
    }

    /// Marks again whose counters changed after a position that they are owed since, up to where the index stands.
    async fn mark_again(&mut self, log: &dyn Log, mut from: Position) -> Result<()> {
        let (since, now_ms) = (Arc::new(from.clone()), self.clock.now_ms());
        let logs: Vec<LogId> = self.index.position().marks().map(|(log, _)| log).collect();
        for id in logs {
            while !from.includes(self.index.position().in_log(id)) {
                let batch = match log.read(id, &from, EVENT_BATCH_MAX as usize).await {
                    Err(error) if error.reason == Reason::Trimmed => {
                        self.dirty.mark_all(&since, now_ms);
                        return Ok(());
                    }
                    batch => batch?,
                };
                self.mark(&batch, None, (&since, now_ms)).await?;
                from = batch.position;
            }
        }
        Ok(())
    }

    /// Marks whose counters some events changed. A view is pinned only where the facts are asked.
    async fn mark(
        &mut self,
        batch: &EventBatch,
        view: Option<Box<dyn StoreView>>,
        (since, now_ms): (&Arc<Position>, u64),
    ) -> Result<()> {
        let named = batch.unreadable.iter().filter_map(S::named);
        for id in batch.events.iter().flat_map(S::counted).flatten().chain(named) {
            self.dirty.mark(id, since, now_ms);
        }
        let counting: Vec<SourceId<S>> = batch.events.iter().filter_map(S::counts).collect();
        if counting.is_empty() {
            return Ok(());
        }
        let view = match view {
            Some(view) => view,
            None => self.facts.view(Some(&batch.position)).await?,
        };
        for id in S::counting_for(&*view, &counting).await? {
            self.dirty.mark(id, since, now_ms);
        }
        Ok(())
    }

    /// Up to where counters are those of the facts, if that is before where the index stands.
    fn counters(&self) -> Option<Position> {
        self.dirty.counters().map(|position| (**position).clone())
    }

    /// In how many milliseconds there is work although no event came; none if there is not.
    pub fn due_in_ms(&self) -> Option<u64> {
        let due_ms = self.dirty.due_ms().filter(|_| self.walk.is_none())?;
        Some(due_ms.max(self.rests_until_ms).saturating_sub(self.clock.now_ms()))
    }

    /// Writes some documents whose counters changed long enough ago. Returns whether there were any.
    async fn refresh(&mut self) -> Result<bool> {
        let now_ms = self.clock.now_ms();
        if now_ms < self.rests_until_ms {
            return Ok(false);
        }
        let due = self.dirty.due(now_ms, REFRESHED_AT_ONCE);
        if matches!(due, Due::Nothing) {
            return Ok(false);
        }
        let at = self.index.position().clone();
        let view = self.facts.view(Some(&at)).await?;
        let ids = match due {
            Due::Nothing => Vec::new(),
            Due::Marked(ids) => ids,
            Due::AllAfter(after) => {
                let ids = S::all(&*view, after, REFRESHED_AT_ONCE).await?;
                self.dirty.swept(ids.last().copied());
                let changes = S::changes(&*view, &ids).await?;
                let counters = self.counters();
                self.index.apply(changes, at, counters).await?;
                self.rest(now_ms);
                return Ok(true);
            }
        };
        let changes = S::changes(&*view, &ids).await?;
        self.dirty.done(ids.len());
        let counters = self.counters();
        self.index.apply(changes, at, counters).await?;
        self.rest(now_ms);
        Ok(true)
    }

    /// Lets the next documents wait, and what was written be kept.
    const fn rest(&mut self, now_ms: u64) {
        self.rests_until_ms = now_ms + REFRESH_REST_MS;
        self.is_caught_up = true;
    }

    async fn begin_anew(&mut self, head: Position) -> Result<()> {
        self.dirty.forget();
        self.walk = None;
        self.index.begin_anew(head).await?;
        self.walk = Some(Walk { after: None });
        Ok(())
    }

    async fn take(&mut self, batch: EventBatch) -> Result<()> {
        self.is_caught_up = batch.events.len() < EVENT_BATCH_MAX as usize;
        let named = batch.unreadable.iter().filter_map(S::named);
        let ids: BTreeSet<SourceId<S>> = batch.events.iter().filter_map(S::changed).chain(named).collect();
        let ids: Vec<SourceId<S>> = ids.into_iter().collect();
        let (mut view, mut changes) = (None, Vec::new());
        if !ids.is_empty() {
            let pinned = self.facts.view(Some(&batch.position)).await?;
            changes = S::changes(&*pinned, &ids).await?;
            view = Some(pinned);
        }
        let (before, now_ms) = (Arc::new(self.index.position().clone()), self.clock.now_ms());
        self.mark(&batch, view, (&before, now_ms)).await?;
        let counters = self.counters();
        self.index.apply(changes, batch.position, counters).await
    }

    /// Puts the next ones of the walk into the new index. Returns whether there is a walk.
    async fn walk_on(&mut self) -> Result<bool> {
        let Some(walk) = self.walk else { return Ok(false) };
        let head = self.index.position().clone();
        let view = self.facts.view(Some(&head)).await?;
        let ids = S::all(&*view, walk.after, self.walk_at_once).await?;
        let Some(last) = ids.last().copied() else {
            self.index.finish().await?;
            self.walk = None;
            return Ok(true);
        };
        let mut changes = S::changes(&*view, &ids).await?;
        // There is nothing to remove from a new index.
        changes.retain(|change| matches!(change, IndexChange::Put(_)));
        self.index.apply(changes, head, None).await?;
        self.walk = Some(Walk { after: Some(last) });
        Ok(true)
    }
}

/// Returns whether a position has events that the logs do not have: a database was set back to an earlier state, and other
/// events will have their numbers. Of a log that is not named nothing is known now.
fn is_ahead(position: &Position, head: &Position) -> bool {
    head.marks().any(|(log, _)| position.in_log(log).is_after(head.in_log(log)))
}

impl<S: IndexSource> Follower for Indexer<S> {
    fn position(&self) -> &Position {
        self.index.position()
    }

    fn has_room(&self) -> bool {
        self.walk.is_none()
    }

    fn apply(&mut self, batch: EventBatch) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.take(batch))
    }

    fn rebuild(&mut self, head: Position) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.begin_anew(head))
    }

    fn work(&mut self) -> BoxFuture<'_, Result<bool>> {
        if self.walk.is_some() {
            return Box::pin(self.walk_on());
        }
        let has_due = self.due_in_ms() == Some(0);
        if !has_due && !std::mem::take(&mut self.is_caught_up) {
            return Box::pin(ready(Ok(false)));
        }
        // Events that come meanwhile are read at once afterwards; an error of keeping is reported only here.
        Box::pin(async move {
            if has_due {
                return self.refresh().await;
            }
            self.index.keep().await.map(|()| false)
        })
    }
}
