//! Answers of a page from memory, and whether all of its answers go together.
//!
//! A view for a page fixes, for each database that it asks something of which memory has all, where the logs of that database stood at
//! a look: its cut. What memory tells is of that moment. What memory lacks is asked of the database in a snapshot, which may be of a
//! later moment. Before the answer leaves, [`holds_still`](ClusterView::holds_still) asks the events between the two whether one of
//! them tells of a user or a post that the page has asked about. Then the page is made again.

use super::ClusterView;
use super::direct::acted_marks;
use crate::derive::{Marks, marks, read_marks};
use crate::store::ClusterCore;
use crate::tail::{LogEntry, look};
use guanxi_memory::cut::{CutPlace, GeneCut};
pub(super) use guanxi_memory::page::PageRows;
use guanxi_memory::page::{PageTold, holds_for};
use guanxi_model::{Gene, LogId, Position, PostId, Result, Uid};
use guanxi_postgres::Fault;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// Events of a log between two moments of a page that are looked through. Where there are more, the page is made again.
const BETWEEN_MAX: usize = 1_024;

/// What a page is told from memory.
pub(super) struct PageMemory {
    /// Of each database what is asked, once that is decided.
    fixed: Vec<OnceCell<Source>>,
    told: Mutex<PageTold>,
}

/// What a page asks about a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Its rows.
    Rows,
    /// Memory, as of a look whose answer was there by then.
    Memory(Instant),
}

impl PageMemory {
    /// Nothing yet, of so many databases.
    pub(super) fn new(databases: usize) -> Self {
        Self { fixed: (0..databases).map(|_| OnceCell::new()).collect(), told: Mutex::default() }
    }

    fn told(&self) -> MutexGuard<'_, PageTold> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where memory told something of a log, if it did.
    pub(super) fn at(&self, log: Gene) -> Option<u64> {
        self.told().at(log)
    }

    /// The logs of which it told something, in order, and where.
    pub(super) fn places(&self) -> Vec<(Gene, u64)> {
        self.told().places()
    }

    /// Notes that memory has told something of users and posts.
    pub(super) fn note(&self, users: impl IntoIterator<Item = Uid>, posts: impl IntoIterator<Item = PostId>) {
        self.told().note(users, posts);
    }

    /// Notes up to where rows of shards were read.
    pub(super) fn note_rows(&self, asked: PageRows, places: impl IntoIterator<Item = (Gene, u64)>) {
        self.told().note_rows(asked, places);
    }

    /// Notes that contents were read without a snapshot, where the shards of these stood by then, and where that of the viewer did.
    pub(super) fn note_read(
        &self,
        database: usize,
        contents: BTreeMap<Gene, u64>,
        viewer: BTreeMap<Gene, u64>,
    ) {
        self.told().note_read(database, contents, viewer);
    }

    /// The databases of which contents were read without a snapshot.
    pub(super) fn read(&self) -> Vec<usize> {
        self.told().read()
    }

    /// Whether memory is asked about a database.
    pub(super) fn is_fixed(&self, database: usize) -> bool {
        matches!(self.fixed[database].get(), Some(Source::Memory(_)))
    }

    /// A time by which all was there that memory told of other databases than one.
    fn told_by(&self, but: usize) -> Option<Instant> {
        let others = self.fixed.iter().enumerate().filter(|(database, _)| *database != but);
        let times = others.filter_map(|(_, fixed)| match fixed.get() {
            Some(Source::Memory(told_by)) => Some(*told_by),
            Some(Source::Rows) | None => None,
        });
        times.max()
    }

    /// Whether the headers of posts were told from memory.
    pub(super) fn has_told(&self, ids: &[PostId]) -> bool {
        self.told().has_told(ids)
    }
}

impl ClusterView {
    /// Where the logs of some shards stand for what memory tells this view. None if rows are to be asked for instead.
    pub(super) async fn cut_of(&self, genes: impl IntoIterator<Item = Gene>) -> Result<Option<GeneCut>> {
        let Some(page) = &self.page else { return Ok(None) };
        let map = self.shared.map();
        let mut asked = vec![false; page.fixed.len()];
        genes.into_iter().for_each(|gene| asked[map.database(gene)] = true);
        for database in (0..asked.len()).filter(|database| asked[*database]) {
            let source = match page.fixed[database].get() {
                Some(source) => *source,
                None => *page.fixed[database].get_or_try_init(|| self.fix(page, database)).await?,
            };
            if source == Source::Rows {
                return Ok(None);
            }
        }
        let cut = page.told().cut().clone();
        Ok(Some(cut))
    }

    /// Fixes where the logs of a database stand. Rows are asked if a look cannot tell it, or rows were read before.
    async fn fix(&self, page: &PageMemory, database: usize) -> Result<Source> {
        if self.snapshots[database].initialized() {
            return Ok(Source::Rows);
        }
        let Some(places) = places(&self.shared, database, self.at_least.as_ref()).await? else {
            return Ok(Source::Rows);
        };
        page.told().fix(&places);
        // A later look may have come by now: its time is good for an earlier one, too.
        Ok(Source::Memory(self.shared.tails[database].told_by().unwrap_or_else(Instant::now)))
    }

    /// Returns whether all that this view has said goes together: none of it is of a moment before an event that another part of it
    /// knows and that tells of the same users or posts, and what it said of a viewer's relations is what holds now. A view of one
    /// moment is always so.
    pub(super) async fn holds_still(&self, viewer: Uid) -> Result<bool> {
        if self.is_of_one_moment() {
            return Ok(true);
        }
        Ok(self.parts_agree().await? && self.viewer_holds(viewer).await?)
    }

    /// Returns whether no event between what memory told and what rows told is about what the view has asked.
    async fn parts_agree(&self) -> Result<bool> {
        let Some(page) = &self.page else { return Ok(true) };
        let spans = page.told().spans();
        for span in spans {
            let Some(events) = self.events_between(span.log, span.from, span.upto).await? else {
                return Ok(false);
            };
            if !page.told().goes_on_by(&span, &events) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether what the view said of a viewer's relations holds as of the last moment of all its parts.
    async fn viewer_holds(&self, viewer: Uid) -> Result<bool> {
        let log = viewer.gene();
        let database = self.shared.map().database(log);
        let rows = self.seq_of(log);
        // The last of all moments, if nothing but this database was asked, and in one way.
        let last = if self.databases_asked() > 1 {
            None
        } else if self.snapshots[database].initialized() {
            rows.filter(|_| self.page.as_ref().is_none_or(|page| page.read().is_empty()))
        } else {
            self.page.as_ref().and_then(|page| page.told().viewer_read(database, log))
        };
        let Some(then) = self.page.as_ref().and_then(|page| page.at(log)).or(rows) else { return Ok(true) };
        let now = if let Some(last) = last.or_else(|| self.looked_after_others(database, log)) {
            last
        } else {
            let told = look(&self.shared, database).await.map_err(Fault::told)?;
            // The log is known when its shard is where the map says: else the page is made again.
            let Some(head) = told.heads.get(&log).copied() else { return Ok(false) };
            head
        };
        if now <= then {
            return Ok(true);
        }
        let Some(events) = self.events_between(log, then, now).await? else { return Ok(false) };
        Ok(holds_for(viewer, &events))
    }

    /// The last event of a viewer's log, by a look that is here already and that began when all was there that memory had told of other
    /// databases. None if rows were read: these may be of a later moment.
    fn looked_after_others(&self, database: usize, log: Gene) -> Option<u64> {
        let page = self.page.as_ref()?;
        if self.sources().iter().any(|(is_asked, _)| *is_asked) {
            return None;
        }
        let since = page.told_by(database)? + Duration::from_nanos(1);
        self.shared.tails[database].last_since((log, self.shared.map().epoch(log)), since)
    }

    /// The events of a log after one up to another. None if they are many, or not at hand.
    async fn events_between(&self, log: Gene, from: u64, upto: u64) -> Result<Option<Vec<LogEntry>>> {
        let map = self.shared.map();
        let (database, epoch) = (map.database(log), map.epoch(log));
        let tail = &self.shared.tails[database];
        if tail.last((log, epoch)).is_none_or(|last| last < upto) {
            look(&self.shared, database).await.map_err(Fault::told)?;
        }
        let count = usize::try_from(upto - from).unwrap_or(usize::MAX);
        if count > BETWEEN_MAX {
            return Ok(None);
        }
        Ok(tail.read((log, epoch), (from, upto), count).filter(|events| events.len() == count))
    }
}

/// Where the logs of a database stand at a look that includes a position, and all that this process knows to be there. None if that
/// cannot be told: rows are asked then.
async fn places(
    shared: &Arc<ClusterCore>,
    database: usize,
    at_least: Option<&Position>,
) -> Result<Option<Vec<(LogId, CutPlace)>>> {
    // A database that is shut is not answered for.
    shared.served[database].breaker.pass().map_err(Fault::told)?;
    let (map, now) = (shared.map(), Instant::now());
    let acted = acted_marks(at_least);
    let since = if acted.is_empty() {
        now.checked_sub(shared.options.staleness).unwrap_or(now)
    } else {
        if !is_applied(shared, database, &acted).await? {
            return Ok(None);
        }
        // A look that begins now brings the effects.
        Instant::now()
    };
    let logs = || map.genes(database).map(|gene| (gene, map.epoch(gene)));
    let has_all_known = |places: &Vec<(LogId, CutPlace)>| {
        places.iter().all(|(log, place)| place.seq >= shared.head(Gene(log.0)))
    };
    let tail = &shared.tails[database];
    if let Some(places) = tail.places_since(logs(), since).filter(has_all_known) {
        return Ok(Some(places));
    }
    look(shared, database).await.map_err(Fault::told)?;
    Ok(tail.places_since(logs(), since))
}

/// Returns whether what follows from events of some logs stands in a database, as far as is known without applying it.
async fn is_applied(shared: &ClusterCore, database: usize, acted: &Marks) -> Result<bool> {
    let applied = shared.appliers()?.applied(database);
    let lacks = || acted.iter().filter(|(log, seq)| applied.get(**log) < **seq).map(|(log, _)| log);
    if lacks().next().is_none() {
        return Ok(true);
    }
    let rows = shared.served[database].asks.rows(&marks(lacks())).await.map_err(Fault::told)?;
    read_marks(&rows)?.into_iter().for_each(|(log, mark)| applied.note(log, mark));
    Ok(lacks().next().is_none())
}
