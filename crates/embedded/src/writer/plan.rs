//! Planning: what a group of writes changes, decided in order against committed state plus the group's own
//! changes. What each domain's writes come to is in its own folder beside this file.

use super::posts::WorkingPosts;
use super::relations::Working;
use crate::engine::{Batch, EngineError, Snapshot, Table};
use crate::layout::{AnswerValue, COUNTERS, CountersValue, encode_event, event_at, log_key, user_key};
use crate::memory::followers::FanChange;
use crate::memory::outboxes::AuthorChange;
use crate::memory::relations::User;
use crate::shared::Shared;
use guanxi_model::post::PostIds;
use guanxi_model::{Change, Event, Hlc, PostHeader, Stamp, Uid};
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
    pub(super) users: HashMap<Uid, Working>,
    pub(super) posts: WorkingPosts,
    pub(super) answers: HashMap<u128, AnswerValue>,
    pub(super) jobs: HashMap<String, u64>,
    pub(super) removed: HashSet<(Uid, Uid)>,
    pub(super) fans: Vec<(Uid, FanChange)>,
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

    /// Adds an event, and answers its seq.
    pub(super) fn event(&mut self, version: Stamp, subject: Uid, change: Change) -> u64 {
        let seq = self.first_seq + self.events;
        let event = Event { at: event_at(seq), version, subject, change, echo: None };
        self.batch.put(Table::Log, &log_key(seq), &encode_event(&event));
        self.events += 1;
        seq
    }
}
