//! Two shards and no database: histories with delay, and with writers that die between two steps.

use crate::apply::{Arriving, derive};
use crate::batch::{ShardAnswer, ShardWork, one};
use crate::cells::{Pair, Peer, RowTerms, Rows, ShardRow, Shards};
use crate::meeting::{Meeting, MeetingStep, StepResult};
use crate::route::{Home, Part, split};
use guanxi_model::plan::FactLimits;
use guanxi_model::{
    Change, Command, EventAt, FriendRequest, Gene, HistoryId, Logs, Op, PairCommand, Position, Stamp, Uid,
    Write,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Users of two shards.
const USERS: [u64; 4] = [1, 2, 257, 258];

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
    /// How many of its events the other shard has taken in.
    carried: usize,
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
        Self { rows, carried: 0 }
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

/// Both shards, and a time that goes on.
struct World {
    shards: BTreeMap<Gene, OneShard>,
    now_ms: u64,
    seed: u64,
}

impl World {
    fn new(seed: u64) -> Self {
        let genes = USERS.map(|user| uid(user).gene());
        let shards = genes.into_iter().map(|gene| (gene, OneShard::new(gene))).collect();
        Self { shards, now_ms: 1_000_000, seed }
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

    /// Has the other shard take in some events of one.
    fn carry(&mut self, from: Gene, most: usize) {
        let shard = &self.shards[&from];
        let events = shard.rows.shards.events().iter().skip(shard.carried).take(most);
        let events: Vec<_> = events.copied().collect();
        self.shards.get_mut(&from).unwrap().carried += events.len();
        for logged in events {
            let Some(Peer::Shard(to)) = logged.peer else { continue };
            let Change::Pair { object, .. } = logged.event.change else { continue };
            self.now_ms += 1;
            let arriving = Arriving { event: logged.event, other: object, post: None, told: logged.told };
            derive(&mut self.shards.get_mut(&to).unwrap().rows, arriving, self.now_ms).unwrap();
        }
    }

    fn carry_all(&mut self) {
        let genes: Vec<Gene> = self.shards.keys().copied().collect();
        for _ in 0..8 {
            genes.iter().for_each(|gene| self.carry(*gene, usize::MAX));
        }
        let left = |shard: &OneShard| shard.rows.shards.events().len() - shard.carried;
        assert!(self.shards.values().all(|shard| left(shard) == 0), "shards tell each other for ever");
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
        let (mut result, steps) = (StepResult::Begun, self.below(12));
        for _ in 0..steps {
            let Ok(step) = meeting.next(result) else { return };
            result = match step {
                MeetingStep::Done(_) => return,
                MeetingStep::Work(shard, work) => match self.work(shard, &work) {
                    Some(answer) => StepResult::Answer(answer),
                    None => return,
                },
                MeetingStep::TakeIn(_, sources) => {
                    sources.into_iter().for_each(|source| self.carry(source, usize::MAX));
                    StepResult::TakenIn
                }
                MeetingStep::Reach(_, (source, _)) => {
                    self.carry(source, usize::MAX);
                    StepResult::TakenIn
                }
                MeetingStep::Stand((shard, _), _) => {
                    self.carry_all();
                    let seq = self.shards[&shard].rows.shards.seq(shard);
                    let at = EventAt::new(Logs::PerGene.of_gene(shard), seq);
                    StepResult::Stands(Position::acted(HistoryId(1), Logs::PerGene, at))
                }
            };
        }
    }

    /// Compares what each shard knows of the other with the facts there.
    fn check(&self) {
        let rows = |of: Uid| &self.shards[&of.gene()].rows;
        for (a, b) in USERS.into_iter().flat_map(|a| USERS.map(|b| (uid(a), uid(b)))) {
            if a == b {
                continue;
            }
            let (follow, fan) = (*rows(a).follows.get((a, b)).unwrap(), *rows(b).fans.get((b, a)).unwrap());
            assert_eq!((follow.active, follow.version), (fan.active, fan.version), "{a} follows {b}");
            let (block, known) =
                (rows(a).blocks.get((a, b)).unwrap(), rows(b).blocked_by.get((b, a)).unwrap());
            assert_eq!((block.active, block.version), (known.active, known.version), "{a} blocks {b}");
            assert!(!(block.active && follow.active), "{a} follows {b} across a block");
            let back = rows(b).follows.get((b, a)).unwrap();
            assert!(!(block.active && back.active), "{b} follows {a} across a block");
            assert_eq!(follow.friend_at.is_some(), follow.active && back.active, "{a} and {b} as friends");
        }
        for user in USERS.map(uid) {
            let counts = rows(user).users.get(user).unwrap().counts;
            let followers = USERS.map(uid).into_iter().filter(|other| *other != user);
            let followers = followers.filter(|other| rows(user).fans.get((user, *other)).unwrap().active);
            assert_eq!(counts.followers, followers.count() as u64, "followers of {user}");
        }
    }
}

#[test]
fn shards_agree_when_every_event_has_arrived() {
    let (mut follows, mut requests) = (0, 0);
    for seed in 0..200 {
        let mut world = World::new(seed);
        let genes: Vec<Gene> = world.shards.keys().copied().collect();
        for _ in 0..60 {
            let (a, b) = (uid(USERS[world.below(4)]), uid(USERS[world.below(4)]));
            let op = OPS[world.below(OPS.len())];
            if a != b {
                world.act(op, a, b);
            }
            let (gene, many) = (genes[world.below(genes.len())], world.below(3));
            world.carry(gene, many);
        }
        world.carry_all();
        world.check();
        let rows = world.shards.values().map(|shard| &shard.rows);
        follows += rows.clone().flat_map(|rows| rows.follows.changed()).filter(|(_, row)| row.active).count();
        requests +=
            rows.flat_map(|rows| rows.requests.changed()).filter(|(_, row)| row.asked.is_some()).count();
    }
    assert!(follows > 100 && requests > 10, "{follows} follows and {requests} requests are too few to tell");
}
