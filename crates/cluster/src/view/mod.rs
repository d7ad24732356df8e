//! Reading: one snapshot per database, opened at the first question about a shard that it has.
//!
//! A snapshot includes what a token names: every event that its holder has seen in the logs of that database, and what follows
//! there from what its holder did. The reader itself applies events that are not applied yet, so that tokens hold while no other
//! process applies them.

mod counted;
mod direct;
mod exports;
mod external_ids;
mod graph;
mod groups;
mod listed;
mod lists;
mod outboxes;
mod page;
mod posts;
mod questions;
mod relations;
mod requests;
mod sets;
mod settings;
mod shown;
mod snapshot;
mod suggestions;
mod users;
mod viewer_relations;

pub(crate) use direct::relations;
pub(crate) use lists::list;

use crate::store::ClusterCore;
use futures_util::future::try_join_all;
use guanxi_model::user::Standing;
use guanxi_model::{Error, Gene, LogMark, Logs, Position, PostId, Reason, Result, Uid};
use guanxi_postgres::{Statements, Term};
use page::{PageMemory, PageRows};
use snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OnceCell, OwnedSemaphorePermit};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::Row;

/// How long a read waits for its turn among other views.
const TURN_MAX: Duration = Duration::from_secs(1);

/// How long a read waits for a position that the logs have not reached.
const POSITION_WAIT: Duration = Duration::from_secs(1);

/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A view of a cluster.
pub(crate) struct ClusterView {
    shared: Arc<ClusterCore>,
    at_least: Option<Position>,
    /// By database.
    snapshots: Vec<OnceCell<Snapshot>>,
    /// What memory tells it, if it is for a page.
    page: Option<PageMemory>,
    /// How users stand, by the database that was asked.
    standings: Mutex<BTreeMap<(usize, Uid), Standing>>,
    _turn: OwnedSemaphorePermit,
}

impl ClusterView {
    /// Begins a view that includes a position, and whose parts may be of moments of their own until it is asked whether it holds
    /// still.
    pub(crate) async fn open_for_page(
        shared: &Arc<ClusterCore>,
        at_least: Option<&Position>,
    ) -> Result<Self> {
        let mut view = Self::open(shared, at_least).await?;
        view.page = (shared.options.memory.outboxes > 0).then(|| PageMemory::new(shared.served.len()));
        Ok(view)
    }

    /// Begins a view that includes a position.
    pub(crate) async fn open(shared: &Arc<ClusterCore>, at_least: Option<&Position>) -> Result<Self> {
        if let Some(wanted) = at_least {
            shared.check_history(wanted)?;
            reach(shared, wanted).await?;
        }
        let turn = timeout(TURN_MAX, shared.views.clone().acquire_owned()).await;
        let overloaded = || Error::new(Reason::Overloaded { retry_after_ms: 50 });
        let turn = turn.map_err(|_| overloaded())?.map_err(|_| Error::new(Reason::ShuttingDown))?;
        let snapshots = shared.served.iter().map(|_| OnceCell::new()).collect();
        let (at_least, standings) = (at_least.cloned(), Mutex::default());
        Ok(Self { shared: shared.clone(), at_least, snapshots, page: None, standings, _turn: turn })
    }

    /// Returns what the view is of.
    pub(crate) fn shared(&self) -> &Arc<ClusterCore> {
        &self.shared
    }

    /// The snapshot of a database; the first question opens it.
    async fn snapshot(&self, database: usize, genes: &BTreeSet<Gene>) -> Result<&Snapshot> {
        let open = || Snapshot::open(&self.shared, database, self.at_least.as_ref(), genes);
        self.snapshots[database].get_or_try_init(open).await
    }

    /// Where a shard stands in this view, if it was asked about.
    fn seq_of(&self, gene: Gene) -> Option<u64> {
        self.snapshots[self.shared.map().database(gene)].get()?.seq(gene)
    }

    /// Notes that memory has told it something of users and posts.
    fn note_told(&self, users: impl IntoIterator<Item = Uid>, posts: impl IntoIterator<Item = PostId>) {
        if let Some(page) = &self.page {
            page.note(users, posts);
        }
    }

    /// Of each database whether rows of it were read, and whether memory told something of it.
    fn sources(&self) -> Vec<(bool, bool)> {
        let mut sources: Vec<(bool, bool)> =
            self.snapshots.iter().map(|snapshot| (snapshot.initialized(), false)).collect();
        let map = self.shared.map();
        if let Some(page) = &self.page {
            page.read().into_iter().for_each(|database| sources[database].0 = true);
            page.places().into_iter().for_each(|(log, _)| sources[map.database(log)].1 = true);
        }
        sources
    }

    /// Returns whether memory has told all that this view knows of a database, but for what was read beside that.
    fn is_told_alone(&self, database: usize) -> bool {
        self.page.as_ref().is_some_and(|page| page.is_fixed(database))
            && !self.snapshots[database].initialized()
    }

    /// Returns whether all that it said is of one moment: it has read one snapshot of rows at most, or was told of one look.
    fn is_of_one_moment(&self) -> bool {
        let of = self.sources().into_iter().map(|(asked, told)| usize::from(asked) + usize::from(told));
        of.sum::<usize>() <= 1 && self.page.as_ref().is_none_or(|page| page.read().is_empty())
    }

    /// How many databases it has something of.
    fn databases_asked(&self) -> usize {
        self.sources().into_iter().filter(|(asked, told)| *asked || *told).count()
    }

    /// Asks a database about rows of some of its shards, all statements at once. Returns the rows of each.
    async fn ask(
        &self,
        database: usize,
        genes: BTreeSet<Gene>,
        statements: Statements,
    ) -> Result<Vec<Vec<Row>>> {
        self.ask_for(PageRows::Facts, database, genes, statements).await
    }

    /// Asks for some kind of rows.
    async fn ask_for(
        &self,
        asked: PageRows,
        database: usize,
        genes: BTreeSet<Gene>,
        statements: Statements,
    ) -> Result<Vec<Vec<Row>>> {
        let snapshot = self.snapshot(database, &genes).await?;
        let rows = snapshot.ask(genes.clone(), statements).await?;
        if let Some(page) = &self.page {
            page.note_rows(asked, genes.iter().filter_map(|gene| Some((*gene, snapshot.seq(*gene)?))));
        }
        Ok(rows)
    }

    /// Asks one question about rows of one shard.
    pub(crate) async fn ask_one(&self, home: Gene, sql: &'static str, terms: Vec<Term>) -> Result<Vec<Row>> {
        let asked = Statements::one(sql, terms);
        let database = self.shared.map().database(home);
        let rows = self.ask(database, BTreeSet::from([home]), asked).await?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }

    /// Asks some questions about rows of many shards: each of every database that has some of the keys, with terms made of these.
    /// All databases are asked at once. Returns the rows of each question, in any order.
    pub(crate) async fn ask_each<K>(
        &self,
        keys: impl IntoIterator<Item = (Gene, K)>,
        questions: &[&'static str],
        terms: impl Fn(&[(Gene, K)]) -> Vec<Term>,
    ) -> Result<Vec<Vec<Row>>> {
        self.ask_each_for(PageRows::Facts, keys, questions, terms).await
    }

    /// The same for some kind of rows.
    async fn ask_each_for<K>(
        &self,
        asked: PageRows,
        keys: impl IntoIterator<Item = (Gene, K)>,
        questions: &[&'static str],
        terms: impl Fn(&[(Gene, K)]) -> Vec<Term>,
    ) -> Result<Vec<Vec<Row>>> {
        let asks =
            self.shared.map().by_database(keys, |(gene, _)| *gene).into_iter().map(|(database, keys)| {
                let mut statements = Statements::default();
                questions.iter().for_each(|sql| statements.add(sql, terms(&keys)));
                self.ask_for(asked, database, keys.iter().map(|(gene, _)| *gene).collect(), statements)
            });
        let mut answers: Vec<Vec<Row>> = questions.iter().map(|_| Vec::new()).collect();
        for rows in try_join_all(asks).await? {
            answers.iter_mut().zip(rows).for_each(|(all, rows)| all.extend(rows));
        }
        Ok(answers)
    }

    /// Asks one question of every database, about the rows of all its shards. Returns all rows.
    pub(crate) async fn ask_all(&self, sql: &'static str, terms: impl Fn() -> Vec<Term>) -> Result<Vec<Row>> {
        let map = self.shared.map();
        let asks = (0..self.snapshots.len())
            .map(|database| self.ask(database, map.genes(database).collect(), Statements::one(sql, terms())));
        Ok(try_join_all(asks).await?.into_iter().flatten().flatten().collect())
    }

    /// Returns where the shards stand that were asked about.
    fn stands_at(&self) -> Position {
        let told = self.page.as_ref().map(PageMemory::places).unwrap_or_default();
        let mut opened = self.snapshots.iter().filter_map(OnceCell::get).flat_map(Snapshot::seqs).peekable();
        let places = if opened.peek().is_none() {
            told
        } else {
            let mut places: BTreeMap<Gene, u64> = opened.collect();
            // What memory told of a log may be older.
            places.extend(told);
            places.into_iter().collect()
        };
        let marks = places.into_iter();
        let marks = marks.map(|(gene, seq)| (Logs::PerGene.of_gene(gene), LogMark { seen: seq, acted: 0 }));
        Position::sparse(self.shared.terms.history, marks)
    }
}

/// Waits until the logs have every event that a position has seen.
async fn reach(shared: &Arc<ClusterCore>, wanted: &Position) -> Result<()> {
    let deadline = Instant::now() + POSITION_WAIT;
    for (log, mark) in wanted.marks() {
        let gene = Gene(log.0);
        while shared.head(gene) < mark.seen && crate::store::head(shared, gene).await? < mark.seen {
            if Instant::now() >= deadline {
                return Err(Error::new(Reason::TokenAhead));
            }
            sleep(LOOK_EVERY).await;
        }
    }
    Ok(())
}
