//! What a write does to the graph.

use super::Options;
use super::external_ids::Dictionary;
use super::groups::GroupState;
use super::message::{Derivation, DerivedRow};
use super::posts::PostState;
use super::sessions::SessionMap;
use super::suggestions::Scores;
use super::users::UserState;
use super::waiting::{Asked, WaitingState};
use guanxi_model::event::PairChange;
use guanxi_model::limits::{
    FACT_AHEAD_MAX_MS, MUTE_DURATION_MAX_MS, REQUEST_COOLDOWN_MS, REQUEST_RESEND_MS, SENT_REQUESTS_MAX,
};
use guanxi_model::pair::{Effect, decide};
use guanxi_model::{
    AuditEntry, AuditId, Change, Command, Counts, Credential, Direction, Error, Event, EventAt, GuardedCount,
    Hlc, ImportCursor, ImportEdge, LogId, LogMark, Logs, MuteTerms, Op, Outcome, PairCommand, PairInputs,
    PairOutcome, PairState, Position, Reason, Relation, RequestKind, RestrictionKind, Result, Stamp, Uid,
    Write,
};
use std::collections::BTreeMap;

/// What a command is answered that would keep something for a deleted user.
pub(super) const OF_DELETED: Outcome = Outcome::Plain(Err(Reason::UserDeleted));

/// Pairs (owner, other) with the time of the fact.
pub(super) type Pairs = BTreeMap<(Uid, Uid), Stamp>;

/// The whole graph. Each row belongs to the shard of the user who comes first in its key, and is read and written there
/// alone. Facts are keyed (subject, object); what is derived from facts of other users is marked so.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The last event of each log that has one.
    pub seqs: BTreeMap<LogId, u64>,
    /// Mints the version of each event.
    pub hlc: Hlc,
    /// Active follows, by subject.
    pub follows: Pairs,
    /// Derived: the same follows, by object.
    pub followers: Pairs,
    /// Derived: the counters of every user that ever had one.
    pub counts: BTreeMap<Uid, Counts>,
    /// Follows that were removed and not renewed, with the time of that.
    pub removed: Pairs,
    pub blocks: Pairs,
    /// Derived: the same blocks, by object.
    pub blocked_by: Pairs,
    pub mutes: Pairs,
    /// What waits between users, and ends by itself.
    pub waiting: WaitingState,
    /// Follow limits that the operator set.
    pub limits: BTreeMap<Uid, u32>,
    /// Where import jobs stand.
    pub jobs: BTreeMap<String, u64>,
    /// Derived: the last event that changed what a user has said about others, or a mutual mark in it.
    pub viewer_relations: BTreeMap<Uid, EventAt>,
    /// Derived: the last event by which somebody blocked a user, or ended that.
    pub blocked_at: BTreeMap<Uid, EventAt>,
    /// The version of every derived row, of those that are gone, too.
    pub versions: BTreeMap<DerivedRow, Stamp>,
    /// Posts, and what goes with them.
    pub posts: PostState,
    /// Accounts, profiles and passwords.
    pub users: UserState,
    /// Whom users have dismissed from their suggestions.
    pub dismissed: Pairs,
    /// With whom users have most to do.
    pub scores: BTreeMap<Uid, Scores>,
    /// Which uids the ids from elsewhere have.
    pub external_ids: Dictionary,
    /// Groups and who is in them.
    pub groups: GroupState,
    /// Sessions of users.
    pub sessions: SessionMap,
    /// Tokens that operators made, by their names.
    pub credentials: BTreeMap<String, Credential>,
    /// What operators did.
    pub audit: BTreeMap<AuditId, AuditEntry>,
}

/// What a commit carries along while it is applied.
pub(super) struct Commit<'a> {
    pub now_ms: u64,
    pub options: &'a Options,
    pub events: &'a mut Vec<Event>,
    /// What follows from the events in other shards, and does not stand there yet.
    pub sent: &'a mut Vec<Derivation>,
}

impl State {
    /// Applies a write and appends its events. An error leaves everything as it was.
    pub(super) fn apply_write(&mut self, write: &Write, commit: &mut Commit<'_>) -> Result<Vec<Outcome>> {
        write.check()?;
        for command in &write.commands {
            let Command::MarkSeen { seen, .. } = command else { continue };
            if seen.history() != commit.options.history {
                return Err(Error::new(Reason::TokenFromOtherHistory));
            }
            if seen.marks().any(|(log, mark)| mark.seen > self.last_in(log)) {
                return Err(Error::new(Reason::TokenAhead));
            }
        }
        self.move_job(write.cursor.as_ref())?;
        let mut outcomes = Vec::with_capacity(write.len());
        for command in &write.commands {
            self.do_command(command, commit, &mut outcomes);
        }
        Ok(outcomes)
    }

    fn do_command(&mut self, command: &Command, commit: &mut Commit<'_>, outcomes: &mut Vec<Outcome>) {
        match command {
            Command::Pair(command) => {
                outcomes.push(Outcome::Pair(self.command(*command, &Asked::default(), commit)));
            }
            Command::ImportEdges { edges, revive } => {
                outcomes.extend(edges.iter().map(|edge| Outcome::Pair(self.import(*edge, *revive, commit))));
            }
            Command::ImportRestrictions { kind, restrictions } => {
                for edge in restrictions.iter().copied() {
                    outcomes.push(Outcome::Pair(self.import_restriction(*kind, edge, commit)));
                }
            }
            Command::DropTombstones { pairs, until } => {
                for pair in pairs {
                    self.removed.retain(|known, at| known != pair || until.is_some_and(|until| *at > until));
                }
                outcomes.push(Outcome::Done);
            }
            Command::SendFriendRequest(_)
            | Command::Mute(_)
            | Command::ForgetRejection { .. }
            | Command::EndUnlock { .. }
            | Command::MarkRequestsSeen { .. } => outcomes.push(self.waiting_command(command, commit)),
            Command::User(command) => outcomes.push(Outcome::User(self.user_command(command, commit))),
            Command::Post(command) => outcomes.push(Outcome::Post(self.post_command(command, commit))),
            Command::ImportPosts(posts) => {
                outcomes.extend(posts.iter().map(|post| Outcome::Post(self.import_outcome(post, commit))));
            }
            Command::ImportLikes(likes) => {
                outcomes.extend(likes.iter().map(|like| Outcome::Post(self.import_like(like, commit))));
            }
            Command::FollowLimit { uid, limit } => {
                outcomes.push(if limit.is_some() && self.is_deleted(*uid) {
                    OF_DELETED
                } else {
                    self.set_follow_limit(*uid, *limit, commit);
                    Outcome::Done
                });
            }
            Command::MarkSeen { uid, seen } => {
                outcomes.push(if self.is_deleted(*uid) {
                    OF_DELETED
                } else {
                    self.posts.seen.entry(*uid).or_insert_with(|| seen.clone()).join(seen);
                    Outcome::Done
                });
            }
            Command::FanoutPolicy(policy) => {
                self.posts.policy = *policy;
                outcomes.push(Outcome::Done);
            }
            Command::Affinity(command) => outcomes.push(Outcome::Plain(self.add_affinity(command, commit))),
            Command::Dismiss(command) => outcomes.push(Outcome::Plain(self.dismiss(*command, commit))),
            Command::Group(command) => outcomes.push(Outcome::Group(self.group_command(command, commit))),
            Command::Credential(command) => outcomes.push(Outcome::Plain(self.credential_command(command))),
            Command::Audit(command) => outcomes.push(Outcome::Plain(Ok(self.audit_command(command)))),
            Command::Session(command) => {
                outcomes.push(Outcome::Session(self.session_command(command, commit)));
            }
        }
    }

    /// The relation of a subject to an object, as the subject's shard knows it; empty to oneself.
    pub(super) fn relation(&self, subject: Uid, object: Uid) -> Relation {
        let pair = (subject, object);
        let (forward, backward) = (self.follows.get(&pair).copied(), self.followers.get(&pair).copied());
        Relation {
            following_since: forward,
            followed_by: backward.is_some(),
            friends_since: forward.zip(backward).map(|(forward, backward)| forward.max(backward)),
            blocking: self.blocks.contains_key(&pair),
            blocked_by: self.blocked_by.contains_key(&pair),
            muting: self.mutes.contains_key(&pair),
            requested: self.waiting.sent.get(&pair).copied(),
            requested_by: self.waiting.requests.get(&pair).map(|request| request.kind),
        }
    }

    pub(super) fn counts(&self, uid: Uid) -> Counts {
        self.counts.get(&uid).copied().unwrap_or_default()
    }

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
        asked: &Asked,
        commit: &mut Commit<'_>,
    ) -> PairOutcome {
        let PairCommand { op, subject, object } = command;
        if subject == object {
            return PairOutcome { result: Err(Reason::SelfRelation), relation: Relation::default() };
        }
        // Only what stands in both shards before it is answered looks at the other's facts: blocks, requests, and what ends
        // a follow of the other or begins one.
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

    fn inputs(&self, command: PairCommand, asked: &Asked, commit: &Commit<'_>) -> PairInputs {
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

    /// Why an operation that the pair allows does not take place: it would begin something with a deleted user, bring a follow
    /// or request to a user who is not active (imports may), or the user has asked too many others already.
    fn not_begun(&self, command: PairCommand, effects: &[Effect], asked: &Asked) -> Option<Reason> {
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
    fn apply(&mut self, effect: Effect, command: PairCommand, asked: &Asked, commit: &mut Commit<'_>) {
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
                    // Who is accepted by a friend has rejected it no more.
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

    /// Whoever comes to follow is rejected no more.
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

    pub(super) fn count(&mut self, uid: Uid) -> &mut Counts {
        self.counts.entry(uid).or_default()
    }

    pub(super) fn log(
        &mut self,
        version: Stamp,
        subject: Uid,
        change: Change,
        commit: &mut Commit<'_>,
    ) -> EventAt {
        let at = self.next_at(subject, commit.options.logs);
        self.seqs.insert(at.log(), at.seq());
        commit.events.push(Event { at, version, subject, change, echo: None });
        at
    }

    /// The place of the next event of a user's log.
    pub(super) fn next_at(&self, uid: Uid, logs: Logs) -> EventAt {
        let log = logs.of(uid);
        EventAt::new(log, self.last_in(log) + 1)
    }

    /// The last event of a log.
    pub(super) fn last_in(&self, log: LogId) -> u64 {
        self.seqs.get(&log).copied().unwrap_or(0)
    }

    /// The last event of every log, as something seen.
    pub(super) fn position(&self, options: &Options) -> Position {
        match options.logs {
            Logs::One => Position::one(options.history, self.last_in(LogId(0))),
            Logs::PerGene => {
                let mark = |log| (log, LogMark { seen: self.last_in(log), acted: 0 });
                Position::sparse(options.history, options.logs.all().map(mark))
            }
        }
    }

    /// Imports an edge. One that was removed stays removed, whatever else stands against it.
    fn import(&mut self, edge: ImportEdge, revive: bool, commit: &mut Commit<'_>) -> PairOutcome {
        let ImportEdge { subject, object, at, .. } = edge;
        if !revive && self.removed.contains_key(&(subject, object)) {
            return PairOutcome { result: Ok(false), relation: self.relation(subject, object) };
        }
        let command = PairCommand { op: Op::Follow, subject, object };
        self.import_pair(command, at, MuteTerms::default(), commit)
    }

    /// Sets a block or a mute that was set elsewhere. A mute that is over by now is none.
    fn import_restriction(
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
        self.command(command, &Asked { mute, ..Asked::import(at) }, commit)
    }

    /// Moves an import job on, in the commit of the edges it covers.
    fn move_job(&mut self, mark: Option<&ImportCursor>) -> Result<()> {
        let Some(mark) = mark else { return Ok(()) };
        let position = self.jobs.get(&mark.job).copied().unwrap_or(0);
        if position != mark.from {
            return Err(Error::new(Reason::ImportPositionMismatch { position }));
        }
        self.jobs.insert(mark.job.clone(), mark.to);
        Ok(())
    }

    fn set_follow_limit(&mut self, uid: Uid, limit: Option<u32>, commit: &mut Commit<'_>) {
        let before = match limit {
            Some(limit) => self.limits.insert(uid, limit),
            None => self.limits.remove(&uid),
        };
        if before != limit {
            let version = self.hlc.tick(commit.now_ms);
            self.log(version, uid, Change::FollowLimit(limit), commit);
        }
    }
}
