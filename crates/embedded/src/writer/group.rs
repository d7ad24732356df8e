//! One group: plan every job in order, commit once, then answer.

use super::{AnswerSender, Job, Writer};
use crate::engine::EngineError;
use crate::failpoints;
use crate::memory::credentials::CredentialChange;
use crate::writer::plan::GroupState;
use crate::writer::sessions::GroupSessions;
use guanxi_model::plan::Planned;
use guanxi_model::{Position, Result};
use guanxi_ports::Applied;
use std::time::Instant;

/// A planned job that waits for the commit.
enum Pending {
    Write(AnswerSender<Applied>, Result<Planned>),
    AddCredential(AnswerSender<()>, Result<()>, Option<CredentialChange>),
    RevokeCredential(AnswerSender<bool>, Result<bool>, Option<CredentialChange>),
    Sessions(AnswerSender<u64>, Result<u64>),
}

impl Writer {
    /// Processes a group. Every answer leaves after the commit, no-ops and refusals included, so that no
    /// caller hears of state that could still be lost.
    pub(super) fn process(&mut self, jobs: Vec<Job>) {
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
        let mut state =
            GroupState::new(&shared, self.clock.now_ms(), self.state.last_seq, self.hlc.clone(), self.ids);
        let mut pending = Vec::with_capacity(jobs.len());
        let mut sessions = None;
        for job in jobs {
            match self.plan(job, &mut state, &mut sessions) {
                Ok(job) => pending.extend(job),
                // A read failed while planning: what is planned so far is not known to be right.
                Err(error) => {
                    self.shared.stop(&error);
                    return;
                }
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
        pending.into_iter().for_each(|job| self.answer(job, &position));
    }

    /// Plans a job. Sessions are opened by the first job that needs them.
    fn plan(
        &self,
        job: Job,
        state: &mut GroupState<'_>,
        sessions: &mut Option<GroupSessions>,
    ) -> Result<Option<Pending>, EngineError> {
        Ok(match job {
            Job::Write(write, answer) => Some(Pending::Write(answer, state.write(write)?)),
            Job::AddCredential(credential, answer) => {
                let change = self.credentials().plan_add(credential, state.batch());
                Some(match change {
                    Ok(change) => Pending::AddCredential(answer, Ok(()), Some(change)),
                    Err(error) => Pending::AddCredential(answer, Err(error), None),
                })
            }
            Job::RevokeCredential(name, answer) => {
                let change = self.credentials().plan_revoke(&name, state.batch());
                Some(Pending::RevokeCredential(answer, Ok(change.is_some()), change))
            }
            Job::Sessions(write, answer) => {
                let open = || GroupSessions::new(self.shared.engine.snapshot(), self.clock.now_ms());
                let result = sessions.get_or_insert_with(open).plan(write, state.batch())?;
                Some(Pending::Sessions(answer, result))
            }
            Job::Close(_) => None,
        })
    }

    fn answer(&self, job: Pending, position: &Position) {
        // A caller that left is no error: its write stands.
        match job {
            Pending::Write(answer, planned) => {
                let _ = answer.send(planned.map(|planned| Applied {
                    position: planned.repeated.unwrap_or_else(|| position.clone()),
                    outcomes: planned.outcomes,
                }));
            }
            Pending::AddCredential(answer, result, change) => {
                self.credentials().apply(change);
                let _ = answer.send(result);
            }
            Pending::RevokeCredential(answer, result, change) => {
                self.credentials().apply(change);
                let _ = answer.send(result);
            }
            Pending::Sessions(answer, result) => drop(answer.send(result)),
        }
    }
}

fn refuse(job: Job, error: &guanxi_model::Error) {
    match job {
        Job::Write(_, answer) => drop(answer.send(Err(error.clone()))),
        Job::RevokeCredential(_, answer) => drop(answer.send(Err(error.clone()))),
        Job::Sessions(_, answer) => drop(answer.send(Err(error.clone()))),
        Job::AddCredential(_, answer) | Job::Close(answer) => drop(answer.send(Err(error.clone()))),
    }
}
