//! Scores that were asked for lately, in their order, under the rules of [`cache`](crate::cache).
//!
//! A list by affinity starts with the highest scores, and the tables have them by user: without this a page of fifty would
//! read and sort up to a thousand rows. The writer forgets the scores that it changes rather than replace them, since they
//! change with each like, and few of them are asked for.

use crate::cache::{Cache, Entry};
use guanxi_model::Uid;
use guanxi_model::affinity::{Affinities, Affinity};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of all entries at most, about: those of two thousand users with as many scores as anybody has.
pub const BYTES_MAX: u64 = 32 << 20;

/// The scores of a user.
#[derive(Clone, Default)]
struct AffinitiesEntry(Option<Arc<RankedAffinities>>);

/// The scores of a user in their order.
pub struct RankedAffinities {
    /// They are right for every view from this commit on. It is no seq: what the follower of the log adds makes no event.
    pub as_of: u64,
    /// The highest score first.
    pub affinities: Affinities,
    referenced: AtomicBool,
}

impl Entry for AffinitiesEntry {
    type Change = Infallible;

    fn heap_bytes(&self) -> usize {
        let bytes = |ranked: &Arc<RankedAffinities>| {
            size_of::<RankedAffinities>() + ranked.affinities.all.capacity() * size_of::<Affinity>() + 32
        };
        self.0.as_ref().map_or(0, bytes)
    }

    fn untouch(&self) -> bool {
        self.0.as_ref().is_some_and(|ranked| ranked.referenced.swap(false, Ordering::Relaxed))
    }

    fn as_of(&self) -> u64 {
        self.0.as_ref().map_or(0, |ranked| ranked.as_of)
    }

    /// Commits put it whole, or have it forgotten.
    fn after(&self, _seq: u64, change: &Infallible) -> Option<Self> {
        match *change {}
    }
}

/// Scores by the user whose they are.
pub struct AffinityCache {
    cache: Cache<AffinitiesEntry>,
    hits: metrics::Counter,
    misses: metrics::Counter,
    conflicts: metrics::Counter,
}

impl Default for AffinityCache {
    /// Holds nothing yet.
    fn default() -> Self {
        Self::of_bytes(BYTES_MAX)
    }
}

impl AffinityCache {
    fn of_bytes(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_affinity_cache_total", "outcome" => outcome);
        Self {
            cache: Cache::new(bytes),
            hits: outcome("hit"),
            misses: outcome("miss"),
            conflicts: outcome("newer_than_view"),
        }
    }

    /// Counts scores that were newer than the view that they were asked for.
    pub fn count_conflict(&self) {
        self.conflicts.increment(1);
    }

    /// The scores of a user as of the last commit, or the one under way. `load` answers those in a new snapshot, and the
    /// newest commit that may be in it.
    pub fn latest<E>(
        &self,
        actor: Uid,
        load: impl FnOnce() -> Result<(Affinities, u64), E>,
    ) -> Result<Arc<RankedAffinities>, E> {
        let known = self.cache.read().get(actor).and_then(|entry| entry.0.clone());
        if let Some(ranked) = known {
            ranked.referenced.store(true, Ordering::Relaxed);
            self.hits.increment(1);
            return Ok(ranked);
        }
        self.misses.increment(1);
        let fill = self.cache.begin_fills([actor]);
        let (affinities, as_of) = load()?;
        let ranked = Arc::new(RankedAffinities { as_of, affinities, referenced: AtomicBool::new(false) });
        fill.keep([Some(AffinitiesEntry(Some(Arc::clone(&ranked))))]);
        Ok(ranked)
    }

    /// Forgets the scores that a commit changed, before that commit is published.
    pub fn forget(&self, actors: &[Uid]) {
        if actors.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        actors.iter().for_each(|actor| held.forget(*actor));
    }
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
        let read = |raw, seq| cache.latest(Uid::MIN, || Ok::<_, ()>((scores(raw), seq))).unwrap().as_of;
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
            Ok::<_, ()>((scores(7), 3))
        };
        assert_eq!(cache.latest(Uid::MIN, overtaken).unwrap().affinities, scores(7));
        assert_eq!(cache.latest(Uid::MIN, || Ok::<_, ()>((scores(8), 4))).unwrap().affinities, scores(8));
    }
}
