//! Operations on pairs, imported edges, and users' own limits.

use super::{Planner, Planning, State};
use crate::command::{ImportEdge, PairCommand, PairOutcome, RestrictionKind};
use crate::error::Reason;
use crate::event::{Change, PairChange};
use crate::id::Uid;
use crate::limits::{MUTE_DURATION_MAX_MS, REQUEST_COOLDOWN_MS, SENT_REQUESTS_MAX};
use crate::page::Edge;
use crate::pair::{
    Decision, Effect, GuardedCount, MuteTerms, Op, PairInputs, PairState, PastRequest, decide,
};
use crate::relation::Relation;
use crate::stamp::Stamp;

/// What an operation on a pair is asked with besides the two users.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PairTerms {
    /// Whether it took place elsewhere.
    pub is_import: bool,
    /// When it did.
    pub at: Option<Stamp>,
    /// What a mute leaves out, and until when.
    pub mute: MuteTerms,
    /// How long a request waits, in milliseconds.
    pub ttl_ms: Option<u64>,
    /// What the sender of a request says.
    pub message: String,
}

impl PairTerms {
    /// Those of what took place elsewhere, at a time.
    fn import(at: Option<Stamp>, mute: MuteTerms) -> Self {
        Self { is_import: true, at, mute, ..Self::default() }
    }
}

impl<S: State> Planner<'_, S> {
    /// Plans one operation.
    pub(super) fn pair(&mut self, command: PairCommand, terms: &PairTerms) -> Planning<PairOutcome, S> {
        let PairCommand { op, subject, object } = command;
        if subject == object {
            return Ok(PairOutcome { result: Err(Reason::SelfRelation), relation: Relation::default() });
        }
        let state = PairState {
            forward: self.state.said(subject, object)?.direction(),
            backward: self.state.said(object, subject)?.direction(),
        };
        let inputs = self.inputs(command, state, terms)?;
        let mut decision = decide(state, op, &inputs);
        if decision.result == Ok(true)
            && let Some(reason) = self.refusal(command, state, &decision, terms.is_import)?
        {
            decision = Decision { state, result: Err(reason), effects: Vec::new() };
        }
        for effect in &decision.effects {
            self.effect(*effect, command, terms)?;
        }
        if decision.result == Ok(true) && op.rejects() {
            let until_ms = self.now_ms + REQUEST_COOLDOWN_MS;
            self.set_past_request(subject, object, Some(PastRequest::Rejected { until_ms }))?;
        }
        if decision.effects.contains(&Effect::Block) {
            self.leave_groups(subject, object)?;
        }
        Ok(PairOutcome { result: decision.result, relation: self.relation(subject, object)? })
    }

    /// Returns what the decision asks beside the state of the pair: each only where it can matter.
    fn inputs(
        &mut self,
        command: PairCommand,
        state: PairState,
        terms: &PairTerms,
    ) -> Planning<PairInputs, S> {
        let PairCommand { op, subject, object } = command;
        let mut inputs = PairInputs { at_limit: self.at_limit(op, subject)?, ..PairInputs::default() };
        match op {
            Op::Follow if !terms.is_import => inputs.is_locked = self.state.standing(object)?.privacy.locked,
            Op::ApproveUnlocked => inputs.is_locked = self.state.standing(subject)?.privacy.locked,
            Op::Mute if state.forward.mutes => {
                let stands = self.state.mute(subject, object)?;
                inputs.has_new_terms =
                    !terms.is_import && stands.is_some_and(|(_, stands)| stands != terms.mute);
            }
            Op::ExpireMute => {
                let until = self.state.mute(subject, object)?.and_then(|(_, stands)| stands.until_ms);
                inputs.is_due = until.is_some_and(|until| until <= self.now_ms);
            }
            Op::ExpireRequest if state.backward.asks.is_some() => {
                let asked = self.state.request(object, subject)?;
                inputs.is_due = asked.is_some_and(|asked| asked.expires_ms <= self.now_ms);
            }
            _ => {}
        }
        if op == Op::Follow && inputs.is_locked || op == Op::SendFriendRequest {
            let past = self.state.past_request(object, subject)?;
            inputs.cooling =
                past.and_then(PastRequest::rejected_until_ms).filter(|until| *until > self.now_ms);
        }
        Ok(inputs)
    }

    /// Returns why the effects of an operation do not take place, although the pair's own state allows them. Nothing
    /// begins with a user who is deleted. No follow comes to stand and no request begins to wait while either user is not
    /// active, whichever operation brings it about; an import restores what stood elsewhere, so it takes deactivated
    /// users. A user has a limited number of requests that wait. What undoes is never refused.
    fn refusal(
        &mut self,
        command: PairCommand,
        before: PairState,
        decision: &Decision,
        is_import: bool,
    ) -> Planning<Option<Reason>, S> {
        let PairCommand { subject, object, .. } = command;
        if !decision.effects.iter().any(|effect| effect.begins()) {
            return Ok(None);
        }
        let (of_subject, of_object) = (self.state.standing(subject)?, self.state.standing(object)?);
        if of_subject.status.is_deleted() || of_object.status.is_deleted() {
            return Ok(Some(Reason::UserDeleted));
        }
        if is_import || !decision.effects.iter().any(|effect| effect.joins()) {
            return Ok(None);
        }
        if let Some(gone) = of_subject.refusal().or(of_object.refusal()) {
            return Ok(Some(gone));
        }
        // A request in the place of another one of the same pair is not one more.
        let asks_more = decision.state.forward.asks.is_some() && before.forward.asks.is_none();
        let is_full = asks_more && self.state.sent_requests(subject)? >= SENT_REQUESTS_MAX;
        Ok(is_full.then_some(Reason::LimitReached { limit: SENT_REQUESTS_MAX }))
    }

    pub(super) fn import_edge(&mut self, edge: ImportEdge, revive: bool) -> Planning<PairOutcome, S> {
        let ImportEdge { subject, object, at, .. } = edge;
        let is_removed = subject != object
            && !revive
            && self.state.said(subject, object)?.follow.is_none()
            && self.state.removed_at(subject, object)?.is_some();
        if is_removed {
            return Ok(PairOutcome { result: Ok(false), relation: self.relation(subject, object)? });
        }
        self.import_pair(PairCommand { op: Op::Follow, subject, object }, at, MuteTerms::default())
    }

    /// Plans a block or a mute that was set elsewhere. A mute that is over by now is none.
    pub(super) fn import_restriction(
        &mut self,
        kind: RestrictionKind,
        edge: ImportEdge,
    ) -> Planning<PairOutcome, S> {
        let ImportEdge { subject, object, at, terms } = edge;
        let result = match terms.until_ms {
            Some(until) if until <= self.now_ms => Ok(false),
            Some(until) if until > self.now_ms.saturating_add(MUTE_DURATION_MAX_MS) => {
                Err(Reason::TimeOutOfRange)
            }
            _ => {
                return self.import_pair(PairCommand { op: kind.op(), subject, object }, at, terms);
            }
        };
        Ok(PairOutcome { result, relation: self.relation(subject, object)? })
    }

    /// Plans an operation that took place elsewhere, at a time and on terms.
    fn import_pair(
        &mut self,
        command: PairCommand,
        at: Option<Stamp>,
        mute: MuteTerms,
    ) -> Planning<PairOutcome, S> {
        let PairCommand { subject, object, .. } = command;
        match Stamp::of_fact(at, self.now_ms) {
            Ok(at) => self.pair(command, &PairTerms::import(at, mute)),
            Err(reason) => Ok(PairOutcome { result: Err(reason), relation: self.relation(subject, object)? }),
        }
    }

    pub(super) fn set_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Planning<(), S> {
        if self.state.follow_limit(uid)? != limit {
            self.state.put_follow_limit(uid, limit)?;
            let version = self.state.stamp(uid, self.now_ms);
            self.state.log(version, uid, Change::FollowLimit(limit));
        }
        Ok(())
    }

    /// Makes one change. Its version and event are of the user whose fact it is; of a request that is the receiver.
    fn effect(&mut self, effect: Effect, command: PairCommand, terms: &PairTerms) -> Planning<(), S> {
        let PairCommand { op, subject: a, object: b } = command;
        let (owner, other) = match effect {
            Effect::UnfollowBack | Effect::FollowBack | Effect::Ask(_) | Effect::EndRequest(_) => (b, a),
            _ => (a, b),
        };
        let version = self.state.stamp(owner, self.now_ms);
        let at = terms.at.unwrap_or(version);
        let kind = match effect {
            Effect::Follow => self.follow(a, b, version, at)?,
            Effect::FollowBack => self.follow(b, a, version, version)?,
            Effect::Unfollow | Effect::UnfollowBack => self.unfollow(owner, other, version)?,
            Effect::Block => {
                self.state.put_block(a, b, Some(at))?;
                PairChange::Blocked { at }
            }
            Effect::Mute => self.mute(a, b, at, terms.mute)?,
            Effect::Unblock => {
                self.state.put_block(a, b, None)?;
                PairChange::Unblocked
            }
            Effect::Unmute => self.unmute(a, b)?,
            Effect::Ask(kind) => self.ask((a, b), kind, version, terms)?,
            Effect::EndRequest(kind) => self.end_own_request(command, kind)?,
            Effect::EndRequestBack(kind) => self.end_request_back(command, kind)?,
        };
        self.state.log(version, owner, Change::Pair { object: other, kind, cause: op });
        Ok(())
    }

    /// a begins to follow b: forward edge, reverse edge, both counters, and the mark on both if b follows a. A rejection of a
    /// by b is forgotten.
    fn follow(&mut self, a: Uid, b: Uid, version: Stamp, at: Stamp) -> Planning<PairChange, S> {
        let back = self.state.said(b, a)?.follow;
        let friends_since = back.map(|(back_at, _)| back_at.max(at));
        self.state.put_follow(a, Edge { at, uid: b }, friends_since, version)?;
        self.state.add_follower(b, Edge { at, uid: a })?;
        if let Some((back_at, _)) = back {
            self.state.put_follow(b, Edge { at: back_at, uid: a }, friends_since, version)?;
        }
        self.forget_rejection(b, a)?;
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
            requested: said.asks,
            requested_by: back.asks,
        })
    }
}
