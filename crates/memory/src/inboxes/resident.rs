//! One resident inbox: 64 bytes and an array of ids.

use guanxi_model::limits::INBOX_CAP_MAX;
use guanxi_model::{HistoryId, LogId, Position, PostId, Uid};
use guanxi_ports::{InboxFill, InboxSlice, RelationsVersion};

/// An array grows by a quarter, so that a fifth of it is free at most, and at least by this many ids.
const GROWTH_MIN: usize = 4;

/// Bytes that an allocation costs beside its content, about.
const ALLOCATION: usize = 16;

/// An inbox, registered or filled.
pub(super) struct ResidentInbox {
    pub viewer: Uid,
    /// The last visit, in Unix milliseconds.
    pub visit_ms: u64,
    /// The ticket of the fill that it waits for; once filled, the event up to which the store was read.
    origin: u64,
    relations_version: RelationsVersion,
    /// The lowest id that is complete; the lowest of all if it reaches the first post ever.
    floor: PostId,
    /// The first `len` are ids, ascending: what comes is nearly always appended.
    ids: Box<[PostId]>,
    /// The activity bucket of the last visit.
    pub bucket: u32,
    len: u16,
    filled: bool,
}

const _: () = assert!(INBOX_CAP_MAX < u16::MAX as u32);

impl ResidentInbox {
    /// A registered inbox.
    pub(super) fn new(viewer: Uid, now_ms: u64, bucket: u32, ticket: u64) -> Self {
        Self {
            viewer,
            visit_ms: now_ms,
            origin: ticket,
            relations_version: RelationsVersion(0),
            floor: PostId::MIN,
            ids: Box::default(),
            bucket,
            len: 0,
            filled: false,
        }
    }

    /// Returns whether it has its content.
    pub(super) const fn is_filled(&self) -> bool {
        self.filled
    }

    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    /// Bytes of the array, about.
    pub(super) const fn heap_bytes(&self) -> usize {
        if self.ids.is_empty() { 0 } else { self.ids.len() * size_of::<PostId>() + ALLOCATION }
    }

    /// Returns whether it waits for this fill.
    pub(super) const fn waits_for(&self, ticket: u64) -> bool {
        !self.filled && self.origin == ticket
    }

    /// The newest id.
    pub(super) fn last(&self) -> Option<PostId> {
        self.held().last().copied()
    }

    /// Takes an id in, and returns whether it is there now and was not before. Beyond `cap` about an eighth is dropped
    /// at once, so that the array is moved once for many ids.
    pub(super) fn insert(&mut self, id: PostId, cap: usize) -> bool {
        let Err(at) = self.held().binary_search(&id) else { return false };
        self.insert_at(at, id, cap)
    }

    /// As [`insert`](Self::insert), for an id above all that are held.
    pub(super) fn append(&mut self, id: PostId, cap: usize) -> bool {
        self.insert_at(self.len(), id, cap)
    }

    fn insert_at(&mut self, at: usize, id: PostId, cap: usize) -> bool {
        if id < self.floor {
            return false;
        }
        let len = self.len();
        if len == self.ids.len() {
            self.grow(cap);
        }
        self.ids.copy_within(at..len, at + 1);
        self.ids[at] = id;
        self.len += 1;
        if self.len() > cap {
            self.keep(cap - cap / 8);
        }
        id >= self.floor
    }

    /// Takes its content in; what was offered meanwhile stays.
    pub(super) fn fill(&mut self, fill: InboxFill, cap: usize) {
        let mut ids = fill.ids;
        ids.extend_from_slice(self.held());
        ids.sort_unstable();
        ids.dedup();
        self.floor = fill.floor.unwrap_or(PostId::MIN).max(self.floor);
        let complete = &ids[ids.partition_point(|id| *id < self.floor)..];
        let kept = &complete[complete.len().saturating_sub(cap)..];
        if kept.len() < complete.len() {
            self.floor = kept[0];
        }
        self.ids = kept.into();
        self.len = kept.len() as u16;
        self.origin = fill.built.in_log(LogId(0)).seq();
        self.relations_version = fill.relations_version;
        self.filled = true;
    }

    /// The newest ids below a place; `None` while it waits to be filled.
    pub(super) fn slice(&self, history: HistoryId, below: Option<PostId>, max: usize) -> Option<InboxSlice> {
        let held = self.held();
        let end = below.map_or(held.len(), |below| held.partition_point(|id| *id < below));
        self.filled.then(|| InboxSlice {
            ids: held[..end].iter().rev().take(max).copied().collect(),
            floor: (self.floor > PostId::MIN).then_some(self.floor),
            built: Position::one(history, self.origin),
            relations_version: self.relations_version,
        })
    }

    fn held(&self) -> &[PostId] {
        &self.ids[..self.len()]
    }

    /// Keeps the newest ids; what is below them is not complete any more.
    fn keep(&mut self, newest: usize) {
        let len = self.len();
        self.ids.copy_within(len - newest..len, 0);
        self.len = newest as u16;
        self.floor = self.ids[0];
    }

    fn grow(&mut self, cap: usize) {
        let len = self.len();
        let room = (len + (len / 4).max(GROWTH_MIN)).min(cap + 1);
        let mut ids = std::mem::take(&mut self.ids).into_vec();
        ids.reserve_exact(room - len);
        ids.resize(room, PostId::MIN);
        self.ids = ids.into_boxed_slice();
    }
}
