//! Groups and their members: facts of their owner's shard, whosever the members are.

use super::{Cells, NotFetched, Rows};
use guanxi_model::plan::GroupRows;
use guanxi_model::{Edge, GroupId, Stamp, Uid, UserGroup};
use std::collections::BTreeSet;

/// A group: whose, and which of the owner's.
pub type GroupPlace = (Uid, GroupId);

/// A member of a group.
pub type MemberPlace = (Uid, GroupId, Uid);

/// How many groups an owner has, and the last number that it has given.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnedGroups {
    /// How many.
    pub many: usize,
    /// The last number.
    pub last: Option<GroupId>,
}

/// The rows of groups that a batch has.
#[derive(Debug, Default)]
pub struct GroupCells {
    /// Groups.
    pub groups: Cells<GroupPlace, Option<UserGroup>>,
    /// How many owners have.
    pub owned: Cells<Uid, OwnedGroups>,
    /// Since when users are in groups.
    pub members: Cells<MemberPlace, Option<Stamp>>,
    /// The groups of which every member is there.
    pub whole: BTreeSet<GroupPlace>,
    /// The owners and users of whom every group is there that contains the user.
    pub with: BTreeSet<(Uid, Uid)>,
}

impl GroupCells {
    /// An owner's groups that contain a user, as far as they were fetched.
    pub(super) fn known_with(&self, owner: Uid, member: Uid) -> Vec<GroupId> {
        let of_owner = self.members.range((owner, GroupId::MIN, Uid::MIN)..=(owner, GroupId::MAX, Uid::MAX));
        let with = of_owner.filter(|((.., uid), since)| *uid == member && since.is_some());
        with.map(|((_, id, _), _)| id).collect()
    }

    fn put_group(&mut self, place: GroupPlace, group: Option<UserGroup>) -> Result<(), NotFetched> {
        // A new one was not asked for: its number has never been given.
        self.groups.fetched(place);
        let row = self.groups.change(place)?;
        let (before, after) = (row.is_some(), group.is_some());
        *row = group;
        if self.owned.has(place.0) && before != after {
            let owned = self.owned.change(place.0)?;
            owned.many = (owned.many + usize::from(after)).saturating_sub(usize::from(before));
        }
        Ok(())
    }
}

impl GroupRows for Rows {
    fn owned_groups(&mut self, owner: Uid) -> Result<(usize, Option<GroupId>), NotFetched> {
        let OwnedGroups { many, last } = *self.groups.owned.get(owner)?;
        Ok((many, last))
    }

    fn group(&mut self, owner: Uid, id: GroupId) -> Result<Option<UserGroup>, NotFetched> {
        self.groups.groups.get((owner, id)).cloned()
    }

    fn put_group(&mut self, group: UserGroup) -> Result<(), NotFetched> {
        self.groups.put_group((group.owner, group.id), Some(group))
    }

    fn raise_group_number(&mut self, owner: Uid, id: GroupId) -> Result<(), NotFetched> {
        let last = &mut self.groups.owned.change(owner)?.last;
        *last = (*last).max(Some(id));
        Ok(())
    }

    fn remove_group(&mut self, owner: Uid, id: GroupId) -> Result<(), NotFetched> {
        self.groups.put_group((owner, id), None)
    }

    fn forget_group_numbers(&mut self, owner: Uid) -> Result<(), NotFetched> {
        self.groups.owned.change(owner)?.last = None;
        Ok(())
    }

    fn group_members(&mut self, owner: Uid, id: GroupId) -> Result<Vec<Edge>, NotFetched> {
        if !self.groups.whole.contains(&(owner, id)) {
            return Err(NotFetched(format!("the members of group {id} of {owner}")));
        }
        let of_group = self.groups.members.range((owner, id, Uid::MIN)..=(owner, id, Uid::MAX));
        Ok(of_group.filter_map(|((.., uid), at)| Some(Edge { at: (*at)?, uid })).collect())
    }

    fn member_since(&mut self, owner: Uid, id: GroupId, member: Uid) -> Result<Option<Stamp>, NotFetched> {
        let place = (owner, id, member);
        if !self.is_home(owner) {
            return self.foreign.member(place);
        }
        if !self.groups.members.has(place) && self.groups.whole.contains(&(owner, id)) {
            return Ok(None);
        }
        self.groups.members.get(place).copied()
    }

    fn put_member(
        &mut self,
        owner: Uid,
        id: GroupId,
        member: Uid,
        since: Option<Stamp>,
    ) -> Result<(), NotFetched> {
        let place = (owner, id, member);
        // Of a whole group only those have a cell who are in it.
        self.groups.members.fetched(place);
        *self.groups.members.change(place)? = since;
        Ok(())
    }

    /// The groups of an owner of another shard change there, when what parts the two is derived.
    fn groups_with(&mut self, owner: Uid, member: Uid) -> Result<Vec<GroupId>, NotFetched> {
        if !self.is_home(owner) {
            return Ok(Vec::new());
        }
        if !self.groups.with.contains(&(owner, member)) {
            return Err(NotFetched(format!("the groups of {owner} with {member}")));
        }
        Ok(self.groups.known_with(owner, member))
    }
}
