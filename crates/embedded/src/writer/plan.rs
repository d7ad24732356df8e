//! Planning: what a group of writes changes, decided in order against committed state plus the group's own
//! changes. What each domain's writes come to is in its own folder beside this file.

use super::posts::WorkingPosts;
use super::relations::WorkingRelations;
use crate::engine::{EngineError, RowBatch, Snapshot, Table};
use crate::layout::{AnswerValue, COUNTERS, CountersValue, encode_event, event_at, log_key, user_key};
use crate::memory::followers::FollowerChange;
use crate::memory::outboxes::OutboxChange;
use crate::memory::relations::RelationsEntry;
use crate::shared::{Shared, seq_of};
use guanxi_model::post::PostIds;
use guanxi_model::{
    Change, Command, Error, Event, Hlc, Outcome, Position, PostHeader, Reason, Result, Stamp, Uid, Write,
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
    pub(super) batch: RowBatch,
    pub(super) relations: HashMap<Uid, WorkingRelations>,
    pub(super) posts: WorkingPosts,
    pub(super) answers: HashMap<u128, AnswerValue>,
    pub(super) jobs: HashMap<String, u64>,
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

/// What planning a write came to.
pub(super) struct Planned {
    pub outcomes: Vec<Outcome>,
    /// The position of an earlier answer that is repeated; else the group's.
    pub repeated: Option<Position>,
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
            relations: HashMap::new(),
            posts: WorkingPosts::new(ids),
            answers: HashMap::new(),
            jobs: HashMap::new(),
            removed: HashSet::new(),
            followers: Vec::new(),
        }
    }

    /// Whether there is anything to commit.
    pub fn changes(&self) -> bool {
        !self.batch.is_empty()
    }

    /// The batch, for rows beside the graph's.
    pub fn batch(&mut self) -> &mut RowBatch {
        &mut self.batch
    }

    /// Plans one write. The outer error is the store's, the inner one the caller's.
    pub fn write(&mut self, write: Write) -> Planning<Result<Planned>> {
        if let Some(request) = &write.request {
            match self.remembered(request)? {
                Ok(Some(known)) => {
                    let repeated = Some(self.shared.position(known.seq));
                    return Ok(Ok(Planned { outcomes: known.outcomes, repeated }));
                }
                Ok(None) => {}
                Err(error) => return Ok(Err(error)),
            }
        }
        // Whatever refuses the whole write is asked before its first command, so that no part of it is left in the batch.
        if let Err(error) = write.check() {
            return Ok(Err(error));
        }
        for command in &write.commands {
            let Command::MarkSeen { seen, .. } = command else { continue };
            if seen.history() != self.shared.history {
                return Ok(Err(Error::new(Reason::TokenFromOtherHistory)));
            }
            if seq_of(seen) > self.last_seq() {
                return Ok(Err(Error::new(Reason::TokenAhead)));
            }
        }
        if let Some(cursor) = &write.cursor
            && let Err(error) = self.advance_job(cursor)?
        {
            return Ok(Err(error));
        }
        let mut outcomes = Vec::with_capacity(write.len());
        for command in write.commands {
            self.do_command(command, &mut outcomes)?;
        }
        if let Some(request) = &write.request {
            self.remember(request, outcomes.clone());
        }
        Ok(Ok(Planned { outcomes, repeated: None }))
    }

    /// Plans one command, and adds its outcomes.
    fn do_command(&mut self, command: Command, outcomes: &mut Vec<Outcome>) -> Planning<()> {
        match command {
            Command::Pair(command) => outcomes.push(Outcome::Pair(self.command(command, None)?)),
            Command::ImportEdges { edges, revive } => {
                for edge in edges {
                    outcomes.push(Outcome::Pair(self.import_edge(edge, revive)?));
                }
            }
            Command::Post(command) => outcomes.push(Outcome::Post(self.post_command(command)?)),
            Command::ImportPosts(posts) => {
                for post in posts {
                    outcomes.push(Outcome::Post(self.import_outcome(post)?));
                }
            }
            Command::FollowLimit { uid, limit } => {
                self.set_follow_limit(uid, limit)?;
                outcomes.push(Outcome::Done);
            }
            Command::MarkSeen { uid, seen } => {
                self.mark_seen(uid, &seen)?;
                outcomes.push(Outcome::Done);
            }
            Command::FanoutPolicy(policy) => {
                self.set_policy(&policy);
                outcomes.push(Outcome::Done);
            }
        }
        Ok(())
    }

    /// Closes the plan: adds each changed user's counters once, as absolute values.
    pub fn finish(mut self) -> PlannedGroup {
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

    /// Adds an event, and returns its seq.
    pub(super) fn event(&mut self, version: Stamp, subject: Uid, change: Change) -> u64 {
        let seq = self.first_seq + self.events;
        let event = Event { at: event_at(seq), version, subject, change, echo: None };
        self.batch.put(Table::Log, &log_key(seq), &encode_event(&event));
        self.events += 1;
        seq
    }
}
