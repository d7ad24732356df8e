//! Inboxes in memory: the specification of [`Inbox`].

use super::view::now;
use guanxi_model::{EventAt, FanoutMode, FanoutPolicy, HistoryId, Logs, Position, PostId, Result, Uid};
use guanxi_ports::{
    ActiveCursor, ActivePage, BoxFuture, Coverage, FillTicket, Inbox, InboxFill, InboxRead, InboxSlice,
    InboxStats, Offer, Offered, RelationsVersion, SKIPS_MAX, Skips,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// Plain ordered maps behind one mutex, under the default policy until another is configured.
#[derive(Debug)]
pub struct MemoryInbox(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    policy: FanoutPolicy,
    /// Registered and resident inboxes.
    boxes: BTreeMap<Uid, Held>,
    last_ticket: u64,
    /// The latest time that any call named, in Unix milliseconds. A reader to whom a celebrity's item was not offered
    /// must not count as active because the clock jumped back.
    now_ms: u64,
    covered: Position,
    skips: Skips,
    delivered: u64,
}

/// One inbox. While it is only registered, it collects offers.
#[derive(Debug)]
struct Held {
    ids: BTreeSet<PostId>,
    /// The lowest id that is complete; `None` if it reaches the first post ever.
    floor: Option<PostId>,
    /// For what it is valid, once it is filled and thereby resident.
    filled: Option<Filled>,
    ticket: u64,
    /// The bucket of the last visit.
    bucket: u64,
    /// When that was, in Unix milliseconds.
    visit_ms: u64,
}

#[derive(Clone, Debug)]
struct Filled {
    built: Position,
    relations_version: RelationsVersion,
}

impl Held {
    /// Drops the oldest ids beyond the cap; the lowest that is kept is the floor then.
    fn cut(&mut self, cap: u32) {
        while self.ids.len() > cap as usize {
            self.ids.pop_first();
            self.floor = self.ids.first().copied();
        }
    }

    /// Takes an offer; whether a resident inbox has changed, or `None` for one that is only registered.
    fn take(&mut self, id: PostId, cap: u32) -> Option<bool> {
        let below = self.floor.is_some_and(|floor| id < floor);
        let new = !below && self.ids.insert(id);
        self.cut(cap);
        self.filled.as_ref().map(|_| new && self.ids.contains(&id))
    }

    fn fill(&mut self, fill: InboxFill, cap: u32) {
        let InboxFill { ids, floor, built, relations_version } = fill;
        // What it collected may have been too much, too.
        self.floor = self.floor.max(floor);
        self.ids.extend(ids);
        self.ids.retain(|id| self.floor.is_none_or(|floor| *id >= floor));
        self.filled = Some(Filled { built, relations_version });
        self.cut(cap);
    }

    fn slice(&self, below: Option<PostId>, max: usize) -> Option<InboxSlice> {
        let Filled { built, relations_version } = self.filled.clone()?;
        let ids = self.ids.iter().rev().filter(|id| below.is_none_or(|below| **id < below));
        let ids = ids.take(max).copied().collect();
        Some(InboxSlice { ids, floor: self.floor, built, relations_version })
    }
}

impl Inner {
    /// Notes the time, and answers the activity bucket.
    const fn tick(&mut self, now_ms: u64) -> u64 {
        if now_ms > self.now_ms {
            self.now_ms = now_ms;
        }
        self.now_ms / self.policy.active_bucket_ms
    }

    /// Returns whether the viewer was here in this bucket or the one before.
    const fn is_active(inbox: &Held, bucket: u64) -> bool {
        inbox.bucket + 1 >= bucket
    }

    fn visit(&mut self, viewer: Uid, now_ms: u64) -> Option<&Held> {
        let bucket = self.tick(now_ms);
        if self.policy.mode == FanoutMode::Hybrid {
            let missed = |inbox: &Held| !Self::is_active(inbox, bucket);
            if self.boxes.get(&viewer).is_some_and(missed) {
                self.boxes.remove(&viewer);
            }
        }
        let inbox = self.boxes.get_mut(&viewer)?;
        inbox.bucket = bucket;
        inbox.visit_ms = self.now_ms;
        Some(inbox)
    }

    fn begin(&mut self, viewer: Uid, now_ms: u64) -> Option<FillTicket> {
        if self.policy.mode == FanoutMode::Pull {
            return None;
        }
        let bucket = self.tick(now_ms);
        self.last_ticket += 1;
        let (ticket, visit_ms, covered) = (self.last_ticket, self.now_ms, self.covered.clone());
        let inbox = Held { ids: BTreeSet::new(), floor: None, filled: None, ticket, bucket, visit_ms };
        self.boxes.insert(viewer, inbox);
        Some(FillTicket { viewer, ticket, covered })
    }

    fn fill(&mut self, ticket: &FillTicket, fill: InboxFill) -> bool {
        let cap = self.policy.inbox_cap;
        let Some(inbox) = self.boxes.get_mut(&ticket.viewer) else { return false };
        if inbox.ticket != ticket.ticket || inbox.filled.is_some() {
            return false;
        }
        inbox.fill(fill, cap);
        true
    }

    fn offer(&mut self, id: PostId, readers: &[Uid]) -> Offered {
        let mut offered = Offered::default();
        for reader in readers {
            let Some(inbox) = self.boxes.get_mut(reader) else { continue };
            match inbox.take(id, self.policy.inbox_cap) {
                Some(true) => offered.delivered += 1,
                Some(false) => offered.unchanged += 1,
                None => {}
            }
        }
        self.delivered += offered.delivered;
        offered
    }

    fn active(&mut self, now_ms: u64) -> Vec<Uid> {
        let bucket = self.tick(now_ms);
        let active = self.boxes.iter().filter(|(_, inbox)| Self::is_active(inbox, bucket));
        active.map(|(viewer, _)| *viewer).collect()
    }

    fn skip(&mut self, author: Uid, at: EventAt) {
        let last = self.skips.entry(author).or_insert(at);
        *last = last.later(at);
        if self.skips.len() > SKIPS_MAX {
            self.skips.clear();
            self.boxes.clear();
        }
    }

    fn unskip(&mut self, author: Uid, at: EventAt, earlier: Option<EventAt>) {
        if self.skips.get(&author) != Some(&at) {
            return;
        }
        match earlier {
            Some(earlier) => self.skips.insert(author, earlier),
            None => self.skips.remove(&author),
        };
    }

    fn sweep(&mut self, now_ms: u64) -> u64 {
        self.tick(now_ms);
        let before = self.resident().count();
        let (now_ms, cold_after_ms) = (self.now_ms, self.policy.cold_after_ms);
        self.boxes.retain(|_, inbox| now_ms - inbox.visit_ms < cold_after_ms);
        (before - self.resident().count()) as u64
    }

    fn resident(&self) -> impl Iterator<Item = &Held> {
        self.boxes.values().filter(|inbox| inbox.filled.is_some())
    }

    fn stats(&self, now_ms: u64) -> InboxStats {
        let bucket = now_ms.max(self.now_ms) / self.policy.active_bucket_ms;
        let resident = self.resident().count() as u64;
        let entries = self.resident().map(|inbox| inbox.ids.len() as u64).sum();
        InboxStats {
            resident,
            active: self.resident().filter(|inbox| Self::is_active(inbox, bucket)).count() as u64,
            entries,
            bytes: resident * size_of::<(Uid, Held)>() as u64 + entries * size_of::<PostId>() as u64,
            delivered: self.delivered,
            skips: self.skips.len() as u64,
        }
    }
}

impl MemoryInbox {
    /// No inboxes, of a store with such a history and such logs.
    pub fn new(history: HistoryId, logs: Logs) -> Self {
        Self(Mutex::new(Inner {
            policy: FanoutPolicy::default(),
            boxes: BTreeMap::new(),
            last_ticket: 0,
            now_ms: 0,
            covered: Position::beginning(history, logs),
            skips: Skips::new(),
            delivered: 0,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("nobody panics while holding the inboxes")
    }
}

impl Inbox for MemoryInbox {
    fn configure<'a>(&'a self, policy: &'a FanoutPolicy) -> BoxFuture<'a, Result<()>> {
        let mut inner = self.lock();
        if inner.policy != *policy {
            inner.policy = *policy;
            inner.boxes.clear();
        }
        now(())
    }

    fn read(
        &self,
        viewer: Uid,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>> {
        let mut inner = self.lock();
        let coverage = Coverage::new(inner.covered.clone(), Arc::new(inner.skips.clone()));
        let slice = inner.visit(viewer, now_ms).and_then(|inbox| inbox.slice(below, max));
        now(InboxRead { coverage, slice })
    }

    fn begin(&self, viewer: Uid, now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>> {
        now(self.lock().begin(viewer, now_ms))
    }

    fn fill(&self, ticket: FillTicket, fill: InboxFill) -> BoxFuture<'_, Result<bool>> {
        now(self.lock().fill(&ticket, fill))
    }

    fn offer<'a>(&'a self, offers: &'a [Offer<'a>]) -> BoxFuture<'a, Result<Vec<Offered>>> {
        let mut inner = self.lock();
        now(offers.iter().map(|offer| inner.offer(offer.id, offer.readers)).collect())
    }

    fn active(
        &self,
        _author: Uid,
        _after: Option<ActiveCursor>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<ActivePage>> {
        now(ActivePage { readers: self.lock().active(now_ms), next: None })
    }

    fn skip(&self, author: Uid, at: EventAt) -> BoxFuture<'_, Result<()>> {
        self.lock().skip(author, at);
        now(())
    }

    fn unskip(&self, author: Uid, at: EventAt, earlier: Option<EventAt>) -> BoxFuture<'_, Result<()>> {
        self.lock().unskip(author, at, earlier);
        now(())
    }

    fn advance(&self, covered: EventAt) -> BoxFuture<'_, Result<()>> {
        let mut inner = self.lock();
        inner.covered = inner.covered.after(covered);
        now(())
    }

    fn covered(&self) -> BoxFuture<'_, Result<Position>> {
        now(self.lock().covered.clone())
    }

    fn evict(&self, viewer: Uid) -> BoxFuture<'_, Result<()>> {
        self.lock().boxes.remove(&viewer);
        now(())
    }

    fn sweep(&self, now_ms: u64) -> BoxFuture<'_, Result<u64>> {
        now(self.lock().sweep(now_ms))
    }

    fn stats(&self, now_ms: u64) -> BoxFuture<'_, Result<InboxStats>> {
        now(self.lock().stats(now_ms))
    }
}
