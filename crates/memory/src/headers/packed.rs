//! A header in 40 bytes.

use crate::cache::Entry;
use guanxi_model::post::Kind;
use guanxi_model::{EventAt, GroupId, LogId, PostHeader, PostId, Uid, Visibility};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bit of `as_of` that readers set; lets eviction spare what is read.
const REFERENCED: u64 = 1 << 63;

/// Bits of `seq_and_flags` below the seq.
const FLAGS: u32 = 8;
const DELETED: u64 = 1;
const FOLLOWERS: u64 = 2;
const FRIENDS: u64 = 4;
const REPLY: u64 = 8;
const REPOST: u64 = 16;
const QUOTE: u64 = 32;
const GROUP: u64 = 64;
const TAKEN_DOWN: u64 = 128;

/// A header, all in its slot of a table.
#[derive(Default)]
pub(super) struct PackedHeader {
    author: u64,
    /// The post that it answers or reposts, with its author; 0 without. Of a post for a group the number of that.
    other: u64,
    other_author: u64,
    /// The seq of the event that made it. It fits: 56 bits last for two thousand years of a million events a second.
    seq_and_flags: u64,
    /// The commit from which on it is right, and [`REFERENCED`].
    as_of: AtomicU64,
}

impl Clone for PackedHeader {
    fn clone(&self) -> Self {
        Self { as_of: AtomicU64::new(self.as_of.load(Ordering::Relaxed)), ..*self }
    }
}

impl PackedHeader {
    /// `None` for a reply, repost or quote that is for a group, which has no room for both: it is seldom, and is read from the
    /// table.
    pub(super) fn new(header: &PostHeader, as_of: u64) -> Option<Self> {
        let group = header.visibility.group();
        if group.is_some() && header.kind != Kind::Post {
            return None;
        }
        let (kind, other, other_author) = match header.kind {
            Kind::Post => (0, group.map_or(0, |id| id.get().into()), 0),
            Kind::Reply { to, author } => (REPLY, to.get(), author.get()),
            Kind::Repost { of, author } => (REPOST, of.get(), author.get()),
            Kind::Quote { of, author } => (QUOTE, of.get(), author.get()),
        };
        let visibility = match header.visibility {
            Visibility::Public => 0,
            Visibility::Followers => FOLLOWERS,
            Visibility::Friends => FRIENDS,
            Visibility::Group(_) => GROUP,
        };
        let deleted = if header.deleted { DELETED } else { 0 };
        let taken_down = if header.taken_down { TAKEN_DOWN } else { 0 };
        let flags = kind | visibility | deleted | taken_down;
        let seq_and_flags = header.event.map_or(0, EventAt::seq) << FLAGS | flags;
        let author = header.author.get();
        Some(Self { author, other, other_author, seq_and_flags, as_of: AtomicU64::new(as_of) })
    }

    #[inline]
    pub(super) fn as_of(&self) -> u64 {
        self.as_of.load(Ordering::Relaxed) & !REFERENCED
    }

    #[inline]
    pub(super) fn touch(&self) {
        // A write only when needed keeps the cache line shared between readers.
        if self.as_of.load(Ordering::Relaxed) & REFERENCED == 0 {
            self.as_of.fetch_or(REFERENCED, Ordering::Relaxed);
        }
    }

    /// The header of a post whose author's events are in a log. `None` never comes: what was packed was a header.
    #[inline]
    pub(super) fn unpack(&self, id: PostId, log: LogId) -> Option<PostHeader> {
        let has = |flag: u64| self.seq_and_flags & flag != 0;
        let other = || Some((PostId::new(self.other).ok()?, Uid::new(self.other_author).ok()?));
        let kind = if has(REPLY) {
            let (to, author) = other()?;
            Kind::Reply { to, author }
        } else if has(REPOST) {
            let (of, author) = other()?;
            Kind::Repost { of, author }
        } else if has(QUOTE) {
            let (of, author) = other()?;
            Kind::Quote { of, author }
        } else {
            Kind::Post
        };
        let visibility = if has(FOLLOWERS) {
            Visibility::Followers
        } else if has(FRIENDS) {
            Visibility::Friends
        } else if has(GROUP) {
            Visibility::Group(GroupId::new(u32::try_from(self.other).ok()?).ok()?)
        } else {
            Visibility::Public
        };
        let author = Uid::new(self.author).ok()?;
        let seq = self.seq_and_flags >> FLAGS;
        Some(PostHeader {
            id,
            author,
            kind,
            visibility,
            deleted: has(DELETED),
            taken_down: has(TAKEN_DOWN),
            event: (seq > 0).then(|| EventAt::new(log, seq)),
        })
    }
}

impl Entry for PackedHeader {
    type Change = Infallible;
    const INLINE: bool = true;

    fn heap_bytes(&self) -> usize {
        0
    }

    fn untouch(&self) -> bool {
        self.as_of.fetch_and(!REFERENCED, Ordering::Relaxed) & REFERENCED != 0
    }

    fn as_of(&self) -> u64 {
        self.as_of()
    }

    /// Headers come whole.
    fn after(&self, _seq: u64, change: &Infallible) -> Option<Self> {
        match *change {}
    }
}
