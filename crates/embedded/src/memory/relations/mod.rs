//! What users have said about others, and their counters, in memory under the rules of [`cache`](crate::memory::cache).
//!
//! [`UserRelations`](crate::rows::user_relations::UserRelations) is the form that the writer changes.
//! [`PackedRelations`] is the form that memory holds and readers probe: one allocation, fixed-width fields as narrow as
//! this user's ids and times allow (seed 002's fixed-width ids), about 10 bytes per edge for small ids. "Does x follow
//! y" is a probe of x's packed relations, never of y's followers list.

mod entry;
mod packed;

pub(crate) use entry::RelationsEntry;
pub(crate) use packed::{PackedRelations, PackedShape, RelationsProbe, pack};

use crate::memory::cache::{Cache, CacheEntries, Fill};
use crate::memory::cut::Cut;
use guanxi_model::Uid;
use std::sync::RwLockReadGuard;

/// The users in memory, each with its packed relations.
pub(crate) struct RelationsCache {
    cache: Cache<RelationsEntry>,
    hits: metrics::Counter,
    misses: metrics::Counter,
    conflicts: metrics::Counter,
}

/// Users held still for the reads of one request, as of its cut.
pub(crate) struct Reading<'a, C> {
    held: RwLockReadGuard<'a, CacheEntries<RelationsEntry>>,
    cut: &'a C,
}

impl<C: Cut> Reading<'_, C> {
    /// A user as of the request's cut; `None` if memory cannot tell.
    pub(crate) fn get(&self, uid: Uid) -> Option<&RelationsEntry> {
        let user = self.held.get(uid).filter(|user| user.as_of() <= self.cut.seq_of(uid))?;
        user.touch();
        Some(user)
    }

    /// Users as of the request's cut; `None` for one that memory cannot tell. Slots are read in one pass and
    /// what they point to in the next, so that the cache misses of a pass overlap.
    pub(crate) fn get_many(&self, uids: &[Uid]) -> Vec<Option<&RelationsEntry>> {
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
    pub(crate) fn new(bytes: u64) -> Self {
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
    pub(crate) fn read<'a, C: Cut>(&'a self, cut: &'a C) -> Reading<'a, C> {
        Reading { held: self.cache.read(), cut }
    }

    /// Counts probes that memory answered.
    pub(crate) fn count_hits(&self, hits: usize) {
        self.hits.increment(hits as u64);
    }

    /// Counts an entry that was newer than the cut that it was asked for.
    pub(crate) fn count_conflict(&self) {
        self.conflicts.increment(1);
    }

    /// A user as of its newest change that memory has, if memory has the user.
    pub(crate) fn latest(&self, uid: Uid) -> Option<RelationsEntry> {
        let user = self.cache.read().get(uid).cloned()?;
        user.touch();
        self.hits.increment(1);
        Some(user)
    }

    /// Registers a fill of a user whom memory does not have; its snapshot comes after.
    pub(crate) fn begin_fill(&self, uid: Uid) -> Fill {
        self.misses.increment(1);
        self.cache.begin_fill(uid)
    }

    /// Ends a fill and keeps its user, if it has one.
    pub(crate) fn end_fill(&self, fill: Fill, user: Option<RelationsEntry>) {
        self.cache.end_fill(fill, user);
    }

    /// Replaces the users that a commit changed, before that commit is published.
    pub(crate) fn replace(&self, users: Vec<(Uid, RelationsEntry)>) {
        let mut held = self.cache.write();
        for (uid, user) in users {
            held.replace(uid, user);
        }
    }

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> usize {
        self.cache.read().bytes()
    }

    /// Users held.
    pub(crate) fn len(&self) -> usize {
        self.cache.read().len()
    }
}

#[cfg(test)]
mod tests;
