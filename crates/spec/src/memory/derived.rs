//! What follows from an event in the shard of the other user whom it concerns.
//!
//! All of it is idempotent and commutative: each row has the version of the fact that it follows from, and the newer
//! wins, so that it may come late, twice and in any order. Its arrival is an event of the receiving shard's own log: an
//! echo, unless both users share a log.

use super::Carrying;
use super::message::{Derivation, original};
use super::state::{Commit, Maps};
use guanxi_model::event::PairChange;
use guanxi_model::{Change, Event, EventAt, PostHeader, Stamp, Uid};

impl Maps {
    /// Logs an event of a subject that concerns another user, and sends its effects to the shard of that user.
    pub(super) fn log_for(
        &mut self,
        version: Stamp,
        subject: Uid,
        change: Change,
        (other, post): (Uid, Option<PostHeader>),
        commit: &mut Commit<'_>,
    ) -> EventAt {
        let at = self.log(version, subject, change, commit);
        let fact = Event { at, version, subject, change, echo: None };
        let derivation = Derivation { fact, other, post };
        let is_near = commit.options.logs.of(other) == at.log();
        if is_near || derivation.is_privacy() || commit.options.carrying == Carrying::AtOnce {
            self.derive(&derivation, commit);
        } else {
            commit.sent.push(derivation);
        }
        at
    }

    /// Takes in what follows from an event, in the shard of the other user.
    pub(super) fn derive(&mut self, derivation: &Derivation, commit: &mut Commit<'_>) {
        let Derivation { fact, other, post } = *derivation;
        let Some(row) = derivation.row() else { return };
        if self.versions.get(&row).is_some_and(|known| *known >= fact.version) {
            return;
        }
        self.versions.insert(row, fact.version);
        let there = self.echo(fact, other, commit);
        match fact.change {
            Change::Pair { kind, .. } => self.derive_pair(fact, other, kind, there),
            Change::Liked { id, at, .. } => {
                if self.posts.likes.insert((id, fact.subject), at).is_none() {
                    self.posts.stats.entry(id).or_default().likes += 1;
                }
            }
            Change::Unliked { id, .. } => {
                if self.posts.likes.remove(&(id, fact.subject)).is_some() {
                    self.posts.stats.entry(id).or_default().likes -= 1;
                }
            }
            Change::Post { .. } => {
                if let Some(post) = post {
                    self.count_reference(&post);
                }
            }
            Change::FollowLimit(_) | Change::User(_) | Change::Interacted | Change::Group { .. } => {}
        }
    }

    fn derive_pair(&mut self, fact: Event, object: Uid, kind: PairChange, there: EventAt) {
        let pair = (object, fact.subject);
        match kind {
            PairChange::Followed { at, .. } => {
                if self.followers.insert(pair, at).is_none() {
                    self.count_follower(pair, |count| *count += 1, |count| *count += 1);
                }
            }
            PairChange::Unfollowed => {
                if self.followers.remove(&pair).is_some() {
                    self.count_follower(pair, |count| *count -= 1, |count| *count -= 1);
                }
            }
            PairChange::Blocked { at } => {
                self.blocked_by.insert(pair, at);
                self.blocked_at.insert(object, there);
            }
            PairChange::Unblocked => {
                self.blocked_by.remove(&pair);
                self.blocked_at.insert(object, there);
            }
            PairChange::Requested { kind, .. } => drop(self.waiting.sent.insert(pair, kind)),
            PairChange::RequestEnded { .. } => drop(self.waiting.sent.remove(&pair)),
            PairChange::Muted { .. } | PairChange::Unmuted => {}
        }
        // A follow that comes or goes is a mark of the follow back.
        let follow = matches!(kind, PairChange::Followed { .. } | PairChange::Unfollowed);
        if follow && self.follows.contains_key(&pair) {
            self.viewer_relations.insert(object, there);
        }
    }

    /// Changes the counters of the followed user, the first of a pair.
    fn count_follower(&mut self, pair: (Uid, Uid), followers: fn(&mut u64), friends: fn(&mut u32)) {
        let follows_back = self.follows.contains_key(&pair);
        let counts = self.count(pair.0);
        followers(&mut counts.followers);
        if follows_back {
            friends(&mut counts.friends);
        }
    }

    /// Counts a post at what it answers or shares, once, for as long as it is not deleted.
    fn count_reference(&mut self, post: &PostHeader) {
        let Some(original) = original(post.kind) else { return };
        let stats = self.posts.stats.entry(original).or_default();
        let shares = post.kind.shared().is_some();
        let count = if shares { &mut stats.reposts } else { &mut stats.replies };
        let row = (original, post.id);
        if post.deleted && self.posts.references.remove(&row).is_some() {
            *count -= 1;
        } else if !post.deleted && self.posts.references.insert(row, shares).is_none() {
            *count += 1;
        }
    }

    /// Logs an event of a subject in the log of another user, too, whom it concerns: that log tells all that changed
    /// about that user. Returns where the other user's log tells of it.
    fn echo(&mut self, fact: Event, other: Uid, commit: &mut Commit<'_>) -> EventAt {
        let at = self.next_at(other, commit.options.logs);
        if at.log() == fact.at.log() {
            return fact.at;
        }
        let change = match fact.change {
            // What the two are now is for the shard to say whose log this is.
            Change::Pair { object, kind: PairChange::Followed { at, .. }, cause } => {
                let mutual = self.follows.contains_key(&(object, fact.subject));
                Change::Pair { object, kind: PairChange::Followed { at, mutual }, cause }
            }
            other => other,
        };
        self.seqs.insert(at.log(), at.seq());
        commit.events.push(Event { at, change, echo: Some(fact.at), ..fact });
        at
    }
}
