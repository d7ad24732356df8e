//! Planning a group: the planner of the model over what the group has changed so far, until the plan is closed.

use super::changes::PlanRows;
use crate::engine::{EngineError, EngineResult, RowBatch, Table};
use crate::layout::{COUNTERS, CountersValue, event_at, log_key, user_key};
use crate::shared::seq_of;
use guanxi_memory::lists::ListChanges;
use guanxi_memory::outboxes::OutboxChange;
use guanxi_memory::relations::RelationsEntry;
use guanxi_model::plan::{EventRows, Planned, Planner};
use guanxi_model::post::PostIds;
use guanxi_model::stored::encode_event;
use guanxi_model::user::Standing;
use guanxi_model::{
    Change, Credential, Error, Event, EventAt, Position, PostHeader, Reason, Result, Stamp, Uid, Write,
};
use std::collections::{BTreeMap, HashMap};

/// A finished plan.
pub(crate) struct PlannedGroup {
    pub batch: RowBatch,
    pub events: Vec<Event>,
    pub clock: Stamp,
    pub relations: Vec<(Uid, RelationsEntry)>,
    pub lists: ListChanges,
    /// Users whose scores may have changed.
    pub scored: Vec<Uid>,
    /// Whether a group of users changed.
    pub changes_groups: bool,
    pub outboxes: Vec<(Uid, OutboxChange)>,
    /// Posts that changed, as they are now.
    pub headers: Vec<PostHeader>,
    pub ids: PostIds,
    /// Users whom the group changed, as they stand now.
    pub standings: Vec<(Uid, Standing)>,
    /// Users whom the group signed out, and when.
    pub signed_out: HashMap<Uid, u64>,
    /// Hashes of the external ids to which the group gave uids.
    pub external_ids: Vec<u64>,
    /// What names of credentials stand for that the group changed, if for anything.
    pub credentials: BTreeMap<String, Option<Credential>>,
}

impl PlanRows<'_> {
    /// Returns whether there is anything to commit.
    pub(super) fn changes(&self) -> bool {
        !self.batch.is_empty()
    }

    /// Plans one write. The outer error is the store's, the inner one the caller's.
    pub(super) fn write(&mut self, write: Write) -> EngineResult<Result<Planned>> {
        let now_ms = self.now_ms;
        let looked_at = write.unknown_at.as_ref().filter(|at| at.history() == self.shared.history);
        self.external_ids.unknown_at(looked_at.map(seq_of));
        Planner::new(self, now_ms).write(write)
    }

    /// Closes the plan: adds each changed user's counters once, as absolute values.
    pub(super) fn finish(mut self) -> PlannedGroup {
        let last_seq = self.last_seq();
        let (ids, standings) = (self.posts.ids, self.users.standings());
        let (signed_out, external_ids) = (self.users.signed_out, self.external_ids.given());
        let (outboxes, headers) = self.posts.finish(&mut self.batch);
        let mut relations = Vec::with_capacity(self.relations.len());
        for (uid, working) in self.relations {
            if working.changed() {
                let (counts, limit) = (working.counts(), working.limit());
                let changed = working.changed_at(last_seq);
                let (asks, asked) = (working.asks(), working.asked());
                let value = CountersValue { counts, limit, changed, asks, asked };
                self.batch.put(Table::Records, &user_key(COUNTERS, uid), &value.encode());
                relations.push((uid, working.pack(last_seq)));
            }
        }
        PlannedGroup {
            batch: self.batch,
            events: self.events,
            clock: self.hlc.last(),
            relations,
            lists: self.lists,
            scored: self.suggestions.scored(),
            changes_groups: self.user_groups.changes(),
            outboxes,
            headers,
            ids,
            standings,
            signed_out,
            external_ids,
            credentials: self.credentials.changed,
        }
    }

    /// The last event as of this point of the plan.
    pub(super) const fn last_seq(&self) -> u64 {
        self.next_seq() - 1
    }

    const fn next_seq(&self) -> u64 {
        self.first_seq + self.events.len() as u64
    }
}

impl EventRows for PlanRows<'_> {
    type Error = EngineError;

    fn stamp(&mut self, _actor: Uid, now_ms: u64) -> Stamp {
        self.hlc.tick(now_ms)
    }

    fn next_event(&self, _subject: Uid) -> EventAt {
        event_at(self.next_seq())
    }

    fn log(&mut self, version: Stamp, subject: Uid, change: Change) -> EventAt {
        let seq = self.next_seq();
        let at = event_at(seq);
        let event = Event { at, version, subject, change, echo: None };
        self.batch.put(Table::Log, &log_key(seq), &encode_event(&event));
        self.events.push(event);
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
}
