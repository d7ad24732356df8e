//! The state: the maps of all domains. What a write does to them is beside this folder.

mod external_ids;
mod groups;
mod posts;
mod scores;
mod sessions;
mod users;
mod waiting;

pub(super) use external_ids::ExternalIdMap;
pub(super) use groups::{GroupMaps, StoredGroup};
pub(super) use posts::PostMaps;
pub(super) use scores::Scores;
pub(super) use sessions::SessionMap;
pub(super) use users::UserMaps;
pub(super) use waiting::WaitingMaps;

use super::Options;
use super::message::{Derivation, DerivedRow};
use guanxi_model::{
    AuditEntry, AuditId, Change, Counts, Credential, Event, EventAt, Hlc, LogId, LogMark, Logs, Outcome,
    Position, Reason, Relation, Stamp, Uid,
};
use std::collections::BTreeMap;

/// What a command is answered that would keep something for a deleted user.
pub(crate) const OF_DELETED: Outcome = Outcome::Plain(Err(Reason::UserDeleted));

/// Pairs (owner, other) with the time of the fact.
pub(crate) type Pairs = BTreeMap<(Uid, Uid), Stamp>;

/// The whole graph. Each row belongs to the shard of the user who comes first in its key, and is read and written there
/// alone. Facts are keyed (subject, object); what is derived from facts of other users is marked so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maps {
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
    pub waiting: WaitingMaps,
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
    pub posts: PostMaps,
    /// Accounts, profiles and passwords.
    pub users: UserMaps,
    /// The users whom users have dismissed from their suggestions.
    pub dismissed: Pairs,
    /// With whom users have most to do.
    pub scores: BTreeMap<Uid, Scores>,
    /// Which uids the ids from elsewhere have.
    pub external_ids: ExternalIdMap,
    /// Groups and who is in them.
    pub groups: GroupMaps,
    /// Sessions of users.
    pub sessions: SessionMap,
    /// Tokens that operators made, by their names.
    pub credentials: BTreeMap<String, Credential>,
    /// What operators did.
    pub audit: BTreeMap<AuditId, AuditEntry>,
}

/// What a commit carries along while it is applied.
pub(crate) struct Commit<'a> {
    pub now_ms: u64,
    pub options: &'a Options,
    pub events: &'a mut Vec<Event>,
    /// What follows from the events in other shards, and does not stand there yet.
    pub sent: &'a mut Vec<Derivation>,
}

impl Maps {
    /// The relation of a subject to an object, as the subject's shard knows it; empty to oneself.
    pub(crate) fn relation(&self, subject: Uid, object: Uid) -> Relation {
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

    pub(crate) fn counts(&self, uid: Uid) -> Counts {
        self.counts.get(&uid).copied().unwrap_or_default()
    }

    pub(crate) fn count(&mut self, uid: Uid) -> &mut Counts {
        self.counts.entry(uid).or_default()
    }

    pub(crate) fn log(
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
    pub(crate) fn next_at(&self, uid: Uid, logs: Logs) -> EventAt {
        let log = logs.of(uid);
        EventAt::new(log, self.last_in(log) + 1)
    }

    /// The last event of a log.
    pub(crate) fn last_in(&self, log: LogId) -> u64 {
        self.seqs.get(&log).copied().unwrap_or(0)
    }

    /// The last event of every log, as something seen.
    pub(crate) fn position(&self, options: &Options) -> Position {
        match options.logs {
            Logs::One => Position::one(options.history, self.last_in(LogId(0))),
            Logs::PerGene => {
                let mark = |log| (log, LogMark { seen: self.last_in(log), acted: 0 });
                Position::sparse(options.history, options.logs.all().map(mark))
            }
        }
    }
}
