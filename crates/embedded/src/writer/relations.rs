//! Relations of a group: what the planner reads of them, and the rows that its changes come to.

use super::changes::{PlanRows, WorkingRelations, planned, touched};
use crate::engine::{EngineResult, Table};
use crate::layout::{
    ForwardValue, encode_stamp, forward_key, mark_prefix, marked_by_key, pair_key, reverse_key,
};
use crate::rows;
use guanxi_memory::first_pages::ListChange;
use guanxi_memory::user_relations::{Follow, SortedEdges as _};
use guanxi_model::plan::{FactLimits, RelationRows, Said};
use guanxi_model::{Edge, GuardedCount, MuteTerms, Stamp, Uid};
use guanxi_ports::MarkKind;

impl PlanRows<'_> {
    /// A user as of this point of the plan.
    pub(super) fn working(&mut self, uid: Uid) -> EngineResult<&mut WorkingRelations> {
        let latest = || self.shared.latest_user(uid).map(WorkingRelations::new);
        touched(&mut self.relations, uid, latest)
    }

    /// Puts a mark, or removes it, and its place among those about the other user.
    fn set_mark(&mut self, kind: MarkKind, a: Uid, b: Uid, since: Option<Stamp>) {
        let (row, place) = (pair_key(mark_prefix(kind), a, b), marked_by_key(b, kind, a));
        self.batch.set(Table::Records, &row, since.map(encode_stamp));
        self.batch.set(Table::Records, &place, since.map(|_| []));
    }
}

impl RelationRows for PlanRows<'_> {
    fn limits(&self) -> FactLimits {
        let options = &self.shared.options;
        FactLimits { follows: options.follow_limit, blocks: options.block_limit, mutes: options.mute_limit }
    }

    fn said(&mut self, owner: Uid, other: Uid) -> EngineResult<Said> {
        let user = self.working(owner)?;
        Ok(Said {
            follow: user.follow(other),
            blocks: user.blocks(other),
            mutes: user.mutes(other).is_some(),
            asks: user.ask(other),
        })
    }

    fn friends_since(&mut self, owner: Uid, other: Uid) -> EngineResult<Option<Stamp>> {
        Ok(self.working(owner)?.friends_since(other))
    }

    fn count(&mut self, uid: Uid, of: GuardedCount) -> EngineResult<u32> {
        let user = self.working(uid)?;
        Ok(match of {
            GuardedCount::Follows => user.places(),
            GuardedCount::Blocks => user.counts().blocks,
            GuardedCount::Mutes => user.counts().mutes,
        })
    }

    fn follow_limit(&mut self, uid: Uid) -> EngineResult<Option<u32>> {
        Ok(self.working(uid)?.limit())
    }

    fn put_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> EngineResult<()> {
        self.working(uid)?.facts_mut().limit = limit;
        Ok(())
    }

    fn removed_at(&mut self, owner: Uid, other: Uid) -> EngineResult<Option<Stamp>> {
        planned(self.removed.get(&(owner, other)), || {
            rows::relations::removed_at(&self.snapshot, owner, other)
        })
    }

    fn forget_removed(&mut self, owner: Uid, other: Uid) -> EngineResult<()> {
        self.set_mark(MarkKind::RemovedFollow, owner, other, None);
        self.removed.insert((owner, other), None);
        Ok(())
    }

    fn put_follow(
        &mut self,
        owner: Uid,
        follow: Edge,
        friends_since: Option<Stamp>,
        version: Stamp,
    ) -> EngineResult<()> {
        let Edge { at, uid } = follow;
        let value = ForwardValue { at, version, friends_since };
        self.batch.put(Table::Forward, &forward_key(owner, uid), &value.encode());
        self.working(owner)?.facts_mut().set_follow(Follow { uid, at, friends_since });
        Ok(())
    }

    /// The edge leaves the lists and stays as a tombstone under its own prefix.
    fn remove_follow(&mut self, owner: Uid, other: Uid, version: Stamp) -> EngineResult<()> {
        let _ = self.working(owner)?.facts_mut().remove_follow(other);
        self.batch.remove(Table::Forward, &forward_key(owner, other));
        self.set_mark(MarkKind::RemovedFollow, owner, other, Some(version));
        self.removed.insert((owner, other), Some(version));
        Ok(())
    }

    fn add_follower(&mut self, owner: Uid, follower: Edge) -> EngineResult<()> {
        self.batch.put(Table::Reverse, &reverse_key(owner, follower), &[]);
        self.working(owner)?.add_follower();
        self.lists.followers.push((owner, ListChange::Added(follower)));
        Ok(())
    }

    fn remove_follower(&mut self, owner: Uid, follower: Edge) -> EngineResult<()> {
        self.batch.remove(Table::Reverse, &reverse_key(owner, follower));
        self.working(owner)?.remove_follower();
        self.lists.followers.push((owner, ListChange::Removed(follower)));
        Ok(())
    }

    fn put_block(&mut self, owner: Uid, other: Uid, since: Option<Stamp>) -> EngineResult<()> {
        set(&mut self.working(owner)?.facts_mut().blocks, other, since);
        self.set_mark(MarkKind::Block, owner, other, since);
        Ok(())
    }

    fn put_mute(&mut self, owner: Uid, other: Uid, mute: Option<(Stamp, MuteTerms)>) -> EngineResult<()> {
        let scope = mute.map(|(at, terms)| (at, terms.scope()));
        self.working(owner)?.facts_mut().set_mute(other, scope);
        self.set_mark(MarkKind::Mute, owner, other, mute.map(|(at, _)| at));
        self.set_mute(owner, other, mute);
        Ok(())
    }
}

/// Adds an edge to a user, or removes it.
fn set(edges: &mut Vec<Edge>, uid: Uid, since: Option<Stamp>) {
    if let Some(at) = since {
        edges.set(Edge { at, uid });
    } else {
        edges.unset(uid);
    }
}
