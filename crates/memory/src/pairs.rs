//! Relations of pairs of users, as the log of the first user tells them: answers that hold until an event names both.
//!
//! A backend whose rows tell all of a pair beside its first user need not hold whole users to answer checks. It asks its tables for a
//! pair once, and keeps the answer. Each event about the two in the log of the first forgets it, so that no rule of what an
//! event changes is repeated here.

use crate::cache::{Cache, CacheEntries, CacheKey, Entry, Fills, hash};
use guanxi_model::{Gene, LogId, Logs, Relation, RequestKind, Stamp, Uid};
use std::collections::BTreeSet;
use std::sync::RwLockReadGuard;
use std::sync::atomic::{AtomicU16, Ordering};

/// A pair, as it is found: by a hash, whose last byte is the gene of the first user. Two pairs may have the same; an entry says of
/// which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairKey(u64);

impl PairKey {
    const fn gene(raw: u64) -> Gene {
        Gene(raw as u8)
    }

    fn of((subject, object): (Uid, Uid)) -> Self {
        Self::of_ids((subject.get(), object.get()), subject.gene())
    }

    /// The key of two ids, in the log of a gene.
    pub(crate) fn of_ids((first, second): (u64, u64), gene: Gene) -> Self {
        let mixed = hash(first) ^ hash(second).rotate_left(23);
        // No key is 0, also of gene 0.
        Self((mixed << 9) | 0x100 | u64::from(gene.0))
    }
}

impl CacheKey for PairKey {
    fn raw(self) -> u64 {
        self.0
    }

    fn gene_of(raw: u64) -> Gene {
        Self::gene(raw)
    }
}

/// Set by readers; lets eviction spare a pair that is asked for.
const REFERENCED: u16 = 1 << 15;
const FOLLOWS: u16 = 1;
const FRIENDS: u16 = 1 << 1;
const FOLLOWED_BY: u16 = 1 << 2;
const BLOCKING: u16 = 1 << 3;
const BLOCKED_BY: u16 = 1 << 4;
const MUTING: u16 = 1 << 5;
const REQUESTED: [u16; 2] = [1 << 6, 1 << 7];
const REQUESTED_BY: [u16; 2] = [1 << 8, 1 << 9];

/// The relation of the first user of a pair to the second.
#[derive(Debug, Default)]
pub struct PairEntry {
    subject: u64,
    object: u64,
    as_of: u64,
    following_since: Stamp,
    friends_since: Stamp,
    flags: AtomicU16,
}

const fn kind_flag(kind: Option<RequestKind>, flags: [u16; 2]) -> u16 {
    match kind {
        None => 0,
        Some(RequestKind::Follow) => flags[0],
        Some(RequestKind::Friend) => flags[1],
    }
}

// What docs say of a relation in memory, with its key.
const _: () = assert!(size_of::<PairEntry>() == 48);

impl PairEntry {
    /// A relation as its rows tell it, as of an event of the first user's log.
    pub fn new((subject, object): (Uid, Uid), as_of: u64, relation: Relation) -> Self {
        let flag = |is_set: bool, flag: u16| if is_set { flag } else { 0 };
        let flags = flag(relation.following_since.is_some(), FOLLOWS)
            | flag(relation.friends_since.is_some(), FRIENDS)
            | flag(relation.followed_by, FOLLOWED_BY)
            | flag(relation.blocking, BLOCKING)
            | flag(relation.blocked_by, BLOCKED_BY)
            | flag(relation.muting, MUTING)
            | kind_flag(relation.requested, REQUESTED)
            | kind_flag(relation.requested_by, REQUESTED_BY);
        Self {
            subject: subject.get(),
            object: object.get(),
            as_of,
            following_since: relation.following_since.unwrap_or_default(),
            friends_since: relation.friends_since.unwrap_or_default(),
            flags: AtomicU16::new(flags),
        }
    }

    fn is_of(&self, (subject, object): (Uid, Uid)) -> bool {
        (self.subject, self.object) == (subject.get(), object.get())
    }

    fn relation(&self) -> Relation {
        let flags = self.flags.load(Ordering::Relaxed);
        if flags & REFERENCED == 0 {
            self.flags.fetch_or(REFERENCED, Ordering::Relaxed);
        }
        let has = |flag: u16| flags & flag != 0;
        let kind = |[follow, friend]: [u16; 2]| match (has(follow), has(friend)) {
            (true, _) => Some(RequestKind::Follow),
            (false, true) => Some(RequestKind::Friend),
            (false, false) => None,
        };
        Relation {
            following_since: has(FOLLOWS).then_some(self.following_since),
            friends_since: has(FRIENDS).then_some(self.friends_since),
            followed_by: has(FOLLOWED_BY),
            blocking: has(BLOCKING),
            blocked_by: has(BLOCKED_BY),
            muting: has(MUTING),
            requested: kind(REQUESTED),
            requested_by: kind(REQUESTED_BY),
        }
    }
}

impl Clone for PairEntry {
    fn clone(&self) -> Self {
        let Self { subject, object, as_of, following_since, friends_since, .. } = *self;
        let flags = AtomicU16::new(self.flags.load(Ordering::Relaxed));
        Self { subject, object, as_of, following_since, friends_since, flags }
    }
}

impl Entry for PairEntry {
    /// An event has named both.
    type Change = ();
    const INLINE: bool = true;

    fn heap_bytes(&self) -> usize {
        0
    }

    fn untouch(&self) -> bool {
        self.flags.fetch_and(!REFERENCED, Ordering::Relaxed) & REFERENCED != 0
    }

    fn as_of(&self) -> u64 {
        self.as_of
    }

    fn after(&self, seq: u64, (): &()) -> Option<Self> {
        (self.as_of >= seq).then(|| self.clone())
    }
}

/// The relations of pairs that memory holds.
pub struct PairsCache {
    cache: Cache<PairEntry>,
    hits: metrics::Counter,
    misses: metrics::Counter,
}

impl PairsCache {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_user_cache_total", "outcome" => outcome);
        Self { cache: Cache::new(bytes), hits: outcome("hit"), misses: outcome("miss") }
    }

    /// Tells the relations of a user to others, in order, as of an event of the user's log. None unless it can tell all of them. The
    /// relation to oneself is empty.
    pub fn find(&self, subject: Uid, objects: &[Uid], seq: u64) -> Option<Vec<Relation>> {
        let found = self.probe(subject, objects, seq);
        let outcome = if found.is_some() { &self.hits } else { &self.misses };
        outcome.increment(objects.len() as u64);
        found
    }

    fn probe(&self, subject: Uid, objects: &[Uid], seq: u64) -> Option<Vec<Relation>> {
        let held: RwLockReadGuard<'_, CacheEntries<PairEntry>> = self.cache.read();
        held.warm(objects.iter().map(|object| PairKey::of((subject, *object))));
        objects.iter().map(|object| told(&held, (subject, *object), seq)).collect()
    }

    /// Tells the relation within each of some pairs, in order, as of an event of the log of its first user; `None` of a pair that
    /// memory cannot tell, or of which no event is given.
    pub fn find_each(&self, pairs: &[((Uid, Uid), Option<u64>)]) -> Vec<Option<Relation>> {
        let held = self.cache.read();
        held.warm(pairs.iter().map(|(pair, _)| PairKey::of(*pair)));
        let found: Vec<Option<Relation>> =
            pairs.iter().map(|(pair, seq)| told(&held, *pair, (*seq)?)).collect();
        drop(held);
        let hits = found.iter().flatten().count();
        self.hits.increment(hits as u64);
        self.misses.increment((found.len() - hits) as u64);
        found
    }

    /// Registers fills of a user's relations to others; the snapshot that is read for them comes after.
    pub fn begin_fill(&self, subject: Uid, objects: impl IntoIterator<Item = Uid>) -> Fills<'_, PairEntry> {
        self.begin_fills(objects.into_iter().map(|object| (subject, object)))
    }

    /// The same of any pairs.
    pub fn begin_fills(&self, pairs: impl IntoIterator<Item = (Uid, Uid)>) -> Fills<'_, PairEntry> {
        self.cache.begin_fills(pairs.into_iter().map(PairKey::of))
    }

    /// Forgets pairs that an event of the first user's log names, before the event is in a published cut.
    pub fn follow(&self, events: impl IntoIterator<Item = (u64, (Uid, Uid))>) {
        let mut events = events.into_iter().peekable();
        if events.peek().is_none() {
            return;
        }
        let mut held = self.cache.write();
        events.for_each(|(seq, pair)| held.change(PairKey::of(pair), seq, &()));
    }

    /// Forgets all pairs whose first user is of one of some logs. It looks at all pairs that are held.
    pub fn forget_logs(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        self.cache.forget_logs::<PairKey>(logs, gone);
    }

    /// Bytes held, about, and pairs held.
    pub fn size(&self) -> (usize, usize) {
        let held = self.cache.read();
        (held.bytes(), held.count())
    }
}

/// What memory tells of a pair as of an event of the first user's log. The relation to oneself is empty.
fn told(held: &CacheEntries<PairEntry>, pair: (Uid, Uid), seq: u64) -> Option<Relation> {
    if pair.0 == pair.1 {
        return Some(Relation::default());
    }
    let entry = held.get(PairKey::of(pair))?;
    (entry.is_of(pair) && entry.as_of <= seq).then(|| entry.relation())
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::Logs;

    fn u(uid: u64) -> Uid {
        Uid::new(uid).unwrap()
    }

    fn follows(ms: u64) -> Relation {
        Relation { following_since: Some(Stamp::from_ms(ms)), ..Relation::default() }
    }

    fn keep(cache: &PairsCache, pair: (Uid, Uid), as_of: u64, relation: Relation) {
        cache.begin_fill(pair.0, [pair.1]).keep([Some(PairEntry::new(pair, as_of, relation))]);
    }

    fn at(cache: &PairsCache, pair: (Uid, Uid), seq: u64) -> Option<Relation> {
        Some(cache.find(pair.0, &[pair.1], seq)?[0])
    }

    #[test]
    fn every_relation_is_told_as_it_was_kept() {
        let cache = PairsCache::new(1 << 20);
        let kinds = [None, Some(RequestKind::Follow), Some(RequestKind::Friend)];
        for n in 0..(1_u64 << 6) * 9 {
            let is = |bit: u64| n >> bit & 1 == 1;
            let relation = Relation {
                following_since: is(0).then(|| Stamp::from_raw(n + 1)),
                friends_since: is(1).then_some(Stamp::ZERO),
                followed_by: is(2),
                blocking: is(3),
                blocked_by: is(4),
                muting: is(5),
                requested: kinds[(n >> 6) as usize % 3],
                requested_by: kinds[(n >> 6) as usize / 3],
            };
            let pair = (u(n + 1), u(n + 2));
            keep(&cache, pair, 1, relation);
            assert_eq!(at(&cache, pair, 1), Some(relation));
            assert_eq!(at(&cache, (pair.1, pair.0), 1), None, "the other way round is another pair");
        }
    }

    #[test]
    fn a_pair_holds_until_an_event_names_it() {
        let cache = PairsCache::new(1 << 20);
        let (one, other) = ((u(1), u(2)), (u(1), u(3)));
        keep(&cache, one, 5, follows(1));
        keep(&cache, other, 7, follows(2));
        assert_eq!(at(&cache, one, 5), Some(follows(1)));
        assert_eq!(at(&cache, one, 4), None, "an older cut");
        assert_eq!(
            cache.find(u(1), &[u(2), u(1), u(3)], 7),
            Some(vec![follows(1), Relation::default(), follows(2)])
        );
        assert_eq!(cache.find(u(1), &[u(2), u(3)], 6), None, "one of them is newer");
        cache.follow([(6, other), (5, one)]);
        assert_eq!((at(&cache, one, 9), at(&cache, other, 9)), (Some(follows(1)), Some(follows(2))));
        cache.follow([(8, one)]);
        assert_eq!((at(&cache, one, 9), at(&cache, other, 9)), (None, Some(follows(2))));
    }

    #[test]
    fn pairs_are_told_each_as_of_its_own_log() {
        let cache = PairsCache::new(1 << 20);
        let (one, other) = ((u(1), u(2)), (u(3), u(2)));
        keep(&cache, one, 5, follows(1));
        keep(&cache, other, 7, follows(2));
        let itself = (u(4), u(4));
        let asked = [(one, Some(5)), (other, Some(6)), (itself, Some(1)), (other, Some(7)), (one, None)];
        let nothing = Some(Relation::default());
        assert_eq!(cache.find_each(&asked), [Some(follows(1)), None, nothing, Some(follows(2)), None]);
    }

    #[test]
    fn an_event_during_a_fill_strikes_it_unless_the_snapshot_has_it() {
        let (cache, pair) = (PairsCache::new(1 << 20), (u(1), u(2)));
        for (came, read_at, is_kept) in [(6, 6, true), (6, 5, false), (6, 7, true)] {
            let fill = cache.begin_fill(pair.0, [pair.1]);
            cache.follow([(came, pair)]);
            fill.keep([Some(PairEntry::new(pair, read_at, follows(1)))]);
            assert_eq!(at(&cache, pair, 9).is_some(), is_kept, "{came}, {read_at}");
            cache.follow([(9, pair)]);
        }
    }

    #[test]
    fn a_log_is_forgotten_as_a_whole_and_others_stay() {
        let cache = PairsCache::new(1 << 20);
        let (one, other) = ((u(0x101), u(2)), (u(0x102), u(1)));
        keep(&cache, one, 1, follows(1));
        keep(&cache, other, 1, follows(1));
        let fill = cache.begin_fill(u(0x201), [u(9)]);
        cache.forget_logs(Logs::PerGene, &BTreeSet::from([LogId(1), LogId(7)]));
        fill.keep([Some(PairEntry::new((u(0x201), u(9)), 1, follows(1)))]);
        assert_eq!(at(&cache, one, 1), None);
        assert_eq!(at(&cache, (u(0x201), u(9)), 1), None, "a fill of it is struck");
        assert_eq!(at(&cache, other, 1), Some(follows(1)));
        assert!(cache.size().1 == 1);
    }

    #[test]
    fn without_bytes_nothing_is_kept() {
        let cache = PairsCache::new(0);
        keep(&cache, (u(1), u(2)), 1, follows(1));
        assert_eq!(at(&cache, (u(1), u(2)), 1), None);
    }
}
