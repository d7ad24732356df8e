//! What a plan reads and changes of groups.

use super::EventRows;
use crate::group::{GroupId, UserGroup};
use crate::id::Uid;
use crate::page::Edge;
use crate::stamp::Stamp;

/// Groups and their members.
pub trait GroupRows: EventRows {
    /// Returns how many groups an owner has, and the last number that it has given.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn owned_groups(&mut self, owner: Uid) -> Result<(usize, Option<GroupId>), Self::Error>;

    /// Returns a group.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn group(&mut self, owner: Uid, id: GroupId) -> Result<Option<UserGroup>, Self::Error>;

    /// Keeps a group.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_group(&mut self, group: UserGroup) -> Result<(), Self::Error>;

    /// Notes that an owner has given a number: the last one that it has given only rises.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn raise_group_number(&mut self, owner: Uid, id: GroupId) -> Result<(), Self::Error>;

    /// Removes a group, which has no members left. Its number stays given.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_group(&mut self, owner: Uid, id: GroupId) -> Result<(), Self::Error>;

    /// Forgets which numbers an owner, who has no groups left, has given.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn forget_group_numbers(&mut self, owner: Uid) -> Result<(), Self::Error>;

    /// Returns the members of a group, by uid.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn group_members(&mut self, owner: Uid, id: GroupId) -> Result<Vec<Edge>, Self::Error>;

    /// Returns since when a user is a member of a group, if it is.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn member_since(&mut self, owner: Uid, id: GroupId, member: Uid) -> Result<Option<Stamp>, Self::Error>;

    /// Adds a member to a group, or removes it. The group's row counts it.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_member(
        &mut self,
        owner: Uid,
        id: GroupId,
        member: Uid,
        since: Option<Stamp>,
    ) -> Result<(), Self::Error>;

    /// Returns an owner's groups that contain a user, in the order of their numbers.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn groups_with(&mut self, owner: Uid, member: Uid) -> Result<Vec<GroupId>, Self::Error>;
}
