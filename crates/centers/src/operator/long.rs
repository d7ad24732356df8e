//! Long tasks: proof of the tables and their mending, proof of homes, backup.

use super::OperatorCenter;
use crate::feed::FeedReport;
use guanxi_model::limits::BATCH_MAX;
use guanxi_model::{Error, GroupId, Position, Reason, Result, Uid};
use guanxi_ports::{MendProgress, MendReport, Progress, VerifyReport};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Homes that are proved when no number is asked for.
pub const SAMPLE_DEFAULT: u32 = 100;

/// When to ask again for a long task while another runs.
const RETRY_AFTER_MS: u32 = 1_000;

/// The right to run a long task; others get it when this is dropped.
pub struct LongTask {
    operator: OperatorCenter,
    busy: Arc<AtomicBool>,
}

impl Drop for LongTask {
    fn drop(&mut self) {
        self.busy.store(false, Ordering::Release);
    }
}

/// The users whose homes are verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HomesAsked {
    /// These; empty for a sample.
    pub viewers: Vec<Uid>,
    /// So many users picked at random; 0 for [`SAMPLE_DEFAULT`].
    pub sample: u32,
    /// The newest items of each home that are compared; 0 for all.
    pub max_items: u64,
}

/// A proof of homes under way, each followed by the timelines of its viewer's groups.
pub struct HomesProof {
    task: LongTask,
    viewers: Vec<Uid>,
    /// Groups of the last viewer that are left, the next one last.
    groups: Vec<GroupId>,
    done: usize,
    max_items: usize,
}

impl OperatorCenter {
    /// Takes the right to run a long task.
    ///
    /// # Errors
    /// `OVERLOADED` while another runs.
    pub fn long_task(&self) -> Result<LongTask> {
        if self.busy.swap(true, Ordering::Acquire) {
            return Err(Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS }));
        }
        Ok(LongTask { operator: self.clone(), busy: Arc::clone(&self.busy) })
    }
}

impl LongTask {
    /// Compares all tables at one snapshot. Blocks: run it on a thread of its own.
    ///
    /// # Errors
    /// When the store cannot be read; a difference is a finding, not an error.
    pub fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<VerifyReport> {
        self.operator.own.upkeep.verify(progress)
    }

    /// Mends derived rows. Blocks: run it on a thread of its own.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn mend(&self, progress: &mut dyn FnMut(MendProgress)) -> Result<MendReport> {
        self.operator.own.upkeep.mend(progress)
    }

    /// Writes a consistent dump, and returns where it stands. Blocks: run it on a thread of its own.
    ///
    /// # Errors
    /// When the store cannot be read or the sink not written.
    pub fn backup(&self, sink: &mut dyn io::Write, progress: &mut dyn FnMut(Progress)) -> Result<Position> {
        self.operator.own.upkeep.dump(sink, progress)
    }

    /// Starts to compare homes with their definition.
    ///
    /// # Errors
    /// `INVALID_FIELD` for viewers and a sample at once; `BATCH_TOO_LARGE`; those of pinning a view.
    pub async fn homes(self, asked: HomesAsked) -> Result<HomesProof> {
        let HomesAsked { viewers, sample, max_items } = asked;
        if !viewers.is_empty() && sample > 0 {
            return Err(Error::new(Reason::InvalidField { field: "sample" }));
        }
        if viewers.len().max(sample as usize) > BATCH_MAX as usize {
            return Err(Error::new(Reason::BatchTooLarge { limit: BATCH_MAX }));
        }
        let viewers = if viewers.is_empty() {
            let size = if sample == 0 { SAMPLE_DEFAULT } else { sample };
            let random = (self.operator.own.random)();
            let seed = u64::from_le_bytes(*random.first_chunk().expect("there are 32 bytes"));
            self.operator.feed.sample(size as usize, seed).await?
        } else {
            viewers
        };
        let max_items = match max_items {
            0 => usize::MAX,
            max => usize::try_from(max).unwrap_or(usize::MAX),
        };
        Ok(HomesProof { task: self, viewers, groups: Vec::new(), done: 0, max_items })
    }
}

impl HomesProof {
    /// Compares the next home, or the next timeline of a group of the last one's viewer; `None` when all are done.
    ///
    /// # Errors
    /// When the store cannot be read; a difference is a finding, not an error.
    pub async fn next(&mut self) -> Result<Option<(FeedReport, Progress)>> {
        let progress = Progress { done: self.done as u64, total: self.viewers.len() as u64 };
        let feed = &self.task.operator.feed;
        while let Some(id) = self.groups.pop() {
            let Some(viewer) = self.done.checked_sub(1).and_then(|last| self.viewers.get(last)) else {
                break;
            };
            // One that has gone meanwhile has no timeline.
            if let Some(found) = feed.verify_group(*viewer, id, self.max_items).await? {
                return Ok(Some((found, progress)));
            }
        }
        let Some(viewer) = self.viewers.get(self.done) else { return Ok(None) };
        let found = feed.verify(*viewer, self.max_items).await?;
        self.groups = feed.groups_of(*viewer).await?;
        self.groups.reverse();
        self.done += 1;
        Ok(Some((found, Progress { done: self.done as u64, total: self.viewers.len() as u64 })))
    }
}
