//! Steps of users who are deleted, and of the job that removes what they left.

use super::{Checked, Player, answered, same};
use crate::stage::Ran;
use crate::trace::{CATCH_UP, Inside, User, uid};
use guanxi_centers::jobs::Erasure;
use guanxi_model::post::PostCommand;
use guanxi_model::user::{UserCommand, UserStatus};
use guanxi_model::{Clock as _, Command, GroupCommand, Outcome, PairCommand, Uid};
use guanxi_oracle::Happened;
use guanxi_ports::Walk;
use std::collections::BTreeSet;
use std::pin::pin;

/// More steps than the job can need in any trace.
const STEPS_MAX: u32 = 10_000;

/// For how long what deleted users wrote is kept.
const KEPT_MS: u64 = 24 * 3_600_000;

/// After how long the job looks for users that came into its list before others.
const FOUND_AFTER_MS: u64 = 3_600_000;

/// More users than any trace has.
const USERS_MAX: usize = 100;

impl Player {
    pub(super) async fn delete_user(&mut self, user: User, at_once: bool) -> Checked {
        let now_ms = self.world().clock.now_ms();
        let erase_at_ms = now_ms + if at_once { 0 } else { KEPT_MS };
        let due = (erase_at_ms, Some(uid(user)));
        if due < self.last_due {
            // A clock that was set back brings an earlier promise no nearer.
            self.in_order_ms = self.in_order_ms.max(self.latest_ms.max(now_ms) + FOUND_AFTER_MS);
        }
        self.last_due = self.last_due.max(due);
        if self.oracle.has_left(uid(user)) {
            // Deleted twice is deleted once, and due at the earlier time: the store says whether that changes anything.
            let graph = &self.world().graph;
            let write = guanxi_model::Write::of(UserCommand::SetStatus {
                uid: uid(user),
                status: UserStatus::Deleted { erase_at_ms },
            });
            return answered(graph.apply(write).await).map(drop);
        }
        self.set_status(user, UserStatus::Deleted { erase_at_ms }).await
    }

    pub(super) async fn remove(&mut self, steps: u8, inside: &[Inside]) -> Checked {
        let Some(mut job) = self.world_mut().erasure.take() else { return Ok(()) };
        let max = if steps == CATCH_UP { STEPS_MAX } else { u32::from(steps) };
        let done = {
            let work = async {
                for _ in 0..max {
                    if !job.step().await? {
                        return Ok(true);
                    }
                }
                Ok(false)
            };
            self.overlap(work, inside).await
        };
        self.world_mut().erasure = Some(job);
        self.take_in_removals()?;
        if answered(done?)? && inside.is_empty() { self.check_removed().await } else { Ok(()) }
    }

    /// Once everything has arrived a new job finds what has come behind the one before.
    pub(super) async fn remove_rest(&mut self) -> Checked {
        let job = Erasure::new(self.world().erasure_parts.clone());
        self.world_mut().erasure = Some(job);
        self.remove(CATCH_UP, &[]).await
    }

    /// The job dies within a step, and another one goes on where it was.
    pub(super) async fn remove_cut(&mut self, pauses: u8) -> Checked {
        let Some(mut job) = self.world_mut().erasure.take() else { return Ok(()) };
        let stage = self.world().stage.clone();
        let before = stage.open(true);
        {
            let mut step = pin!(async {
                while job.step().await? {}
                Ok(())
            });
            for _ in 0..=pauses {
                if let Ran::Done(done) = stage.run(step.as_mut()).await {
                    answered(done)?;
                    break;
                }
            }
        }
        stage.open(before);
        drop(job);
        let job = Erasure::new(self.world().erasure_parts.clone());
        self.world_mut().erasure = Some(job);
        self.take_in_removals()
    }

    /// Takes in what jobs have done.
    pub(super) fn take_in_removals(&mut self) -> Checked {
        for done in self.world().removals.take() {
            for (command, outcome) in done.write.commands.iter().zip(&done.applied.outcomes) {
                let Some(what) = happened(command, outcome) else { continue };
                let changed = self.note_at(&done.applied.position, what, &done.head);
                let said = outcome.result() == Ok(true);
                // An event that no reader is told of does not say whether anything was there.
                let is_told = !matches!(what, Happened::RejectionForgotten(..));
                same(&format!("changed by {what:?}"), &said, &(changed || !is_told))?;
                self.count_job(what, changed);
            }
        }
        Ok(())
    }

    /// Counts what a job has done, and notes whose inboxes that concerns.
    fn count_job(&mut self, what: Happened, changed: bool) {
        match what {
            Happened::Pair { op, subject, object } if op.is_of_server() => {
                self.counts.ended += u64::from(changed);
                self.counts.overtaken += u64::from(!changed);
                if changed {
                    self.steady.remove(&subject);
                    self.steady.remove(&object);
                }
            }
            Happened::RejectionForgotten(..) => {}
            _ => self.steady.clear(),
        }
        if let Happened::Erased(uid) = what {
            self.counts.erased += 1;
            self.seen.retain(|user, _| crate::trace::uid(*user) != uid);
        }
    }

    /// Once the job finds nothing to do there is nothing of who was deleted; nor anybody who is due. Where what follows from
    /// an act comes later, it may not have come yet.
    async fn check_removed(&self) -> Checked {
        if self.subject.keeper.lags() && !self.settled {
            return Ok(());
        }
        let now_ms = self.world().clock.now_ms();
        if now_ms >= self.in_order_ms {
            same("left over", &self.oracle.left_over(), &Vec::new())?;
        }
        let view = answered(self.world().graph.view(None).await)?;
        let deleted = answered(view.deleted_users(Walk::new(None, USERS_MAX)).await)?;
        same("due", &deleted.iter().filter(|(at, _)| *at <= now_ms).count(), &0)?;
        let deleted: BTreeSet<Uid> = deleted.into_iter().map(|(_, uid)| uid).collect();
        same("deleted", &deleted, &self.oracle.leaving())
    }
}

/// What a command of the job does that anybody sees.
fn happened(command: &Command, outcome: &Outcome) -> Option<Happened> {
    match *command {
        Command::Pair(PairCommand { op, subject, object }) => Some(Happened::Pair { op, subject, object }),
        Command::Post(PostCommand::Unlike { uid, id }) => Some(Happened::Unliked(uid, id)),
        Command::ForgetRejection { owner, other } => Some(Happened::RejectionForgotten(owner, other)),
        Command::Group(GroupCommand::Delete { owner, .. }) => Some(Happened::GroupGone(owner)),
        Command::Group(GroupCommand::RemoveMembers { owner, ref members, .. }) => {
            members.first().map(|member| Happened::Ungrouped(owner, *member))
        }
        Command::Post(PostCommand::Purge { id, .. }) => Some(Happened::Purged(id)),
        Command::User(UserCommand::SetStatus { uid, status: UserStatus::Erased { .. } }) => {
            (outcome.result() == Ok(true)).then_some(Happened::Erased(uid))
        }
        _ => None,
    }
}
