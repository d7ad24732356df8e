//! What a write does to relations.

use super::Options;
use super::state::{Commit, Maps};
use guanxi_model::event::PairChange;
use guanxi_model::limits::{
    FACT_AHEAD_MAX_MS, MUTE_DURATION_MAX_MS, REQUEST_COOLDOWN_MS, REQUEST_RESEND_MS, SENT_REQUESTS_MAX,
};
use guanxi_model::pair::Effect;
use guanxi_model::pair::decide;
use guanxi_model::{
    Change, Direction, GuardedCount, ImportEdge, MuteTerms, Op, PairCommand, PairInputs, PairOutcome,
    PairState, Reason, Relation, RequestKind, RestrictionKind, Stamp, Uid,
};

/// What an operation on a pair is asked with besides the two users.
#[derive(Debug, Default)]
pub(super) struct AskedRelation {
    pub is_import: bool,
    pub at: Option<Stamp>,
    pub mute: MuteTerms,
    pub ttl_ms: Option<u64>,
    pub message: String,
}

impl AskedRelation {
    /// As it took place elsewhere.
    pub(super) fn import(at: Option<Stamp>) -> Self {
        Self { is_import: true, at, ..Self::default() }
    }
}

impl Maps {
    fn direction(&self, pair: (Uid, Uid)) -> Direction {
        Direction {
            follows: self.follows.contains_key(&pair),
            blocks: self.blocks.contains_key(&pair),
            mutes: self.mutes.contains_key(&pair),
            asks: self.waiting.sent.get(&pair).copied(),
        }
    }

    /// Does one operation.
    pub(super) fn command(
        &mut self,
        command: PairCommand,
        asked: &AskedRelation,
        commit: &mut Commit<'_>,
    ) -> PairOutcome {
        let PairCommand { op, subject, object } = command;
        if subject == object {
            return PairOutcome { result: Err(Reason::SelfRelation), relation: Relation::default() };
        }
        // Only operations that are in both shards before they are answered look at the other's facts: blocks, requests, and
        // operations that end or begin a follow of the other.
        let state = PairState {
            forward: self.direction((subject, object)),
            backward: self.direction((object, subject)),
        };
        let decision = decide(state, op, &self.inputs(command, asked, commit));
        let refused = if decision.result == Ok(true) {
            self.not_begun(command, &decision.effects, asked)
        } else {
            None
        };
        if let Some(reason) = refused {
            return PairOutcome { result: Err(reason), relation: self.relation(subject, object) };
        }
        let parts = decision.effects.contains(&Effect::Block);
        for effect in &decision.effects {
            self.apply(*effect, command, asked, commit);
        }
        if decision.result == Ok(true) && op.rejects() {
            self.waiting.cooldowns.insert((subject, object), commit.now_ms + REQUEST_COOLDOWN_MS);
        }
        if parts {
            self.leave_groups(subject, object, commit);
        }
        PairOutcome { result: decision.result, relation: self.relation(subject, object) }
    }

    fn inputs(&self, command: PairCommand, asked: &AskedRelation, commit: &Commit<'_>) -> PairInputs {
        let PairCommand { op, subject, object } = command;
        let (there, back) = ((subject, object), (object, subject));
        let cooling = self.waiting.cooldowns.get(&back).copied();
        let ends = match op {
            Op::ExpireRequest => self.waiting.requests.get(&there).map(|request| request.expires_ms),
            Op::ExpireMute => self.mute_terms(there).until_ms,
            _ => None,
        };
        PairInputs {
            at_limit: self.at_limit(op, subject, commit.options),
            is_locked: match op {
                Op::ApproveUnlocked => self.standing(subject).privacy.locked,
                _ => !asked.is_import && self.standing(object).privacy.locked,
            },
            cooling: cooling.filter(|until| !asked.is_import && *until > commit.now_ms),
            has_new_terms: !asked.is_import && self.mute_terms(there) != asked.mute,
            is_due: ends.is_some_and(|ends| ends <= commit.now_ms),
        }
    }

    /// Returns why an operation that the pair allows does not take place: it would begin something with a deleted user, bring
    /// a follow or request to an inactive user (imports may), or the user has asked too many others already.
    fn not_begun(&self, command: PairCommand, effects: &[Effect], asked: &AskedRelation) -> Option<Reason> {
        let PairCommand { subject, object, .. } = command;
        let (mut joins, mut asks, mut restricts) = (false, false, false);
        for effect in effects {
            match effect {
                Effect::Follow | Effect::FollowBack => joins = true,
                Effect::Ask(_) => (joins, asks) = (true, true),
                Effect::Block | Effect::Mute => restricts = true,
                Effect::Unfollow
                | Effect::UnfollowBack
                | Effect::Unblock
                | Effect::Unmute
                | Effect::EndRequest(_)
                | Effect::EndRequestBack(_) => {}
            }
        }
        if (joins || restricts) && (self.is_deleted(subject) || self.is_deleted(object)) {
            return Some(Reason::UserDeleted);
        }
        if asked.is_import || !joins {
            return None;
        }
        if self.standing(subject).is_gone() || self.standing(object).is_gone() {
            return Some(Reason::UserDeactivated);
        }
        let others = self.waiting.sent_by(subject).filter(|receiver| *receiver != object).count();
        (asks && others >= SENT_REQUESTS_MAX as usize)
            .then_some(Reason::LimitReached { limit: SENT_REQUESTS_MAX })
    }

    /// The limit that guards an operation, if the user has reached it.
    fn at_limit(&self, op: Op, uid: Uid, options: &Options) -> Option<u32> {
        let counts = self.counts(uid);
        let (count, limit) = match op.guard()? {
            GuardedCount::Follows => {
                let places =
                    self.waiting.sent_by(uid).filter(|object| !self.follows.contains_key(&(uid, *object)));
                let following = counts.following + places.count() as u32;
                (following, self.limits.get(&uid).copied().unwrap_or(options.follow_limit))
            }
            GuardedCount::Blocks => (counts.blocks, options.block_limit),
            GuardedCount::Mutes => (counts.mutes, options.mute_limit),
        };
        (count >= limit).then_some(limit)
    }

    /// Makes one change, with one event of its own version. The caller has decided that it is a change.
    fn apply(
        &mut self,
        effect: Effect,
        command: PairCommand,
        asked: &AskedRelation,
        commit: &mut Commit<'_>,
    ) {
        let (a, b) = (command.subject, command.object);
        let version = self.hlc.tick(commit.now_ms);
        let at = asked.at.unwrap_or(version);
        let (subject, object, kind) = match effect {
            Effect::Follow => (a, b, self.follow(a, b, at)),
            Effect::FollowBack => (b, a, self.follow(b, a, version)),
            Effect::Unfollow => (a, b, self.unfollow(a, b, version)),
            Effect::UnfollowBack => (b, a, self.unfollow(b, a, version)),
            Effect::Block => {
                self.blocks.insert((a, b), at);
                self.count(a).blocks += 1;
                (a, b, PairChange::Blocked { at })
            }
            Effect::Unblock => {
                self.blocks.remove(&(a, b));
                self.count(a).blocks -= 1;
                (a, b, PairChange::Unblocked)
            }
            Effect::Mute => (a, b, self.mute((a, b), at, asked.mute)),
            Effect::Unmute => {
                self.mutes.remove(&(a, b));
                self.waiting.mute_terms.remove(&(a, b));
                self.count(a).mutes -= 1;
                (a, b, PairChange::Unmuted)
            }
            Effect::Ask(kind) => (b, a, self.ask((a, b), kind, version, asked, commit.now_ms)),
            Effect::EndRequest(kind) => {
                let ended = self.waiting.requests.remove(&(b, a));
                if let (Some(ended), Op::CancelFriendRequest | Op::Unfollow) = (ended, command.op) {
                    let until_ms = commit.now_ms + REQUEST_RESEND_MS;
                    self.waiting.cooldowns.remove(&(b, a));
                    self.waiting.taken_back.insert((b, a), (ended.at, until_ms));
                }
                (b, a, PairChange::RequestEnded { kind })
            }
            Effect::EndRequestBack(kind) => {
                self.waiting.requests.remove(&(a, b));
                if command.op != Op::ExpireRequest && command.op != Op::Block {
                    self.waiting.taken_back.remove(&(a, b));
                    // A user that is accepted by a friend has rejected it no more.
                    if kind == RequestKind::Friend && !command.op.rejects() {
                        self.waiting.cooldowns.remove(&(b, a));
                    }
                }
                (a, b, PairChange::RequestEnded { kind })
            }
        };
        let change = Change::Pair { object, kind, cause: command.op };
        let at = self.log_for(version, subject, change, (object, None), commit);
        if !matches!(kind, PairChange::Requested { .. } | PairChange::RequestEnded { .. }) {
            self.viewer_relations.insert(subject, at);
        }
    }

    /// A user that comes to follow is rejected no more.
    fn follow(&mut self, a: Uid, b: Uid, at: Stamp) -> PairChange {
        self.waiting.cooldowns.remove(&(b, a));
        self.follows.insert((a, b), at);
        self.removed.remove(&(a, b));
        let mutual = self.followers.contains_key(&(a, b));
        let counts = self.count(a);
        counts.following += 1;
        counts.friends += u32::from(mutual);
        PairChange::Followed { at, mutual }
    }

    /// The follow leaves the lists, and is remembered as removed.
    fn unfollow(&mut self, a: Uid, b: Uid, version: Stamp) -> PairChange {
        self.follows.remove(&(a, b));
        self.removed.insert((a, b), version);
        let was_mutual = self.followers.contains_key(&(a, b));
        let counts = self.count(a);
        counts.following -= 1;
        counts.friends -= u32::from(was_mutual);
        PairChange::Unfollowed
    }

    /// Imports an edge. One that was removed stays removed, with or without other obstacles.
    pub(super) fn import(&mut self, edge: ImportEdge, revive: bool, commit: &mut Commit<'_>) -> PairOutcome {
        let ImportEdge { subject, object, at, .. } = edge;
        if !revive && self.removed.contains_key(&(subject, object)) {
            return PairOutcome { result: Ok(false), relation: self.relation(subject, object) };
        }
        let command = PairCommand { op: Op::Follow, subject, object };
        self.import_pair(command, at, MuteTerms::default(), commit)
    }

    /// Sets a block or a mute that was set elsewhere. A mute that is over by now is none.
    pub(super) fn import_restriction(
        &mut self,
        kind: RestrictionKind,
        edge: ImportEdge,
        commit: &mut Commit<'_>,
    ) -> PairOutcome {
        let ImportEdge { subject, object, at, terms } = edge;
        let left_ms = terms.until_ms.map(|until| until.saturating_sub(commit.now_ms));
        let result = match left_ms {
            Some(0) => Ok(false),
            Some(left) if left > MUTE_DURATION_MAX_MS => Err(Reason::TimeOutOfRange),
            _ => {
                let command = PairCommand { op: kind.op(), subject, object };
                return self.import_pair(command, at, terms, commit);
            }
        };
        PairOutcome { result, relation: self.relation(subject, object) }
    }

    /// What took place elsewhere, at a time: one that is a little ahead is now, one far ahead is none.
    fn import_pair(
        &mut self,
        command: PairCommand,
        at: Option<Stamp>,
        mute: MuteTerms,
        commit: &mut Commit<'_>,
    ) -> PairOutcome {
        let PairCommand { subject, object, .. } = command;
        if at.is_some_and(|at| at.ms() > commit.now_ms + FACT_AHEAD_MAX_MS) {
            let relation = self.relation(subject, object);
            return PairOutcome { result: Err(Reason::TimeOutOfRange), relation };
        }
        let at = at.filter(|at| at.ms() <= commit.now_ms);
        self.command(command, &AskedRelation { mute, ..AskedRelation::import(at) }, commit)
    }
}
