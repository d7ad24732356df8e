//! A user while a group is planned.

use guanxi_memory::relations::RelationsEntry;
use guanxi_memory::user_relations::{SortedEdges as _, UserRelations};
use guanxi_model::{Counts, MuteScope, RequestKind, Stamp, Uid};

/// A user as the group sees it so far. Relations stay packed until something changes them: the object of a follow is
/// only probed.
pub(crate) struct WorkingRelations {
    packed: RelationsEntry,
    followers: u64,
    asked: u64,
    open: Option<UserRelations>,
    changed: bool,
    /// What it says of others changed, requests aside.
    is_newer: bool,
}

impl WorkingRelations {
    pub(crate) fn new(packed: RelationsEntry) -> Self {
        Self {
            followers: packed.followers(),
            asked: packed.asked(),
            packed,
            open: None,
            changed: false,
            is_newer: false,
        }
    }

    /// The follow of a user: since when, and whether mutual.
    pub(crate) fn follow(&self, uid: Uid) -> Option<(Stamp, bool)> {
        match &self.open {
            Some(facts) => facts.follow(uid).map(|f| (f.at, f.friends_since.is_some())),
            None => self.packed.packed().follow(uid),
        }
    }

    /// Returns when the two became friends.
    pub(crate) fn friends_since(&self, uid: Uid) -> Option<Stamp> {
        match &self.open {
            Some(facts) => facts.follow(uid).and_then(|f| f.friends_since),
            None => self.packed.packed().friends_since(uid),
        }
    }

    pub(crate) fn blocks(&self, uid: Uid) -> bool {
        match &self.open {
            Some(facts) => facts.blocks.find(uid).is_some(),
            None => self.packed.packed().blocks_user(uid),
        }
    }

    pub(crate) fn mutes(&self, uid: Uid) -> Option<MuteScope> {
        match &self.open {
            Some(facts) => facts.mute(uid),
            None => self.packed.packed().mutes_user(uid),
        }
    }

    /// Returns what a user is asked, if that waits.
    pub(crate) fn ask(&self, uid: Uid) -> Option<RequestKind> {
        match &self.open {
            Some(facts) => facts.ask(uid),
            None => self.packed.packed().ask(uid),
        }
    }

    /// Returns how many requests wait.
    pub(crate) fn asks(&self) -> u32 {
        self.open.as_ref().map_or_else(|| self.packed.packed().asks_len(), |facts| facts.asks.len() as u32)
    }

    /// Sets what a user is asked, and since when; or ends it. No feed depends on it.
    pub(crate) fn set_ask(&mut self, uid: Uid, ask: Option<(Stamp, RequestKind)>) {
        self.open_mut().set_ask(uid, ask);
    }

    pub(crate) fn counts(&self) -> Counts {
        match &self.open {
            Some(facts) => Counts {
                following: facts.following.len() as u32,
                followers: self.followers,
                friends: facts.friends() as u32,
                blocks: facts.blocks.len() as u32,
                mutes: facts.mutes.len() as u32,
            },
            None => Counts { followers: self.followers, ..self.packed.counts() },
        }
    }

    /// Returns how many the user follows, and how many more it has asked; cheaper than all counters.
    pub(crate) fn places(&self) -> u32 {
        let facts = |facts: &UserRelations| (facts.following.len() + facts.places()) as u32;
        self.open.as_ref().map_or_else(|| self.packed.packed().places(), facts)
    }

    /// The user's own follow limit.
    pub(crate) fn limit(&self) -> Option<u32> {
        self.open.as_ref().map_or_else(|| self.packed.packed().limit(), |facts| facts.limit)
    }

    /// The facts, to change them.
    pub(crate) fn facts_mut(&mut self) -> &mut UserRelations {
        self.is_newer = true;
        self.open_mut()
    }

    fn open_mut(&mut self) -> &mut UserRelations {
        self.changed = true;
        self.open.get_or_insert_with(|| self.packed.packed().unpack())
    }

    /// One more follower.
    pub(crate) fn add_follower(&mut self) {
        self.changed = true;
        self.followers += 1;
    }

    /// One follower less.
    pub(crate) fn remove_follower(&mut self) {
        self.changed = true;
        self.followers = self.followers.saturating_sub(1);
    }

    /// Returns how many requests to the user wait.
    pub(crate) const fn asked(&self) -> u64 {
        self.asked
    }

    /// One more request to the user.
    pub(crate) fn add_asked(&mut self) {
        self.changed = true;
        self.asked += 1;
    }

    /// One request to the user less.
    pub(crate) fn remove_asked(&mut self) {
        self.changed = true;
        self.asked = self.asked.saturating_sub(1);
    }

    /// The commit that last changed the facts: the one that is about to be made, if the group does.
    pub(crate) fn changed_at(&self, as_of: u64) -> u64 {
        if self.is_newer { as_of } else { self.packed.version() }
    }

    pub(crate) const fn changed(&self) -> bool {
        self.changed
    }

    /// The form that memory keeps, as of the commit that is about to be made.
    pub(crate) fn pack(self, as_of: u64) -> RelationsEntry {
        match self.open {
            Some(facts) => {
                let version = if self.is_newer { as_of } else { self.packed.version() };
                RelationsEntry::new(as_of, version, (self.followers, self.asked), &facts)
            }
            None => self.packed.with_counts(as_of, (self.followers, self.asked)),
        }
    }
}
