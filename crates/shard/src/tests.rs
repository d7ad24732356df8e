//! Shards and no database: histories with delay, in which events come late and out of order between shards, come again, and writers
//! die between two steps. Worlds that break a rule of the protocol must be found out.

use crate::apply::{Arriving, derive};
use crate::batch::{ShardAnswer, ShardWork, one};
use crate::cells::{LoggedEvent, Pair, Peer, RowTerms, Rows, ShardRow, Shards};
use crate::meeting::{Meeting, MeetingStep, StepResult};
use crate::route::{Home, Part, split};
use guanxi_model::event::PairChange;
use guanxi_model::plan::FactLimits;
use guanxi_model::{
    Change, Command, Event, FriendRequest, Gene, HistoryId, Op, PairCommand, RequestKey, Stamp, Uid, Write,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Users of four shards: two of the first, one of each other.
const USERS: [u64; 5] = [0x100, 0x200, 0x101, 0x102, 0x103];

/// Histories of each world.
const SEEDS: u64 = 300;

/// Operations of a history.
const STEPS: usize = 80;

/// How a world carries events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carriage {
    /// As the protocol says.
    Right,
    /// An event in eight arrives twice, as after a mark that was lost.
    Again,
    /// A mark passes one event in thirty whose effect is not made.
    MarkWithoutEffect,
    /// A block stands in the shard of the blocker alone.
    HalfABlock,
    /// Later events of a log arrive before earlier ones.
    OutOfOrder,
}

const OPS: [Op; 14] = [
    Op::Follow,
    Op::Follow,
    Op::Unfollow,
    Op::RemoveFollower,
    Op::Block,
    Op::Unblock,
    Op::Unblock,
    Op::SendFriendRequest,
    Op::SendFriendRequest,
    Op::AcceptFriendRequest,
    Op::AcceptFriendRequest,
    Op::RejectFriendRequest,
    Op::CancelFriendRequest,
    Op::RemoveFriend,
];

fn uid(n: u64) -> Uid {
    Uid::new(n).unwrap()
}

/// A shard that never forgets its rows: what would be in tables stays in the batch.
struct OneShard {
    rows: Rows,
    /// How many of its events each other shard has taken in.
    carried: BTreeMap<Gene, usize>,
}

impl OneShard {
    fn new(gene: Gene) -> Self {
        let limits = FactLimits { follows: 100, blocks: 100, mutes: 100 };
        let row = ShardRow { seq: 0, stamp: Stamp::ZERO, post_high: 0 };
        let shards = Shards::new([(gene, row)], Arc::default());
        let mut rows = Rows::new(RowTerms::new(HistoryId(1), limits), shards);
        for user in USERS.map(uid) {
            rows.accounts.standings.fetched(user);
            for other in USERS.map(uid).into_iter().filter(|other| user.gene() == gene && *other != user) {
                know(&mut rows, (user, other));
            }
        }
        Self { rows, carried: BTreeMap::new() }
    }
}

/// Says that nothing is there of two users, of whom the first is of the shard.
fn know(rows: &mut Rows, pair: Pair) {
    rows.follows.fetched(pair);
    rows.fans.fetched(pair);
    rows.blocks.fetched(pair);
    rows.blocked_by.fetched(pair);
    rows.mutes.fetched(pair);
    rows.requests.fetched(pair);
    rows.sent.fetched(pair);
    rows.users.fetched(pair.0);
    rows.unlocking.fetched(pair.0);
    rows.accounts.accounts.fetched(pair.0);
    rows.posts.authors.fetched(pair.0);
    rows.groups.with.insert(pair);
}

/// All shards, and a time that goes on.
struct World {
    carriage: Carriage,
    shards: BTreeMap<Gene, OneShard>,
    now_ms: u64,
    seed: u64,
}

impl World {
    fn new(carriage: Carriage, seed: u64) -> Self {
        let genes = USERS.map(|user| uid(user).gene());
        let shards = genes.into_iter().map(|gene| (gene, OneShard::new(gene))).collect();
        Self { carriage, shards, now_ms: 1_000_000, seed }
    }

    fn below(&mut self, n: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.seed >> 33).unwrap() % n
    }

    fn work(&mut self, home: Gene, work: &ShardWork) -> Option<ShardAnswer> {
        self.now_ms += 1;
        let shard = self.shards.get_mut(&home).unwrap();
        one(&mut shard.rows, home, work, self.now_ms).unwrap().ok()
    }

    /// Has a shard take in some events of another.
    fn carry(&mut self, from: Gene, to: Gene, most: usize) {
        let source = self.shards.get_mut(&from).unwrap();
        let mark = source.carried.entry(to).or_default();
        let mut events: Vec<LoggedEvent> =
            source.rows.shards.events().iter().skip(*mark).take(most).copied().collect();
        *mark += events.len();
        if self.carriage == Carriage::OutOfOrder {
            events.reverse();
        }
        for logged in events.into_iter().filter(|logged| logged.peer == Some(Peer::Shard(to))) {
            for _ in 0..self.times(&logged.event) {
                self.derive(to, &logged);
            }
        }
    }

    /// How often an event arrives.
    fn times(&mut self, event: &Event) -> usize {
        let is_block = matches!(event.change, Change::Pair { kind: PairChange::Blocked { .. }, .. });
        let carriage = self.carriage;
        match carriage {
            Carriage::Again if self.below(8) == 0 => 2,
            Carriage::MarkWithoutEffect if self.below(30) == 0 => 0,
            Carriage::HalfABlock if is_block => 0,
            _ => 1,
        }
    }

    fn derive(&mut self, to: Gene, logged: &LoggedEvent) {
        let Change::Pair { object, .. } = logged.event.change else { return };
        self.now_ms += 1;
        let arriving = Arriving { event: logged.event, other: object, post: None, told: logged.told };
        derive(&mut self.shards.get_mut(&to).unwrap().rows, arriving, self.now_ms).unwrap();
    }

    fn genes(&self) -> Vec<Gene> {
        self.shards.keys().copied().collect()
    }

    /// Carries all events, and those that follow from them. Returns whether that comes to an end.
    fn carry_all(&mut self) -> bool {
        let genes = self.genes();
        for _ in 0..8 {
            for (from, to) in genes.iter().flat_map(|from| genes.iter().map(move |to| (*from, *to))) {
                if from != to {
                    self.carry(from, to, usize::MAX);
                }
            }
        }
        let is_carried = |shard: &OneShard| {
            let all = shard.rows.shards.events().len();
            shard.carried.values().all(|mark| *mark == all)
        };
        self.shards.values().all(is_carried)
    }

    /// Does an operation, or the first steps of it.
    fn act(&mut self, op: Op, subject: Uid, object: Uid) {
        let command = match op {
            Op::SendFriendRequest => Command::SendFriendRequest(FriendRequest {
                sender: subject,
                receiver: object,
                message: String::new(),
                ttl_ms: None,
            }),
            _ => Command::Pair(PairCommand { op, subject, object }),
        };
        for part in split(Write::of(command)).unwrap().stages.into_iter().flatten() {
            self.part(part);
        }
    }

    fn part(&mut self, Part { home, write, meets, .. }: Part) {
        let Home::Shard(home) = home else { return };
        if !meets {
            let done = self.work(home, &ShardWork::Write(write.clone()));
            if done.is_none_or(|done| done.concerned.is_empty()) {
                return;
            }
        }
        let mut meeting = Meeting::of_one(write).unwrap();
        let (mut result, steps) = (StepResult::Begun, self.below(24));
        for _ in 0..steps {
            let Ok(step) = meeting.next(result) else { return };
            let Some(done) = self.step(step) else { return };
            result = done;
        }
    }

    /// Does a step of a meeting. None if that is over.
    fn step(&mut self, step: MeetingStep) -> Option<StepResult> {
        Some(match step {
            MeetingStep::Done(_) => return None,
            MeetingStep::Work(shard, work) => StepResult::Answer(self.work(shard, &work)?),
            MeetingStep::Heads(shards) => {
                let seq = |shard: Gene| self.shards[&shard].rows.shards.seq(shard);
                StepResult::Heads(shards.into_iter().map(|shard| (shard, seq(shard))).collect())
            }
            MeetingStep::Reach(shards, marks) => self.take_in(&shards, marks.into_keys()),
        })
    }

    /// What others have done so far comes to shards.
    fn take_in(&mut self, shards: &BTreeSet<Gene>, sources: impl Iterator<Item = Gene>) -> StepResult {
        for source in sources {
            for shard in shards.iter().filter(|shard| **shard != source) {
                self.carry(source, *shard, usize::MAX);
            }
        }
        StepResult::Reached
    }

    /// Compares what each shard knows of others with the facts there. Returns what differs.
    fn differences(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut agree = |are: bool, what: String| {
            if !are {
                found.push(what);
            }
        };
        let rows = |of: Uid| &self.shards[&of.gene()].rows;
        for (a, b) in USERS.into_iter().flat_map(|a| USERS.map(|b| (uid(a), uid(b)))) {
            if a == b {
                continue;
            }
            let (follow, fan) = (*rows(a).follows.get((a, b)).unwrap(), *rows(b).fans.get((b, a)).unwrap());
            agree((follow.active, follow.version) == (fan.active, fan.version), format!("{a} follows {b}"));
            let (block, known) =
                (rows(a).blocks.get((a, b)).unwrap(), rows(b).blocked_by.get((b, a)).unwrap());
            agree((block.active, block.version) == (known.active, known.version), format!("{a} blocks {b}"));
            agree(!(block.active && follow.active), format!("{a} follows {b} across its block"));
            let back = rows(b).follows.get((b, a)).unwrap();
            agree(!(block.active && back.active), format!("{b} follows {a} across a block"));
            let are_friends = follow.active && back.active;
            agree(follow.friend_at.is_some() == are_friends, format!("{a} and {b} as friends"));
        }
        for user in USERS.map(uid) {
            let counts = rows(user).users.get(user).unwrap().counts;
            let followers = USERS.map(uid).into_iter().filter(|other| *other != user);
            let followers = followers.filter(|other| rows(user).fans.get((user, *other)).unwrap().active);
            agree(counts.followers == followers.count() as u64, format!("followers of {user}"));
        }
        found
    }

    /// Plays a history to its end.
    fn play(&mut self) -> Vec<String> {
        let genes = self.genes();
        for _ in 0..STEPS {
            let (a, b) = (uid(USERS[self.below(USERS.len())]), uid(USERS[self.below(USERS.len())]));
            let op = OPS[self.below(OPS.len())];
            if a != b {
                self.act(op, a, b);
            }
            let (from, to) = (genes[self.below(genes.len())], genes[self.below(genes.len())]);
            if from != to {
                let most = self.below(4);
                self.carry(from, to, most);
            }
        }
        assert!(self.carry_all(), "shards tell each other for ever");
        self.differences()
    }
}

#[test]
fn shards_agree_when_every_event_has_arrived() {
    for carriage in [Carriage::Right, Carriage::Again] {
        let (mut follows, mut requests) = (0, 0);
        for seed in 0..SEEDS {
            let mut world = World::new(carriage, seed);
            let differences = world.play();
            assert_eq!(differences, [""; 0], "{carriage:?}, seed {seed}");
            let rows = world.shards.values().map(|shard| &shard.rows);
            let changed = rows.clone().flat_map(|rows| rows.follows.changed());
            follows += changed.filter(|(_, row)| row.active).count();
            let changed = rows.flat_map(|rows| rows.requests.changed());
            requests += changed.filter(|(_, row)| row.asked.is_some()).count();
        }
        let are_enough = follows > 100 && requests > 10;
        assert!(are_enough, "{follows} follows and {requests} requests are too few to tell");
    }
}

/// A writer dies after a step, and another process does the same step again.
#[test]
fn a_step_that_is_done_again_under_its_request_id_is_answered_as_before() {
    let mut world = World::new(Carriage::Right, 1);
    let (sender, receiver) = (uid(USERS[0]), uid(USERS[2]));
    let asked = FriendRequest { sender, receiver, message: String::new(), ttl_ms: None };
    let cancel = PairCommand { op: Op::CancelFriendRequest, subject: sender, object: receiver };
    let mut repeated = 0;
    for (id, command) in [("ask", Command::SendFriendRequest(asked)), ("cancel", cancel.into())] {
        let request = RequestKey { actor: sender, id: id.into(), fingerprint: 1 };
        for gene in [sender.gene(), receiver.gene()] {
            let rows = &mut world.shards.get_mut(&gene).unwrap().rows;
            rows.fetched_answer((gene, sender, request.id.clone()));
        }
        let mut meeting = Meeting::of_one(Write::of(command).under(Some(request))).unwrap();
        let mut result = StepResult::Begun;
        while let step = meeting.next(result).unwrap()
            && !matches!(step, MeetingStep::Done(_))
        {
            let work =
                if let MeetingStep::Work(shard, work) = &step { Some((*shard, work.clone())) } else { None };
            result = world.step(step).unwrap();
            let is_once = |work: &ShardWork| {
                matches!(work, ShardWork::Ask(..) | ShardWork::TakeBack(..) | ShardWork::Finish(_))
            };
            if let (Some((shard, work)), StepResult::Answer(first)) =
                (work.filter(|work| is_once(&work.1)), &result)
            {
                let again = world.work(shard, &work).unwrap();
                assert_eq!(again.planned.outcomes, first.planned.outcomes, "{work:?}");
                assert!(again.planned.repeated.is_some() && first.planned.repeated.is_none(), "{work:?}");
                repeated += 1;
            }
        }
    }
    assert_eq!(repeated, 4, "asked and finished, taken back and finished");
}

#[test]
fn a_world_that_breaks_the_protocol_is_found_out() {
    for carriage in [Carriage::MarkWithoutEffect, Carriage::HalfABlock, Carriage::OutOfOrder] {
        let differs = |seed: &u64| !World::new(carriage, *seed).play().is_empty();
        let found = (0..SEEDS).filter(differs).count();
        assert!(found > 0, "{carriage:?}: no history tells");
    }
}
