//! Planning: what a group of writes changes, decided in order against committed state plus the group's own
//! changes.

use super::group::Planned;
use super::posts::WorkingPosts;
use super::relations::Working;
use crate::engine::{Batch, EngineError, Snapshot, Table};
use crate::layout::{
    AnswerValue, BLOCK, COUNTERS, CountersValue, ForwardValue, MUTE, Outcomes, TOMBSTONE, encode_event,
    encode_stamp, forward_key, log_key, pair_key, reverse_key, user_key,
};
use crate::memory::followers::FanChange;
use crate::memory::outboxes::AuthorChange;
use crate::memory::relations::User;
use crate::rows::user_relations::{Edit as _, Follow};
use crate::shared::Shared;
use guanxi_model::event::PairChange;
use guanxi_model::limits::{BATCH_MAX, FOLLOW_LIMIT_MAX, IMPORT_BATCH_MAX};
use guanxi_model::pair::{Effect, decide};
use guanxi_model::post::PostIds;
use guanxi_model::{
    Change, Command, Direction, Edge, Error, Event, Hlc, ImportCursor, ImportEdge, Op, Outcome, PairState,
    PostHeader, Reason, Relation, RequestKey, Result, Stamp, Uid, Write,
};
use std::collections::{HashMap, HashSet};

/// The plan of a group.
pub(crate) struct Planner<'a> {
    pub(super) shared: &'a Shared,
    pub(super) snapshot: Snapshot,
    pub(super) now_ms: u64,
    first_seq: u64,
    events: u64,
    pub(super) hlc: Hlc,
    pub(super) batch: Batch,
    users: HashMap<Uid, Working>,
    pub(super) posts: WorkingPosts,
    pub(super) answers: HashMap<u128, AnswerValue>,
    pub(super) jobs: HashMap<String, u64>,
    removed: HashSet<(Uid, Uid)>,
    fans: Vec<(Uid, FanChange)>,
}

/// A finished plan.
pub(crate) struct PlannedGroup {
    pub batch: Batch,
    pub events: u64,
    pub clock: Stamp,
    pub users: Vec<(Uid, User)>,
    pub fans: Vec<(Uid, FanChange)>,
    /// Authors whose outbox changed.
    pub authors: Vec<(Uid, AuthorChange)>,
    /// Posts that changed, as they are now.
    pub items: Vec<PostHeader>,
    pub ids: PostIds,
}

/// What planning comes to; the error is the store's.
pub(super) type Planning<T> = Result<T, EngineError>;

impl<'a> Planner<'a> {
    /// A plan on top of the last commit, `last_seq`.
    pub fn new(shared: &'a Shared, now_ms: u64, last_seq: u64, hlc: Hlc, ids: PostIds) -> Self {
        Self {
            shared,
            snapshot: shared.engine.snapshot(),
            now_ms,
            first_seq: last_seq + 1,
            events: 0,
            hlc,
            batch: shared.engine.batch(),
            users: HashMap::new(),
            posts: WorkingPosts::new(ids),
            answers: HashMap::new(),
            jobs: HashMap::new(),
            removed: HashSet::new(),
            fans: Vec::new(),
        }
    }

    /// Whether there is anything to commit.
    pub fn changes(&self) -> bool {
        !self.batch.is_empty()
    }

    /// The batch, for rows beside the graph's.
    pub fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Plans one write. The outer error is the store's, the inner one the caller's.
    pub fn write(&mut self, write: Write) -> Planning<Result<Planned<Outcome>>> {
        match write {
            Write::Commands { commands, request: None } => self.commands(&commands),
            Write::Commands { commands, request: Some(request) } => self.commands_once(&commands, &request),
            Write::Import { edges, revive, mark } => self.import(&edges, revive, mark),
            Write::SetFollowLimit { uid, limit } => self.set_follow_limit(uid, limit),
        }
    }

    /// Closes the plan: adds each changed user's counters once, as absolute values.
    pub fn finish(mut self) -> PlannedGroup {
        let last_seq = self.last_seq();
        let ids = self.posts.ids;
        let (authors, items) = self.posts.finish(&mut self.batch);
        let mut users = Vec::with_capacity(self.users.len());
        for (uid, working) in self.users {
            if working.changed() {
                let value = CountersValue { counts: working.counts(), limit: working.limit() };
                self.batch.put(Table::Records, &user_key(COUNTERS, uid), &value.encode());
                users.push((uid, working.pack(last_seq)));
            }
        }
        PlannedGroup {
            batch: self.batch,
            events: self.events,
            clock: self.hlc.last(),
            users,
            fans: self.fans,
            authors,
            items,
            ids,
        }
    }

    /// The last event as of this point of the plan.
    pub(super) const fn last_seq(&self) -> u64 {
        self.first_seq + self.events - 1
    }

    fn commands(&mut self, commands: &[Command]) -> Planning<Result<Planned<Outcome>>> {
        if commands.len() > BATCH_MAX as usize {
            return Ok(Err(Error::new(Reason::BatchTooLarge { limit: BATCH_MAX })));
        }
        let outcomes: Planning<Vec<Outcome>> =
            commands.iter().map(|command| self.command(*command, None)).collect();
        Ok(Ok(outcomes?.into()))
    }

    /// Commands under a request id: the first time they are planned, and the answer is stored in this commit.
    fn commands_once(
        &mut self,
        commands: &[Command],
        request: &RequestKey,
    ) -> Planning<Result<Planned<Outcome>>> {
        let known = match self.remembered(request)? {
            Ok(known) => known,
            Err(error) => return Ok(Err(error)),
        };
        if let Some(known) = known {
            // Fingerprints cover the method, so an answer about posts can only be a collision.
            let Outcomes::Relations(outcomes) = known.outcomes else {
                return Ok(Err(Error::new(Reason::IdempotencyMismatch)));
            };
            return Ok(Ok(Planned { outcomes, repeated: Some(self.shared.position(known.seq)) }));
        }
        let planned = match self.commands(commands)? {
            Ok(planned) => planned,
            Err(error) => return Ok(Err(error)),
        };
        self.remember(request, Outcomes::Relations(planned.outcomes.clone()));
        Ok(Ok(planned))
    }

    fn import(
        &mut self,
        edges: &[ImportEdge],
        revive: bool,
        mark: Option<ImportCursor>,
    ) -> Planning<Result<Planned<Outcome>>> {
        if edges.len() > IMPORT_BATCH_MAX as usize {
            return Ok(Err(Error::new(Reason::BatchTooLarge { limit: IMPORT_BATCH_MAX })));
        }
        if let Err(error) = self.advance_job(mark)? {
            return Ok(Err(error));
        }
        let outcomes: Planning<Vec<Outcome>> =
            edges.iter().map(|edge| self.import_edge(*edge, revive)).collect();
        Ok(Ok(outcomes?.into()))
    }

    fn import_edge(&mut self, edge: ImportEdge, revive: bool) -> Planning<Outcome> {
        let ImportEdge { subject, object, at } = edge;
        let removed = subject != object
            && !revive
            && self.user(subject)?.follow(object).is_none()
            && (self.removed.contains(&(subject, object))
                || self.snapshot.contains(Table::Records, &pair_key(TOMBSTONE, subject, object))?);
        if removed {
            return Ok(Outcome { result: Ok(false), relation: self.relation(subject, object)? });
        }
        self.command(Command { op: Op::Follow, subject, object }, at)
    }

    fn set_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Planning<Result<Planned<Outcome>>> {
        if limit.is_some_and(|limit| limit > FOLLOW_LIMIT_MAX) {
            return Ok(Err(Error::new(Reason::InvalidField { field: "limit" })));
        }
        if self.user(uid)?.limit() != limit {
            self.user(uid)?.facts_mut().limit = limit;
            let version = self.hlc.tick(self.now_ms);
            self.event(version, uid, Change::FollowLimit(limit));
        }
        Ok(Ok(Vec::new().into()))
    }

    /// Plans one operation; `at` is the given time of an imported follow.
    fn command(&mut self, command: Command, at: Option<Stamp>) -> Planning<Outcome> {
        let Command { op, subject, object } = command;
        if subject == object {
            return Ok(Outcome { result: Err(Reason::SelfRelation), relation: Relation::default() });
        }
        let state = PairState {
            forward: self.direction(subject, object)?,
            backward: self.direction(object, subject)?,
        };
        let decision = decide(state, op, self.at_limit(op, subject)?);
        for effect in &decision.effects {
            self.effect(*effect, command, at)?;
        }
        Ok(Outcome { result: decision.result, relation: self.relation(subject, object)? })
    }

    fn effect(&mut self, effect: Effect, command: Command, at: Option<Stamp>) -> Planning<()> {
        let Command { op, subject: a, object: b } = command;
        let version = self.hlc.tick(self.now_ms);
        let (owner, other, kind) = match effect {
            Effect::Follow => (a, b, self.follow(a, b, version, at.unwrap_or(version))?),
            Effect::Unfollow => (a, b, self.unfollow(a, b, version)?),
            Effect::UnfollowBack => (b, a, self.unfollow(b, a, version)?),
            Effect::Block => {
                self.user(a)?.facts_mut().blocks.set(Edge { at: version, uid: b });
                self.put_mark(BLOCK, a, b, version);
                (a, b, PairChange::Blocked)
            }
            Effect::Mute => {
                self.user(a)?.facts_mut().mutes.set(Edge { at: version, uid: b });
                self.put_mark(MUTE, a, b, version);
                (a, b, PairChange::Muted)
            }
            Effect::Unblock => {
                self.user(a)?.facts_mut().blocks.unset(b);
                self.batch.remove(Table::Records, &pair_key(BLOCK, a, b));
                (a, b, PairChange::Unblocked)
            }
            Effect::Unmute => {
                self.user(a)?.facts_mut().mutes.unset(b);
                self.batch.remove(Table::Records, &pair_key(MUTE, a, b));
                (a, b, PairChange::Unmuted)
            }
        };
        self.event(version, owner, Change::Pair { object: other, kind, cause: op });
        Ok(())
    }

    /// a begins to follow b: forward edge, reverse edge, both counters, and the mark on both if b follows a.
    fn follow(&mut self, a: Uid, b: Uid, version: Stamp, at: Stamp) -> Planning<PairChange> {
        let back = self.user(b)?.follow(a);
        let friends_since = back.map(|(back_at, _)| back_at.max(at));
        self.put_follow(a, Follow { uid: b, at, friends_since }, version)?;
        self.batch.put(Table::Reverse, &reverse_key(b, Edge { at, uid: a }), &[]);
        self.user(b)?.add_follower();
        self.fans.push((b, FanChange::Came(Edge { at, uid: a })));
        if let Some((back_at, _)) = back {
            self.put_follow(b, Follow { uid: a, at: back_at, friends_since }, version)?;
        }
        self.removed.remove(&(a, b));
        Ok(PairChange::Followed { at, mutual: back.is_some() })
    }

    /// a no longer follows b. The edge leaves the lists and stays as a tombstone under its own prefix.
    fn unfollow(&mut self, a: Uid, b: Uid, version: Stamp) -> Planning<PairChange> {
        let gone = self.user(a)?.facts_mut().remove_follow(b);
        self.batch.remove(Table::Forward, &forward_key(a, b));
        if let Some(gone) = gone {
            self.batch.remove(Table::Reverse, &reverse_key(b, Edge { at: gone.at, uid: a }));
            self.user(b)?.remove_follower();
            self.fans.push((b, FanChange::Went(Edge { at: gone.at, uid: a })));
            if gone.friends_since.is_some()
                && let Some((at, _)) = self.user(b)?.follow(a)
            {
                self.put_follow(b, Follow { uid: a, at, friends_since: None }, version)?;
            }
        }
        self.put_mark(TOMBSTONE, a, b, version);
        self.removed.insert((a, b));
        Ok(PairChange::Unfollowed)
    }

    fn put_follow(&mut self, owner: Uid, follow: Follow, version: Stamp) -> Planning<()> {
        let value = ForwardValue { at: follow.at, version, friends_since: follow.friends_since };
        self.batch.put(Table::Forward, &forward_key(owner, follow.uid), &value.encode());
        self.user(owner)?.facts_mut().set_follow(follow);
        Ok(())
    }

    fn put_mark(&mut self, prefix: u8, a: Uid, b: Uid, version: Stamp) {
        self.batch.put(Table::Records, &pair_key(prefix, a, b), &encode_stamp(version));
    }

    /// Adds an event, and answers its seq.
    pub(super) fn event(&mut self, version: Stamp, subject: Uid, change: Change) -> u64 {
        let event = Event { seq: self.first_seq + self.events, version, subject, change };
        self.batch.put(Table::Log, &log_key(event.seq), &encode_event(&event));
        self.events += 1;
        event.seq
    }

    fn direction(&mut self, owner: Uid, other: Uid) -> Planning<Direction> {
        let user = self.user(owner)?;
        Ok(Direction {
            follows: user.follow(other).is_some(),
            blocks: user.blocks(other),
            mutes: user.mutes(other),
        })
    }

    /// The limit that guards an operation, if the user has reached it.
    fn at_limit(&mut self, op: Op, uid: Uid) -> Planning<Option<u32>> {
        let options = &self.shared.options;
        let user = self.user(uid)?;
        let (count, limit) = match op {
            Op::Follow => (user.following(), user.limit().unwrap_or(options.follow_limit)),
            Op::Block => (user.counts().blocks, options.block_limit),
            Op::Mute => (user.counts().mutes, options.mute_limit),
            Op::Unfollow | Op::RemoveFollower | Op::Unblock | Op::Unmute => return Ok(None),
        };
        Ok((count >= limit).then_some(limit))
    }

    pub(super) fn relation(&mut self, subject: Uid, object: Uid) -> Planning<Relation> {
        let backward = self.direction(object, subject)?;
        let user = self.user(subject)?;
        let follow = user.follow(object);
        Ok(Relation {
            following_since: follow.map(|(at, _)| at),
            followed_by: backward.follows,
            friends_since: if backward.follows { user.friends_since(object) } else { None },
            blocking: user.blocks(object),
            blocked_by: backward.blocks,
            muting: user.mutes(object),
        })
    }

    /// A user as of this point of the plan.
    fn user(&mut self, uid: Uid) -> Planning<&mut Working> {
        use std::collections::hash_map::Entry;
        Ok(match self.users.entry(uid) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                entry.insert(Working::new(self.shared.users.latest(uid, &self.shared.engine)?))
            }
        })
    }
}
