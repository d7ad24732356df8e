//! Planning writes of relations: follows, blocks, mutes, and users' own limits.

mod commands;
mod working;

pub(super) use working::WorkingRelations;

use super::plan::{Planner, Planning};
use crate::engine::Table;
use crate::layout::{TOMBSTONE, pair_key};
use guanxi_model::{Change, ImportEdge, Op, PairCommand, PairOutcome, Uid};

impl Planner<'_> {
    pub(super) fn import_edge(&mut self, edge: ImportEdge, revive: bool) -> Planning<PairOutcome> {
        let ImportEdge { subject, object, at } = edge;
        let removed = subject != object
            && !revive
            && self.user(subject)?.follow(object).is_none()
            && (self.removed.contains(&(subject, object))
                || self.snapshot.contains(Table::Records, &pair_key(TOMBSTONE, subject, object))?);
        if removed {
            return Ok(PairOutcome { result: Ok(false), relation: self.relation(subject, object)? });
        }
        self.command(PairCommand { op: Op::Follow, subject, object }, at)
    }

    pub(super) fn set_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Planning<()> {
        if self.user(uid)?.limit() != limit {
            self.user(uid)?.facts_mut().limit = limit;
            let version = self.hlc.tick(self.now_ms);
            self.event(version, uid, Change::FollowLimit(limit));
        }
        Ok(())
    }
}
