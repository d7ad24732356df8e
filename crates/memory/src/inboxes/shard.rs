//! A shard of the inboxes: headers side by side in one array, found through an index.
//!
//! # Example
//!
//! A shard that keeps at most 8 ids per inbox (`inbox_cap`), and viewer 7, who has no inbox in it yet. A test replays
//! these steps.
//!
//! 1. **Begin.** [`InboxShard::begin`] appends a [`ResidentInbox`] for viewer 7 to `residents`, say at position 0, and
//!    adds "tag of 7: position 0" to the index. It returns ticket 1. A read finds nothing yet, since the inbox is only
//!    registered.
//! 2. **Offer, before the fill.** Post 50 is offered. The index leads from the tag of 7 to position 0, the inbox there
//!    says that it is viewer 7's, and its ids become `[50]`. This is not counted as delivered.
//! 3. **Fill.** [`InboxShard::fill`] comes with ticket 1 and what the store held when it was read, at event 100: ids
//!    20, 30 and 40, and nothing older, so the floor is 20. Both are merged to `[20, 30, 40, 50]`. With any other
//!    ticket the fill would be refused.
//! 4. **Offers.** 60 is above the last id and is appended: delivered. 30 is there already: unchanged. 10 is below the
//!    floor: unchanged, since readers do not expect the inbox to be complete there.
//! 5. **Cut.** 70, 80 and 90 are appended, which makes 8 ids. With 100 there are 9, one more than the cap, so the
//!    newest 7 are kept (the cap less an eighth, so that the next cut is an eighth of the cap away):
//!    `[40, 50, 60, 70, 80, 90, 100]`. The floor rises to 40.
//! 6. **Read.** [`InboxShard::visit`] for at most 2 ids below 80 returns 70 and 60, newest first, with the floor 40 and
//!    the event 100. Posts below 40 have to come from outboxes, and so do those that the fan-out has not offered.
//! 7. **Evict.** If viewer 9 has the inbox at position 1 and that of viewer 7 is dropped, the last inbox takes the free
//!    place: viewer 9's moves to position 0, and the index entry of 9 is pointed there.

use super::index::InboxIndex;
use super::resident::ResidentInbox;
use crate::cache::hash;
use guanxi_model::limits::INBOX_CAP_MAX;
use guanxi_model::{FanoutMode, FanoutPolicy, HistoryId, PostId, Uid};
use guanxi_ports::{InboxFill, InboxSlice, InboxStats, Offered};

/// Shards; a power of two. A page of followers gives each a dozen, whose cache misses overlap.
pub(super) const SHARDS: usize = 16;

/// Inboxes that an eviction looks at: the one that was not visited for longest among them goes.
const SAMPLE: usize = 8;

/// A viewer and where to look for it.
#[derive(Clone, Copy)]
pub(super) struct InboxKey {
    pub viewer: Uid,
    tag: u32,
}

impl InboxKey {
    /// The shard of a viewer, and its key there.
    pub(super) fn of(viewer: Uid) -> (usize, Self) {
        let hash = hash(viewer.get());
        ((hash >> 32) as usize % SHARDS, Self { viewer, tag: hash as u32 })
    }
}

/// A reader of an offer who has an inbox.
struct OfferTarget {
    key: InboxKey,
    /// The position of the inbox.
    at: u32,
    /// Whether the id is newer than all that the inbox holds.
    appends: bool,
}

/// Some of the inboxes, within a byte budget.
pub(super) struct InboxShard {
    history: HistoryId,
    policy: FanoutPolicy,
    /// The latest activity bucket that any caller named. A viewer that was passed over as away then must count as away
    /// at every later visit, also when the visitor's clock is behind or jumps back.
    bucket: u32,
    index: InboxIndex,
    residents: Vec<ResidentInbox>,
    /// Bytes of all arrays of ids.
    heap_bytes: usize,
    budget: usize,
    /// Where the next eviction looks.
    hand: usize,
    last_ticket: u64,
    /// Reused by every offer.
    targets: Vec<OfferTarget>,
}

impl InboxShard {
    pub(super) fn new(history: HistoryId, budget: usize) -> Self {
        Self {
            history,
            policy: FanoutPolicy::default(),
            bucket: 0,
            index: InboxIndex::new(),
            residents: Vec::new(),
            heap_bytes: 0,
            budget,
            hand: 0,
            last_ticket: 0,
            targets: Vec::new(),
        }
    }

    /// Returns whether inboxes are kept at all.
    pub(super) fn pushes(&self) -> bool {
        self.policy.mode != FanoutMode::Pull
    }

    /// Takes another policy over, and drops every inbox.
    pub(super) fn configure(&mut self, policy: &FanoutPolicy) {
        self.clear();
        self.policy = *policy;
        // Buckets of another length have other numbers.
        self.bucket = 0;
    }

    /// Drops every inbox, registered ones included.
    pub(super) fn clear(&mut self) {
        // Tickets go on, so that no fill of before is taken for one of after.
        let Self { history, policy, bucket, last_ticket, budget, .. } = *self;
        *self = Self { policy, bucket, last_ticket, ..Self::new(history, budget) };
    }

    /// Registers an inbox. One that does not fit into the budget is not, and its fill is refused.
    pub(super) fn begin(&mut self, key: InboxKey, now_ms: u64) -> u64 {
        self.tick(now_ms);
        self.last_ticket += 1;
        let resident = ResidentInbox::new(key.viewer, now_ms, self.bucket, self.last_ticket);
        if let Some(at) = self.find(key) {
            self.account_out(at);
            self.residents[at] = resident;
        } else if self.has_room() {
            self.index.insert(key.tag, self.residents.len() as u32);
            self.residents.push(resident);
        }
        self.last_ticket
    }

    /// Fills a registered inbox, and returns whether it was still registered.
    pub(super) fn fill(&mut self, key: InboxKey, ticket: u64, fill: InboxFill) -> bool {
        let Some(at) = self.find(key).filter(|at| self.residents[*at].waits_for(ticket)) else {
            return false;
        };
        self.account_out(at);
        let cap = self.cap();
        self.residents[at].fill(fill, cap);
        self.account_in(at);
        self.keep_to_budget();
        true
    }

    /// A visit: the newest ids below a place.
    pub(super) fn visit(
        &mut self,
        key: InboxKey,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> Option<InboxSlice> {
        self.tick(now_ms);
        let at = self.find(key)?;
        if self.policy.mode == FanoutMode::Hybrid && !is_active(&self.residents[at], self.bucket) {
            self.remove_at(at);
            return None;
        }
        let resident = &mut self.residents[at];
        resident.bucket = self.bucket;
        resident.visit_ms = resident.visit_ms.max(now_ms);
        resident.slice(self.history, below, max)
    }

    /// Offers an id to many. Each pass reads one thing of every reader, so that the cache misses of a pass overlap:
    /// the index, the headers, the ends of the arrays.
    pub(super) fn offer(&mut self, id: PostId, readers: &[InboxKey]) -> Offered {
        let mut targets = std::mem::take(&mut self.targets);
        targets.clear();
        targets.extend(readers.iter().filter_map(|key| {
            let at = self.index.positions(key.tag).next()?;
            Some(OfferTarget { key: *key, at, appends: false })
        }));
        targets.retain_mut(|target| self.check(target));
        for target in &mut targets {
            target.appends = self.residents[target.at as usize].last() < Some(id);
        }
        let mut offered = Offered::default();
        for target in &targets {
            match self.insert(target, id) {
                Some(true) => offered.delivered += 1,
                Some(false) => offered.unchanged += 1,
                None => {}
            }
        }
        self.targets = targets;
        self.keep_to_budget();
        offered
    }

    /// Checks that a target is its viewer's. Another viewer may have the same tag, and the right one come after it.
    fn check(&self, target: &mut OfferTarget) -> bool {
        if self.residents[target.at as usize].viewer == target.key.viewer {
            return true;
        }
        let right = self.find(target.key);
        target.at = right.unwrap_or_default() as u32;
        right.is_some()
    }

    /// Returns whether an inbox has changed; `None` for one that is only registered.
    fn insert(&mut self, target: &OfferTarget, id: PostId) -> Option<bool> {
        let cap = self.cap();
        let resident = &mut self.residents[target.at as usize];
        self.heap_bytes -= resident.heap_bytes();
        let delivered = if target.appends { resident.append(id, cap) } else { resident.insert(id, cap) };
        self.heap_bytes += resident.heap_bytes();
        resident.is_filled().then_some(delivered)
    }

    /// Adds the viewers who were here in this activity bucket or the one before.
    pub(super) fn active(&mut self, now_ms: u64, into: &mut Vec<Uid>) {
        self.tick(now_ms);
        let active = self.residents.iter().filter(|resident| is_active(resident, self.bucket));
        into.extend(active.map(|resident| resident.viewer));
    }

    /// Drops an inbox.
    pub(super) fn evict(&mut self, key: InboxKey) {
        if let Some(at) = self.find(key) {
            self.remove_at(at);
        }
    }

    /// Drops the inboxes that were not visited for the policy's time, and returns how many had been filled.
    pub(super) fn sweep(&mut self, now_ms: u64) -> u64 {
        let mut swept = 0;
        // From the end, since what takes the place of a removed one comes from there.
        for at in (0..self.residents.len()).rev() {
            let resident = &self.residents[at];
            if now_ms.saturating_sub(resident.visit_ms) >= self.policy.cold_after_ms {
                swept += u64::from(resident.is_filled());
                self.remove_at(at);
            }
        }
        swept
    }

    /// Adds the shard's numbers: what is filled of inboxes, and all bytes.
    pub(super) fn count(&self, now_ms: u64, stats: &mut InboxStats) {
        let bucket = self.bucket_of(now_ms);
        for resident in self.residents.iter().filter(|resident| resident.is_filled()) {
            stats.resident += 1;
            stats.entries += resident.len() as u64;
            stats.active += u64::from(is_active(resident, bucket));
        }
        stats.bytes += self.bytes() as u64;
    }

    /// Ids of an inbox at most: within the bounds that a policy is checked for.
    fn cap(&self) -> usize {
        self.policy.inbox_cap.clamp(1, INBOX_CAP_MAX) as usize
    }

    /// Notes the time.
    fn tick(&mut self, now_ms: u64) {
        self.bucket = self.bucket_of(now_ms);
    }

    fn bucket_of(&self, now_ms: u64) -> u32 {
        let bucket = now_ms / self.policy.active_bucket_ms.max(1);
        u32::try_from(bucket).unwrap_or(u32::MAX).max(self.bucket)
    }

    fn find(&self, key: InboxKey) -> Option<usize> {
        let positions = self.index.positions(key.tag).map(|at| at as usize);
        let mut same = positions.filter(|at| self.residents[*at].viewer == key.viewer);
        same.next()
    }

    const fn bytes(&self) -> usize {
        self.table_bytes() + self.heap_bytes
    }

    const fn table_bytes(&self) -> usize {
        self.residents.capacity() * size_of::<ResidentInbox>() + self.index.bytes()
    }

    /// Makes room for one more header. Headers may take half of the budget; beyond that, others go instead.
    fn has_room(&mut self) -> bool {
        let full = self.residents.len() == self.residents.capacity();
        let more = self.residents.len() / 8 + 8;
        let headers = if full { more * size_of::<ResidentInbox>() } else { 0 };
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
        if let Some(at) = next.min_by_key(|at| self.residents[*at].visit_ms) {
            self.hand = (self.hand + SAMPLE) % len;
            self.remove_at(at);
        }
    }

    fn remove_at(&mut self, at: usize) {
        self.account_out(at);
        let gone = self.residents.swap_remove(at);
        self.index.remove(InboxKey::of(gone.viewer).1.tag, at as u32);
        if let Some(moved) = self.residents.get(at) {
            self.index.repoint(InboxKey::of(moved.viewer).1.tag, self.residents.len() as u32, at as u32);
        }
    }

    fn account_in(&mut self, at: usize) {
        self.heap_bytes += self.residents[at].heap_bytes();
    }

    fn account_out(&mut self, at: usize) {
        self.heap_bytes -= self.residents[at].heap_bytes();
    }
}

/// Returns whether the viewer was here in this activity bucket or the one before.
const fn is_active(resident: &ResidentInbox, bucket: u32) -> bool {
    resident.bucket.saturating_add(1) >= bucket
}
