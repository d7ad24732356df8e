//! What memory holds of a key until an event tells of it, under the rules of [`cache`](crate::cache).
//!
//! A value is as its rows have it as of an event of its log. No event says what the value is then: the next one that names the key
//! has it forgotten, so that no rule of what an event changes is repeated here. Most users stand as the default says, and most
//! posts have no counters. That is kept of them, too: it spares the question.

pub mod counters;
pub mod posts;

use crate::cache::{Cache, CacheKey, Entry, Fills};
use crate::cut::Cut;
use guanxi_model::user::Standing;
use guanxi_model::{Gene, LogId, Logs, Uid};
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// How users stand, whom pages show.
pub type StandingsCache = KnownCache<Uid, Standing>;

/// What is held of a key. The default stands in free slots.
pub trait KnownValue: Clone + Default {
    /// Whether a value is all in its slot.
    const INLINE: bool = true;

    /// Bytes of its allocation, about.
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl KnownValue for Standing {}

/// The bit of `as_of` that readers set; lets eviction spare what pages ask for.
const REFERENCED: u64 = 1 << 63;

/// A value as of an event.
#[derive(Debug, Default)]
pub struct KnownEntry<V> {
    value: V,
    /// The event of the key's log as of which it was read, and [`REFERENCED`].
    as_of: AtomicU64,
}

impl<V> KnownEntry<V> {
    /// A value as its rows tell it, as of an event of its log.
    pub const fn new(as_of: u64, value: V) -> Self {
        Self { value, as_of: AtomicU64::new(as_of) }
    }

    fn touch(&self) {
        // A write only when needed keeps the cache line shared between readers.
        if self.as_of.load(Ordering::Relaxed) & REFERENCED == 0 {
            self.as_of.fetch_or(REFERENCED, Ordering::Relaxed);
        }
    }
}

impl<V: Clone> Clone for KnownEntry<V> {
    fn clone(&self) -> Self {
        Self::new(self.as_of.load(Ordering::Relaxed), self.value.clone())
    }
}

impl<V: KnownValue> Entry for KnownEntry<V> {
    /// An event has told something of the key.
    type Change = ();
    const INLINE: bool = V::INLINE;

    fn heap_bytes(&self) -> usize {
        self.value.heap_bytes()
    }

    fn untouch(&self) -> bool {
        self.as_of.fetch_and(!REFERENCED, Ordering::Relaxed) & REFERENCED != 0
    }

    fn as_of(&self) -> u64 {
        self.as_of.load(Ordering::Relaxed) & !REFERENCED
    }

    fn after(&self, seq: u64, (): &()) -> Option<Self> {
        (self.as_of() >= seq).then(|| self.clone())
    }
}

/// What memory holds of keys.
pub struct KnownCache<K, V: KnownValue> {
    cache: Cache<KnownEntry<V>>,
    /// Of each gene the last event of its log that may have been about any key of it.
    about_any: Vec<AtomicU64>,
    key: PhantomData<fn(K)>,
}

impl<K: CacheKey, V: KnownValue> KnownCache<K, V> {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        let about_any = (0..=u8::MAX).map(|_| AtomicU64::new(0)).collect();
        Self { cache: Cache::new(bytes), about_any, key: PhantomData }
    }

    /// The values of some keys as of a cut, in order; `None` of a key that memory cannot tell.
    pub fn at(&self, keys: &[K], cut: &impl Cut) -> Vec<Option<V>> {
        let held = self.cache.read();
        held.warm(keys.iter().copied());
        let told = |key: &K| {
            let entry = held.get(*key)?;
            let is_right = entry.as_of() <= cut.seq_of(*key) && entry.as_of() >= self.about_any(*key);
            is_right.then(|| {
                entry.touch();
                entry.value.clone()
            })
        };
        keys.iter().map(told).collect()
    }

    fn about_any(&self, key: K) -> u64 {
        self.about_any[usize::from(K::gene_of(key.raw()).0)].load(Ordering::Acquire)
    }

    /// Registers fills of keys that memory does not have; the rows that are read for them come after.
    pub fn begin_fills(&self, keys: impl IntoIterator<Item = K>) -> Fills<'_, KnownEntry<V>> {
        self.cache.begin_fills(keys)
    }

    /// Forgets keys of which an event of their log tells something, before the event is in a published cut.
    pub fn follow(&self, events: &[(u64, K)]) {
        if events.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        events.iter().for_each(|(seq, key)| held.change(*key, *seq, &()));
    }

    /// Tells nothing any more of keys of a gene that is older than an event of its log, which does not say which key it is about.
    pub fn follow_any(&self, gene: Gene, seq: u64) {
        self.about_any[usize::from(gene.0)].fetch_max(seq, Ordering::AcqRel);
    }

    /// Forgets all keys of some logs. It looks at all keys that are held.
    pub fn forget_logs(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        self.cache.forget_logs::<K>(logs, gone);
        let genes = (0..=u8::MAX).map(Gene).zip(&self.about_any);
        let gone = genes.filter(|(gene, _)| gone.contains(&logs.of_gene(*gene)));
        gone.for_each(|(_, seq)| seq.store(0, Ordering::Release));
    }

    /// Bytes held, about, and keys held.
    pub fn size(&self) -> (usize, usize) {
        let held = self.cache.read();
        (held.bytes(), held.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::At;
    use guanxi_model::user::UserStatus;

    fn uid(n: u64) -> Uid {
        Uid::new(n).unwrap()
    }

    fn gone() -> Standing {
        Standing { status: UserStatus::Deactivated, ..Standing::default() }
    }

    #[test]
    fn a_value_holds_from_its_event_until_the_next_one() {
        let users = StandingsCache::new(1 << 20);
        let read = [Some(KnownEntry::new(5, gone())), Some(KnownEntry::new(5, Standing::default()))];
        users.begin_fills([uid(1), uid(2)]).keep(read);
        assert_eq!(
            users.at(&[uid(2), uid(3), uid(1)], &At(5, 0)),
            [Some(Standing::default()), None, Some(gone())]
        );
        assert_eq!(users.at(&[uid(1)], &At(4, 0)), [None], "an older cut asks its tables");
        users.follow(&[(5, uid(1)), (6, uid(2))]);
        assert_eq!(users.at(&[uid(1), uid(2)], &At(6, 0)), [Some(gone()), None], "it has event 5 already");
    }

    #[test]
    fn what_is_being_read_is_not_kept_if_an_event_beyond_it_has_come() {
        let users = StandingsCache::new(1 << 20);
        let fill = users.begin_fills([uid(1), uid(2)]);
        users.follow(&[(5, uid(1)), (6, uid(2))]);
        fill.keep([5, 5].map(|as_of| Some(KnownEntry::new(as_of, gone()))));
        assert_eq!(users.at(&[uid(1), uid(2)], &At(9, 0)), [Some(gone()), None]);
    }

    #[test]
    fn an_event_that_may_be_about_any_key_ends_what_is_older() {
        let users = StandingsCache::new(1 << 20);
        let (of_one, of_other) = (uid(0x101), uid(0x102));
        let keep = |uid, as_of| users.begin_fills([uid]).keep([Some(KnownEntry::new(as_of, gone()))]);
        keep(of_one, 5);
        keep(of_other, 5);
        let fill = users.begin_fills([uid(0x201)]);
        users.follow_any(Gene(1), 6);
        fill.keep([Some(KnownEntry::new(5, gone()))]);
        let told = |uid| users.at(&[uid], &At(9, 0))[0];
        assert_eq!((told(of_one), told(of_other), told(uid(0x201))), (None, Some(gone()), None));
        keep(of_one, 6);
        assert_eq!(told(of_one), Some(gone()), "it has that event");
        users.forget_logs(Logs::PerGene, &BTreeSet::from([LogId(1)]));
        keep(of_one, 2);
        assert_eq!(told(of_one), Some(gone()), "the log has begun anew");
    }
}
