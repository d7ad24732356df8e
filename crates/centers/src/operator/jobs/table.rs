//! All jobs of a process: which wait, which run, and which have a file. The table decides, and touches no file.

use super::job::{ExportFailure, ExportFormat, ExportId, ExportPlan, ExportRows, ExportState, ExportStatus};
use super::{EXPORTS_KEPT_MAX, EXPORTS_QUEUED_MAX, RESTARTS_MS, SpoolTerms};
use guanxi_model::{Error, Reason, Result};
use guanxi_ports::search::RowSummed;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::Notify;

/// When an operator who finds the queue full may ask again.
const RETRY_AFTER_MS: u32 = 10_000;

/// The caller's name for a start, with a hash of what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartKey {
    /// The name; nothing is repeated without one.
    pub request_id: String,
    /// The hash.
    pub fingerprint: u64,
}

/// One try of a job: a write of an earlier try comes too late.
#[derive(Clone, Debug)]
pub(super) struct JobAttempt {
    pub(super) id: ExportId,
    /// The number of its file, which no other try has.
    pub(super) file: u64,
    /// How often its walk had ended when the try began.
    endings: u64,
    pub(super) plan: Arc<ExportPlan>,
    /// Told when the job is cancelled.
    pub(super) cancelled: Arc<Notify>,
}

#[derive(Debug)]
struct Job {
    key: StartKey,
    plan: Arc<ExportPlan>,
    cancelled: Arc<Notify>,
    /// How often the walks over its rows have ended while it ran.
    endings: u64,
    file: u64,
    status: ExportStatus,
}

/// All jobs, in the order of their starts.
#[derive(Debug)]
pub(super) struct JobTable {
    terms: SpoolTerms,
    next: u64,
    next_file: u64,
    jobs: VecDeque<Job>,
    /// Files that no caller may read any more, and that are still to be removed.
    dead: Vec<u64>,
}

impl JobTable {
    /// No jobs yet; the first one gets this number.
    pub(super) const fn new(terms: SpoolTerms, first: u64) -> Self {
        Self { terms, next: first, next_file: 1, jobs: VecDeque::new(), dead: Vec::new() }
    }

    /// Puts a job into the queue, or finds the one that was started by the same request.
    pub(super) fn start(&mut self, now_ms: u64, key: StartKey, plan: ExportPlan) -> Result<ExportStatus> {
        let is_same = |job: &&Job| !key.request_id.is_empty() && job.key.request_id == key.request_id;
        if let Some(known) = self.jobs.iter().find(is_same) {
            if known.key.fingerprint != key.fingerprint {
                return Err(Error::new(Reason::IdempotencyMismatch));
            }
            return Ok(known.status.clone());
        }
        let queued = self.jobs.iter().filter(|job| job.status.state == ExportState::Queued).count();
        if queued >= EXPORTS_QUEUED_MAX {
            return Err(Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS }));
        }
        let status = ExportStatus {
            id: ExportId(self.next),
            state: ExportState::Queued,
            is_of_users: matches!(plan.rows, ExportRows::Users(..)),
            format: plan.format,
            done: 0,
            total: None,
            bytes: 0,
            created_ms: now_ms,
            started_ms: None,
            ended_ms: None,
            expires_ms: None,
            restarts: 0,
            failure: None,
            sums: Vec::new(),
        };
        self.next += 1;
        let (plan, cancelled) = (Arc::new(plan), Arc::new(Notify::new()));
        self.jobs.push_back(Job { key, plan, cancelled, endings: 0, file: 0, status: status.clone() });
        self.forget();
        Ok(status)
    }

    /// The job that has waited longest begins.
    pub(super) fn next(&mut self, now_ms: u64) -> Option<JobAttempt> {
        let job = self.jobs.iter_mut().find(|job| job.status.state == ExportState::Queued)?;
        job.status.state = ExportState::Running;
        job.status.started_ms = Some(now_ms);
        let id = job.status.id;
        self.attempt(id)
    }

    /// A try of a job that runs, with a file of its own.
    pub(super) fn attempt(&mut self, id: ExportId) -> Option<JobAttempt> {
        let file = self.next_file;
        let job = self.find_mut(id).filter(|job| job.status.state == ExportState::Running)?;
        job.file = file;
        let Job { plan, cancelled, endings, .. } = job;
        let attempt =
            JobAttempt { id, file, endings: *endings, plan: plan.clone(), cancelled: cancelled.clone() };
        self.next_file += 1;
        Some(attempt)
    }

    /// Whether a try goes on: its job runs, and no walk of its has ended.
    ///
    /// # Errors
    /// `STALE_CURSOR`.
    pub(super) fn check(&self, attempt: &JobAttempt) -> Result<()> {
        self.find(attempt.id).filter(|job| job.is_at(attempt)).map(drop).ok_or_else(stale)
    }

    /// Takes room for bytes that are about to be written.
    pub(super) fn take_room(&mut self, attempt: &JobAttempt, bytes: u64) -> Result<(), ExportFailure> {
        let has_room = self.bytes().saturating_add(bytes) <= self.terms.bytes_max;
        let job = self.find_mut(attempt.id).filter(|job| job.is_at(attempt));
        let job = job.ok_or_else(|| ExportFailure::Refused(stale()))?;
        if !has_room {
            return Err(ExportFailure::SpoolFull);
        }
        job.status.bytes += bytes;
        Ok(())
    }

    /// Notes how many rows were written, and of how many.
    pub(super) fn progress(&mut self, attempt: &JobAttempt, rows: u64, total: u64) {
        if let Some(job) = self.find_mut(attempt.id).filter(|job| job.is_at(attempt)) {
            job.status.done += rows;
            job.status.total = Some(total);
        }
    }

    /// Notes what the rows sum up to.
    pub(super) fn sum_up(&mut self, attempt: &JobAttempt, sums: Vec<RowSummed>) {
        if let Some(job) = self.find_mut(attempt.id).filter(|job| job.is_at(attempt)) {
            job.status.sums = sums;
        }
    }

    /// A job whose walk has ended is to begin anew: how long to wait before, in milliseconds; `None` after too many.
    pub(super) fn restart(&mut self, id: ExportId) -> Option<u64> {
        let job = self.find_mut(id).filter(|job| job.status.state == ExportState::Running)?;
        let pause_ms = *RESTARTS_MS.get(job.status.restarts)?;
        job.endings += 1;
        let status = &mut job.status;
        status.restarts += 1;
        (status.done, status.total, status.bytes, status.sums) = (0, None, 0, Vec::new());
        let file = job.file;
        self.dead.push(file);
        Some(pause_ms)
    }

    /// A job that runs ends.
    pub(super) fn end(&mut self, id: ExportId, now_ms: u64, ended: Result<(), ExportFailure>) {
        let keep_ms = self.terms.keep_ms;
        let Some(job) = self.find_mut(id).filter(|job| job.status.state == ExportState::Running) else {
            return;
        };
        job.status.ended_ms = Some(now_ms);
        match ended {
            Ok(()) => {
                job.status.state = ExportState::Done;
                job.status.expires_ms = Some(now_ms.saturating_add(keep_ms));
            }
            Err(failure) => {
                (job.status.state, job.status.failure) = (ExportState::Failed, Some(failure));
                job.status.bytes = 0;
                let file = job.file;
                self.dead.push(file);
            }
        }
        self.forget();
    }

    /// Cancels a job that waits or runs; one that has ended is left as it is, but for its file.
    pub(super) fn cancel(&mut self, id: ExportId, now_ms: u64) -> Result<ExportStatus> {
        let job = self.find_mut(id).ok_or_else(absent)?;
        let status = &mut job.status;
        let had_file = match status.state {
            ExportState::Queued | ExportState::Running => {
                (status.state, status.ended_ms) = (ExportState::Cancelled, Some(now_ms));
                job.cancelled.notify_one();
                true
            }
            ExportState::Done => {
                status.expire(now_ms);
                true
            }
            ExportState::Failed | ExportState::Cancelled | ExportState::Expired => false,
        };
        status.bytes = 0;
        let (status, file) = (status.clone(), job.file);
        if had_file {
            self.dead.push(file);
        }
        self.forget();
        Ok(status)
    }

    /// Walks over users, or over posts, have ended: no file of theirs may be read any more, and what runs begins anew.
    pub(super) fn end_walks(&mut self, of_users: bool, now_ms: u64) {
        for job in self.jobs.iter_mut().filter(|job| job.status.is_of_users == of_users) {
            match job.status.state {
                ExportState::Running => job.endings += 1,
                ExportState::Done => job.status.expire(now_ms),
                _ => continue,
            }
            job.status.bytes = 0;
            self.dead.push(job.file);
        }
    }

    /// Files whose time is over are read no more.
    pub(super) fn expire(&mut self, now_ms: u64) {
        for job in &mut self.jobs {
            let over = job.status.expires_ms.filter(|expires| now_ms >= *expires);
            if let (ExportState::Done, Some(expires)) = (job.status.state, over) {
                job.status.expire(expires);
                self.dead.push(job.file);
            }
        }
    }

    /// Returns the files that are to be removed. The caller removes them, or puts them back.
    pub(super) fn take_dead(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.dead)
    }

    /// Puts a file back that could not be removed.
    pub(super) fn put_back(&mut self, file: u64) {
        self.dead.push(file);
    }

    /// How a job stands.
    pub(super) fn status(&self, id: ExportId) -> Result<&ExportStatus> {
        self.find(id).map(|job| &job.status).ok_or_else(absent)
    }

    /// The file of a job that is done.
    ///
    /// # Errors
    /// `NOT_FOUND` when there is no such job, or no file of it.
    pub(super) fn file(&self, id: ExportId) -> Result<(u64, u64)> {
        let job = self.find(id).ok_or_else(absent)?;
        if job.status.state != ExportState::Done || job.status.format == ExportFormat::Totals {
            return Err(Error::with_detail(Reason::NotFound, "the job has no file that is whole"));
        }
        Ok((job.file, job.status.bytes))
    }

    /// How all jobs stand, the newest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &ExportStatus> {
        self.jobs.iter().rev().map(|job| &job.status)
    }

    /// Bytes of all files.
    pub(super) fn bytes(&self) -> u64 {
        self.jobs.iter().map(|job| job.status.bytes).sum()
    }

    /// Forgets the oldest jobs that have ended, beyond [`EXPORTS_KEPT_MAX`].
    fn forget(&mut self) {
        let mut ended = self.jobs.iter().filter(|job| !job.status.state.is_open()).count();
        let dead = &mut self.dead;
        self.jobs.retain(|job| {
            let is_kept = job.status.state.is_open() || ended <= EXPORTS_KEPT_MAX;
            if !is_kept {
                ended -= 1;
                dead.push(job.file);
            }
            is_kept
        });
    }

    fn find(&self, id: ExportId) -> Option<&Job> {
        self.jobs.iter().find(|job| job.status.id == id)
    }

    fn find_mut(&mut self, id: ExportId) -> Option<&mut Job> {
        self.jobs.iter_mut().find(|job| job.status.id == id)
    }
}

impl ExportStatus {
    /// Nothing is told any more of what it has found.
    fn expire(&mut self, at_ms: u64) {
        (self.state, self.expires_ms) = (ExportState::Expired, Some(at_ms));
        (self.bytes, self.sums) = (0, Vec::new());
    }
}

impl Job {
    fn is_at(&self, attempt: &JobAttempt) -> bool {
        self.status.state == ExportState::Running && self.endings == attempt.endings
    }
}

fn absent() -> Error {
    Error::with_detail(Reason::NotFound, "there is no such job in this process")
}

pub(super) fn stale() -> Error {
    Error::new(Reason::StaleCursor)
}
