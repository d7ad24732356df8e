//! Scores that were asked for lately, in their order, under the rules of [`cache`](crate::memory::cache).
//!
//! A list by affinity starts with the highest scores, and the tables have them by user: without this a page of fifty would
//! read and sort up to a thousand rows. The writer forgets the scores that it changes rather than replace them, since they
//! change with each like, and few of them are asked for.

use crate::engine::{Engine, EngineResult, Snapshot};
use crate::memory::cache::{Cache, Entry};
use crate::rows;
use crate::view::View;
use guanxi_model::Uid;
use guanxi_model::affinity::{Affinities, Affinity};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes of all entries at most, about: those of two thousand users with as many scores as anybody has.
pub(crate) const BYTES_MAX: u64 = 32 << 20;

/// The scores of a user.
#[derive(Clone, Default)]
struct AffinitiesEntry(Option<Arc<RankedAffinities>>);

struct RankedAffinities {
    /// They are right for every view from this commit on. It is no seq: what the follower of the log adds makes no event.
    as_of: u64,
    /// The highest score first.
    affinities: Affinities,
    referenced: AtomicBool,
}

impl Entry for AffinitiesEntry {
    fn heap_bytes(&self) -> usize {
        let bytes = |ranked: &Arc<RankedAffinities>| {
            size_of::<RankedAffinities>() + ranked.affinities.all.capacity() * size_of::<Affinity>() + 32
        };
        self.0.as_ref().map_or(0, bytes)
    }

    fn untouch(&self) -> bool {
        self.0.as_ref().is_some_and(|ranked| ranked.referenced.swap(false, Ordering::Relaxed))
    }
}

/// Scores by the user whose they are.
pub(crate) struct AffinityCache {
    cache: Cache<AffinitiesEntry>,
    /// The newest commit that a fresh snapshot may hold.
    committing: AtomicU64,
    hits: metrics::Counter,
    misses: metrics::Counter,
    conflicts: metrics::Counter,
}

impl AffinityCache {
    /// Holds nothing yet.
    pub(crate) fn new() -> Self {
        Self::of_bytes(BYTES_MAX)
    }

    fn of_bytes(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_affinity_cache_total", "outcome" => outcome);
        Self {
            cache: Cache::new(bytes),
            committing: AtomicU64::new(0),
            hits: outcome("hit"),
            misses: outcome("miss"),
            conflicts: outcome("newer_than_view"),
        }
    }

    /// Says, before a commit, that snapshots may hold it from now on.
    pub(crate) fn announce(&self, commit: u64) {
        self.committing.store(commit, Ordering::SeqCst);
    }

    /// The scores of a user as of a view, the highest first.
    pub(crate) fn at(&self, actor: Uid, view: &View, engine: &Engine) -> EngineResult<Affinities> {
        let fresh = || Ok((read(&engine.snapshot(), actor)?, self.committing.load(Ordering::SeqCst)));
        let ranked = self.latest(actor, fresh)?;
        if ranked.as_of <= view.commit {
            return Ok(ranked.affinities.clone());
        }
        self.conflicts.increment(1);
        read(&view.snapshot, actor)
    }

    /// The scores of a user as of the last commit, or the one under way. `load` answers those in a new snapshot, and the
    /// newest commit that may be in it.
    fn latest(
        &self,
        actor: Uid,
        load: impl FnOnce() -> EngineResult<(Affinities, u64)>,
    ) -> EngineResult<Arc<RankedAffinities>> {
        let known = self.cache.read().get(actor).and_then(|entry| entry.0.clone());
        if let Some(ranked) = known {
            ranked.referenced.store(true, Ordering::Relaxed);
            self.hits.increment(1);
            return Ok(ranked);
        }
        self.misses.increment(1);
        let fill = self.cache.begin_fill(actor);
        let loaded = load().map(|(affinities, as_of)| {
            Arc::new(RankedAffinities { as_of, affinities, referenced: AtomicBool::new(false) })
        });
        self.cache
            .end_fill(fill, loaded.as_ref().ok().map(|ranked| AffinitiesEntry(Some(Arc::clone(ranked)))));
        loaded
    }

    /// Forgets the scores that a commit changed, before that commit is published.
    pub(crate) fn forget(&self, actors: &[Uid]) {
        if actors.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        actors.iter().for_each(|actor| held.forget(*actor));
    }
}

/// The scores of a user from the tables, the highest first.
fn read(snapshot: &Snapshot, actor: Uid) -> EngineResult<Affinities> {
    rows::suggestions::affinities(snapshot, actor).map(Affinities::ranked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::affinity::Score;

    fn scores(raw: u64) -> Affinities {
        Affinities { half_life_ms: 1, all: vec![Affinity { uid: Uid::MAX, score: Score::from_raw(raw) }] }
    }

    #[test]
    fn scores_are_read_once_until_they_change() {
        let cache = AffinityCache::of_bytes(1 << 20);
        let read = |raw, seq| cache.latest(Uid::MIN, || Ok((scores(raw), seq))).unwrap().as_of;
        assert_eq!(read(7, 3), 3);
        assert_eq!(read(8, 4), 3, "held");
        cache.forget(&[Uid::MAX]);
        assert_eq!(read(8, 4), 3, "another's scores changed");
        cache.forget(&[Uid::MIN]);
        assert_eq!(read(8, 4), 4);
    }

    #[test]
    fn a_read_that_a_commit_overtook_is_not_kept() {
        let cache = AffinityCache::of_bytes(1 << 20);
        let overtaken = || {
            cache.forget(&[Uid::MIN]);
            Ok((scores(7), 3))
        };
        assert_eq!(cache.latest(Uid::MIN, overtaken).unwrap().affinities, scores(7));
        assert_eq!(cache.latest(Uid::MIN, || Ok((scores(8), 4))).unwrap().affinities, scores(8));
    }
}
