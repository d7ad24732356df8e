//! A shard of the inboxes: headers side by side in one array, found through an index.

use super::index::Index;
use super::resident::Resident;
use guanxi_model::{FanoutMode, FanoutPolicy, PostId, Uid};
use guanxi_ports::{InboxFill, InboxSlice, InboxStats, Offered};
use std::num::NonZeroU32;
use xxhash_rust::xxh3::xxh3_64;

/// Shards; a power of two. A page of followers gives each a dozen, whose cache misses overlap.
pub(super) const SHARDS: usize = 16;

/// Inboxes that an eviction looks at: the one that was not visited for longest among them goes.
const SAMPLE: usize = 8;

/// A viewer and where to look for it.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub viewer: Uid,
    tag: u32,
}

impl Key {
    /// The shard of a viewer, and its key there.
    pub fn of(viewer: Uid) -> (usize, Self) {
        let hash = xxh3_64(&viewer.get().to_le_bytes());
        ((hash >> 32) as usize % SHARDS, Self { viewer, tag: hash as u32 })
    }
}

/// A reader of an offer who has an inbox.
struct Target {
    key: Key,
    /// The position of the inbox.
    at: u32,
    /// Whether the id is newer than all that the inbox holds.
    appends: bool,
}

/// Some of the inboxes, within a byte budget.
pub(super) struct Shard {
    pub policy: FanoutPolicy,
    index: Index,
    residents: Vec<Resident>,
    /// Bytes of all arrays of ids.
    heap_bytes: usize,
    entries: usize,
    budget: usize,
    /// Where the next eviction looks.
    hand: usize,
    last_ticket: u32,
    /// Reused by every offer.
    targets: Vec<Target>,
}

impl Shard {
    pub fn new(budget: usize) -> Self {
        Self {
            policy: FanoutPolicy::default(),
            index: Index::new(),
            residents: Vec::new(),
            heap_bytes: 0,
            entries: 0,
            budget,
            hand: 0,
            last_ticket: 0,
            targets: Vec::new(),
        }
    }

    /// Drops every inbox, registered ones included.
    pub fn clear(&mut self) {
        // Tickets go on, so that no fill of before is taken for one of after.
        let old = std::mem::replace(self, Self::new(self.budget));
        self.policy = old.policy;
        self.last_ticket = old.last_ticket;
    }

    /// Registers an inbox. One that does not fit into the budget is not, and its fill is refused.
    pub fn begin(&mut self, key: Key, now_ms: u64) -> u64 {
        self.last_ticket = self.last_ticket.wrapping_add(1).max(1);
        let ticket = NonZeroU32::new(self.last_ticket).unwrap_or(NonZeroU32::MIN);
        let resident = Resident::new(key.viewer, now_ms, ticket);
        if let Some(at) = self.find(key) {
            self.account_out(at);
            self.residents[at] = resident;
        } else if self.has_room() {
            self.index.insert(key.tag, self.residents.len() as u32);
            self.residents.push(resident);
        }
        u64::from(ticket.get())
    }

    /// Fills a registered inbox, and answers whether it was still registered.
    pub fn fill(&mut self, key: Key, ticket: u64, fill: InboxFill) -> bool {
        let Some(at) = self.find(key).filter(|at| self.residents[*at].waits_for(ticket)) else {
            return false;
        };
        self.account_out(at);
        let cap = self.policy.inbox_cap as usize;
        self.residents[at].fill(fill, cap);
        self.account_in(at);
        self.keep_to_budget();
        true
    }

    /// A visit: the newest ids below a place.
    pub fn visit(&mut self, key: Key, below: Option<PostId>, max: usize, now_ms: u64) -> Option<InboxSlice> {
        let at = self.find(key)?;
        if self.policy.mode == FanoutMode::Hybrid && !self.is_active(&self.residents[at], now_ms) {
            self.remove_at(at);
            return None;
        }
        self.residents[at].visited_ms = now_ms;
        self.residents[at].slice(below, max)
    }

    /// Offers an id to many. Each pass reads one thing of every reader, so that the cache misses of a pass overlap:
    /// the index, the headers, the ends of the arrays.
    pub fn offer(&mut self, id: PostId, readers: &[Key]) -> Offered {
        let mut targets = std::mem::take(&mut self.targets);
        targets.clear();
        targets.extend(readers.iter().filter_map(|key| {
            let at = self.index.positions(key.tag).next()?;
            Some(Target { key: *key, at, appends: false })
        }));
        targets.retain_mut(|target| self.check(target));
        for target in &mut targets {
            target.appends = self.residents[target.at as usize].last() < Some(id);
        }
        let mut offered = Offered::default();
        for target in &targets {
            let delivered = self.insert(target, id);
            offered.delivered += u64::from(delivered);
            offered.unchanged += u64::from(!delivered);
        }
        self.targets = targets;
        self.keep_to_budget();
        offered
    }

    /// Checks that a target is its viewer's. Another viewer may have the same tag, and the right one come after it.
    fn check(&self, target: &mut Target) -> bool {
        if self.residents[target.at as usize].viewer == target.key.viewer {
            return true;
        }
        let right = self.find(target.key);
        target.at = right.unwrap_or_default() as u32;
        right.is_some()
    }

    fn insert(&mut self, target: &Target, id: PostId) -> bool {
        let cap = self.policy.inbox_cap as usize;
        let resident = &mut self.residents[target.at as usize];
        self.heap_bytes -= resident.heap_bytes();
        self.entries -= resident.len();
        let delivered = if target.appends { resident.append(id, cap) } else { resident.insert(id, cap) };
        self.heap_bytes += resident.heap_bytes();
        self.entries += resident.len();
        delivered
    }

    /// Adds the viewers who were here in this activity bucket or the one before.
    pub fn active(&self, now_ms: u64, into: &mut Vec<Uid>) {
        let active = self.residents.iter().filter(|resident| self.is_active(resident, now_ms));
        into.extend(active.map(|resident| resident.viewer));
    }

    /// Drops an inbox.
    pub fn evict(&mut self, key: Key) {
        if let Some(at) = self.find(key) {
            self.remove_at(at);
        }
    }

    /// Drops the inboxes that were not visited for the policy's time, and answers how many.
    pub fn sweep(&mut self, now_ms: u64) -> u64 {
        let before = self.residents.len();
        // From the end, since what takes the place of a removed one comes from there.
        for at in (0..before).rev() {
            if now_ms.saturating_sub(self.residents[at].visited_ms) > self.policy.cold_after_ms {
                self.remove_at(at);
            }
        }
        (before - self.residents.len()) as u64
    }

    /// Adds the shard's numbers.
    pub fn count(&self, stats: &mut InboxStats) {
        stats.resident += self.residents.len() as u64;
        stats.entries += self.entries as u64;
        stats.bytes += self.bytes() as u64;
    }

    pub fn active_len(&self, now_ms: u64) -> u64 {
        self.residents.iter().filter(|resident| self.is_active(resident, now_ms)).count() as u64
    }

    fn is_active(&self, resident: &Resident, now_ms: u64) -> bool {
        let bucket = |ms: u64| ms / self.policy.active_bucket_ms.max(1);
        bucket(now_ms).saturating_sub(bucket(resident.visited_ms)) <= 1
    }

    fn find(&self, key: Key) -> Option<usize> {
        let positions = self.index.positions(key.tag).map(|at| at as usize);
        let mut same = positions.filter(|at| self.residents[*at].viewer == key.viewer);
        same.next()
    }

    const fn bytes(&self) -> usize {
        self.table_bytes() + self.heap_bytes
    }

    const fn table_bytes(&self) -> usize {
        self.residents.capacity() * size_of::<Resident>() + self.index.bytes()
    }

    /// Makes room for one more header. Headers may take half of the budget; beyond that, others go instead.
    fn has_room(&mut self) -> bool {
        let full = self.residents.len() == self.residents.capacity();
        let more = self.residents.len() / 8 + 8;
        let headers = if full { more * size_of::<Resident>() } else { 0 };
        let index = if self.index.is_dense() { self.index.bytes() } else { 0 };
        if headers + index > 0 && self.table_bytes() + headers + index > self.budget / 2 {
            self.evict_one();
            return !self.index.is_dense() && self.residents.len() < self.residents.capacity();
        }
        if full {
            self.residents.reserve_exact(more);
            self.keep_to_budget();
        }
        self.bytes() <= self.budget
    }

    fn keep_to_budget(&mut self) {
        while self.bytes() > self.budget && !self.residents.is_empty() {
            self.evict_one();
        }
    }

    /// Drops one of the next few: the one that was not visited for longest.
    fn evict_one(&mut self) {
        let len = self.residents.len();
        let next = (0..len.min(SAMPLE)).map(|step| (self.hand + step) % len);
        if let Some(at) = next.min_by_key(|at| self.residents[*at].visited_ms) {
            self.hand = (self.hand + SAMPLE) % len;
            self.remove_at(at);
        }
    }

    fn remove_at(&mut self, at: usize) {
        self.account_out(at);
        let gone = self.residents.swap_remove(at);
        self.index.remove(Key::of(gone.viewer).1.tag, at as u32);
        if let Some(moved) = self.residents.get(at) {
            self.index.repoint(Key::of(moved.viewer).1.tag, self.residents.len() as u32, at as u32);
        }
    }

    fn account_in(&mut self, at: usize) {
        self.heap_bytes += self.residents[at].heap_bytes();
        self.entries += self.residents[at].len();
    }

    fn account_out(&mut self, at: usize) {
        self.heap_bytes -= self.residents[at].heap_bytes();
        self.entries -= self.residents[at].len();
    }
}
