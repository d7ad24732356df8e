//! The interests of streams, and the interests that an event concerns.

use guanxi_model::random::mix;
use guanxi_model::{Change, Event, Uid};

/// The events that a stream wants to be told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Every event of a user's posts.
    Posts(Uid),
    /// The acts of a user that change what was shown of its posts: the events of [`Self::Posts`] without new posts and new
    /// texts.
    Resets(Uid),
    /// Every event of a pair that a user is one of.
    Relations(Uid),
    /// Every event that a user causes or that concerns it.
    User(Uid),
    /// Every event.
    Everything,
}

/// Bits of a key that say in which list it stands.
const LIST_BITS: u32 = 12;

/// Bits of a key that are kept in the list. Another interest has the same key once in 2^26 pairs; its stream is woken
/// in vain then, and never missed.
const TAG_BITS: u32 = 14;

/// Lists of the index.
pub(super) const LISTS: usize = 1 << LIST_BITS;

/// An interest as the index has it: in which list, and by which tag there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InterestKey {
    pub list: usize,
    pub tag: u32,
}

impl InterestKey {
    /// The key of an interest; `None` for everything.
    pub(super) const fn of(interest: Interest) -> Option<Self> {
        // Uids have 63 bits; the kind is mixed in apart, so that the keys of a user have nothing in common.
        let hash = match interest {
            Interest::Posts(uid) => mix(uid.get()),
            Interest::Resets(uid) => mix(mix(!uid.get())),
            Interest::Relations(uid) => mix(!uid.get()),
            Interest::User(uid) => mix(mix(uid.get())),
            Interest::Everything => return None,
        };
        let (list, tag) = (hash >> (64 - LIST_BITS), hash >> (64 - LIST_BITS - TAG_BITS));
        Some(Self { list: list as usize, tag: tag as u32 & ((1 << TAG_BITS) - 1) })
    }
}

/// One stream in a list: its slot and the tag, in one word, so that a list can be scanned from end to end. 10,000 streams of
/// 1,000 users each make 2,441 words a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListEntry(u32);

impl ListEntry {
    pub(super) const fn new(slot: u32, tag: u32) -> Self {
        Self(slot << TAG_BITS | tag)
    }

    pub(super) const fn slot(self) -> u32 {
        self.0 >> TAG_BITS
    }

    pub(super) const fn has(self, tag: u32) -> bool {
        self.0 & ((1 << TAG_BITS) - 1) == tag
    }
}

/// Slots that an [`ListEntry`] can name.
pub(super) const SLOTS_MAX: usize = 1 << (u32::BITS - TAG_BITS);

/// Returns the interests that an event concerns: each stream with one of them is told.
pub(super) fn interests(event: &Event) -> impl Iterator<Item = Interest> {
    let subject = event.subject;
    let about = match event.change {
        Change::Post { kind, .. } => {
            [Some(Interest::Posts(subject)), kind.resets().then_some(Interest::Resets(subject)), None]
        }
        Change::Pair { object, .. } => [
            Some(Interest::Relations(subject)),
            Some(Interest::Relations(object)),
            Some(Interest::User(object)),
        ],
        Change::Liked { author, .. } | Change::Unliked { author, .. } => {
            [Some(Interest::User(author)), None, None]
        }
        // All posts of the subject come or go.
        Change::User(kind) if kind.resets() => {
            [Some(Interest::Posts(subject)), Some(Interest::Resets(subject)), None]
        }
        // Some of them do: those that are for a group.
        Change::Group { kind, .. } if kind.resets() => {
            [Some(Interest::Posts(subject)), Some(Interest::Resets(subject)), None]
        }
        Change::FollowLimit(_) | Change::User(_) | Change::Interacted | Change::Group { .. } => {
            [None, None, None]
        }
    };
    // A stream that watches a user is not told that an interaction of that user was recorded.
    let of_subject = (event.change != Change::Interacted).then_some(Interest::User(subject));
    about.into_iter().flatten().chain(of_subject)
}
