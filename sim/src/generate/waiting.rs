//! Steps of what waits between users and ends by itself: alone, and in scenes, in which they meet.

use super::{DAY_MS, HOUR_MS, Make};
use crate::trace::{CATCH_UP, Inside, Job, Step, User};
use guanxi_model::Op;

/// Times of requests and mutes, in milliseconds.
const TIMES_MS: [Option<u64>; 4] = [None, Some(1_000), Some(HOUR_MS as u64), Some(DAY_MS as u64)];

impl Make {
    /// What waits, the jobs behind that, or the beginning of a scene.
    pub(super) fn of_waiting(&mut self) -> Step {
        let job = if self.chance(75) { Job::Ends } else { Job::Unlock };
        match self.rng.below(10) {
            0 => Step::JobCut(job, self.rng.below(4) as u8),
            1 => {
                let steps = *self.rng.pick(&[1, 2, CATCH_UP, CATCH_UP]);
                Step::Job { job, steps, inside: self.inside(60) }
            }
            2 => Step::Relations(self.rng.below(3) as User),
            3 => Step::Clock(*self.rng.pick(&[1_000, HOUR_MS, HOUR_MS, DAY_MS, 7 * DAY_MS])),
            4..8 => self.waiting(),
            _ => {
                self.begin_scene();
                self.next_of_scene()
            }
        }
    }

    /// What begins to wait, or to be muted for a time, or ends that. Few have to do with each other, so that they meet.
    pub(super) fn waiting(&mut self) -> Step {
        let (a, b, _) = self.three();
        let time = *self.rng.pick(&TIMES_MS);
        let op = match self.rng.below(24) {
            0..5 => return Step::Ask { sender: a, receiver: b, ttl_ms: time },
            5..8 => {
                let reposts_only = self.chance(30);
                return Step::Mute { subject: a, object: b, reposts_only, duration_ms: time };
            }
            8..10 => return Step::Lock(a, self.chance(60)),
            10 | 11 => return Step::Spare(a, self.chance(75).then(|| self.rng.below(3) as u8)),
            12..15 => Op::Follow,
            15..17 => Op::AcceptFriendRequest,
            17 => Op::RejectFriendRequest,
            18 => *self.rng.pick(&[Op::CancelFriendRequest, Op::Unfollow]),
            19 => Op::ApproveFollow,
            20 => Op::RejectFollow,
            21 => *self.rng.pick(&[Op::ApproveUnlocked, Op::ExpireRequest, Op::ExpireMute]),
            22 => Op::RemoveFriend,
            _ => *self.rng.pick(&[Op::Block, Op::Unblock, Op::Unblock]),
        };
        Step::Pair(op, a, b)
    }

    /// The next step of a scene that has begun.
    pub(super) fn next_of_scene(&mut self) -> Step {
        self.scene.pop_front().unwrap_or(Step::Clock(0))
    }

    fn begin_scene(&mut self) {
        let (a, b, c) = self.three();
        let ask = |sender, receiver, ttl_ms| Step::Ask { sender, receiver, ttl_ms };
        let (time, hour) = (Step::Clock(HOUR_MS), Some(HOUR_MS as u64));
        let scene = match self.rng.below(8) {
            0 => {
                let end = self.end_of_request(a, b);
                vec![ask(a, b, hour), time, self.beside(Job::Ends, end), alone(Job::Ends)]
            }
            1 => {
                let (end, is_alone) = (self.end_of_mute(a, b), self.chance(50));
                let read = Step::Home { viewer: a, size: 5, older: false, inside: Vec::new() };
                let job = if is_alone { alone(Job::Ends) } else { self.beside(Job::Ends, end) };
                let poll = Step::Poll { viewer: a, max: 9 };
                vec![Step::Pair(Op::Follow, a, b), self.mute(a, b, hour), read, time, job, poll]
            }
            2 => {
                let end = self.end_of_wait(a, b, c);
                let unfollow = |user| Step::Pair(Op::Unfollow, user, b);
                let waits = [Step::Lock(b, true), Step::Pair(Op::Follow, a, b), Step::Pair(Op::Follow, c, b)];
                let job = [self.beside(Job::Unlock, end), alone(Job::Unlock)];
                let unlock = std::iter::once(Step::Lock(b, false)).chain(job);
                [unfollow(a), unfollow(c)].into_iter().chain(waits).chain(unlock).collect()
            }
            // Two accepts at the limit.
            3 => {
                let accept = |sender| Step::Pair(Op::AcceptFriendRequest, a, sender);
                vec![ask(b, a, None), ask(c, a, None), Step::Spare(a, Some(1)), accept(b), accept(c)]
            }
            4 => vec![ask(a, b, None), ask(b, a, None)],
            5 => {
                let reject = Step::Pair(Op::RejectFriendRequest, b, a);
                vec![ask(a, b, None), reject, ask(a, b, hour), Step::Clock(7 * DAY_MS), ask(a, b, hour)]
            }
            // A place that comes back.
            6 => {
                let other = if self.chance(50) { Step::Pair(Op::Follow, a, c) } else { ask(a, c, None) };
                vec![Step::Spare(a, Some(1)), ask(a, b, hour), time, alone(Job::Ends), other]
            }
            _ => {
                let block = Step::Pair(Op::Block, b, a);
                vec![
                    Step::Lock(b, true),
                    Step::Pair(Op::Follow, a, b),
                    block,
                    Step::Pair(Op::ApproveFollow, b, a),
                ]
            }
        };
        self.scene = scene.into();
    }

    /// What may come before the end of a request's time.
    fn end_of_request(&mut self, a: User, b: User) -> Step {
        match self.rng.below(7) {
            0 | 1 => Step::Pair(Op::AcceptFriendRequest, b, a),
            2 => Step::Pair(Op::CancelFriendRequest, a, b),
            3 => Step::Pair(Op::RejectFriendRequest, b, a),
            4 => Step::Ask { sender: b, receiver: a, ttl_ms: None },
            5 => Step::Pair(Op::Block, b, a),
            _ => Step::Clock(-HOUR_MS),
        }
    }

    /// What may come before the end of a mute's time.
    fn end_of_mute(&mut self, a: User, b: User) -> Step {
        match self.rng.below(4) {
            0 => self.mute(a, b, Some(DAY_MS as u64)),
            1 => self.mute(a, b, None),
            2 => Step::Pair(Op::Unmute, a, b),
            _ => Step::Clock(-HOUR_MS),
        }
    }

    /// Returns a step that may come before a user is approved who waits for an account to unlock.
    fn end_of_wait(&mut self, a: User, b: User, c: User) -> Step {
        match self.rng.below(6) {
            0 | 1 => Step::Lock(b, true),
            2 => Step::Pair(Op::Unfollow, a, b),
            3 => Step::Pair(Op::Follow, c, b),
            4 => Step::Pair(Op::Block, b, a),
            _ => Step::Ask { sender: b, receiver: a, ttl_ms: None },
        }
    }

    fn mute(&mut self, subject: User, object: User, duration_ms: Option<u64>) -> Step {
        Step::Mute { subject, object, reposts_only: self.chance(30), duration_ms }
    }

    /// A job within which something else happens: mostly between what it finds and what it does.
    fn beside(&mut self, job: Job, step: Step) -> Step {
        let after = *self.rng.pick(&[0, 1, 1, 1, 3]);
        Step::Job { job, steps: CATCH_UP, inside: vec![Inside { after, step }] }
    }

    /// Three users, of the few who have to do with each other.
    fn three(&mut self) -> (User, User, User) {
        let a = self.rng.below(3) as User;
        let by = 1 + self.rng.below(2) as User;
        (a, (a + by) % 3, (a + 3 - by) % 3)
    }
}

/// A job within which nothing else happens.
const fn alone(job: Job) -> Step {
    Step::Job { job, steps: CATCH_UP, inside: Vec::new() }
}
