//! What a page asks of memory and of rows, as the view of a cluster does it.

use super::process::{Map, look};
use super::shard::{LogRow, ViewerFacts};
use super::tables::{Place, Refused};
use super::{Break, DATABASES, Process, Shared, World, delay};
use guanxi_memory::cut::{CutPlace, GeneCut};
use guanxi_memory::page::{PageRows, PageTold, holds_for};
use guanxi_memory::tail::fill::FillRead;
use guanxi_memory::tail::memory::Memory;
use guanxi_model::{Gene, LogId, PostHeader, PostId, Relation, Uid};
use guanxi_shard::cells::Pair;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Events between two moments of a page that are looked through.
const BETWEEN_MAX: u64 = 12;

/// What was answered, and the event of a log as of which that is right.
#[derive(Clone, Debug)]
pub enum Answer {
    Relation(Pair, Relation, u64),
    Viewer(Uid, ViewerFacts, u64),
    Outbox(Uid, Vec<PostId>, u64),
    Header(PostId, Option<PostHeader>, u64),
}

impl Answer {
    /// The shard that it is of.
    pub fn gene(&self) -> Gene {
        match self {
            Self::Relation((uid, _), ..) | Self::Viewer(uid, ..) | Self::Outbox(uid, ..) => uid.gene(),
            Self::Header(id, ..) => id.gene(),
        }
    }

    /// The event as of which it is right.
    pub fn seq(&self) -> u64 {
        match self {
            Self::Relation(.., seq)
            | Self::Viewer(.., seq)
            | Self::Outbox(.., seq)
            | Self::Header(.., seq) => *seq,
        }
    }
}

/// One moment of a database.
struct Snapshot {
    seqs: BTreeMap<Gene, u64>,
    asked: BTreeSet<Gene>,
}

/// A view for a page.
pub struct View {
    pub shared: Shared,
    pub process: usize,
    map: Map,
    pub memory: Rc<Memory>,
    /// An act of the reader whose effects it is to see: a log, and the event there.
    pub acted: Option<(Gene, u64)>,
    pub page: PageTold,
    fixed: [Option<bool>; DATABASES],
    /// Of each database that memory is asked about, a time by which what it tells was there.
    told_by: [Option<u64>; DATABASES],
    snapshots: [Option<Snapshot>; DATABASES],
    pub answers: Vec<Answer>,
}

impl View {
    pub fn new(shared: &Shared, process: usize, acted: Option<(Gene, u64)>) -> Self {
        let (memory, map) = {
            let world = shared.borrow();
            let process = &world.processes[process];
            (process.memory.clone(), process.map.clone())
        };
        Self {
            shared: shared.clone(),
            process,
            map,
            memory,
            acted,
            page: PageTold::default(),
            fixed: [None; DATABASES],
            told_by: [None; DATABASES],
            snapshots: [const { None }; DATABASES],
            answers: Vec::new(),
        }
    }

    fn with<T>(&self, ask: impl FnOnce(&mut World, usize) -> T) -> T {
        ask(&mut self.shared.borrow_mut(), self.process)
    }

    fn of_process<T>(&self, ask: impl FnOnce(&Process) -> T) -> T {
        ask(&self.shared.borrow().processes[self.process])
    }

    pub fn breaks(&self, one: Break) -> bool {
        self.shared.borrow().breaks == one
    }

    /// Whether the process still has the map of shards with which the view began: what is asked by two maps is of two databases.
    fn has_its_map(&self) -> bool {
        self.breaks(Break::MapReplaced) || self.of_process(|process| process.map == self.map)
    }

    /// Where a shard is by the map that the process has now.
    fn place(&self, gene: Gene) -> Place {
        self.of_process(|process| process.map[&gene])
    }

    fn database(&self, gene: Gene) -> usize {
        self.place(gene).database
    }

    /// The shards of a database, with their epochs.
    fn logs_of(&self, database: usize) -> Vec<(Gene, i64)> {
        let places = self.map.keys().map(|gene| (*gene, self.place(*gene)));
        places
            .filter(|(_, place)| place.database == database)
            .map(|(gene, place)| (gene, place.epoch))
            .collect()
    }

    /// The last event of a log that memory was told of.
    fn last(&self, gene: Gene) -> Option<u64> {
        self.of_process(|process| process.last((gene, self.place(gene))))
    }

    fn databases(&self, genes: impl IntoIterator<Item = Gene>) -> BTreeSet<usize> {
        genes.into_iter().map(|gene| self.database(gene)).collect()
    }

    /// Where a shard stood in the snapshot of its database, if that was asked about the shard.
    pub fn seq_of(&self, gene: Gene) -> Option<u64> {
        let snapshot = self.snapshots[self.database(gene)].as_ref()?;
        snapshot.asked.contains(&gene).then(|| snapshot.seqs[&gene])
    }

    /// Where the logs of some shards stand for what memory tells. None if rows are to be asked for instead.
    pub async fn cut_of(
        &mut self,
        genes: impl IntoIterator<Item = Gene>,
    ) -> Result<Option<GeneCut>, Refused> {
        for database in self.databases(genes) {
            let is_fixed = match self.fixed[database] {
                Some(is_fixed) => is_fixed,
                None => self.fix(database).await?,
            };
            self.fixed[database] = Some(is_fixed);
            if !is_fixed {
                return Ok(None);
            }
        }
        Ok(Some(self.page.cut().clone()))
    }

    async fn fix(&mut self, database: usize) -> Result<bool, Refused> {
        if self.snapshots[database].is_some() {
            return Ok(false);
        }
        let Some(places) = self.places(database).await? else { return Ok(false) };
        self.page.fix(&places);
        self.told_by[database] = self.of_process(|process| process.tails[database].ring.told_by());
        Ok(true)
    }

    /// Where the logs of a database stand at a look that is new enough.
    async fn places(&self, database: usize) -> Result<Option<Vec<(LogId, CutPlace)>>, Refused> {
        let logs = self.logs_of(database);
        let since = self.with(|world, process| {
            let staleness = world.processes[process].staleness;
            let since = world.now.saturating_sub(staleness);
            match (world.breaks, self.acted) {
                (Break::Staleness, _) => Some(0),
                (Break::ActsNotAwaited, _) | (_, None) => Some(since),
                (_, Some(acted)) => {
                    let is_applied = |gene: &(Gene, i64)| {
                        let shard = world.tables.shard(gene.0);
                        gene.0 == acted.0 || shard.mark(acted.0, shard.seq()) >= acted.1
                    };
                    logs.iter().all(is_applied).then_some(world.now)
                }
            }
        });
        let Some(since) = since else { return Ok(None) };
        let does_not_wait = self.breaks(Break::OwnWrites);
        let told = self.of_process(|process| {
            let places = process.tails[database].ring.places_since(logs.clone(), since)?;
            let has_all = |(log, place): &(LogId, CutPlace)| place.seq >= process.heads[&Gene(log.0)];
            (does_not_wait || places.iter().all(has_all)).then_some(places)
        });
        if told.is_some() {
            return Ok(told);
        }
        look(&self.shared, self.process, database).await?;
        Ok(self.of_process(|process| process.tails[database].ring.places_since(logs, since)))
    }

    /// Asks databases about rows of some shards, of each in one snapshot. Returns where the shards stand in it.
    pub async fn ask(
        &mut self,
        rows: PageRows,
        genes: impl IntoIterator<Item = Gene>,
    ) -> Result<BTreeMap<Gene, u64>, Refused> {
        let mut read = BTreeMap::new();
        for gene in genes.into_iter().collect::<BTreeSet<Gene>>() {
            let database = self.database(gene);
            if self.snapshots[database].is_none() {
                self.apply(database)?;
                delay(&self.shared).await;
                let seqs = self.moment(database)?;
                self.snapshots[database] = Some(Snapshot { seqs, asked: BTreeSet::new() });
            }
            delay(&self.shared).await;
            if self.shared.borrow().tables.is_away[database] {
                return Err(Refused::Away);
            }
            let snapshot = self.snapshots[database].as_mut().unwrap();
            let seq = *snapshot.seqs.get(&gene).ok_or(Refused::Moving)?;
            snapshot.asked.insert(gene);
            self.page.note_rows(rows, [(gene, seq)]);
            read.insert(gene, seq);
        }
        Ok(read)
    }

    /// Has the shards of a database take in what the reader has done.
    fn apply(&self, database: usize) -> Result<(), Refused> {
        let Some((source, _)) = self.acted.filter(|_| !self.breaks(Break::ActsNotAwaited)) else {
            return Ok(());
        };
        for (gene, _) in self.logs_of(database) {
            let is_carried = gene == source || self.with(|world, _| world.carry(source, gene, usize::MAX));
            is_carried.then_some(()).ok_or(Refused::Away)?;
        }
        Ok(())
    }

    /// Reads contents of shards of a database without a snapshot, where memory has told all else of it.
    pub async fn read_contents(
        &mut self,
        viewer: Uid,
        genes: BTreeSet<Gene>,
    ) -> Result<BTreeMap<Gene, u64>, Refused> {
        let mut read = BTreeMap::new();
        let mut databases: BTreeMap<usize, BTreeSet<Gene>> = BTreeMap::new();
        for gene in genes {
            databases.entry(self.database(gene)).or_default().insert(gene);
        }
        for (database, genes) in databases {
            if self.fixed[database] != Some(true) || self.snapshots[database].is_some() {
                read.extend(self.ask(PageRows::Contents, genes).await?);
                continue;
            }
            delay(&self.shared).await;
            let seqs = self.moment(database)?;
            let of = |gene: &Gene| Some((*gene, *seqs.get(gene)?));
            let contents: BTreeMap<Gene, u64> = genes.iter().filter_map(of).collect();
            if contents.len() < genes.len() {
                return Err(Refused::Moving);
            }
            read.extend(contents.clone());
            self.page.note_read(database, contents, of(&viewer.gene()).into_iter().collect());
        }
        Ok(read)
    }

    /// Where the shards of a database stand now, of those that are where the map says.
    fn moment(&self, database: usize) -> Result<BTreeMap<Gene, u64>, Refused> {
        let any_epoch = self.breaks(Break::StaleEpoch);
        let moment = self.shared.borrow().tables.moment(database)?;
        let is_here = |gene: Gene, epoch: i64| {
            let place = self.place(gene);
            place.database == database && (any_epoch || place.epoch == epoch)
        };
        let here = moment.into_iter().filter(|(gene, (epoch, _))| is_here(*gene, *epoch));
        Ok(here.map(|(gene, (_, seq))| (gene, seq)).collect())
    }

    /// Up to where memory was told of some logs, for fills that are registered by now.
    pub fn told_of(&self, genes: impl IntoIterator<Item = Gene>) -> BTreeMap<Gene, u64> {
        genes.into_iter().filter_map(|gene| Some((gene, self.last(gene)?))).collect()
    }

    pub fn has_come_to(&self, gene: Gene, seq: u64) -> bool {
        self.last(gene).is_some_and(|last| last >= seq)
    }

    pub async fn catch_up(&self, told: &BTreeMap<Gene, u64>) -> Result<(), Refused> {
        let read = told.keys().filter_map(|gene| Some((*gene, self.seq_of(*gene)?))).collect();
        self.catch_up_to(&read).await
    }

    /// The same for where logs stood when rows of them were read.
    pub async fn catch_up_to(&self, read: &BTreeMap<Gene, u64>) -> Result<(), Refused> {
        let behind = read.iter().filter(|(gene, seq)| !self.has_come_to(**gene, **seq));
        for database in self.databases(behind.map(|(gene, _)| *gene)) {
            look(&self.shared, self.process, database).await?;
        }
        Ok(())
    }

    pub fn may_keep(&self, told: &BTreeMap<Gene, u64>, gene: Gene, as_of: u64) -> bool {
        self.seq_of(gene).is_some_and(|seq| self.may_keep_read(told, (gene, seq), as_of))
    }

    /// The same of what was read where the log stood there.
    pub fn may_keep_read(&self, told: &BTreeMap<Gene, u64>, (gene, seq): (Gene, u64), as_of: u64) -> bool {
        if !self.has_its_map() {
            return false;
        }
        let told = told.get(&gene).copied().filter(|_| !self.breaks(Break::FillOlder));
        FillRead { told, seq, as_of }.may_be_kept(self.last(gene))
    }

    /// Returns whether all that was answered goes together and holds still.
    pub async fn holds_still(&mut self, viewer: Uid) -> Result<bool, Refused> {
        if !self.has_its_map() {
            return Ok(false);
        }
        if self.is_of_one_moment() {
            return Ok(true);
        }
        Ok(self.parts_agree().await?
            && (self.breaks(Break::ViewerMoved) || self.viewer_holds(viewer).await?))
    }

    /// The databases of which rows were read, and those of which memory told something.
    fn sources(&self) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let asked = (0..DATABASES).filter(|n| self.snapshots[*n].is_some()).chain(self.page.read());
        (asked.collect(), self.databases(self.page.places().into_iter().map(|(gene, _)| gene)))
    }

    fn is_of_one_moment(&self) -> bool {
        let (asked, told) = self.sources();
        asked.len() + told.len() <= 1 && self.page.read().is_empty()
    }

    async fn parts_agree(&mut self) -> Result<bool, Refused> {
        for span in self.page.spans() {
            let is_skipped = match span.rows {
                PageRows::Facts => self.breaks(Break::PartsApart),
                _ => self.breaks(Break::LaterBody),
            };
            if is_skipped {
                continue;
            }
            let Some(events) = self.events_between(span.log, (span.from, span.upto)).await? else {
                return Ok(false);
            };
            if !self.page.goes_on_by(&span, &events) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn viewer_holds(&self, viewer: Uid) -> Result<bool, Refused> {
        let (log, database) = (viewer.gene(), self.database(viewer.gene()));
        let rows = self.seq_of(log);
        let (asked, told) = self.sources();
        let last = if asked.union(&told).count() > 1 {
            None
        } else if self.snapshots[database].is_some() {
            rows.filter(|_| self.page.read().is_empty())
        } else {
            self.page.viewer_read(database, log)
        };
        let Some(then) = self.page.at(log).or(rows) else { return Ok(true) };
        let now = if let Some(last) = last.or_else(|| self.looked_after_others(log)) {
            last
        } else {
            look(&self.shared, self.process, database).await?;
            let heads = self.of_process(|process| process.tails[database].ring.heads());
            let Some(head) = heads.get(&log).copied().or(self.breaks(Break::HeadUnknown).then_some(0)) else {
                return Ok(false);
            };
            head
        };
        if now <= then {
            return Ok(true);
        }
        let events = self.events_between(log, (then, now)).await?;
        Ok(events.is_some_and(|events| holds_for(viewer, &events)))
    }

    /// The last event of a viewer's log, by a look that began when all was there that memory had told of other databases.
    fn looked_after_others(&self, log: Gene) -> Option<u64> {
        let database = self.database(log);
        if !self.sources().0.is_empty() {
            return None;
        }
        let others = (0..DATABASES).filter(|other| *other != database);
        let told_by = others.filter_map(|other| self.told_by[other]).max()?;
        let since = if self.breaks(Break::ViewerBefore) { 0 } else { told_by + 1 };
        let place = self.place(log);
        self.of_process(|process| process.tails[database].ring.last_since((log, place.epoch), since))
    }

    async fn events_between(&self, log: Gene, span: (u64, u64)) -> Result<Option<Vec<LogRow>>, Refused> {
        if !self.has_come_to(log, span.1) {
            look(&self.shared, self.process, self.database(log)).await?;
        }
        if span.1 - span.0 > BETWEEN_MAX {
            return Ok(None);
        }
        Ok(self.of_process(|process| process.events((log, self.place(log)), span)))
    }
}
