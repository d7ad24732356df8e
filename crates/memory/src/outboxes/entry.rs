//! What memory holds of an author: 24 bytes, and the newest ids in an allocation of their own.

use super::OutboxChange;
use crate::apply::posts::{AuthorEvent, head_after};
use crate::cache::Entry;
use crate::cut::Cut;
use guanxi_model::post::AuthorRow;
use guanxi_model::{EventAt, LogId, PostId};
use guanxi_ports::{AuthorHead, OutboxAsk};
use std::sync::atomic::{AtomicBool, Ordering};
use triomphe::ThinArc;

/// Ids of a tail at most.
pub const TAIL_LEN: usize = 32;

/// Bits of `seqs` that hold `last_seq`; the others say how long before it something below the newest changed.
const SEQ_BITS: u32 = 48;
/// The bits of `last_seq`.
const LAST_SEQ: u64 = (1 << SEQ_BITS) - 1;
/// The largest distance that is told apart, in events: what changed longer ago counts as if it had changed then, which
/// tells a poller that comes back after that many events to start over.
const DISTANCE_MAX: u64 = (1 << (64 - SEQ_BITS)) - 2;

/// An author in memory. Head and tail may be newer than a view: no view is older than what was replaced, ids above the
/// view's are left out, and everything else that changes an outbox raises `changed_seq`.
#[derive(Clone, Default)]
pub struct OutboxEntry {
    /// The last id, 0 without posts.
    last: u64,
    /// `last_seq`, and above it one more than its distance from `changed_seq`, or 0 if nothing ever changed: a head is
    /// one cache line, and reading it takes no second miss.
    seqs: u64,
    /// `None` without posts, or if only the head is known.
    tail: Option<ThinArc<Tail, PostId>>,
}

/// The newest ids, newest first; none if only the head is known.
struct Tail {
    /// The tail is right for every view from this event on.
    changed_seq: u64,
    /// Whether these are all posts.
    complete: bool,
    /// Set by readers; lets eviction spare whose posts are read.
    referenced: AtomicBool,
}

/// What a tail says about a part of an outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TailAnswer {
    /// The ids were added, and whether there are more below.
    Added {
        /// Whether the outbox goes on.
        more: bool,
    },
    /// The part is below the tail, or the cut is older: the table tells.
    Elsewhere,
    /// Only the head is known.
    Unknown,
}

impl OutboxEntry {
    /// An author with its head and, if known, its newest ids and whether these are all.
    pub fn new(head: &AuthorHead, ids: Option<(&[PostId], bool)>) -> Self {
        let last = head.last_id.map_or(0, PostId::get);
        let (ids, complete) = ids.unwrap_or_default();
        let tail = (!ids.is_empty() || head.changed.seq() != 0).then(|| {
            let referenced = AtomicBool::new(false);
            let tail = Tail { changed_seq: head.changed.seq(), complete, referenced };
            ThinArc::from_header_and_slice(tail, ids)
        });
        Self { last, seqs: pack_seqs(head), tail }
    }

    /// The head of an author whose events are in a log.
    #[inline]
    pub fn head(&self, log: LogId) -> AuthorHead {
        let last_seq = self.seqs & LAST_SEQ;
        let changed_seq = (self.seqs >> SEQ_BITS).checked_sub(1).map_or(0, |distance| last_seq - distance);
        AuthorHead {
            last_id: PostId::new(self.last).ok(),
            last: EventAt::new(log, last_seq),
            changed: EventAt::new(log, changed_seq),
        }
    }

    /// Reads the start of the tail, and nothing that depends on it: brings it into the processor's cache.
    #[inline]
    pub(super) fn touch_tail(&self) -> u64 {
        self.tail.as_ref().map_or(0, |tail| tail.header.header.changed_seq)
    }

    /// Adds at most `max` ids of a part of the author's outbox, as of a cut.
    #[inline]
    pub fn part<C: Cut>(&self, ask: &OutboxAsk, max: usize, cut: &C, ids: &mut Vec<PostId>) -> TailAnswer {
        let Some((held, complete)) = self.known() else { return TailAnswer::Unknown };
        let Some(tail) = &self.tail else { return TailAnswer::Added { more: false } };
        let (log, below) = (C::LOGS.of(ask.author), ask.below);
        if tail.header.header.changed_seq > cut.seq(log) {
            return TailAnswer::Elsewhere;
        }
        self.touch();
        let ids_high = cut.ids_high(log);
        let start = held.partition_point(|id| id.get() > ids_high || below.is_some_and(|below| *id >= below));
        let rest = &held[start..];
        if rest.is_empty() && !complete {
            return TailAnswer::Elsewhere;
        }
        ids.extend(rest.iter().take(max));
        TailAnswer::Added { more: rest.len() > max || !complete }
    }

    /// The author after a commit.
    pub(super) fn changed_by(&self, change: &OutboxChange) -> Self {
        let Some((held, mut complete)) = self.known() else { return Self::new(&change.author.head, None) };
        // A fill between the commit and this call has its posts already.
        let new = change.appended.iter().rev().filter(|id| held.first() < Some(*id));
        let mut ids: Vec<PostId> = new.chain(held).copied().collect();
        for id in &change.inserted {
            let at = ids.partition_point(|held| held > id);
            // Below the oldest one held there may be others that are not held.
            if ids.get(at) != Some(id) && (complete || at < ids.len()) {
                ids.insert(at, *id);
            }
        }
        if ids.len() > TAIL_LEN {
            ids.truncate(TAIL_LEN);
            complete = false;
        }
        let author = Self::new(&change.author.head, Some((&ids, complete)));
        if self.untouch() {
            author.touch();
        }
        author
    }

    /// The newest ids, and whether these are all; `None` if only the head is known.
    #[inline]
    fn known(&self) -> Option<(&[PostId], bool)> {
        match &self.tail {
            Some(tail) if tail.slice.is_empty() && !tail.header.header.complete => None,
            Some(tail) => Some((&tail.slice, tail.header.header.complete)),
            None if self.last == 0 => Some((&[], true)),
            None => None,
        }
    }

    #[inline]
    fn touch(&self) {
        if let Some(tail) = &self.tail {
            let referenced = &tail.header.header.referenced;
            // A store only when needed keeps the cache line shared between readers.
            if !referenced.load(Ordering::Relaxed) {
                referenced.store(true, Ordering::Relaxed);
            }
        }
    }
}

fn pack_seqs(head: &AuthorHead) -> u64 {
    let distance = head.last.seq().saturating_sub(head.changed.seq()).min(DISTANCE_MAX);
    let changed = if head.changed.seq() == 0 { 0 } else { distance + 1 };
    head.last.seq() | changed << SEQ_BITS
}

impl Entry for OutboxEntry {
    const SPARSE: bool = true;

    type Change = AuthorEvent;

    fn heap_bytes(&self) -> usize {
        let bytes = |tail: &ThinArc<Tail, PostId>| size_of::<Tail>() + size_of_val(&tail.slice) + 24;
        self.tail.as_ref().map_or(0, bytes)
    }

    fn untouch(&self) -> bool {
        self.tail.as_ref().is_some_and(|tail| tail.header.header.referenced.swap(false, Ordering::Relaxed))
    }

    /// The last event of the outbox: those after it, up to which it was read, are about nothing here.
    fn as_of(&self) -> u64 {
        self.seqs & LAST_SEQ
    }

    fn after(&self, _seq: u64, event: &AuthorEvent) -> Option<Self> {
        // Here only numbers of the author's log are kept.
        let log = LogId(0);
        let before = self.head(log);
        let head = head_after(&before, log, event)?;
        let author = AuthorRow { head, ..AuthorRow::default() };
        let mut change = OutboxChange { author, ..OutboxChange::default() };
        if let Some(id) = event.added() {
            let is_newest = before.last_id < Some(id);
            if is_newest { &mut change.appended } else { &mut change.inserted }.push(id);
        }
        Some(self.changed_by(&change))
    }
}
