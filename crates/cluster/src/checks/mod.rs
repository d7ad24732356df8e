//! Checks that what follows from facts stands where it belongs, and their mends.
//!
//! A check looks at many rows at little cost, and names pairs of users that may differ. Whether they do is decided in one place,
//! [`sides`]: what both shards say is read, everything under way is applied, and the same is read anew. Only what stood
//! unchanged meanwhile, and is wrong still, is a difference, so that a change in flight is none. A mend locks the shard of what
//! follows, reads the fact under that lock, and writes what follows from it with the fact's version: what comes later is newer.
//!
//! A further pair of tables is one more [`tables::PairedTables`], and its rows in [`sides::Side`].

mod contacts;
mod counters;
mod digests;
mod events;
mod full;
mod heads;
mod log;
mod look;
mod mend;
mod pace;
mod post_rows;
mod posts;
mod read;
mod run;
mod shards;
mod sides;
mod tables;
mod users;
mod verify;

use crate::misplaced::Misplaced;
use crate::rows::{DigestKind, Pair};
use crate::store::{ClusterCore, ClusterStore};
use digests::GenePair;
use events::EventCheck;
use guanxi_model::{Error, Position, Reason, Result, Uid};
use guanxi_ports::upkeep::DIFFERENCES_MAX;
use guanxi_ports::{Difference, DifferenceKind, HeatCell, Progress};
use guanxi_postgres::Connection;
use look::Looked;
use pace::CheckPace;
use posts::OfPost;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Differences that are remembered so that each is told once, by whichever walks it is met.
const TOLD_MAX: usize = 100_000;

/// Rows of a page.
const PAGE_ROWS: usize = 4_096;

/// Says what the metrics of checks mean, for their HELP lines. The exporter must be installed by now.
pub(crate) fn describe() {
    metrics::describe_counter!(
        "guanxi_check_compared_total",
        "Rows, events and digests that checks compared, by check."
    );
    metrics::describe_counter!("guanxi_check_differed_total", "Differences that checks found, by check.");
    metrics::describe_counter!("guanxi_check_mended_total", "Differences that checks mended, by check.");
    metrics::describe_counter!(
        "guanxi_check_unsettled_total",
        "Pairs that looked different and changed at every look, by check: the next run looks again."
    );
    metrics::describe_gauge!(
        "guanxi_check_unconfirmed_age_seconds",
        "Age of the oldest event for another shard that a check of events had not confirmed at the end of its last run."
    );
}

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RepairCheck {
    /// Every row.
    Full,
    /// Every event that was applied since the last run: that it has an echo, or was overtaken.
    Incremental,
    /// The same of events that are older than their echoes may be, soon after they were written.
    Pairs,
    /// For each pair of genes how many follows there are, and the sum of their hashes; the rows where both sides disagree.
    Digests,
}

impl RepairCheck {
    /// Its name, also in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Incremental => "incremental",
            Self::Pairs => "pairs",
            Self::Digests => "digests",
        }
    }
}

/// How a check runs.
#[derive(Clone, Copy, Debug)]
pub struct RepairTerms {
    /// Whether it mends what it finds.
    pub mends: bool,
    /// The share of time that it may keep databases busy, above 0 and up to 1.
    pub share: f64,
    /// Whether it goes on where an earlier run was cut off, and notes where it is. What the
    /// earlier run compared, found and mended is in the sums, and not named.
    pub resumes: bool,
    /// Rows of a page.
    pub page_rows: usize,
}

impl Default for RepairTerms {
    fn default() -> Self {
        Self { mends: false, share: 1.0, resumes: false, page_rows: PAGE_ROWS }
    }
}

/// What a check compared, found and mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairReport {
    /// Where the logs stood when it began, all of which was applied first.
    pub position: Position,
    /// Rows or events that were compared.
    pub compared: u64,
    /// Follows among them.
    pub forward: u64,
    /// What shards know of the follows of others.
    pub reverse: u64,
    /// Users whose counters were compared.
    pub counters: u64,
    /// Marks of friends.
    pub mutual: u64,
    /// Blocks and mutes.
    pub marks: u64,
    /// Posts.
    pub posts: u64,
    /// Likes.
    pub likes: u64,
    /// All differences, also those beyond the list.
    pub differences_total: u64,
    /// How many there are of each kind, in this run.
    pub kinds: BTreeMap<DifferenceKind, u64>,
    /// The first of them.
    pub differences: Vec<Difference>,
    /// Differences that were mended.
    pub mended: u64,
    /// Pairs of genes whose digests disagreed.
    pub cells_differed: u64,
    /// The first of them.
    pub cells: Vec<Difference>,
    /// Those that agree again.
    pub cells_mended: u64,
    /// Pairs, of users or of genes, that looked different and changed at every look, so that nothing is known of them.
    pub unsettled: u64,
    /// Follows by groups of genes, as digests have them; of a check of every row that was not cut off before.
    pub heat: Vec<HeatCell>,
    /// How long it worked; the rest of its time it rested.
    pub busy: Duration,
}

impl RepairReport {
    const fn new(position: Position) -> Self {
        Self {
            position,
            compared: 0,
            forward: 0,
            reverse: 0,
            counters: 0,
            mutual: 0,
            marks: 0,
            posts: 0,
            likes: 0,
            differences_total: 0,
            kinds: BTreeMap::new(),
            differences: Vec::new(),
            mended: 0,
            cells_differed: 0,
            cells: Vec::new(),
            cells_mended: 0,
            unsettled: 0,
            heat: Vec::new(),
            busy: Duration::ZERO,
        }
    }

    /// Adds what a run found to the metrics.
    fn meter(&self, check: RepairCheck) {
        let check = check.name();
        metrics::counter!("guanxi_check_compared_total", "check" => check).increment(self.compared);
        let differed = self.differences_total + self.cells_differed;
        metrics::counter!("guanxi_check_differed_total", "check" => check).increment(differed);
        let mended = self.mended + self.cells_mended;
        metrics::counter!("guanxi_check_mended_total", "check" => check).increment(mended);
        metrics::counter!("guanxi_check_unsettled_total", "check" => check).increment(self.unsettled);
    }

    /// Adds a pair of genes whose digests disagree.
    fn add_cell(&mut self, kind: DigestKind, (subjects, objects): GenePair) {
        self.cells_differed += 1;
        if self.cells.len() < DIFFERENCES_MAX {
            let what = match kind {
                DigestKind::Follows => "follows",
                DigestKind::Blocks => "blocks",
            };
            let detail = format!(
                "the digests of {what} of users of gene {:02x} to those of gene {:02x} are not as their rows",
                subjects.0, objects.0
            );
            self.cells.push(Difference { kind: DifferenceKind::Digest, subject: None, object: None, detail });
        }
    }

    /// Adds a difference of a user.
    fn add(&mut self, kind: DifferenceKind, subject: Uid, object: Option<Uid>, detail: String) {
        self.add_of(kind, Some(subject), object, detail);
    }

    /// Adds a difference, of any user or none.
    fn add_of(&mut self, kind: DifferenceKind, subject: Option<Uid>, object: Option<Uid>, detail: String) {
        self.differences_total += 1;
        *self.kinds.entry(kind).or_default() += 1;
        if self.differences.len() < DIFFERENCES_MAX {
            self.differences.push(Difference { kind, subject, object, detail });
        }
    }
}

/// A check at work: connections of its own, what it found, and its share of time.
struct Checker<'a> {
    check: RepairCheck,
    shared: Arc<ClusterCore>,
    /// To each database, for looking.
    readers: Vec<Connection>,
    /// To each database, for mending; none if nothing is mended.
    writers: Vec<Connection>,
    terms: RepairTerms,
    pace: CheckPace,
    report: RepairReport,
    /// Shards that are not as the map says.
    misplaced: Vec<Misplaced>,
    /// Users without a row of counters whom it has met.
    met: BTreeSet<Uid>,
    /// Differences of pairs that it has told.
    told: BTreeSet<(Pair, DifferenceKind)>,
    /// Digests that it has told are wrong.
    told_cells: BTreeSet<(DigestKind, GenePair)>,
    /// Differences of likes and references that it has told.
    told_of_posts: BTreeSet<OfPost>,
    /// Authors whose heads it has told are wrong.
    told_heads: BTreeSet<Uid>,
    progress: &'a mut (dyn FnMut(Progress) + Send + Sync),
    /// Rows there are, as far as known.
    total: u64,
}

impl<'a> Checker<'a> {
    /// Connects, and has everything applied that the logs have.
    async fn open(
        shared: &Arc<ClusterCore>,
        check: RepairCheck,
        terms: RepairTerms,
        progress: &'a mut (dyn FnMut(Progress) + Send + Sync),
    ) -> Result<Self> {
        let (mut readers, mut writers) = (Vec::new(), Vec::new());
        for database in shared.databases().all() {
            readers.push(Connection::open_patient(database).await?);
            if terms.mends {
                writers.push(Connection::open_patient(database).await?);
            }
        }
        let misplaced = shards::misplaced_shards(shared, check, &readers).await?;
        let position = shards::settle_or_go_on(shared, &misplaced).await?;
        Ok(Self {
            check,
            shared: shared.clone(),
            readers,
            writers,
            terms,
            pace: CheckPace::new(terms.share),
            report: RepairReport::new(position),
            misplaced,
            met: BTreeSet::new(),
            told: BTreeSet::new(),
            told_cells: BTreeSet::new(),
            told_of_posts: BTreeSet::new(),
            told_heads: BTreeSet::new(),
            progress,
            total: 0,
        })
    }

    /// Confirms pairs that may differ, reports those that do, and mends them.
    async fn judge(&mut self, suspects: BTreeSet<Pair>) -> Result<()> {
        if suspects.is_empty() {
            return Ok(());
        }
        let before = self.wrong(suspects).await?;
        let Looked { standing, unsettled, .. } = self.look_again(before, |pairs| self.wrong(pairs)).await?;
        self.report.unsettled += unsettled;
        let now_ms = self.shared.clock.now_ms();
        for (pair, seen) in &standing {
            for difference in seen.differences(now_ms) {
                let is_new = self.told.len() >= TOLD_MAX || self.told.insert((*pair, difference.kind));
                if !is_new {
                    continue;
                }
                self.report.add(difference.kind, pair.0, Some(pair.1), difference.detail);
            }
        }
        if self.terms.mends && !standing.is_empty() {
            self.report.mended += self.mend(&standing).await?;
        }
        Ok(())
    }

    fn tell(&mut self) {
        let done = self.report.compared;
        self.total = self.total.max(done);
        (self.progress)(Progress { done, total: self.total });
    }
}

impl ClusterStore {
    /// Runs a check. `progress` is told after every page.
    ///
    /// # Errors
    /// When a database cannot be asked: with [`RepairTerms::resumes`] the next run goes on there. A difference is a finding, not
    /// an error.
    pub async fn repair(
        &self,
        check: RepairCheck,
        terms: RepairTerms,
        progress: &mut (dyn FnMut(Progress) + Send + Sync),
    ) -> Result<RepairReport> {
        run_check(&self.shared, check, terms, progress).await
    }
}

/// Runs a check.
pub(crate) async fn run_check(
    shared: &Arc<ClusterCore>,
    check: RepairCheck,
    terms: RepairTerms,
    progress: &mut (dyn FnMut(Progress) + Send + Sync),
) -> Result<RepairReport> {
    if !(terms.share > 0.0 && terms.share <= 1.0) || terms.page_rows == 0 {
        return Err(Error::with_detail(Reason::Internal, "a check has no time or no rows"));
    }
    if terms.mends {
        shared.clock_watch.check()?;
    }
    let mut checker = Checker::open(shared, check, terms, progress).await?;
    checker.tell_misplaced();
    match check {
        RepairCheck::Full => {
            checker.full().await?;
            if !terms.resumes {
                checker.report.heat = checker.heat().await?;
            }
        }
        RepairCheck::Incremental => checker.events(EventCheck::Applied).await?,
        RepairCheck::Pairs => checker.events(EventCheck::Old).await?,
        RepairCheck::Digests => checker.digests().await?,
    }
    checker.report.busy = checker.pace.busy;
    checker.report.meter(check);
    Ok(checker.report)
}
