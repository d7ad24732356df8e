//! Rows of relations.

use super::EventRows;
use crate::error::Result;
use crate::id::Uid;
use crate::page::Edge;
use crate::pair::{Direction, GuardedCount, MuteTerms, RequestKind};
use crate::stamp::Stamp;

/// What one user has said about another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Since when the user follows the other, and whether the two are marked as friends.
    pub follow: Option<(Stamp, bool)>,
    /// Whether the user blocks the other.
    pub blocks: bool,
    /// Whether the user mutes the other.
    pub mutes: bool,
    /// What the user has asked of the other, if that waits.
    pub asks: Option<RequestKind>,
}

impl Said {
    /// Returns it as the pair state machine takes it.
    pub const fn direction(&self) -> Direction {
        Direction { follows: self.follow.is_some(), blocks: self.blocks, mutes: self.mutes, asks: self.asks }
    }
}

/// How many others a user may follow, block and mute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactLimits {
    /// Follows, unless the operator set a user's own limit.
    pub follows: u32,
    /// Blocks.
    pub blocks: u32,
    /// Mutes.
    pub mutes: u32,
}

/// What users have said about each other.
pub trait RelationRows: EventRows {
    /// Returns the limits that guard follows, blocks and mutes.
    fn limits(&self) -> FactLimits;

    /// Returns what a user has said about another.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn said(&mut self, owner: Uid, other: Uid) -> Result<Said, Self::Error>;

    /// Returns when a user and one whom it follows became friends, if they are.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn friends_since(&mut self, owner: Uid, other: Uid) -> Result<Option<Stamp>, Self::Error>;

    /// Returns how many users a user follows, blocks or mutes. Users that it has asked and does not follow count as followed:
    /// they hold a place.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn count(&mut self, uid: Uid, of: GuardedCount) -> Result<u32, Self::Error>;

    /// Returns a user's own follow limit.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn follow_limit(&mut self, uid: Uid) -> Result<Option<u32>, Self::Error>;

    /// Sets a user's own follow limit.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_follow_limit(&mut self, uid: Uid, limit: Option<u32>) -> Result<(), Self::Error>;

    /// Returns when a follow was removed; of one that stands again it may still say so.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn removed_at(&mut self, owner: Uid, other: Uid) -> Result<Option<Stamp>, Self::Error>;

    /// Forgets that a follow was removed. It is asked for follows that stand, too, and says nothing about these.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn forget_removed(&mut self, owner: Uid, other: Uid) -> Result<(), Self::Error>;

    /// Adds or changes a follow: its place in lists, and since when the two are friends.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_follow(
        &mut self,
        owner: Uid,
        follow: Edge,
        friends_since: Option<Stamp>,
        version: Stamp,
    ) -> Result<(), Self::Error>;

    /// Removes a follow, and keeps that it was.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_follow(&mut self, owner: Uid, other: Uid, version: Stamp) -> Result<(), Self::Error>;

    /// Adds a follower to a user's list and counter.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn add_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), Self::Error>;

    /// Removes a follower from a user's list and counter.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_follower(&mut self, owner: Uid, follower: Edge) -> Result<(), Self::Error>;

    /// Adds a block, or removes it.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_block(&mut self, owner: Uid, other: Uid, since: Option<Stamp>) -> Result<(), Self::Error>;

    /// Adds or changes a mute, or removes it.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_mute(
        &mut self,
        owner: Uid,
        other: Uid,
        mute: Option<(Stamp, MuteTerms)>,
    ) -> Result<(), Self::Error>;
}
