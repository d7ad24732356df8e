//! Groups: lists and circles of users, which belong to their owner alone.
//!
//! Only the owner sees and changes a group, and a member is never told of it. A member need not be followed. No user is in
//! a group of an owner whom a block parts it from: a block takes both out of each other's groups, and the end of the block
//! puts neither back.

use crate::error::{Error, Reason, Result};
use crate::id::Uid;
use crate::limits::{GROUP_MEMBERS_MAX, GROUP_NAME_LEN_MAX};
use crate::stamp::Stamp;
use std::fmt;

/// The number of a group among its owner's: 1 for the first one, and never given twice. It names a group together with the
/// owner only. Nothing is minted for it, so every backend gives the same group the same number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(u32);

impl GroupId {
    /// The first number.
    pub const MIN: Self = Self(1);
    /// The last number.
    pub const MAX: Self = Self(u32::MAX);

    /// Checks a number.
    ///
    /// # Errors
    /// `MISSING_FIELD` for zero, which is what a field decodes to that is not given.
    pub const fn new(raw: u32) -> Result<Self> {
        if raw == 0 {
            return Err(Error::new(Reason::MissingField { field: "group_id" }));
        }
        Ok(Self(raw))
    }

    /// Returns the number.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the number after the last one that an owner has given, which is `None` before the first group; `None` when
    /// none is left.
    pub fn after(last: Option<Self>) -> Option<Self> {
        last.map_or(0, Self::get).checked_add(1).map(Self)
    }
}

impl fmt::Debug for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "g{}", self.0)
    }
}

impl fmt::Display for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A group without its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserGroup {
    /// The owner.
    pub owner: Uid,
    /// Which of the owner's.
    pub id: GroupId,
    /// What the owner calls it: 1 to [`GROUP_NAME_LEN_MAX`] bytes. Two groups may have one name.
    pub name: String,
    /// When it was made.
    pub created: Stamp,
    /// How often name or members were written: 1 for the first time.
    pub revision: u32,
    /// How many members it has; at most [`GROUP_MEMBERS_MAX`].
    pub members: u32,
    /// Whether posts were made for it, so that a change of its members changes what is shown of its owner's posts. It stays so.
    pub audience: bool,
}

/// One operation of an owner on a group. Each is done by one commit, or not at all: one member who may not be in the group
/// refuses the operation. What is so already is a no-op.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GroupCommand {
    /// Makes a group without members. An owner has at most [`GROUPS_MAX`](crate::limits::GROUPS_MAX).
    Create {
        /// The owner of the new group.
        owner: Uid,
        /// What it is called.
        name: String,
    },
    /// Gives a group another name.
    Update {
        /// The owner.
        owner: Uid,
        /// Which.
        id: GroupId,
        /// The new name, if it is to change.
        name: Option<String>,
        /// The revision that the caller has seen; another one is refused with its number.
        expected_revision: Option<u32>,
    },
    /// Removes a group with its members. Of one that is not there it is a no-op.
    Delete {
        /// The owner.
        owner: Uid,
        /// Which.
        id: GroupId,
    },
    /// Makes some users the members of a group, and removes all others. A user that is a member already keeps its
    /// place in the list.
    SetMembers {
        /// The owner.
        owner: Uid,
        /// Which.
        id: GroupId,
        /// The members; at most [`GROUP_MEMBERS_MAX`], in any order.
        members: Vec<Uid>,
        /// The revision that the caller has seen; another one is refused with its number.
        expected_revision: Option<u32>,
    },
    /// Adds members to a group.
    AddMembers {
        /// The owner.
        owner: Uid,
        /// Which.
        id: GroupId,
        /// The members; at most [`GROUP_MEMBERS_MAX`], in any order.
        members: Vec<Uid>,
    },
    /// Removes members from a group.
    RemoveMembers {
        /// The owner.
        owner: Uid,
        /// Which.
        id: GroupId,
        /// The members; at most [`GROUP_MEMBERS_MAX`], in any order.
        members: Vec<Uid>,
    },
}

impl GroupCommand {
    /// Returns whose group it is about.
    pub const fn owner(&self) -> Uid {
        match self {
            Self::Create { owner, .. }
            | Self::Update { owner, .. }
            | Self::Delete { owner, .. }
            | Self::SetMembers { owner, .. }
            | Self::AddMembers { owner, .. }
            | Self::RemoveMembers { owner, .. } => *owner,
        }
    }

    /// Returns whom else it names.
    pub fn members(&self) -> &[Uid] {
        match self {
            Self::SetMembers { members, .. }
            | Self::AddMembers { members, .. }
            | Self::RemoveMembers { members, .. } => members,
            Self::Create { .. } | Self::Update { .. } | Self::Delete { .. } => &[],
        }
    }

    /// Checks what the operation may be by itself.
    ///
    /// # Errors
    /// `MISSING_FIELD` for an empty name, or no user to add or remove; `TOO_LONG` for a long one, `BATCH_TOO_LARGE` for too many
    /// members.
    pub fn check(&self) -> Result<()> {
        let name = match self {
            Self::Create { name, .. } | Self::Update { name: Some(name), .. } => Some(name),
            _ => None,
        };
        if let Some(name) = name {
            if name.is_empty() {
                return Err(Error::new(Reason::MissingField { field: "name" }));
            }
            if name.len() > GROUP_NAME_LEN_MAX as usize {
                return Err(Error::new(Reason::TooLong { field: "name", limit: GROUP_NAME_LEN_MAX }));
            }
        }
        if let Self::AddMembers { members, .. } | Self::RemoveMembers { members, .. } = self
            && members.is_empty()
        {
            return Err(Error::new(Reason::MissingField { field: "objects" }));
        }
        if self.members().len() > GROUP_MEMBERS_MAX as usize {
            return Err(Error::new(Reason::BatchTooLarge { limit: GROUP_MEMBERS_MAX }));
        }
        Ok(())
    }
}

/// The outcome of an operation on a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupOutcome {
    /// Whether state changed; a refusal is a reason.
    pub result: Result<bool, Reason>,
    /// Which group; `None` of one that was not made.
    pub id: Option<GroupId>,
    /// The group's revision afterwards; 0 of one that is not there.
    pub revision: u32,
}

crate::kinds! {
    /// The change of a group.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum GroupChange: code {
        /// It was made.
        Created = 0,
        /// It has another name.
        Updated = 1,
        /// It has other members. The log does not name them.
        MembersChanged = 2,
        /// It is gone.
        Deleted = 3,
        /// It has other members, or is about to be deleted, and posts are for it: others may see them now.
        AudienceChanged = 4,
    }
}

impl GroupChange {
    /// Returns whether posts of the owner may have come or gone for readers with it.
    pub const fn resets(self) -> bool {
        matches!(self, Self::AudienceChanged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_checked_by_itself() {
        let (owner, id) = (Uid::MIN, GroupId::MIN);
        let create = |len: u32| GroupCommand::Create { owner, name: "n".repeat(len as usize) };
        let update = |name: Option<&str>| GroupCommand::Update {
            owner,
            id,
            name: name.map(ToOwned::to_owned),
            expected_revision: None,
        };
        let add = |many: u32| GroupCommand::AddMembers { owner, id, members: vec![Uid::MAX; many as usize] };
        assert_eq!(create(GROUP_NAME_LEN_MAX).check(), Ok(()));
        assert_eq!(update(None).check(), Ok(()));
        assert_eq!(add(GROUP_MEMBERS_MAX).check(), Ok(()));
        let reason = |command: GroupCommand| command.check().unwrap_err().reason;
        let limit = GROUP_NAME_LEN_MAX;
        assert_eq!(reason(create(limit + 1)), Reason::TooLong { field: "name", limit });
        assert_eq!(reason(update(Some(""))), Reason::MissingField { field: "name" });
        assert_eq!(reason(add(0)), Reason::MissingField { field: "objects" });
        let limit = GROUP_MEMBERS_MAX;
        assert_eq!(reason(add(limit + 1)), Reason::BatchTooLarge { limit });
    }

    #[test]
    fn numbers_go_on_and_end() {
        assert_eq!(GroupId::new(0).unwrap_err().reason, Reason::MissingField { field: "group_id" });
        assert_eq!(GroupId::after(None), Some(GroupId::MIN));
        assert_eq!(GroupId::after(Some(GroupId::MIN)).map(GroupId::get), Some(2));
        assert_eq!(GroupId::after(Some(GroupId::MAX)), None);
    }
}
