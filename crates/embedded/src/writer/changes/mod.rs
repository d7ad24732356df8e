//! What a group of writes has changed so far, with the committed rows below it.
//!
//! The domains beside this folder read and write it as the rows that the planner of the model asks for. `plan` closes it.

mod external_ids;
mod maps;
mod posts;
mod recent_ids;
mod relations;
mod used;

pub(super) use maps::{planned, touched};
pub(super) use recent_ids::RecentIds;
pub(super) use relations::WorkingRelations;

use crate::engine::{RowBatch, Snapshot};
use crate::layout::AnswerValue;
use crate::shared::Shared;
use crate::standings::Standings;
use external_ids::WorkingExternalIds;
use guanxi_memory::lists::ListChanges;
use guanxi_model::post::PostIds;
use guanxi_model::{AuditEntry, AuditId, Event, Hlc, Session, Stamp, Uid};
use maps::{WorkingCredentials, WorkingSuggestions, WorkingUserGroups, WorkingUsers, WorkingWaiting};
use posts::WorkingPosts;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use used::UsedUids;

/// The rows of a group as of this point of its plan.
pub(crate) struct PlanRows<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) snapshot: Snapshot,
    pub(crate) now_ms: u64,
    pub(crate) first_seq: u64,
    pub(crate) events: Vec<Event>,
    pub(crate) hlc: Hlc,
    pub(crate) batch: RowBatch,
    pub(crate) relations: HashMap<Uid, WorkingRelations>,
    pub(crate) waiting: WorkingWaiting,
    pub(crate) posts: WorkingPosts,
    pub(crate) users: WorkingUsers,
    /// Sessions by id; `None` is one that the group has removed.
    pub(crate) sessions: BTreeMap<[u8; 32], Option<Session>>,
    pub(crate) credentials: WorkingCredentials,
    /// Entries of the audit log; `None` is one that the group has removed.
    pub(crate) audit: BTreeMap<AuditId, Option<AuditEntry>>,
    /// How users stood after the last commit.
    pub(crate) standings: &'a Standings,
    pub(crate) external_ids: WorkingExternalIds,
    pub(crate) suggestions: WorkingSuggestions,
    pub(crate) user_groups: WorkingUserGroups,
    pub(crate) used: UsedUids,
    pub(crate) answers: HashMap<u128, AnswerValue>,
    pub(crate) jobs: HashMap<String, u64>,
    /// Follows that the group removed, and when if that is still known.
    pub(crate) removed: HashMap<(Uid, Uid), Option<Stamp>>,
    pub(crate) lists: ListChanges,
}

impl<'a> PlanRows<'a> {
    /// Returns the state after the last commit, `last_seq`.
    pub(crate) fn new(
        shared: &'a Shared,
        standings: &'a Standings,
        recent_ids: Arc<RecentIds>,
        now_ms: u64,
        last_seq: u64,
        hlc: Hlc,
        ids: PostIds,
    ) -> Self {
        Self {
            standings,
            shared,
            snapshot: shared.engine.snapshot(),
            now_ms,
            first_seq: last_seq + 1,
            events: Vec::new(),
            hlc,
            batch: shared.engine.batch(),
            relations: HashMap::new(),
            waiting: WorkingWaiting::default(),
            posts: WorkingPosts::new(ids),
            users: WorkingUsers::default(),
            sessions: BTreeMap::new(),
            credentials: WorkingCredentials::default(),
            audit: BTreeMap::new(),
            external_ids: WorkingExternalIds::new(recent_ids),
            suggestions: WorkingSuggestions::default(),
            user_groups: WorkingUserGroups::default(),
            used: UsedUids::default(),
            answers: HashMap::new(),
            jobs: HashMap::new(),
            removed: HashMap::new(),
            lists: ListChanges::default(),
        }
    }
}
