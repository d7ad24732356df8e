//! The one writer: a thread that owns all changes.
//!
//! It does group commit. It drains a bounded queue, and plans the writes in order against committed state plus this
//! group's own changes. It commits one atomic batch, waits once for the disk, updates memory and publishes the view.
//! Only then it answers all callers. No locks, no conflicts, one order.

mod audit;
mod changes;
mod credentials;
mod external_ids;
mod group;
mod housekeeping;
mod idempotency;
mod mend;
mod plan;
mod posts;
mod relations;
mod sessions;
mod suggestions;
mod user_groups;
mod users;
mod waiting;

use crate::directory::file_head::HeadFile;
use crate::directory::free_bytes;
use crate::engine::{EngineResult, RowBatch, Table, Wait};
use crate::failpoints;
use crate::layout::{STATE_KEY, StateValue};
use crate::options::Durability;
use crate::shared::Shared;
use crate::standings::Standings;
use crate::view::View;
use changes::{PlanRows, RecentIds};
use guanxi_model::limits::SESSION_SWEEP_MAX;
use guanxi_model::post::PostIds;
use guanxi_model::{Clock, Error, Hlc, Position, Reason, Result, Write};
use guanxi_ports::Applied;
pub(crate) use mend::MendTarget;
pub(crate) use sessions::SessionNote;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Jobs that may wait. A full queue refuses at once, so that callers slow down instead of timing out.
pub(crate) const QUEUE_LEN: usize = 4_096;

/// Commands of one group at most: bounds the size of a batch and the wait of the first caller in it.
const GROUP_COMMANDS_MAX: usize = 2_048;

/// How often housekeeping runs.
const HOUSEKEEPING_EVERY: Duration = Duration::from_millis(500);

/// Where an answer goes. The caller may have left; the write stands all the same.
pub(crate) type AnswerSender<T> = oneshot::Sender<Result<T>>;

/// Where the answer to a mend goes: its caller waits on a thread of its own.
pub(crate) type MendAnswer = SyncSender<Result<u64>>;

/// What callers queue.
pub(crate) enum Job {
    /// A write.
    Write(Write, AnswerSender<Applied>),
    /// What changes sessions and is no write of a caller.
    Sessions(SessionNote, AnswerSender<u64>),
    /// Derived rows are derived anew. It answers how many were wrong.
    Mend(Vec<MendTarget>, MendAnswer),
    /// Flush and stop.
    Close(AnswerSender<()>),
}

impl Job {
    fn commands(&self) -> usize {
        match self {
            Self::Write(write, _) => write.len(),
            Self::Sessions(SessionNote::Sweep(max), _) => (*max).min(SESSION_SWEEP_MAX as usize),
            Self::Mend(targets, _) => targets.len(),
            _ => 1,
        }
    }
}

/// The writer's own state; everything else it shares with readers.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    clock: Arc<dyn Clock>,
    head: HeadFile,
    state: StateValue,
    hlc: Hlc,
    ids: PostIds,
    standings: Standings,
    recent_ids: Arc<RecentIds>,
    unsynced_since: Option<Instant>,
    /// Commits since the start, those without events, too; and those that changed a group of users.
    commits: u64,
    group_changes: u64,
    metrics: Metrics,
}

struct Metrics {
    group: metrics::Histogram,
    commit: metrics::Histogram,
    fsync: metrics::Histogram,
    plan: metrics::Histogram,
    seq: metrics::Gauge,
}

impl Writer {
    pub(crate) fn new(
        shared: Arc<Shared>,
        clock: Arc<dyn Clock>,
        head: HeadFile,
        state: StateValue,
        ids: PostIds,
        standings: Standings,
    ) -> Self {
        let metrics = Metrics {
            group: metrics::histogram!("guanxi_commit_group_size"),
            commit: metrics::histogram!("guanxi_commit_seconds"),
            fsync: metrics::histogram!("guanxi_fsync_seconds"),
            plan: metrics::histogram!("guanxi_plan_seconds"),
            seq: metrics::gauge!("guanxi_log_seq"),
        };
        metrics.seq.set(state.last_seq as f64);
        let hlc = Hlc::after(state.clock);
        let recent_ids = Arc::new(RecentIds::after(state.last_seq));
        let (unsynced_since, commits, group_changes) = (None, 0, 0);
        Self {
            shared,
            clock,
            head,
            state,
            hlc,
            ids,
            standings,
            recent_ids,
            unsynced_since,
            commits,
            group_changes,
            metrics,
        }
    }

    /// Runs until closed, until every handle is gone, or until the disk fails.
    pub(crate) fn run(mut self, queue: &Receiver<Job>) {
        let mut last_housekeeping = Instant::now();
        loop {
            let wait = self.next_wait(last_housekeeping);
            match queue.recv_timeout(wait) {
                Ok(first) => {
                    if let Some(closing) = self.take_group(first, queue) {
                        let _ = closing.send(self.close());
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if last_housekeeping.elapsed() >= HOUSEKEEPING_EVERY {
                self.keep_house();
                last_housekeeping = Instant::now();
            } else if self.sync_is_due()
                && let Err(error) = self.sync()
            {
                self.shared.stop(&error);
            }
        }
    }

    /// Takes all queued jobs up to the group's bound, and processes them. Returns where the answer to `close` goes, if there was one.
    fn take_group(&mut self, first: Job, queue: &Receiver<Job>) -> Option<AnswerSender<()>> {
        let mut commands = first.commands();
        let mut jobs = vec![first];
        while commands < GROUP_COMMANDS_MAX
            && let Ok(job) = queue.try_recv()
        {
            commands += job.commands();
            jobs.push(job);
        }
        let closing = jobs.iter().position(|job| matches!(job, Job::Close(_)));
        let after = closing.map(|at| jobs.split_off(at));
        self.process(jobs);
        // Jobs behind `close` are dropped, which tells their callers that the store is shutting down.
        after
            .into_iter()
            .flatten()
            .find_map(|job| if let Job::Close(answer) = job { Some(answer) } else { None })
    }

    /// Commits a planned batch: to the disk, then to memory, then to readers.
    fn commit(&mut self, group: PlanRows<'_>) -> EngineResult<()> {
        let plan = group.finish();
        Arc::make_mut(&mut self.recent_ids).note(self.state.last_seq, plan.external_ids);
        let (first_new, events) = (self.state.last_seq + 1, plan.events.len() as u64);
        let last_seq = self.state.last_seq + events;
        let mut batch = plan.batch;
        let first_seq = self.trim_count(&mut batch, last_seq, events);
        let trimmed = first_seq != self.state.first_seq;
        self.state = StateValue { last_seq, first_seq, clock: plan.clock, ..self.state };
        self.hlc = Hlc::after(plan.clock);
        self.ids = plan.ids;
        self.standings.apply(plan.standings.into_iter());
        batch.put(Table::Records, STATE_KEY, &self.state.encode());
        failpoints::pass(failpoints::BEFORE_COMMIT);
        self.commits += 1;
        self.group_changes += u64::from(plan.changes_groups);
        self.shared.committing.announce(last_seq, self.commits);
        self.write(batch)?;
        if trimmed {
            failpoints::pass(failpoints::AFTER_TRIM);
        }
        failpoints::pass(failpoints::AFTER_COMMIT);
        self.shared.relations.replace(plan.relations);
        self.shared.lists.apply(last_seq, &plan.lists);
        self.shared.affinities.forget(&plan.scored);
        self.shared.posts_changed(last_seq, &plan.outboxes, &plan.headers);
        self.shared.signed_out.put(plan.signed_out);
        self.shared.credentials.apply(plan.credentials);
        self.shared.recent_events.add(first_new, &plan.events);
        self.publish();
        self.metrics.seq.set(last_seq as f64);
        Ok(())
    }

    /// Writes a batch and, in mode `sync`, waits for the disk.
    fn write(&mut self, batch: RowBatch) -> EngineResult<()> {
        let start = Instant::now();
        batch.commit(Wait::Os)?;
        self.metrics.commit.record(start.elapsed());
        match self.shared.options.durability {
            Durability::Sync => self.sync(),
            Durability::Group(_) => {
                self.unsynced_since.get_or_insert(start);
                Ok(())
            }
        }
    }

    fn sync(&mut self) -> EngineResult<()> {
        let start = Instant::now();
        self.shared.engine.sync()?;
        self.metrics.fsync.record(start.elapsed());
        self.unsynced_since = None;
        Ok(())
    }

    fn publish(&self) {
        let StateValue { last_seq, first_seq, .. } = self.state;
        self.shared.published.publish(View {
            seq: last_seq,
            commit: self.commits,
            group_changes: self.group_changes,
            first_seq,
            ids_high: self.ids.last(),
            standings: self.standings.clone(),
            snapshot: self.shared.engine.snapshot(),
        });
    }

    fn position(&self) -> Position {
        self.shared.position(self.state.last_seq)
    }

    /// Refuses writes while the disk has less than the reserve: what was accepted must still be flushed and
    /// compacted. Writes go on by themselves once there is room.
    fn check_space(&self) -> Result<()> {
        let reserve = self.shared.options.free_space_reserve;
        match free_bytes(&self.shared.dir) {
            Ok(free) if free < reserve => Err(Error::new(Reason::DiskFull { reserve })),
            _ => Ok(()),
        }
    }

    fn close(&mut self) -> Result<()> {
        failpoints::pass(failpoints::BEFORE_FLUSH);
        let closed = self.sync().and_then(|()| self.shared.engine.finish()).and_then(|()| self.note_head());
        closed.map_err(|error| self.shared.stop(&error))
    }
}
