//! Bulk load: a large edge list into an empty directory by sorted ingest, without journal and memtables.
//!
//! The result is the same as importing the edges in order into a fresh store. The steps:
//!
//! 1. [`accept`]: sort by subject in input order, and accept what an import would.
//! 2. Sort what was accepted by (subject, object) and by (object, subject).
//! 3. [`ingest`]: merge both, user by user, and write the three tables; the reverse one on a second thread.
//! 4. One commit: the state, with an empty log after it, and the import job's position.
//!
//! Sorting spills to files beside the engine's when the input does not fit the memory budget ([`sort`]). The
//! directory is marked throughout ([`place`]): ingest is atomic for one table only, so a directory that was left
//! half-way is refused by opening, and loading into it starts over.

mod accept;
mod ingest;
mod place;
mod sort;

pub(crate) use place::{BulkPlace, PlaceError, commit_last};
pub(crate) use sort::Sorter;

use crate::directory::open::{BULK_FILE, ENGINE_DIR, OpenError};
use crate::engine::{Engine, EngineError, EngineResult, Table};
use crate::failpoints;
use crate::layout::{JOB, STATE_KEY, StateValue, named_key};
use crate::options::Options;
use crate::progress::ProgressMeter;
use accept::Accepted;
use guanxi_model::{Reason, Stamp, Uid};
use guanxi_ports::Progress;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Edges sorted in memory at a time; about 80 bytes each at the peak, so 1 GB.
pub(crate) const SORT_MEMORY_EDGES: usize = 12_000_000;

/// Refused edges that a report names; more are only counted.
pub(crate) const REFUSED_NAMED_MAX: usize = 100_000;

/// An edge to load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkEdge {
    /// Where it stands in the input, for example its line. Must ascend.
    pub line: u64,
    /// The user that follows.
    pub subject: Uid,
    /// The other user.
    pub object: Uid,
    /// Since when; the time of the load if not given.
    pub at: Option<Stamp>,
}

/// The import job that a load stands for: importing the same job later the ordinary way goes on from here.
#[derive(Clone, Copy)]
pub struct BulkJob<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its position, asked for after the last edge.
    pub position: &'a dyn Fn() -> u64,
}

/// What a load may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkLimits {
    /// Edges sorted in memory at a time, at about 80 bytes each; more are spilled to files.
    pub memory_edges: usize,
}

impl Default for BulkLimits {
    fn default() -> Self {
        Self { memory_edges: SORT_MEMORY_EDGES }
    }
}

/// An edge that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedEdge {
    /// Its place in the input.
    pub line: u64,
    /// Why.
    pub reason: Reason,
}

/// What a load did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BulkReport {
    /// Edges read.
    pub read: u64,
    /// Edges that are in the store now.
    pub accepted: u64,
    /// Edges that an earlier one of the input had made; the earlier one's time stands.
    pub already_there: u64,
    /// Edges of a user to itself.
    pub self_refused: u64,
    /// Edges whose time is too far ahead of the load's.
    pub ahead_refused: u64,
    /// Edges beyond a user's follow limit.
    pub over_limit: u64,
    /// Refused edges in the order of the input, at most [`REFUSED_NAMED_MAX`] of either kind.
    pub refused: Vec<RefusedEdge>,
}

/// Why a load failed. Unless the directory was refused from the start, it does not open now, and loading again
/// starts over.
#[derive(Debug, Error)]
pub enum BulkError<E> {
    /// The directory cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The directory holds a store already.
    #[error("{dir} holds a store; import into it the ordinary way", dir = .0.display())]
    NotEmpty(PathBuf),
    /// The directory cannot be written.
    #[error("the directory cannot be written: {0}")]
    Write(#[from] EngineError),
    /// The input failed.
    #[error("the input cannot be read: {0}")]
    Input(E),
}

impl<E> From<PlaceError> for BulkError<E> {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Open(error) => Self::Open(error),
            PlaceError::NotEmpty(dir) => Self::NotEmpty(dir),
            PlaceError::Engine(error) => Self::Write(error),
        }
    }
}

/// Returns whether [`load`] takes a directory: it is new, empty, or left by an interrupted load.
pub fn loadable(dir: &Path) -> bool {
    dir.join(BULK_FILE).exists() || !dir.join(ENGINE_DIR).exists()
}

/// Loads edges into an empty directory, as if they were imported in order into a fresh store at the time `now`.
///
/// # Errors
/// [`BulkError`]; after an error or a crash the directory does not open, and loading again starts over.
pub fn load<E>(
    dir: &Path,
    options: &Options,
    now: Stamp,
    edges: impl IntoIterator<Item = Result<BulkEdge, E>>,
    job: Option<BulkJob<'_>>,
    limits: BulkLimits,
    progress: &mut dyn FnMut(Progress),
) -> Result<BulkReport, BulkError<E>> {
    let place = BulkPlace::claim(dir)?;
    let mut meter = ProgressMeter::new(0, progress);
    let filled = fill(&place, options, now, edges, job, limits, &mut meter);
    let report = filled.inspect_err(|_| place.wipe_quietly())?;
    failpoints::pass(failpoints::BULK_AFTER_COMMIT);
    place.finish()?;
    meter.finish();
    Ok(report)
}

fn fill<E>(
    place: &BulkPlace,
    options: &Options,
    now: Stamp,
    edges: impl IntoIterator<Item = Result<BulkEdge, E>>,
    job: Option<BulkJob<'_>>,
    limits: BulkLimits,
    meter: &mut ProgressMeter<'_>,
) -> Result<BulkReport, BulkError<E>> {
    let lines = accept::read(place, now, edges, limits, meter)?;
    let job = job.map(|job| (job.name, (job.position)()));
    let Accepted { report, by_subject, by_object } =
        accept::accept(place, lines, options.follow_limit, limits).map_err(EngineError::from)?;
    let engine = place.engine(options)?;
    let clock = Stamp::from_raw(now.raw().saturating_add(report.read));
    ingest::ingest(&engine, by_subject, by_object, clock, meter)?;
    failpoints::pass(failpoints::BULK_BEFORE_COMMIT);
    commit(&engine, options, clock, report.accepted, job)?;
    Ok(report)
}

/// Commits the state: as if each accepted edge had its event, and all of them were trimmed.
fn commit(
    engine: &Engine,
    options: &Options,
    clock: Stamp,
    accepted: u64,
    job: Option<(&str, u64)>,
) -> EngineResult<()> {
    // At least 1, so that a caller that watches from the beginning is told that the log does not reach back there.
    let last_seq = accepted.max(1);
    let state = StateValue { history: options.new_history, last_seq, first_seq: last_seq + 1, clock };
    let mut batch = engine.batch();
    batch.put(Table::Records, STATE_KEY, &state.encode());
    if let Some((name, position)) = job {
        batch.put(Table::Records, &named_key(JOB, name), &position.to_be_bytes());
    }
    commit_last(engine, batch)
}
