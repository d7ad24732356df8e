//! One operation on a pair: what it comes to, and the rows that it changes.

use super::WorkingRelations;
use crate::engine::Table;
use crate::layout::{BLOCK, ForwardValue, MUTE, TOMBSTONE, encode_stamp, forward_key, pair_key, reverse_key};
use crate::memory::followers::FollowerChange;
use crate::rows::user_relations::{Follow, SortedEdges as _};
use crate::writer::plan::{Planner, Planning};
use guanxi_model::event::PairChange;
use guanxi_model::pair::{Effect, decide};
use guanxi_model::{
    Change, Direction, Edge, GuardedCount, Op, PairCommand, PairOutcome, PairState, Reason, Relation, Stamp,
    Uid,
};

impl Planner<'_> {
    /// Plans one operation; `at` is the given time of an imported follow.
    pub(in crate::writer) fn command(
        &mut self,
        command: PairCommand,
        at: Option<Stamp>,
    ) -> Planning<PairOutcome> {
        let PairCommand { op, subject, object } = command;
        if subject == object {
            return Ok(PairOutcome { result: Err(Reason::SelfRelation), relation: Relation::default() });
        }
        let state = PairState {
            forward: self.direction(subject, object)?,
            backward: self.direction(object, subject)?,
        };
        let decision = decide(state, op, self.at_limit(op, subject)?);
        for effect in &decision.effects {
            self.effect(*effect, command, at)?;
        }
        Ok(PairOutcome { result: decision.result, relation: self.relation(subject, object)? })
    }

    fn effect(&mut self, effect: Effect, command: PairCommand, at: Option<Stamp>) -> Planning<()> {
        let PairCommand { op, subject: a, object: b } = command;
        let version = self.hlc.tick(self.now_ms);
        let (owner, other, kind) = match effect {
            Effect::Follow => (a, b, self.follow(a, b, version, at.unwrap_or(version))?),
            Effect::Unfollow => (a, b, self.unfollow(a, b, version)?),
            Effect::UnfollowBack => (b, a, self.unfollow(b, a, version)?),
            Effect::Block => {
                self.user(a)?.facts_mut().blocks.set(Edge { at: version, uid: b });
                self.put_pair(BLOCK, a, b, version);
                (a, b, PairChange::Blocked)
            }
            Effect::Mute => {
                self.user(a)?.facts_mut().mutes.set(Edge { at: version, uid: b });
                self.put_pair(MUTE, a, b, version);
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
        self.followers.push((b, FollowerChange::Added(Edge { at, uid: a })));
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
            self.followers.push((b, FollowerChange::Removed(Edge { at: gone.at, uid: a })));
            if gone.friends_since.is_some()
                && let Some((at, _)) = self.user(b)?.follow(a)
            {
                self.put_follow(b, Follow { uid: a, at, friends_since: None }, version)?;
            }
        }
        self.put_pair(TOMBSTONE, a, b, version);
        self.removed.insert((a, b));
        Ok(PairChange::Unfollowed)
    }

    fn put_follow(&mut self, owner: Uid, follow: Follow, version: Stamp) -> Planning<()> {
        let value = ForwardValue { at: follow.at, version, friends_since: follow.friends_since };
        self.batch.put(Table::Forward, &forward_key(owner, follow.uid), &value.encode());
        self.user(owner)?.facts_mut().set_follow(follow);
        Ok(())
    }

    fn put_pair(&mut self, prefix: u8, a: Uid, b: Uid, version: Stamp) {
        self.batch.put(Table::Records, &pair_key(prefix, a, b), &encode_stamp(version));
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
        let Some(guard) = op.guard() else { return Ok(None) };
        let user = self.user(uid)?;
        let (count, limit) = match guard {
            GuardedCount::Follows => (user.following(), user.limit().unwrap_or(options.follow_limit)),
            GuardedCount::Blocks => (user.counts().blocks, options.block_limit),
            GuardedCount::Mutes => (user.counts().mutes, options.mute_limit),
        };
        Ok((count >= limit).then_some(limit))
    }

    pub(in crate::writer) fn relation(&mut self, subject: Uid, object: Uid) -> Planning<Relation> {
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
    pub(super) fn user(&mut self, uid: Uid) -> Planning<&mut WorkingRelations> {
        use std::collections::hash_map::Entry;
        Ok(match self.relations.entry(uid) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                entry.insert(WorkingRelations::new(self.shared.relations.latest(uid, &self.shared.engine)?))
            }
        })
    }
}
