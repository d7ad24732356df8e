//! Resident inboxes, in memory: nothing of them is on the disk, and any of them may go at any time.
//!
//! A header of 64 bytes and eight to ten bytes per id, against about 129 bytes per id of a sorted set in Redis. What
//! an inbox vouches for is the port's matter ([`guanxi_ports::inbox`]); here it is only kept true: each dropped id
//! raises the floor, and the skips are forgotten only after all inboxes were dropped.

mod index;
mod resident;
mod shard;

use guanxi_model::{EventAt, FanoutPolicy, HistoryId, Position, PostId, Result, Uid};
use guanxi_ports::{
    ActiveCursor, ActivePage, BoxFuture, Coverage, FillTicket, Inbox, InboxFill, InboxRead, InboxStats,
    Offer, Offered, SKIPS_MAX, Skips,
};
use shard::{InboxKey, InboxShard, SHARDS};
use std::future::ready;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

/// The inboxes of frequent readers, in a byte budget: beyond it, the inboxes of the readers who were away longest are
/// dropped.
pub struct Inboxes {
    history: HistoryId,
    shards: Vec<Mutex<InboxShard>>,
    /// Held while the shards take a policy over, so that they all have the same in the end.
    policy: Mutex<FanoutPolicy>,
    skips: RwLock<Arc<Skips>>,
    covered: AtomicU64,
    /// The latest time that any caller named; each shard keeps its bucket, too, under its lock.
    now_ms: AtomicU64,
    delivered: AtomicU64,
    deliveries: metrics::Counter,
}

impl Inboxes {
    /// A budget that fits a small machine: half a gibibyte, about seventy thousand full inboxes.
    pub const BYTES_DEFAULT: u64 = 512 << 20;

    /// Makes an empty set of inboxes for the store with this history, which never takes more than about this many
    /// bytes. A budget of 0 keeps none.
    pub fn new(history: HistoryId, bytes: u64) -> Self {
        let budget = usize::try_from(bytes).unwrap_or(usize::MAX) / SHARDS;
        let inboxes = Self {
            history,
            shards: (0..SHARDS).map(|_| Mutex::new(InboxShard::new(history, budget))).collect(),
            policy: Mutex::default(),
            skips: RwLock::default(),
            covered: AtomicU64::new(0),
            now_ms: AtomicU64::new(0),
            delivered: AtomicU64::new(0),
            deliveries: metrics::counter!("guanxi_deliveries_total"),
        };
        inboxes.count(0);
        inboxes
    }

    fn all(&self) -> impl Iterator<Item = MutexGuard<'_, InboxShard>> {
        self.shards.iter().map(|shard| shard.lock().expect("nobody panics while holding a shard"))
    }

    /// The shard of a viewer, and its key there.
    fn of(&self, viewer: Uid) -> (MutexGuard<'_, InboxShard>, InboxKey) {
        let (shard, key) = InboxKey::of(viewer);
        (self.shards[shard].lock().expect("nobody panics while holding a shard"), key)
    }

    /// The time, which never goes back.
    fn advance_time(&self, now_ms: u64) -> u64 {
        self.now_ms.fetch_max(now_ms, Ordering::AcqRel).max(now_ms)
    }

    fn change_skips<T>(&self, change: impl FnOnce(&mut Skips) -> T) -> T {
        let mut skips = self.skips.write().expect("nobody panics while holding the skips");
        change(Arc::make_mut(&mut skips))
    }

    /// In this order: what was offered until `covered` was read is in the inbox that is read after it, or among the
    /// skips.
    fn read_now(&self, viewer: Uid, below: Option<PostId>, max: usize, now_ms: u64) -> InboxRead {
        let now_ms = self.advance_time(now_ms);
        let covered = self.covered_now();
        let skips = self.skips.read().expect("nobody panics while holding the skips").clone();
        let (mut shard, key) = self.of(viewer);
        let slice = shard.visit(key, below, max, now_ms);
        InboxRead { coverage: Coverage::new(covered, skips), slice }
    }

    fn covered_now(&self) -> Position {
        Position::one(self.history, self.covered.load(Ordering::Acquire))
    }

    fn begin_now(&self, viewer: Uid, now_ms: u64) -> Option<FillTicket> {
        let now_ms = self.advance_time(now_ms);
        let (mut shard, key) = self.of(viewer);
        let ticket = shard.pushes().then(|| shard.begin(key, now_ms))?;
        // Read after the registration: what is covered by now was offered before or after it, and is in the store.
        Some(FillTicket { viewer, ticket, covered: self.covered_now() })
    }

    fn fill_now(&self, ticket: &FillTicket, fill: InboxFill) -> bool {
        let (mut shard, key) = self.of(ticket.viewer);
        shard.fill(key, ticket.ticket, fill)
    }

    /// Each shard is locked once, for all of its readers.
    fn offer_now(&self, id: PostId, readers: &[Uid]) -> Offered {
        let (keys, ends) = by_shard(readers);
        let mut offered = Offered::default();
        let mut start = 0;
        for (shard, end) in self.shards.iter().zip(ends) {
            if start < end {
                let mut shard = shard.lock().expect("nobody panics while holding a shard");
                let part = shard.offer(id, &keys[start..end]);
                offered.delivered += part.delivered;
                offered.unchanged += part.unchanged;
            }
            start = end;
        }
        self.delivered.fetch_add(offered.delivered, Ordering::Relaxed);
        self.deliveries.increment(offered.delivered);
        offered
    }

    fn skip_now(&self, author: Uid, at: EventAt) {
        let overflows = self.change_skips(|skips| {
            let last = skips.entry(author).or_insert(at);
            *last = last.later(at);
            skips.len() > SKIPS_MAX
        });
        if overflows {
            // In this order: no reader finds an old inbox together with the new, empty skips. What is built from here on is built from a
            // view that has every skipped event.
            self.all().for_each(|mut shard| shard.clear());
            self.change_skips(Skips::clear);
        }
    }

    fn unskip_now(&self, author: Uid, at: EventAt, earlier: Option<EventAt>) {
        self.change_skips(|skips| {
            if skips.get(&author) == Some(&at) {
                match earlier {
                    Some(earlier) => drop(skips.insert(author, earlier)),
                    None => drop(skips.remove(&author)),
                }
            }
        });
    }

    fn configure_now(&self, policy: &FanoutPolicy) {
        let mut held = self.policy.lock().expect("nobody panics while holding the policy");
        if *held != *policy {
            *held = *policy;
            self.all().for_each(|mut shard| shard.configure(policy));
        }
    }

    fn evict_now(&self, viewer: Uid) {
        let (mut shard, key) = self.of(viewer);
        shard.evict(key);
    }

    fn sweep_now(&self, now_ms: u64) -> u64 {
        let now_ms = self.advance_time(now_ms);
        let swept = self.all().map(|mut shard| shard.sweep(now_ms)).sum();
        self.count(now_ms);
        swept
    }

    fn stats_now(&self, now_ms: u64) -> InboxStats {
        let now_ms = now_ms.max(self.now_ms.load(Ordering::Acquire));
        let delivered = self.delivered.load(Ordering::Relaxed);
        let skips = self.skips.read().expect("nobody panics while holding the skips").len() as u64;
        InboxStats { delivered, skips, ..self.count(now_ms) }
    }

    /// Counts in one pass, and refreshes the gauges.
    fn count(&self, now_ms: u64) -> InboxStats {
        let mut stats = InboxStats::default();
        self.all().for_each(|shard| shard.count(now_ms, &mut stats));
        metrics::gauge!("guanxi_inbox_resident").set(stats.resident as f64);
        metrics::gauge!("guanxi_inbox_entries").set(stats.entries as f64);
        metrics::gauge!("guanxi_inbox_bytes").set(stats.bytes as f64);
        stats
    }
}

/// Readers in the order of their shards, and where each shard's end: a counting sort.
fn by_shard(readers: &[Uid]) -> (Vec<InboxKey>, [usize; SHARDS]) {
    let keyed: Vec<(usize, InboxKey)> = readers.iter().map(|reader| InboxKey::of(*reader)).collect();
    let mut ends = [0; SHARDS];
    keyed.iter().for_each(|(shard, _)| ends[*shard] += 1);
    let mut places = [0; SHARDS];
    let mut total = 0;
    for (place, end) in places.iter_mut().zip(&mut ends) {
        *place = total;
        total += *end;
        *end = total;
    }
    let mut sorted: Vec<InboxKey> = keyed.iter().map(|(_, key)| *key).collect();
    for (shard, key) in keyed {
        sorted[places[shard]] = key;
        places[shard] += 1;
    }
    (sorted, ends)
}

/// A future that is ready: memory needs no waiting.
fn now<'a, T: Send + 'a>(answer: T) -> BoxFuture<'a, Result<T>> {
    Box::pin(ready(Ok(answer)))
}

impl Inbox for Inboxes {
    fn configure<'a>(&'a self, policy: &'a FanoutPolicy) -> BoxFuture<'a, Result<()>> {
        self.configure_now(policy);
        now(())
    }

    fn read(
        &self,
        viewer: Uid,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>> {
        now(self.read_now(viewer, below, max, now_ms))
    }

    fn begin(&self, viewer: Uid, now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>> {
        now(self.begin_now(viewer, now_ms))
    }

    fn fill(&self, ticket: FillTicket, fill: InboxFill) -> BoxFuture<'_, Result<bool>> {
        now(self.fill_now(&ticket, fill))
    }

    fn offer<'a>(&'a self, offers: &'a [Offer<'a>]) -> BoxFuture<'a, Result<Vec<Offered>>> {
        now(offers.iter().map(|offer| self.offer_now(offer.id, offer.readers)).collect())
    }

    /// A page is a shard.
    fn active(
        &self,
        _author: Uid,
        after: Option<ActiveCursor>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<ActivePage>> {
        let shard = after.map_or(0, |ActiveCursor(shard)| shard);
        let at = usize::try_from(shard).unwrap_or(usize::MAX);
        let mut readers = Vec::new();
        let now_ms = self.advance_time(now_ms);
        if let Some(shard) = self.shards.get(at) {
            shard.lock().expect("nobody panics while holding a shard").active(now_ms, &mut readers);
        }
        let next = (at < self.shards.len() - 1).then(|| ActiveCursor(shard + 1));
        now(ActivePage { readers, next })
    }

    fn skip(&self, author: Uid, at: EventAt) -> BoxFuture<'_, Result<()>> {
        self.skip_now(author, at);
        now(())
    }

    fn unskip(&self, author: Uid, at: EventAt, earlier: Option<EventAt>) -> BoxFuture<'_, Result<()>> {
        self.unskip_now(author, at, earlier);
        now(())
    }

    fn advance(&self, covered: EventAt) -> BoxFuture<'_, Result<()>> {
        self.covered.fetch_max(covered.seq(), Ordering::AcqRel);
        now(())
    }

    fn covered(&self) -> BoxFuture<'_, Result<Position>> {
        now(self.covered_now())
    }

    fn evict(&self, viewer: Uid) -> BoxFuture<'_, Result<()>> {
        self.evict_now(viewer);
        now(())
    }

    fn sweep(&self, now_ms: u64) -> BoxFuture<'_, Result<u64>> {
        now(self.sweep_now(now_ms))
    }

    fn stats(&self, now_ms: u64) -> BoxFuture<'_, Result<InboxStats>> {
        now(self.stats_now(now_ms))
    }
}

#[cfg(test)]
mod tests;
