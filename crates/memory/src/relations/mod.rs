//! What users have said about others, and their counters, in memory under the rules of [`cache`](crate::cache).
//!
//! [`UserRelations`](crate::user_relations::UserRelations) is the form that the writer changes.
//! [`PackedRelations`] is the form that memory holds and readers probe: one allocation, fixed-width fields as narrow as
//! this user's ids and times allow (seed 002's fixed-width ids), about 10 bytes per edge for small ids. "Does x follow
//! y" is a probe of x's packed relations, never of y's followers list.

mod entry;
mod packed;

pub use entry::RelationsEntry;
pub use packed::{PackedRelations, PackedShape, RelationsProbe};

use packed::pack;

use crate::apply::relations::{RelationsEffect, UserCommit};
use crate::cache::{Cache, CacheEntries, Fills};
use crate::cut::Cut;
use guanxi_model::{LogId, Logs, Uid};
use std::collections::BTreeSet;
use std::sync::RwLockReadGuard;

/// The users in memory, each with its packed relations.
pub struct RelationsCache {
    cache: Cache<RelationsEntry>,
    hits: metrics::Counter,
    misses: metrics::Counter,
    conflicts: metrics::Counter,
}

/// Users held still for the reads of one request, as of its cut.
pub struct Reading<'a, C> {
    held: RwLockReadGuard<'a, CacheEntries<RelationsEntry>>,
    cut: &'a C,
}

impl<C: Cut> Reading<'_, C> {
    /// A user as of the request's cut; `None` if memory cannot tell.
    pub fn get(&self, uid: Uid) -> Option<&RelationsEntry> {
        let user = self.held.get(uid).filter(|user| user.as_of() <= self.cut.seq_of(uid))?;
        user.touch();
        Some(user)
    }

    /// Users as of the request's cut; `None` for one that memory cannot tell. Slots are read in one pass and
    /// what they point to in the next, so that the cache misses of a pass overlap.
    pub fn get_many(&self, uids: &[Uid]) -> Vec<Option<&RelationsEntry>> {
        self.held.warm(uids.iter().copied());
        let mut users: Vec<Option<&RelationsEntry>> = uids.iter().map(|uid| self.held.get(*uid)).collect();
        for (slot, uid) in users.iter_mut().zip(uids) {
            *slot = slot.filter(|user| user.as_of() <= self.cut.seq_of(*uid));
        }
        users.iter().flatten().for_each(|user| user.touch());
        users
    }
}

impl RelationsCache {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_user_cache_total", "outcome" => outcome);
        Self {
            cache: Cache::new(bytes),
            hits: outcome("hit"),
            misses: outcome("miss"),
            conflicts: outcome("newer_than_view"),
        }
    }

    /// Holds users still for a few probes.
    pub fn read<'a, C: Cut>(&'a self, cut: &'a C) -> Reading<'a, C> {
        Reading { held: self.cache.read(), cut }
    }

    /// Counts probes that memory answered.
    pub fn count_hits(&self, hits: usize) {
        self.hits.increment(hits as u64);
    }

    /// Counts an entry that was newer than the cut that it was asked for.
    pub fn count_conflict(&self) {
        self.conflicts.increment(1);
    }

    /// A user as of its newest change that memory has, if memory has the user.
    pub fn latest(&self, uid: Uid) -> Option<RelationsEntry> {
        let user = self.cache.read().get(uid).cloned()?;
        user.touch();
        self.hits.increment(1);
        Some(user)
    }

    /// Registers a fill of a user whom memory does not have; its snapshot comes after.
    pub fn begin_fill(&self, uid: Uid) -> Fills<'_, RelationsEntry> {
        self.misses.increment(1);
        self.cache.begin_fills([uid])
    }

    /// Replaces the users that a commit changed, before that commit is published.
    pub fn replace(&self, users: Vec<(Uid, RelationsEntry)>) {
        let mut held = self.cache.write();
        for (uid, user) in users {
            held.replace(uid, user);
        }
    }

    /// Makes what a commit of a log says of users, before it is published. No user comes into memory by it.
    pub fn follow(&self, seq: u64, users: &[UserCommit]) {
        if users.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        users.iter().for_each(|commit| held.change(commit.user, seq, commit));
    }

    /// Forgets users of whom it is not known what a commit did to them.
    pub fn forget(&self, uids: &[Uid]) {
        let mut held = self.cache.write();
        uids.iter().for_each(|uid| held.forget(*uid));
    }

    /// Forgets users of whom an event of their log, changes what they have said about others, before it is in a
    /// published cut. Of a new follower nothing is changed unless the user follows it.
    pub fn forget_changed(&self, events: &[(Uid, RelationsEffect)]) {
        if events.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        for (uid, effect) in events {
            let is_of_other = |user: &RelationsEntry| {
                effect.needs_follow_of().is_some_and(|other| !user.packed().follows(other))
            };
            if !held.get(*uid).is_some_and(is_of_other) {
                held.forget(*uid);
            }
        }
    }

    /// Forgets all users of some logs. It looks at all users that are held.
    pub fn forget_logs(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        self.cache.forget_logs::<Uid>(logs, gone);
    }

    /// Bytes held, about, and users held.
    pub fn size(&self) -> (usize, usize) {
        let held = self.cache.read();
        (held.bytes(), held.count())
    }
}

#[cfg(test)]
mod tests;
