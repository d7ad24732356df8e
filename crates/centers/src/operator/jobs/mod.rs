//! Jobs of a back office: queries that take long, and exports that wait in files to be fetched.
//!
//! A job walks over all rows of a query at one moment of the index, and writes them to a file of the spool. Jobs belong to
//! one process and end with it. An erasure ends the walks. Then the files of that kind of rows are removed before the index
//! goes on, and the jobs begin anew.

mod job;
mod run;
mod table;

pub use job::{
    ExportFailure, ExportFormat, ExportId, ExportPlan, ExportRows, ExportState, ExportStatus, RowForm,
    SumForm,
};
pub use table::StartKey;

use super::OperatorCenter;
use guanxi_model::{Clock, Error, Reason, Result};
use guanxi_ports::search::RowWalks;
use guanxi_ports::{BoxFuture, Spool};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use table::{JobAttempt, JobTable};
use tokio::sync::Notify;

/// Jobs that run at the same time: each holds a moment of the index.
pub const EXPORTS_AT_ONCE: usize = 2;

/// Jobs that wait for their turn.
pub const EXPORTS_QUEUED_MAX: usize = 8;

/// Jobs that have ended and are still told of.
pub const EXPORTS_KEPT_MAX: usize = 64;

/// How long a job may take.
pub const EXPORT_TIME: Duration = Duration::from_hours(6);

/// Bytes that one read of a file answers.
pub const EXPORT_READ_MAX: usize = 1 << 20;

/// How long a job whose walk has ended waits before it begins anew, each time; then it fails. An erasure of many posts ends walks
/// for a while.
const RESTARTS_MS: [u64; 3] = [2_000, 15_000, 60_000];

/// How often files are looked for whose time is over.
const SWEEP_EVERY: Duration = Duration::from_secs(10);

/// The spool's metrics.
const JOBS: &str = "guanxi_export_jobs";
const BYTES: &str = "guanxi_export_spool_bytes";

/// Waits for a time: a parameter, so that tests own it.
pub type Pause = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

/// The space that files may take, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct SpoolTerms {
    /// Bytes of all files together.
    pub bytes_max: u64,
    /// How long a file is kept after its job has ended, in milliseconds.
    pub keep_ms: u64,
}

/// The parts that jobs need beyond the center's ports.
pub struct ExportParts {
    /// Where files are.
    pub spool: Arc<dyn Spool>,
    /// The walks over users and over posts.
    pub walks: [Arc<dyn RowWalks>; 2],
    /// The space that files may take.
    pub terms: SpoolTerms,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Waits.
    pub pause: Pause,
}

/// The jobs of a process. Cheap to clone.
#[derive(Clone)]
pub struct ExportJobs(Arc<Inner>);

struct Inner {
    /// The lock that a task takes before the table when it writes or removes files.
    files: Mutex<()>,
    table: Mutex<JobTable>,
    parts: ExportParts,
    /// Told when a job is queued.
    queued: Notify,
}

crate::opaque_debug!(ExportJobs);

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportPart {
    /// The bytes from the offset on.
    pub bytes: Vec<u8>,
    /// The bytes of the whole file.
    pub size: u64,
}

impl ExportJobs {
    /// No jobs yet. Walks that end from now on take their files with them.
    pub fn new(parts: ExportParts) -> Self {
        metrics::describe_gauge!(JOBS, "Jobs of the back office, by state.");
        metrics::describe_gauge!(BYTES, "Bytes of files of exports.");
        // No process of before had come so far.
        let first = parts.clock.now_ms() << 8;
        let (table, walks) = (Mutex::new(JobTable::new(parts.terms, first)), parts.walks.clone());
        let jobs = Arc::new(Inner { files: Mutex::default(), table, parts, queued: Notify::new() });
        for (walks, of_users) in walks.into_iter().zip([true, false]) {
            let ended = Arc::downgrade(&jobs);
            walks.at_end(Box::new(move || {
                if let Some(jobs) = ended.upgrade() {
                    let now_ms = jobs.parts.clock.now_ms();
                    jobs.change(|table| table.end_walks(of_users, now_ms));
                }
            }));
        }
        jobs.tell();
        Self(jobs)
    }

    /// Queues a job, or finds the one that was queued by the same request.
    fn start(&self, key: StartKey, plan: ExportPlan) -> Result<ExportStatus> {
        let now_ms = self.0.parts.clock.now_ms();
        let started = self.0.table().start(now_ms, key, plan)?;
        self.0.queued.notify_waiters();
        self.0.tell();
        Ok(started)
    }

    fn status(&self, id: ExportId) -> Result<ExportStatus> {
        let now_ms = self.0.parts.clock.now_ms();
        let mut table = self.0.table();
        table.expire(now_ms);
        table.status(id).cloned()
    }

    fn all(&self) -> Vec<ExportStatus> {
        let now_ms = self.0.parts.clock.now_ms();
        let mut table = self.0.table();
        table.expire(now_ms);
        table.all().cloned().collect()
    }

    /// Cancels a job, and removes its file.
    async fn cancel(&self, id: ExportId) -> Result<ExportStatus> {
        self.blocking(move |jobs| {
            let now_ms = jobs.parts.clock.now_ms();
            jobs.change(|table| table.cancel(id, now_ms))
        })
        .await
    }

    /// Reads a part of a file.
    async fn read(&self, id: ExportId, offset: u64, max: usize) -> Result<ExportPart> {
        self.blocking(move |jobs| {
            let now_ms = jobs.parts.clock.now_ms();
            // No file is removed while it is read, so that no caller reads what was erased before.
            let _files = jobs.files();
            let (file, size) = {
                let mut table = jobs.table();
                table.expire(now_ms);
                table.file(id)?
            };
            if offset > size {
                return Err(Error::new(Reason::InvalidField { field: "offset" }));
            }
            Ok(ExportPart { bytes: jobs.parts.spool.read(file, offset, max)?, size })
        })
        .await
    }

    /// Does what waits for files where blocking calls may be made.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let jobs = self.0.clone();
        let done = tokio::task::spawn_blocking(move || work(&jobs)).await;
        done.map_err(|error| Error::with_detail(Reason::Internal, error))?
    }
}

impl Inner {
    fn table(&self) -> MutexGuard<'_, JobTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn files(&self) -> MutexGuard<'_, ()> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the table, and removes the files that no caller may read any more.
    fn change<T>(&self, change: impl FnOnce(&mut JobTable) -> T) -> T {
        let _files = self.files();
        let (changed, dead) = {
            let mut table = self.table();
            (change(&mut table), table.take_dead())
        };
        for file in dead {
            if let Err(error) = self.parts.spool.remove(file) {
                tracing::warn!(%error, file, "a file of an export was not removed; it is tried again");
                self.table().put_back(file);
            }
        }
        self.tell();
        changed
    }

    /// Writes to the file of a try, unless that is over.
    fn write(&self, attempt: &JobAttempt, bytes: &[u8], is_first: bool) -> Result<(), ExportFailure> {
        let _files = self.files();
        self.table().take_room(attempt, bytes.len() as u64)?;
        let spool = &self.parts.spool;
        let made = if is_first { spool.create(attempt.file) } else { Ok(()) };
        made.and_then(|()| spool.append(attempt.file, bytes)).map_err(ExportFailure::NotWritten)
    }

    /// Tells how many jobs there are, and what their files take.
    fn tell(&self) {
        let table = self.table();
        for state in ExportState::ALL {
            let jobs = table.all().filter(|status| status.state == state).count();
            metrics::gauge!(JOBS, "state" => state.name()).set(jobs as f64);
        }
        metrics::gauge!(BYTES).set(table.bytes() as f64);
    }
}

impl OperatorCenter {
    /// The same of a process that has jobs.
    #[must_use]
    pub fn exporting(self, jobs: Option<ExportJobs>) -> Self {
        Self { jobs, ..self }
    }

    /// Queues a job, or finds the one that was queued by the same request.
    ///
    /// # Errors
    /// As those of queries for rows; `OVERLOADED` while the queue is full; `IDEMPOTENCY_MISMATCH`; `SEARCH_UNAVAILABLE` where
    /// this process keeps no index.
    pub fn start_export(&self, key: StartKey, plan: ExportPlan) -> Result<ExportStatus> {
        match &plan.rows {
            ExportRows::Users(query, _) => drop(query.clone().of_users()?),
            ExportRows::Posts(query, _) => drop(query.clone().of_posts()?),
        }
        self.jobs()?.start(key, plan)
    }

    /// How a job stands.
    ///
    /// # Errors
    /// `NOT_FOUND`; `SEARCH_UNAVAILABLE` where this process keeps no index, as for all that follow.
    pub fn export_status(&self, id: ExportId) -> Result<ExportStatus> {
        self.jobs()?.status(id)
    }

    /// How all jobs stand, the newest first.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE`.
    pub fn export_jobs(&self) -> Result<Vec<ExportStatus>> {
        Ok(self.jobs()?.all())
    }

    /// Cancels a job, and removes its file. A job that has ended stays as it is, but for its file.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn cancel_export(&self, id: ExportId) -> Result<ExportStatus> {
        self.jobs()?.cancel(id).await
    }

    /// At most `max` bytes of the file of a job that is done, and at most [`EXPORT_READ_MAX`].
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no such job, or no file of it; `INVALID_FIELD` for an offset behind its end.
    pub async fn read_export(&self, id: ExportId, offset: u64, max: usize) -> Result<ExportPart> {
        self.jobs()?.read(id, offset, max.min(EXPORT_READ_MAX)).await
    }

    fn jobs(&self) -> Result<&ExportJobs> {
        let none = || {
            Error::with_detail(
                Reason::SearchUnavailable { cause: "off" },
                "jobs are of processes that keep a search index",
            )
        };
        self.jobs.as_ref().ok_or_else(none)
    }
}

#[cfg(test)]
mod tests;
