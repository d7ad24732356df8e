//! Rows of groups as a database would hold them.

use super::rows::{NotFetched, Rows, Selected};
use guanxi_model::plan::{GroupRows, RowKey};
use guanxi_model::{Edge, GroupId, Result, Stamp, Uid, UserGroup};
use std::collections::BTreeMap;

/// Groups, the last number of each owner, and members.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GroupTables {
    groups: BTreeMap<(Uid, GroupId), UserGroup>,
    last: BTreeMap<Uid, GroupId>,
    members: BTreeMap<(Uid, GroupId, Uid), Stamp>,
}

impl GroupTables {
    pub(super) fn of(&self, owner: Uid) -> Vec<UserGroup> {
        self.groups.values().filter(|group| group.owner == owner).cloned().collect()
    }

    /// The members of a group, by uid.
    pub(super) fn members(&self, owner: Uid, id: GroupId) -> Vec<Edge> {
        let of_group = self.members.range((owner, id, Uid::MIN)..=(owner, id, Uid::MAX));
        of_group.map(|((.., uid), at)| Edge { at: *at, uid: *uid }).collect()
    }

    pub(super) fn with(&self, owner: Uid, member: Uid) -> Vec<GroupId> {
        let is_in = |id: &GroupId| self.members.contains_key(&(owner, *id, member));
        self.of(owner).into_iter().map(|group| group.id).filter(is_in).collect()
    }
}

impl GroupRows for Selected<'_, &mut Rows> {
    fn owned_groups(&mut self, owner: Uid) -> Result<(usize, Option<GroupId>), NotFetched> {
        self.check(RowKey::OwnedGroups(owner))?;
        let groups = &self.rows().groups;
        Ok((groups.of(owner).len(), groups.last.get(&owner).copied()))
    }

    fn group(&mut self, owner: Uid, id: GroupId) -> Result<Option<UserGroup>, NotFetched> {
        self.check(RowKey::Group(owner, id))?;
        Ok(self.rows().groups.groups.get(&(owner, id)).cloned())
    }

    fn put_group(&mut self, group: UserGroup) -> Result<(), NotFetched> {
        self.rows().groups.groups.insert((group.owner, group.id), group);
        Ok(())
    }

    fn raise_group_number(&mut self, owner: Uid, id: GroupId) -> Result<(), NotFetched> {
        self.check(RowKey::OwnedGroups(owner))?;
        let last = self.rows().groups.last.entry(owner).or_insert(id);
        *last = id.max(*last);
        Ok(())
    }

    fn remove_group(&mut self, owner: Uid, id: GroupId) -> Result<(), NotFetched> {
        self.rows().groups.groups.remove(&(owner, id));
        Ok(())
    }

    fn forget_group_numbers(&mut self, owner: Uid) -> Result<(), NotFetched> {
        self.rows().groups.last.remove(&owner);
        Ok(())
    }

    fn group_members(&mut self, owner: Uid, id: GroupId) -> Result<Vec<Edge>, NotFetched> {
        self.check(RowKey::GroupMembers(owner, id))?;
        Ok(self.rows().groups.members(owner, id))
    }

    fn member_since(&mut self, owner: Uid, id: GroupId, member: Uid) -> Result<Option<Stamp>, NotFetched> {
        self.check(RowKey::GroupMember(owner, id, member))?;
        Ok(self.rows().groups.members.get(&(owner, id, member)).copied())
    }

    fn put_member(
        &mut self,
        owner: Uid,
        id: GroupId,
        member: Uid,
        since: Option<Stamp>,
    ) -> Result<(), NotFetched> {
        let members = &mut self.rows().groups.members;
        match since {
            Some(at) => drop(members.insert((owner, id, member), at)),
            None => drop(members.remove(&(owner, id, member))),
        }
        Ok(())
    }

    fn groups_with(&mut self, owner: Uid, member: Uid) -> Result<Vec<GroupId>, NotFetched> {
        self.check(RowKey::GroupsWith(owner, member))?;
        Ok(self.rows().groups.with(owner, member))
    }
}
