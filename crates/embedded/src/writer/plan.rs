//! The state of a group: committed rows with the group's own changes on top, which the planner of the model goes over.
//! What each domain reads and writes is in its own folder beside this file.

use super::posts::WorkingPosts;
use super::relations::WorkingRelations;
use crate::engine::{EngineError, RowBatch, Snapshot, Table};
use crate::layout::{AnswerValue, COUNTERS, CountersValue, encode_event, event_at, log_key, user_key};
use crate::memory::followers::FollowerChange;
use crate::memory::outboxes::OutboxChange;
use crate::memory::relations::RelationsEntry;
use crate::shared::{Shared, seq_of};
use guanxi_model::plan::{FactLimits, Planned, Planner, Remembered, Said, State};
use guanxi_model::post::{AuthorHead, PostIds, PostStats, Revision};
use guanxi_model::{
    Change, Edge, Error, Event, EventAt, FanoutPolicy, GuardedCount, Hlc, Outcome, Position, Post,
    PostHeader, PostId, Reason, RequestKey, Result, Stamp, Uid, Write,
};
use std::collections::{HashMap, HashSet};

/// The rows of a group as of this point of its plan.
pub(crate) struct GroupState<'a> {
    pub(super) shared: &'a Shared,
    pub(super) snapshot: Snapshot,
    pub(super) now_ms: u64,
    first_seq: u64,
    events: u64,
    hlc: Hlc,
    pub(super) batch: RowBatch,
    pub(super) relations: HashMap<Uid, WorkingRelations>,
    pub(super) posts: WorkingPosts,
    pub(super) answers: HashMap<u128, AnswerValue>,
    pub(super) jobs: HashMap<String, u64>,
    /// Follows that the group removed and did not bring back.
    pub(super) removed: HashSet<(Uid, Uid)>,
    pub(super) followers: Vec<(Uid, FollowerChange)>,
}

/// A finished plan.
pub(crate) struct PlannedGroup {
    pub batch: RowBatch,
    pub events: u64,
    pub clock: Stamp,
    pub relations: Vec<(Uid, RelationsEntry)>,
    pub followers: Vec<(Uid, FollowerChange)>,
    pub outboxes: Vec<(Uid, OutboxChange)>,
    /// Posts that changed, as they are now.
    pub headers: Vec<PostHeader>,
    pub ids: PostIds,
}

impl<'a> GroupState<'a> {
    /// What stands after the last commit, `last_seq`.
    pub(super) fn new(shared: &'a Shared, now_ms: u64, last_seq: u64, hlc: Hlc, ids: PostIds) -> Self {
        Self {
            shared,
            snapshot: shared.engine.snapshot(),
            now_ms,
            first_seq: last_seq + 1,
            events: 0,
            hlc,
            batch: shared.engine.batch(),
            relations: HashMap::new(),
            posts: WorkingPosts::new(ids),
            answers: HashMap::new(),
            jobs: HashMap::new(),
            removed: HashSet::new(),
            followers: Vec::new(),
        }
    }

    /// Whether there is anything to commit.
    pub(super) fn changes(&self) -> bool {
        !self.batch.is_empty()
    }

    /// The batch, for rows beside those of facts.
    pub(super) fn batch(&mut self) -> &mut RowBatch {
        &mut self.batch
    }

    /// Plans one write. The outer error is the store's, the inner one the caller's.
    pub(super) fn write(&mut self, write: Write) -> Result<Result<Planned>, EngineError> {
        let now_ms = self.now_ms;
        Planner::new(self, now_ms).write(write)
    }

    /// Closes the plan: adds each changed user's counters once, as absolute values.
    pub(super) fn finish(mut self) -> PlannedGroup {
        let last_seq = self.last_seq();
        let ids = self.posts.ids;
        let (outboxes, headers) = self.posts.finish(&mut self.batch);
        let mut relations = Vec::with_capacity(self.relations.len());
        for (uid, working) in self.relations {
            if working.changed() {
                let (counts, limit) = (working.counts(), working.limit());
                let value = CountersValue { counts, limit, changed: working.changed_at(last_seq) };
                self.batch.put(Table::Records, &user_key(COUNTERS, uid), &value.encode());
                relations.push((uid, working.pack(last_seq)));
            }
        }
        PlannedGroup {
            batch: self.batch,
            events: self.events,
            clock: self.hlc.last(),
            relations,
            followers: self.followers,
            outboxes,
            headers,
            ids,
        }
    }

    /// The last event as of this point of the plan.
    pub(super) const fn last_seq(&self) -> u64 {
        self.first_seq + self.events - 1
    }
}

impl State for GroupState<'_> {
    type Error = EngineError;

    fn limits(&self) -> FactLimits {
        let options = &self.shared.options;
        FactLimits { follows: options.follow_limit, blocks: options.block_limit, mutes: options.mute_limit }
    }

    fn stamp(&mut self, _actor: Uid, now_ms: u64) -> Stamp {
        self.hlc.tick(now_ms)
    }

    fn next_event(&self, _subject: Uid) -> EventAt {
        event_at(self.first_seq + self.events)
    }

    fn log(&mut self, version: Stamp, subject: Uid, change: Change) -> EventAt {
        let seq = self.first_seq + self.events;
        let at = event_at(seq);
        self.batch.put(
            Table::Log,
            &log_key(seq),
            &encode_event(&Event { at, version, subject, change, echo: None }),
        );
        self.events += 1;
        at
    }

    fn check_position(&self, position: &Position) -> Result<()> {
        if position.history() != self.shared.history {
            return Err(Error::new(Reason::TokenFromOtherHistory));
        }
        if seq_of(position) > self.last_seq() {
            return Err(Error::new(Reason::TokenAhead));
        }
        Ok(())
    }

    fn remembered(&mut self, request: &RequestKey) -> Result<Option<Remembered>, EngineError> {
        self.known_answer(request)
    }

    fn remember(&mut self, request: &RequestKey, now_ms: u64, outcomes: &[Outcome]) {
        self.keep_answer(request, now_ms, outcomes);
    }

    fn job(&mut self, job: &str) -> Result<u64, EngineError> {
        self.job_position(job)
    }

    fn put_job(&mut self, job: &str, position: u64) {
        self.move_job(job, position);
    }

    fn said(&mut self, owner: Uid, other: Uid) -> Result<Said, EngineError> {
        let user = self.user(owner)?;
        Ok(Said { follow: user.follow(other), blocks: user.blocks(other), mutes: user.mutes(other) })
    }

    fn friends_since(&mut self, owner: Uid, other: Uid) -> Result<Option<Stamp>, EngineError> {
        Ok(self.user(owner)?.friends_since(other))
    }

    fn count(&mut self, uid: Uid, of: GuardedCount) -> Result<u32, EngineError> {
        let user = self.user(uid)?;
        Ok(match of {
            GuardedCount::Follows => user.following(),
            GuardedCount::Blocks => user.counts().blocks,
            GuardedCount::Mutes => user.counts().mutes,
        })
    }

    fn follow_limit(&mut self, uid: Uid) -> Result<Option<u32>, EngineError> {
        Ok(self.user(uid)?.limit())
    }

    fn put_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Result<(), EngineError> {
        self.user(uid)?.facts_mut().limit = limit;
        Ok(())
    }

    fn is_removed(&mut self, owner: Uid, other: Uid) -> Result<bool, EngineError> {
        self.has_tombstone(owner, other)
    }

    fn put_follow(
        &mut self,
        owner: Uid,
        follow: Edge,
        friends_since: Option<Stamp>,
        version: Stamp,
    ) -> Result<(), EngineError> {
        self.write_follow(owner, follow, friends_since, version)
    }

    fn remove_follow(&mut self, owner: Uid, other: Uid, version: Stamp) -> Result<(), EngineError> {
        self.erase_follow(owner, other, version)
    }

    fn add_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), EngineError> {
        self.write_follower(owner, follower)
    }

    fn remove_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), EngineError> {
        self.erase_follower(owner, follower)
    }

    fn put_block(&mut self, owner: Uid, other: Uid, since: Option<Stamp>) -> Result<(), EngineError> {
        self.write_block(owner, other, since)
    }

    fn put_mute(&mut self, owner: Uid, other: Uid, since: Option<Stamp>) -> Result<(), EngineError> {
        self.write_mute(owner, other, since)
    }

    fn mint_post(&mut self, author: Uid, now_ms: u64) -> PostId {
        self.posts.ids.mint(now_ms, author)
    }

    fn take_post(&mut self, author: Uid, at_ms: u64) -> Result<Option<PostId>, EngineError> {
        self.posts.take_id(&self.snapshot, author, at_ms)
    }

    fn post(&mut self, id: PostId) -> Result<Option<&Post>, EngineError> {
        self.read_post(id)
    }

    fn add_to_outbox(&mut self, author: Uid, id: PostId) -> Result<(), EngineError> {
        self.append(author, id)
    }

    fn put_post(&mut self, post: Post, changed: EventAt) {
        self.write_post(post, changed);
    }

    fn put_revision(&mut self, id: PostId, revision: &Revision) {
        self.write_revision(id, revision);
    }

    fn head(&mut self, author: Uid) -> Result<AuthorHead, EngineError> {
        self.read_head(author)
    }

    fn put_head(&mut self, author: Uid, head: AuthorHead) -> Result<(), EngineError> {
        self.write_head(author, head)
    }

    fn stats(&mut self, id: PostId) -> Result<&mut PostStats, EngineError> {
        self.read_stats(id)
    }

    fn like(&mut self, id: PostId, uid: Uid) -> Result<Option<Stamp>, EngineError> {
        self.read_like(id, uid)
    }

    fn put_like(&mut self, id: PostId, like: Edge) {
        self.write_like(id, like);
    }

    fn remove_like(&mut self, id: PostId, like: Edge) {
        self.erase_like(id, like);
    }

    fn reposts(&mut self, user: Uid, original: PostId) -> Result<&[PostId], EngineError> {
        self.posts.reposts(&self.snapshot, user, original)
    }

    fn put_reposts(&mut self, user: Uid, original: PostId, reposts: Vec<PostId>) {
        self.posts.put_reposts(user, original, reposts);
    }

    fn source(&mut self, author: Uid, key: &str) -> Result<Option<PostId>, EngineError> {
        self.read_source(author, key)
    }

    fn put_source(&mut self, author: Uid, key: String, id: PostId) {
        self.write_source(author, key, id);
    }

    fn raise_seen(&mut self, uid: Uid, seen: &Position) -> Result<(), EngineError> {
        self.raise_marker(uid, seen)
    }

    fn put_policy(&mut self, policy: &FanoutPolicy) {
        self.write_policy(policy);
    }
}
