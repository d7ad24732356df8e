//! Relations of a user: from memory where the log tells that nothing came since, else by one question.
//!
//! The shard of a user tells the user's relations to all others, and each change of one has an event in the log of that shard. So a
//! relation that was read as of an event stays right until a later event names both users. Memory forgets it then, before a reader can
//! see that the log has come so far.

use super::relations::{RELATIONS_AT, read_facts};
use super::snapshot::{PLACE_COLUMNS, has_more, moving, places_of};
use super::{ClusterView, reach};
use crate::derive::Marks;
use crate::rows::{column, column_of};
use crate::store::ClusterCore;
use crate::tail::look;
use futures_util::future::try_join_all;
use guanxi_memory::cut::Cut as _;
use guanxi_memory::pairs::PairEntry;
use guanxi_memory::tail::fill::FillRead;
use guanxi_model::{Gene, LogId, LogMark, Logs, Position, Relation, Result, Uid};
use guanxi_ports::{BaseView as _, RelationView as _};
use guanxi_postgres::{Fault, Term, term};
use guanxi_shard::apply::Targets;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::time::Instant;
use tokio_postgres::Row;

/// The relations of a user to others, in order, and the last event of the user's log that they include.
type Told = (Vec<Relation>, u64);

/// Returns the relation of a user to others, in order, and the position of the answer.
pub(crate) async fn relations(
    shared: &Arc<ClusterCore>,
    subject: Uid,
    objects: &[Uid],
    at_least: Option<&Position>,
) -> Result<(Vec<Relation>, Position)> {
    if let Some(wanted) = at_least {
        shared.check_history(wanted)?;
        reach(shared, wanted).await?;
    }
    let (gene, database) = (subject.gene(), shared.map().database(subject.gene()));
    let now = Instant::now();
    let since = if names_acts(at_least) {
        if !wait_for_acts(shared, gene, at_least).await? {
            let view = ClusterView::open(shared, at_least).await?;
            return Ok((view.relations(subject, objects).await?, view.position()));
        }
        // A look that begins now brings the effects.
        Instant::now()
    } else {
        now.checked_sub(shared.options.staleness).unwrap_or(now)
    };
    let told = match in_memory(shared, database, (subject, objects), since).await? {
        Some(told) => told,
        None => ask(shared, (subject, objects)).await?,
    };
    let (relations, seen) = told;
    let mark = (Logs::PerGene.of_gene(gene), LogMark { seen, acted: 0 });
    Ok((relations, Position::sparse(shared.terms.history, [mark])))
}

impl ClusterView {
    /// The relation within each of some pairs, in order, as of this view: from memory where that tells it as of the moment that the
    /// first user's shard was asked at before.
    pub(super) async fn relations_in(&self, pairs: &[(Uid, Uid)]) -> Result<Vec<Relation>> {
        let pool = &self.shared().memory.pairs;
        if self.shared().options.memory.pairs == 0 {
            return self.relations_of(pairs).await;
        }
        let mut told = self.told_in(pairs).await?;
        let missing = pairs.iter().zip(&told).filter(|(_, told)| told.is_none());
        let missing: Vec<(Uid, Uid)> = missing.map(|(pair, _)| *pair).collect();
        if !missing.is_empty() {
            let fills = pool.begin_fills(missing.iter().copied());
            let before = self.told_of(missing.iter().map(|pair| pair.0.gene()));
            let relations = self.relations_of(&missing).await?;
            self.catch_up(&before).await?;
            let entry = |(pair, relation): (&(Uid, Uid), &Relation)| {
                let seq = self.seq_of(pair.0.gene())?;
                self.may_keep(&before, pair.0.gene(), seq).then(|| PairEntry::new(*pair, seq, *relation))
            };
            fills.keep(missing.iter().zip(&relations).map(entry));
            told.iter_mut()
                .filter(|told| told.is_none())
                .zip(relations)
                .for_each(|(told, it)| *told = Some(it));
        }
        Ok(told.into_iter().flatten().collect())
    }

    /// Up to where memory was told of some logs, for fills that are registered by now.
    pub(super) fn told_of(&self, logs: impl IntoIterator<Item = Gene>) -> BTreeMap<Gene, u64> {
        let told = |log| Some((log, told_up_to(self.shared(), log)?));
        logs.into_iter().filter_map(told).collect()
    }

    /// Has looks bring the logs up to where a page has read rows of them: what was read is kept then, and the page needs the events
    /// between anyway before it leaves.
    pub(super) async fn catch_up(&self, told: &BTreeMap<Gene, u64>) -> Result<()> {
        let read = told.keys().filter_map(|log| Some((*log, self.seq_of(*log)?))).collect();
        self.catch_up_to(&read).await
    }

    /// The same for where logs stood when rows of them were read.
    pub(super) async fn catch_up_to(&self, read: &BTreeMap<Gene, u64>) -> Result<()> {
        if self.page.is_none() {
            return Ok(());
        }
        let map = self.shared().map();
        let behind = read.iter().filter(|(log, seq)| !has_come_to(self.shared(), **log, **seq));
        let databases: BTreeSet<usize> = behind.map(|(log, _)| map.database(*log)).collect();
        let looks = databases.into_iter().map(|database| look(self.shared(), database));
        try_join_all(looks).await.map_err(Fault::told).map(drop)
    }

    /// Returns whether memory may keep what this view has read of a log, as of an event of that.
    pub(super) fn may_keep(&self, told: &BTreeMap<Gene, u64>, log: Gene, as_of: u64) -> bool {
        self.seq_of(log).is_some_and(|seq| self.may_keep_read(told, (log, seq), as_of))
    }

    /// The same of what was read where the log stood there.
    pub(super) fn may_keep_read(
        &self,
        told: &BTreeMap<Gene, u64>,
        (log, seq): (Gene, u64),
        as_of: u64,
    ) -> bool {
        let read = FillRead { told: told.get(&log).copied(), seq, as_of };
        read.may_be_kept(told_up_to(self.shared(), log))
    }

    /// What memory tells of some pairs as of this view, in order.
    pub(super) async fn told_in(&self, pairs: &[(Uid, Uid)]) -> Result<Vec<Option<Relation>>> {
        let pool = &self.shared().memory.pairs;
        if let Some(cut) = self.cut_of(pairs.iter().map(|pair| pair.0.gene())).await? {
            let asked: Vec<_> = pairs.iter().map(|pair| (*pair, Some(cut.seq_of(pair.0)))).collect();
            let told = pool.find_each(&asked);
            self.note_told(
                told.iter().zip(pairs).filter(|(told, _)| told.is_some()).map(|(_, pair)| pair.0),
                [],
            );
            return Ok(told);
        }
        let as_of = |gene: Gene| {
            let seq = self.seq_of(gene)?;
            has_come_to(self.shared(), gene, seq).then_some(seq)
        };
        let asked: Vec<_> = pairs.iter().map(|pair| (*pair, as_of(pair.0.gene()))).collect();
        Ok(pool.find_each(&asked))
    }
}

/// The last event of a log that memory was told of.
pub(super) fn told_up_to(shared: &ClusterCore, gene: Gene) -> Option<u64> {
    let map = shared.map();
    shared.tails[map.database(gene)].last((gene, map.epoch(gene)))
}

/// Returns whether memory may keep what one question read of a log where that stood at `seq`; memory was told of it up to `told` before
/// the question.
pub(super) fn may_keep_answer(shared: &ClusterCore, gene: Gene, told: Option<u64>, seq: u64) -> bool {
    FillRead { told, seq, as_of: seq }.may_be_kept(told_up_to(shared, gene))
}

/// Returns whether memory was told of an event of a log.
pub(super) fn has_come_to(shared: &ClusterCore, gene: Gene, seq: u64) -> bool {
    told_up_to(shared, gene).is_some_and(|last| last >= seq)
}

/// Tells relations from memory, if it has all of them as of a look that began no earlier than this.
async fn in_memory(
    shared: &Arc<ClusterCore>,
    database: usize,
    (subject, objects): (Uid, &[Uid]),
    since: Instant,
) -> Result<Option<Told>> {
    if shared.options.memory.pairs == 0 {
        return Ok(None);
    }
    let last = looked_since(shared, database, subject.gene(), since).await?;
    let Some(seq) = last else { return Ok(None) };
    Ok(shared.memory.pairs.find(subject, objects, seq).map(|relations| (relations, seq)))
}

/// The last event of a log that is told by a look that began no earlier than this. It looks if it has to. None if a look cannot tell.
pub(super) async fn looked_since(
    shared: &Arc<ClusterCore>,
    database: usize,
    gene: Gene,
    since: Instant,
) -> Result<Option<u64>> {
    // A database that is shut is not answered for.
    shared.served[database].breaker.pass().map_err(Fault::told)?;
    if let Some(last) = last_since(shared, database, gene, since) {
        return Ok(Some(last));
    }
    look(shared, database).await.map_err(Fault::told)?;
    Ok(last_since(shared, database, gene, since))
}

/// The last event of a log, if looks that began no earlier than this have told all of it, and all that this process knows to be there.
fn last_since(shared: &ClusterCore, database: usize, gene: Gene, since: Instant) -> Option<u64> {
    // What this process has written by now is to be seen.
    let known = shared.head(gene);
    let last = shared.tails[database].last_since((gene, shared.map().epoch(gene)), since)?;
    (last >= known).then_some(last)
}

/// Returns whether a position names acts of its holder, whose effects may stand in any log.
fn names_acts(at_least: Option<&Position>) -> bool {
    at_least.is_some_and(|wanted| wanted.marks().any(|(_, mark)| mark.acted > 0))
}

/// Waits until a shard has what follows from the acts that a position names. False if this process must not apply it: its clock is
/// wrong, and a view waits for others.
pub(super) async fn wait_for_acts(
    shared: &Arc<ClusterCore>,
    gene: Gene,
    at_least: Option<&Position>,
) -> Result<bool> {
    let acted = acted_marks(at_least);
    if acted.is_empty() {
        return Ok(true);
    }
    if !shared.clock_watch.is_right() {
        return Ok(false);
    }
    let database = shared.map().database(gene);
    shared.appliers()?.reach(database, acted, Targets::one(gene)).await?;
    Ok(true)
}

/// The acts that a position names, by their logs.
pub(super) fn acted_marks(at_least: Option<&Position>) -> Marks {
    let acted = |(log, mark): (LogId, LogMark)| (mark.acted > 0).then_some((Gene(log.0), mark.acted));
    at_least.into_iter().flat_map(Position::marks).filter_map(acted).collect()
}

/// Asks a question with its place about rows of one shard. Returns the rows, and the last event of the shard's log by
/// then.
pub(super) async fn one_moment(
    shared: &Arc<ClusterCore>,
    gene: Gene,
    sql: &'static str,
    terms: Vec<Term>,
) -> Result<(Vec<Row>, u64)> {
    let database = shared.map().database(gene);
    let rows = ask_alone(shared, database, sql, terms).await?;
    let place = rows.first().map_or(0, |row| row.len().saturating_sub(PLACE_COLUMNS));
    let seq = places_of(shared, database, &rows, place)?.get(&gene).copied();
    Ok((rows, seq.ok_or_else(|| moving(shared))?))
}

/// Asks a question of one statement outside of a transaction.
pub(super) async fn ask_alone(
    shared: &Arc<ClusterCore>,
    database: usize,
    sql: &'static str,
    terms: Vec<Term>,
) -> Result<Vec<Row>> {
    let served = &shared.served[database];
    let _waits = served.stalls.enter().map_err(Fault::told)?;
    let answer = served.asks.question(sql, terms).await;
    if matches!(answer, Err(Fault::Elsewhere(_))) {
        shared.reload_soon();
    }
    answer.map_err(Fault::told)
}

/// Asks a database, and keeps what it tells.
async fn ask(shared: &Arc<ClusterCore>, (subject, objects): (Uid, &[Uid])) -> Result<Told> {
    let gene = subject.gene();
    let mut others: Vec<Uid> = objects.iter().copied().filter(|object| *object != subject).collect();
    others.sort_unstable();
    others.dedup();
    let (fill, told) =
        (shared.memory.pairs.begin_fill(subject, others.iter().copied()), told_up_to(shared, gene));
    let terms = vec![term(i16::from(gene.0)), term(column(subject)), column_of!(others, uid => column(*uid))];
    let (rows, seq) = one_moment(shared, gene, RELATIONS_AT, terms).await?;
    shared.note_read(gene, seq);
    let found = read_facts(rows.iter().filter(|row| has_more(row)))?;
    let relation = |object: Uid| found.get(&object).copied().unwrap_or_default();
    let is_kept = may_keep_answer(shared, gene, told, seq);
    let entry = |object: &Uid| is_kept.then(|| PairEntry::new((subject, *object), seq, relation(*object)));
    fill.keep(others.iter().map(entry));
    Ok((objects.iter().map(|object| relation(*object)).collect(), seq))
}
