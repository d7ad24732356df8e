//! Steps of operators, clocks and misfortunes.

use super::{Checked, Player, answered};
use crate::trace::{CATCH_UP, Inside, Step, uid};
use guanxi_model::Clock as _;

/// More steps than any trace's fan-out can need.
const STEPS_MAX: u32 = 100_000;

impl Player {
    pub(super) async fn operate(&mut self, step: &Step) -> Checked {
        match step {
            Step::Clock(ms) => {
                let clock = &self.world().clock;
                clock.set(clock.now_ms().saturating_add_signed(*ms));
                let now_ms = clock.now_ms();
                self.latest_ms = self.latest_ms.max(now_ms);
                self.oracle.set_now(now_ms);
            }
            Step::FanOut { steps, inside } => return self.fan_out(*steps, inside).await,
            Step::Lossy(every) => self.world().stage.lose(*every),
            Step::Evict(user) => {
                answered(self.world().inbox.evict(uid(*user)).await)?;
                self.steady.remove(&uid(*user));
            }
            Step::Sweep => {
                let world = self.world();
                if answered(world.inbox.sweep(world.clock.now_ms()).await)? > 0 {
                    self.steady.clear();
                }
            }
            Step::Policy(policy) => {
                let policy = self.subject.policy(*policy);
                answered(self.world().feed.put_policy(policy).await)?;
                self.steady.clear();
            }
            // A worker that is in a step is not replaced within it.
            Step::NewWorker if self.world().worker.is_some() => {
                let worker = answered(self.world().feed.worker().await)?;
                self.world_mut().worker = Some(worker);
            }
            Step::Crash if !self.nested => return self.crash().await,
            _ => {}
        }
        Ok(())
    }

    async fn fan_out(&mut self, steps: u8, inside: &[Inside]) -> Checked {
        let Some(mut worker) = self.world_mut().worker.take() else { return Ok(()) };
        let max = if steps == CATCH_UP { STEPS_MAX } else { u32::from(steps) };
        let done = {
            let work = async {
                for _ in 0..max {
                    if !worker.step().await? {
                        return Ok(());
                    }
                }
                Ok(())
            };
            self.overlap(work, inside).await
        };
        self.world_mut().worker = Some(worker);
        answered(done?)
    }

    /// The process dies. Followers of a stream come back with the position that they had.
    async fn crash(&mut self) -> Checked {
        let followers = std::mem::take(&mut self.followers);
        let held: Vec<_> = followers.into_iter().map(|(user, follower)| (user, follower.held)).collect();
        let world = self.world.take().ok_or("dead already")?;
        self.world = Some(world.crash().await?);
        self.began = Some(answered(self.world().log.head().await)?);
        self.steady.clear();
        for (user, held) in held {
            self.follow_stream(user, held).await?;
        }
        Ok(())
    }

    pub(super) fn world_mut(&mut self) -> &mut crate::world::World {
        self.world.as_mut().expect("the process is alive between steps")
    }
}
