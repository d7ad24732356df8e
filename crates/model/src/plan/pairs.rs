//! Operations on pairs, imported edges, and users' own limits.

use super::{Planner, Planning, State};
use crate::command::{ImportEdge, PairCommand, PairOutcome};
use crate::error::Reason;
use crate::event::{Change, PairChange};
use crate::id::Uid;
use crate::page::Edge;
use crate::pair::{Decision, Effect, GuardedCount, Op, PairState, decide};
use crate::relation::Relation;
use crate::stamp::Stamp;

/// Where an operation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Somebody asks for it now.
    Caller,
    /// It took place elsewhere, at the given time.
    Import(Option<Stamp>),
}

impl<S: State> Planner<'_, S> {
    /// Plans one operation.
    pub(super) fn pair(&mut self, command: PairCommand, origin: Origin) -> Planning<PairOutcome, S> {
        let PairCommand { op, subject, object } = command;
        if subject == object {
            return Ok(PairOutcome { result: Err(Reason::SelfRelation), relation: Relation::default() });
        }
        let state = PairState {
            forward: self.state.said(subject, object)?.direction(),
            backward: self.state.said(object, subject)?.direction(),
        };
        let mut decision = decide(state, op, self.at_limit(op, subject)?);
        if decision.result == Ok(true)
            && let Some(reason) = self.refusal(command, origin)?
        {
            decision = Decision { state, result: Err(reason), effects: Vec::new() };
        }
        let at = match origin {
            Origin::Import(at) => at,
            Origin::Caller => None,
        };
        for effect in &decision.effects {
            self.effect(*effect, command, at)?;
        }
        if decision.effects.contains(&Effect::Block) {
            self.leave_groups(subject, object)?;
        }
        Ok(PairOutcome { result: decision.result, relation: self.relation(subject, object)? })
    }

    /// Why something new does not begin, although the pair's own state allows it. Nothing does with who is deleted; and
    /// nobody is followed now who is not there, or locked, or does not follow while not there. What undoes is never refused.
    fn refusal(&mut self, command: PairCommand, origin: Origin) -> Planning<Option<Reason>, S> {
        let PairCommand { op, subject, object } = command;
        // What is counted begins; what is not ends something.
        if op.guard().is_none() {
            return Ok(None);
        }
        let (of_subject, of_object) = (self.state.standing(subject)?, self.state.standing(object)?);
        if of_subject.status.is_deleted() || of_object.status.is_deleted() {
            return Ok(Some(Reason::UserDeleted));
        }
        if op != Op::Follow || origin != Origin::Caller {
            return Ok(None);
        }
        let gone = of_subject.status.refusal().or(of_object.status.refusal());
        Ok(gone.or(of_object.privacy.locked.then_some(Reason::UserLocked)))
    }

    pub(super) fn import_edge(&mut self, edge: ImportEdge, revive: bool) -> Planning<PairOutcome, S> {
        let ImportEdge { subject, object, at } = edge;
        let is_removed = subject != object
            && !revive
            && self.state.said(subject, object)?.follow.is_none()
            && self.state.removed_at(subject, object)?.is_some();
        if is_removed {
            return Ok(PairOutcome { result: Ok(false), relation: self.relation(subject, object)? });
        }
        self.pair(PairCommand { op: Op::Follow, subject, object }, Origin::Import(at))
    }

    pub(super) fn set_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Planning<(), S> {
        if limit.is_some() && self.state.standing(uid)?.status.is_deleted() {
            return Ok(());
        }
        if self.state.follow_limit(uid)? != limit {
            self.state.put_follow_limit(uid, limit)?;
            let version = self.state.stamp(uid, self.now_ms);
            self.state.log(version, uid, Change::FollowLimit(limit));
        }
        Ok(())
    }

    fn effect(&mut self, effect: Effect, command: PairCommand, at: Option<Stamp>) -> Planning<(), S> {
        let PairCommand { op, subject: a, object: b } = command;
        let version = self.state.stamp(if effect == Effect::UnfollowBack { b } else { a }, self.now_ms);
        let (owner, other, kind) = match effect {
            Effect::Follow => (a, b, self.follow(a, b, version, at.unwrap_or(version))?),
            Effect::Unfollow => (a, b, self.unfollow(a, b, version)?),
            Effect::UnfollowBack => (b, a, self.unfollow(b, a, version)?),
            Effect::Block => {
                let at = at.unwrap_or(version);
                self.state.put_block(a, b, Some(at))?;
                (a, b, PairChange::Blocked { at })
            }
            Effect::Mute => {
                let at = at.unwrap_or(version);
                self.state.put_mute(a, b, Some(at))?;
                (a, b, PairChange::Muted { at })
            }
            Effect::Unblock => {
                self.state.put_block(a, b, None)?;
                (a, b, PairChange::Unblocked)
            }
            Effect::Unmute => {
                self.state.put_mute(a, b, None)?;
                (a, b, PairChange::Unmuted)
            }
        };
        self.state.log(version, owner, Change::Pair { object: other, kind, cause: op });
        Ok(())
    }

    /// a begins to follow b: forward edge, reverse edge, both counters, and the mark on both if b follows a.
    fn follow(&mut self, a: Uid, b: Uid, version: Stamp, at: Stamp) -> Planning<PairChange, S> {
        let back = self.state.said(b, a)?.follow;
        let friends_since = back.map(|(back_at, _)| back_at.max(at));
        self.state.put_follow(a, Edge { at, uid: b }, friends_since, version)?;
        self.state.add_follower(b, Edge { at, uid: a })?;
        if let Some((back_at, _)) = back {
            self.state.put_follow(b, Edge { at: back_at, uid: a }, friends_since, version)?;
        }
        Ok(PairChange::Followed { at, mutual: back.is_some() })
    }

    /// a no longer follows b: the edge leaves both lists, and the mark goes from what b said.
    fn unfollow(&mut self, a: Uid, b: Uid, version: Stamp) -> Planning<PairChange, S> {
        let gone = self.state.said(a, b)?.follow;
        self.state.remove_follow(a, b, version)?;
        if let Some((at, was_friend)) = gone {
            self.state.remove_follower(b, Edge { at, uid: a })?;
            if was_friend && let Some((back_at, _)) = self.state.said(b, a)?.follow {
                self.state.put_follow(b, Edge { at: back_at, uid: a }, None, version)?;
            }
        }
        Ok(PairChange::Unfollowed)
    }

    /// The limit that guards an operation, if the user has reached it.
    fn at_limit(&mut self, op: Op, uid: Uid) -> Planning<Option<u32>, S> {
        let Some(guard) = op.guard() else { return Ok(None) };
        let limits = self.state.limits();
        let limit = match guard {
            GuardedCount::Follows => self.state.follow_limit(uid)?.unwrap_or(limits.follows),
            GuardedCount::Blocks => limits.blocks,
            GuardedCount::Mutes => limits.mutes,
        };
        Ok((self.state.count(uid, guard)? >= limit).then_some(limit))
    }

    /// The relation of a user to another as of this point of the plan; empty to oneself.
    pub(super) fn relation(&mut self, subject: Uid, object: Uid) -> Planning<Relation, S> {
        if subject == object {
            return Ok(Relation::default());
        }
        let (said, back) = (self.state.said(subject, object)?, self.state.said(object, subject)?);
        let is_mutual = said.follow.is_some() && back.follow.is_some();
        Ok(Relation {
            following_since: said.follow.map(|(at, _)| at),
            followed_by: back.follow.is_some(),
            friends_since: if is_mutual { self.state.friends_since(subject, object)? } else { None },
            blocking: said.blocks,
            blocked_by: back.blocks,
            muting: said.mutes,
        })
    }
}
