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

use crate::engine::{Engine, EngineResult, Snapshot};
use crate::memory::cache::{Cache, CacheEntries};
use crate::rows;
use crate::view::View;
use guanxi_model::Uid;
use std::sync::RwLockReadGuard;
use std::sync::atomic::{AtomicU64, Ordering};

/// The users in memory, each with its packed relations.
pub(crate) struct RelationsCache {
    cache: Cache<RelationsEntry>,
    /// The seq of the newest commit that a fresh snapshot may hold.
    committing: AtomicU64,
    /// When the relations of a user last changed at the latest whose row does not say it.
    unnoted: u64,
    hits: metrics::Counter,
    misses: metrics::Counter,
    conflicts: metrics::Counter,
}

/// RelationsCache held still for the reads of one request.
pub(crate) struct Reading<'a> {
    held: RwLockReadGuard<'a, CacheEntries<RelationsEntry>>,
    seq: u64,
}

impl Reading<'_> {
    /// A user as of the request's view; `None` if memory cannot tell.
    pub(crate) fn get(&self, uid: Uid) -> Option<&RelationsEntry> {
        let user = self.held.get(uid).filter(|user| user.as_of() <= self.seq)?;
        user.touch();
        Some(user)
    }

    /// RelationsCache as of the request's view; `None` for one that memory cannot tell. Slots are read in one pass and
    /// what they point to in the next, so that the cache misses of a pass overlap.
    pub(crate) fn get_many(&self, uids: &[Uid]) -> Vec<Option<&RelationsEntry>> {
        self.held.warm(uids.iter().copied());
        let mut users: Vec<Option<&RelationsEntry>> = uids.iter().map(|uid| self.held.get(*uid)).collect();
        for slot in &mut users {
            *slot = slot.filter(|user| user.as_of() <= self.seq);
        }
        users.iter().flatten().for_each(|user| user.touch());
        users
    }
}

impl RelationsCache {
    /// An empty cache with a byte budget; `seq` is the last commit, `unnoted` the last one before rows of users said when
    /// their relations changed.
    pub(crate) fn new(bytes: u64, seq: u64, unnoted: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_user_cache_total", "outcome" => outcome);
        Self {
            cache: Cache::new(bytes),
            committing: AtomicU64::new(seq),
            unnoted,
            hits: outcome("hit"),
            misses: outcome("miss"),
            conflicts: outcome("newer_than_view"),
        }
    }

    /// Holds users still for a few probes.
    pub(crate) fn read(&self, view: &View) -> Reading<'_> {
        Reading { held: self.cache.read(), seq: view.seq }
    }

    /// Counts probes that memory answered.
    pub(crate) fn count_hits(&self, hits: usize) {
        self.hits.increment(hits as u64);
    }

    /// A user as of a view.
    pub(crate) fn at(&self, uid: Uid, view: &View, engine: &Engine) -> EngineResult<RelationsEntry> {
        let user = self.latest(uid, engine)?;
        if user.as_of() <= view.seq {
            return Ok(user);
        }
        self.conflicts.increment(1);
        self.load(&view.snapshot, uid, view.seq)
    }

    /// A user as of the last commit, or the one under way.
    pub(crate) fn latest(&self, uid: Uid, engine: &Engine) -> EngineResult<RelationsEntry> {
        let known = self.cache.read().get(uid).cloned();
        if let Some(user) = known {
            user.touch();
            self.hits.increment(1);
            return Ok(user);
        }
        self.misses.increment(1);
        let fill = self.cache.begin_fill(uid);
        let snapshot = engine.snapshot();
        let loaded = self.load(&snapshot, uid, self.committing());
        self.cache.end_fill(fill, loaded.as_ref().ok().cloned());
        loaded
    }

    /// Reads a user from the tables.
    fn load(&self, snapshot: &Snapshot, uid: Uid, as_of: u64) -> EngineResult<RelationsEntry> {
        let Some(user) = rows::relations::user(snapshot, uid)? else { return Ok(RelationsEntry::default()) };
        let changed = user.changed.max(self.unnoted);
        Ok(RelationsEntry::new(as_of, changed, (user.followers, user.asked), &user.relations))
    }

    /// The seq of the newest commit that a snapshot taken before this call may hold.
    pub(crate) fn committing(&self) -> u64 {
        self.committing.load(Ordering::SeqCst)
    }

    /// Says, before a commit, that snapshots may hold it from now on.
    pub(crate) fn announce(&self, seq: u64) {
        self.committing.store(seq, Ordering::SeqCst);
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

    /// RelationsCache held.
    pub(crate) fn len(&self) -> usize {
        self.cache.read().len()
    }
}

#[cfg(test)]
mod tests;
