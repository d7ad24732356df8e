//! What memory holds of a user.

use super::{PackedRelations, pack};
use crate::apply::relations::{UserCommit, effect_on};
use crate::cache::Entry;
use crate::user_relations::UserRelations;
use guanxi_model::Counts;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use triomphe::ThinArc;

/// A user in memory: one thin pointer to one allocation of header and packed relations. A user whom no row mentions is a
/// null pointer.
#[derive(Clone, Default)]
pub struct RelationsEntry(Option<ThinArc<EntryHead, u8>>);

struct EntryHead {
    as_of: u64,
    version: u64,
    followers: u64,
    asked: u32,
    /// Set by readers; lets eviction spare who is read.
    referenced: AtomicBool,
}

fn head(as_of: u64, version: u64, followers: u64, asked: u64) -> EntryHead {
    let asked = u32::try_from(asked).unwrap_or(u32::MAX);
    EntryHead { as_of, version, followers, asked, referenced: AtomicBool::new(false) }
}

impl RelationsEntry {
    /// A user as of a commit: one that changed its facts, or a later one at which they were read.
    /// `version` is the commit that last changed them. It has so many followers, and so many requests to it wait.
    pub fn new(as_of: u64, version: u64, (followers, asked): (u64, u64), facts: &UserRelations) -> Self {
        let head = head(as_of, version, followers, asked);
        Self(Some(ThinArc::from_header_and_slice(head, &pack(facts))))
    }

    /// The same facts with another number of followers and of requests to the user, as of a later commit.
    #[must_use]
    pub fn with_counts(&self, as_of: u64, (followers, asked): (u64, u64)) -> Self {
        let head = head(as_of, self.version(), followers, asked);
        let packed = self.0.as_ref().map_or(&[][..], |user| &user.slice);
        Self(Some(ThinArc::from_header_and_slice(head, packed)))
    }

    /// The commit from which on it is right. A user whom no row mentions was always so.
    #[inline]
    pub fn as_of(&self) -> u64 {
        self.0.as_ref().map_or(0, |user| user.header.header.as_of)
    }

    /// The commit that last changed the user's own facts, mutual marks included; followers do not count. It is stored with
    /// the user, so that it is the same after a restart. Of a user that has not changed since rows say it, the last
    /// commit before that: all its changes were no later, and it says the same of one state for ever.
    #[inline]
    pub fn version(&self) -> u64 {
        self.0.as_ref().map_or(0, |user| user.header.header.version)
    }

    /// The packed facts.
    #[inline]
    pub fn packed(&self) -> PackedRelations<'_> {
        PackedRelations::new(self.0.as_ref().map_or(&[], |user| &user.slice))
    }

    /// Returns how many follow the user.
    #[inline]
    pub fn followers(&self) -> u64 {
        self.0.as_ref().map_or(0, |user| user.header.header.followers)
    }

    /// Returns how many requests to the user wait; more than 2^32 are not told apart.
    #[inline]
    pub fn asked(&self) -> u64 {
        self.0.as_ref().map_or(0, |user| user.header.header.asked.into())
    }

    /// The user's counters.
    #[inline]
    pub fn counts(&self) -> Counts {
        Counts { followers: self.followers(), ..self.packed().counts() }
    }

    /// Marks the user as read.
    #[inline]
    pub fn touch(&self) {
        if let Some(user) = &self.0 {
            let referenced = &user.header.header.referenced;
            // A store only when needed keeps the cache line shared between readers.
            if !referenced.load(Ordering::Relaxed) {
                referenced.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Entry for RelationsEntry {
    type Change = UserCommit;

    fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |user| size_of::<EntryHead>() + user.slice.len() + 24)
    }

    fn untouch(&self) -> bool {
        self.0.as_ref().is_some_and(|user| user.header.header.referenced.swap(false, Ordering::Relaxed))
    }

    fn as_of(&self) -> u64 {
        self.as_of()
    }

    /// Facts are unpacked only where an event changes some of them: most commits of a popular user are about its followers.
    fn after(&self, seq: u64, commit: &UserCommit) -> Option<Self> {
        let (packed, counts) = (self.packed(), (commit.followers, commit.asked));
        let mut open: Option<UserRelations> = None;
        let mut is_newer = false;
        for effect in commit.events.iter().filter_map(|event| effect_on(event, commit.user)) {
            let follows =
                |uid| open.as_ref().map_or_else(|| packed.follows(uid), |facts| facts.follow(uid).is_some());
            if effect.needs_follow_of().is_some_and(|uid| !follows(uid)) {
                continue;
            }
            is_newer |= effect.make(open.get_or_insert_with(|| packed.unpack()))?;
        }
        let version = if is_newer { seq } else { self.version() };
        Some(match open {
            Some(facts) => Self::new(seq, version, counts, &facts),
            None => self.with_counts(seq, counts),
        })
    }
}

impl fmt::Debug for RelationsEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelationsEntry")
            .field("as_of", &self.as_of())
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}
