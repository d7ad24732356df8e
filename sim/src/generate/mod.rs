//! From a seed to a trace.

mod waiting;

use crate::trace::{CATCH_UP, Draft, Inside, Job, Nth, Old, OldTo, Settings, Step, Trace, User};
use guanxi_model::post::AuthorFilter;
use guanxi_model::user::UserStatus;
use guanxi_model::{FanoutMode, FanoutPolicy, GroupId, Op, Visibility};
use guanxi_spec::conformance::Rng;
use std::collections::VecDeque;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Makes the trace of a seed. A seed gives the same trace for ever, as long as this function stays as it is.
pub fn trace(seed: u64) -> Trace {
    // Not of the random numbers, so that the traces of other seeds stay as they were.
    let people_leave = seed.is_multiple_of(5);
    let people_are_deleted = seed % 4 == 2;
    // Many users with waiting requests are in some traces, and a few in others.
    let waiting_percent = [0, 6, 25][(seed % 3) as usize];
    let group_percent = if seed % 3 == 1 { 10 } else { 0 };
    let (rng, users, is_calm, scene) = (Rng::new(seed), 0, false, VecDeque::new());
    let mut make =
        Make { rng, users, is_calm, people_leave, people_are_deleted, waiting_percent, scene, group_percent };
    // Users beyond the tenth share genes with the first: see `trace::uid`.
    make.users = 4 + make.rng.below(9) as User;
    make.is_calm = make.chance(60);
    let settings = Settings {
        log_events_max: *make.rng.pick(&[12, 100_000, 100_000, 100_000]),
        followers_chunk: 1 + make.rng.below(4) as usize,
        outbox_part: 1 + make.rng.below(8) as usize,
        cache_bytes: *make.rng.pick(&[0, 600, 4_096, 1 << 20]),
        policy: make.policy(),
    };
    let mut steps = make.beginning();
    let len = 30 + make.rng.below(90);
    // As many other steps as without groups, and without waiting requests.
    let len = len + len * (make.group_percent + make.waiting_percent) / 100;
    for _ in 0..len {
        let step = make.step();
        steps.push(step);
    }
    if make.people_are_deleted {
        // Everything that is due within a trace is due then.
        let all = || Step::Remove { steps: CATCH_UP, inside: Vec::new() };
        steps.extend([all(), Step::Clock(2 * DAY_MS), all()]);
    }
    if make.waiting_percent > 0 {
        // Everything that waits ends in the end.
        let all = |job| Step::Job { job, steps: CATCH_UP, inside: Vec::new() };
        steps.extend([all(Job::Ends), all(Job::Unlock), Step::Clock(40 * DAY_MS), all(Job::Ends)]);
    }
    // After all that happened, every user's home is whole in the end.
    for viewer in 0..make.users {
        if make.waiting_percent > 0 {
            steps.push(Step::Relations(viewer));
        }
        if make.group_percent > 0 {
            steps.push(Step::GroupTimeline { viewer, size: 3, inside: Vec::new() });
        }
        steps.push(Step::Walk { viewer, size: make.size(), between: Vec::new() });
    }
    Trace { seed, settings, steps }
}

struct Make {
    rng: Rng,
    users: User,
    /// Operators and misfortunes seldom do anything, so that inboxes live long.
    is_calm: bool,
    /// Users go and come back.
    people_leave: bool,
    /// Users go for good.
    people_are_deleted: bool,
    /// How many steps of a hundred are of who waits: users lock themselves, ask each other, mute for a time, and time passes.
    waiting_percent: u64,
    /// What comes next of a scene that has begun, with other things between.
    scene: VecDeque<Step>,
    /// How many steps of a hundred are of groups.
    group_percent: u64,
}

impl Make {
    /// Some follows, so that homes are not empty.
    fn beginning(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for a in 0..self.users {
            let others: Vec<User> = (0..self.users).filter(|b| *b != a && self.rng.below(5) < 2).collect();
            steps.push(Step::FollowMany(a, others));
        }
        if self.group_percent > 0 {
            // Most have somebody to write to.
            steps.extend((0..self.users).map(|_| self.group()));
        }
        for _ in 0..self.rng.below(12) {
            steps.push(self.create());
        }
        steps
    }

    fn step(&mut self) -> Step {
        if self.people_are_deleted && self.chance(12) {
            return self.delete_user();
        }
        if self.group_percent > 0 && self.chance(self.group_percent) {
            return self.of_groups();
        }
        if !self.scene.is_empty() && self.chance(70) {
            return self.next_of_scene();
        }
        if self.waiting_percent > 0 && self.chance(self.waiting_percent) {
            return self.of_waiting();
        }
        match self.rng.below(100) {
            0..22 => self.home(),
            22..48 => self.write(),
            48..60 => {
                let steps = if self.chance(50) { CATCH_UP } else { 1 + self.rng.below(6) as u8 };
                Step::FanOut { steps, inside: self.inside(25) }
            }
            60..68 => self.clock(),
            68..72 => {
                let between = (0..self.rng.below(5)).map(|_| self.simple()).collect();
                Step::Walk { viewer: self.user(), size: self.size(), between }
            }
            72..86 => self.other_read(),
            _ if self.is_calm && self.chance(85) => self.home(),
            _ => self.operate(),
        }
    }

    fn home(&mut self) -> Step {
        Step::Home { viewer: self.user(), size: self.size(), older: self.chance(20), inside: self.inside(30) }
    }

    fn other_read(&mut self) -> Step {
        let viewer = self.user();
        match self.rng.below(8) {
            0 => Step::Poll { viewer, max: 1 + self.rng.below(12) as usize },
            1 => Step::Stream(viewer),
            2 => Step::Unread { viewer, cap: 1 + self.rng.below(20) as u32 },
            3 => Step::MarkSeen { viewer, ago: self.rng.below(12) },
            4 => Step::Explain(viewer, self.nth()),
            5 => Step::AuthorList {
                viewer: self.chance(80).then_some(viewer),
                author: self.user(),
                filter: *self.rng.pick(&[AuthorFilter::Posts, AuthorFilter::Replies, AuthorFilter::All]),
                size: self.size(),
            },
            6 => Step::Get(viewer, (0..self.rng.below(6)).map(|_| self.nth()).collect()),
            _ if self.chance(30) => Step::Verify(viewer),
            _ => Step::HomePosts { viewer, size: self.size() },
        }
    }

    fn of_groups(&mut self) -> Step {
        match self.rng.below(10) {
            0..4 => self.group(),
            4 => Step::VerifyGroup(self.user()),
            _ => {
                let (viewer, size) = (self.user(), self.size());
                Step::GroupTimeline { viewer, size, inside: self.inside(40) }
            }
        }
    }

    fn group(&mut self) -> Step {
        let owner = self.user();
        let members = (0..self.rng.below(6)).map(|_| self.other(owner)).collect();
        Step::Group(owner, members)
    }

    fn delete_user(&mut self) -> Step {
        match self.rng.below(8) {
            0 | 1 => Step::DeleteUser { user: self.user(), at_once: self.chance(40) },
            2 => Step::RemoveCut(self.rng.below(30) as u8),
            _ => {
                let steps = *self.rng.pick(&[1, 2, 5, 20, CATCH_UP]);
                Step::Remove { steps, inside: self.inside(50) }
            }
        }
    }

    fn write(&mut self) -> Step {
        match self.rng.below(100) {
            0..45 => self.create(),
            45..50 => Step::EditText(self.nth()),
            50..57 => Step::Show(self.nth(), self.visibility()),
            57..63 => Step::Delete(self.nth()),
            63 => Step::TakeDown(self.nth()),
            64 => Step::Reinstate(self.nth()),
            65..71 => Step::Restore(self.nth()),
            71..74 => Step::Import((0..=self.rng.below(4)).map(|_| self.old()).collect()),
            74 if self.people_leave => Step::TakeUserDown(self.user(), self.chance(40)),
            75 | 76 if self.people_leave => {
                let status = *self.rng.pick(&[UserStatus::Active, UserStatus::Deactivated]);
                Step::Status(self.user(), status)
            }
            74 | 75 => Step::Import((0..=self.rng.below(4)).map(|_| self.old()).collect()),
            76 | 77 => Step::Like(self.user(), self.nth()),
            78..79 => Step::Unlike(self.user(), self.nth()),
            79..81 => {
                let a = self.user();
                let objects = (0..self.rng.below(4)).map(|_| self.other(a)).collect();
                Step::FollowMany(a, objects)
            }
            81..83 => Step::UndoRepost(self.user(), self.nth()),
            _ => self.pair(),
        }
    }

    fn pair(&mut self) -> Step {
        let a = self.user();
        let b = self.other(a);
        let op = match self.rng.below(20) {
            0..8 => Op::Follow,
            8..11 => Op::Unfollow,
            11 => Op::RemoveFollower,
            12..14 => Op::Block,
            14..16 => Op::Unblock,
            16..18 => Op::Mute,
            _ => Op::Unmute,
        };
        Step::Pair(op, a, b)
    }

    fn create(&mut self) -> Step {
        let draft = match self.rng.below(10) {
            0..6 => Draft::Post,
            6..8 => Draft::Reply(self.nth()),
            8 => Draft::Repost(self.nth()),
            _ => Draft::Quote(self.nth()),
        };
        let visibility = if self.chance(75) { Visibility::Public } else { self.visibility() };
        Step::Create { author: self.user(), draft, visibility }
    }

    fn old(&mut self) -> Old {
        let to = match self.rng.below(6) {
            0 => OldTo::Reply(self.user(), self.rng.below(6) as u8),
            1 => OldTo::Repost(self.user(), self.rng.below(6) as u8),
            2 => OldTo::Quote(self.user(), self.rng.below(6) as u8),
            _ => OldTo::Nothing,
        };
        // Few different times, so that ids collide; some lie in the future of a clock that was set back.
        let ago_ms = *self.rng.pick(&[0, 0, 1, 1_000, HOUR_MS, 400 * DAY_MS, -HOUR_MS]);
        let key = self.rng.below(6) as u8;
        Old { author: self.user(), ago_ms, key, visibility: self.visibility(), to }
    }

    fn clock(&mut self) -> Step {
        let small = 1 + self.rng.below(3_000).cast_signed();
        Step::Clock(*self.rng.pick(&[small, small, 0, 5_000, HOUR_MS, -HOUR_MS, DAY_MS, 3 * DAY_MS]))
    }

    fn operate(&mut self) -> Step {
        match self.rng.below(14) {
            0..4 => Step::Evict(self.user()),
            4..6 => Step::Sweep,
            6..8 => Step::Lossy(*self.rng.pick(&[0, 0, 1, 3])),
            8..11 => Step::Policy(self.policy()),
            11..13 => Step::NewWorker,
            _ => Step::Crash,
        }
    }

    /// Steps that happen inside of another one, in some percent of all cases.
    fn inside(&mut self, percent: u64) -> Vec<Inside> {
        if !self.chance(percent) {
            return Vec::new();
        }
        (0..=self.rng.below(4))
            .map(|_| Inside { after: self.rng.below(7) as u8, step: self.simple() })
            .collect()
    }

    /// A step without steps inside.
    fn simple(&mut self) -> Step {
        if self.people_are_deleted && self.chance(8) {
            return match self.delete_user() {
                Step::Remove { steps, .. } => Step::Remove { steps, inside: Vec::new() },
                step => step,
            };
        }
        if self.group_percent > 0 && self.chance(self.group_percent) {
            return self.group();
        }
        if self.waiting_percent > 0 && self.chance(self.waiting_percent) {
            return self.waiting();
        }
        match self.rng.below(20) {
            0..9 => self.write(),
            9..13 => Step::FanOut { steps: *self.rng.pick(&[1, 2, CATCH_UP, CATCH_UP]), inside: Vec::new() },
            13..16 => Step::Home { viewer: self.user(), size: self.size(), older: false, inside: Vec::new() },
            16 => self.clock(),
            17 => Step::Evict(self.user()),
            18 if !self.is_calm => Step::Sweep,
            19 if !self.is_calm => Step::Policy(self.policy()),
            _ => self.create(),
        }
    }

    fn policy(&mut self) -> FanoutPolicy {
        let active_bucket_ms = *self.rng.pick(&[1_000, 2_000, 60_000, DAY_MS as u64]);
        FanoutPolicy {
            mode: *self.rng.pick(&[
                FanoutMode::Pull,
                FanoutMode::Push,
                FanoutMode::Hybrid,
                FanoutMode::Hybrid,
            ]),
            celebrity_followers: self.rng.below(6),
            active_bucket_ms,
            cold_after_ms: active_bucket_ms * *self.rng.pick(&[1, 3, 30]),
            inbox_cap: *self.rng.pick(&[1, 2, 3, 5, 10, 20, 50]),
        }
    }

    fn visibility(&mut self) -> Visibility {
        if self.group_percent > 0 && self.chance(50) {
            return Visibility::Group(GroupId::MIN);
        }
        *self.rng.pick(&[Visibility::Public, Visibility::Followers, Visibility::Friends])
    }

    fn size(&mut self) -> usize {
        *self.rng.pick(&[1, 2, 3, 5, 8, 20])
    }

    fn user(&mut self) -> User {
        self.rng.below(u64::from(self.users)) as User
    }

    fn other(&mut self, than: User) -> User {
        let step = 1 + self.rng.below(u64::from(self.users) - 1) as User;
        (than + step) % self.users
    }

    fn nth(&mut self) -> Nth {
        self.rng.below(1 << 16) as Nth
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }
}
