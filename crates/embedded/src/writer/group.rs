//! One group: plan every job in order, commit once, then answer.

use super::{AnswerSender, Job, Writer};
use crate::engine::{EngineError, EngineResult};
use crate::failpoints;
use crate::writer::changes::PlanRows;
use guanxi_model::plan::Planned;
use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::Applied;
use std::time::Instant;

/// A planned job that waits for the commit.
enum Pending {
    Write(AnswerSender<Applied>, Result<Planned>),
    Sessions(AnswerSender<u64>, u64),
}

impl Writer {
    /// Processes a group. Every answer leaves after the commit, no-ops and refusals included, so that no
    /// caller hears of state that could still be lost.
    pub(super) fn process(&mut self, jobs: Vec<Job>) {
        let jobs = self.mend_first(jobs);
        if jobs.is_empty() {
            return;
        }
        if let Err(error) = self.shared.check_running().and_then(|()| self.check_space()) {
            jobs.into_iter().for_each(|job| refuse(job, &error));
            return;
        }
        self.metrics.group.record(jobs.len() as f64);
        let shared = self.shared.clone();
        let start = Instant::now();
        let standings = self.standings.clone();
        let (now_ms, last_seq) = (self.clock.now_ms(), self.state.last_seq);
        let recent_ids = self.recent_ids.clone();
        let (hlc, ids) = (self.hlc.clone(), self.ids);
        let mut state = PlanRows::new(&shared, &standings, recent_ids, now_ms, last_seq, hlc, ids);
        let mut pending = Vec::with_capacity(jobs.len());
        let mut jobs = jobs.into_iter();
        while let Some(job) = jobs.next() {
            let (job, planned) = plan(job, &mut state);
            pending.extend(job);
            if let Err(error) = planned {
                let refusal = self.unplanned(error);
                pending.into_iter().for_each(|job| job.refuse(&refusal));
                jobs.for_each(|job| refuse(job, &refusal));
                return;
            }
        }
        self.metrics.plan.record(start.elapsed());
        if state.changes()
            && let Err(error) = self.commit(state)
        {
            // The pending answers are dropped, which tells their callers that the store has stopped.
            self.shared.stop(&error);
            return;
        }
        failpoints::pass(failpoints::BEFORE_ANSWER);
        let position = self.position();
        pending.into_iter().for_each(|job| job.answer(&position));
    }

    /// Returns what the group is told of which a read failed while it was planned, so that what is planned is not
    /// known to be right. Nothing of it is written: when only a file descriptor was wanting, the next group may do
    /// better.
    pub(super) fn unplanned(&self, error: EngineError) -> Error {
        match error {
            EngineError::OpenFiles(_) => error.into(),
            error => self.shared.stop(&error),
        }
    }
}

/// Plans a job, whose answer waits for the commit, if all could be read.
fn plan(job: Job, state: &mut PlanRows<'_>) -> (Option<Pending>, EngineResult<()>) {
    match job {
        Job::Write(write, answer) => match state.write(write) {
            Ok(planned) => (Some(Pending::Write(answer, planned)), Ok(())),
            Err(error) => (Some(Pending::Write(answer, Err(unread()))), Err(error)),
        },
        Job::Sessions(note, answer) => match state.note_sessions(&note) {
            Ok(changed) => (Some(Pending::Sessions(answer, changed)), Ok(())),
            Err(error) => (Some(Pending::Sessions(answer, 0)), Err(error)),
        },
        Job::Mend(..) | Job::Close(_) => (None, Ok(())),
    }
}

/// Holds the place of an outcome that is not known; the caller of the plan refuses the job with the reason.
fn unread() -> Error {
    Error::new(Reason::Internal)
}

impl Pending {
    fn answer(self, position: &Position) {
        // A caller that left is no error: its write stands.
        match self {
            Self::Write(answer, planned) => {
                let _ = answer.send(planned.map(|planned| Applied {
                    position: planned.repeated.unwrap_or_else(|| position.clone()),
                    outcomes: planned.outcomes,
                }));
            }
            Self::Sessions(answer, changed) => drop(answer.send(Ok(changed))),
        }
    }

    fn refuse(self, error: &Error) {
        match self {
            Self::Write(answer, _) => drop(answer.send(Err(error.clone()))),
            Self::Sessions(answer, _) => drop(answer.send(Err(error.clone()))),
        }
    }
}

fn refuse(job: Job, error: &Error) {
    match job {
        Job::Write(_, answer) => drop(answer.send(Err(error.clone()))),
        Job::Sessions(_, answer) => drop(answer.send(Err(error.clone()))),
        Job::Mend(_, answer) => drop(answer.send(Err(error.clone()))),
        Job::Close(answer) => drop(answer.send(Err(error.clone()))),
    }
}
