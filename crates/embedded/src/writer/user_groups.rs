//! Groups of users in a group of writes: what the planner reads of them, and the rows that its changes come to.

use super::changes::{PlanRows, planned};
use crate::engine::{EngineResult, Table};
use crate::layout::{
    GROUP_NUMBER, USER_GROUP, encode_group, encode_group_number, encode_stamp, group_key, group_member_key,
    member_of_key, user_key,
};
use crate::rows;
use guanxi_model::plan::GroupRows;
use guanxi_model::{Edge, GroupId, Stamp, Uid, UserGroup};
use std::collections::{BTreeMap, BTreeSet};

impl PlanRows<'_> {
    fn last_group_number(&self, owner: Uid) -> EngineResult<Option<GroupId>> {
        planned(self.user_groups.numbers.get(&owner), || {
            rows::user_groups::last_number(&self.snapshot, owner)
        })
    }
}

impl GroupRows for PlanRows<'_> {
    fn owned_groups(&mut self, owner: Uid) -> EngineResult<(usize, Option<GroupId>)> {
        let groups = rows::user_groups::groups(&self.snapshot, owner)?;
        let mut ids: BTreeSet<GroupId> = groups.into_iter().map(|group| group.id).collect();
        let all = (owner, GroupId::MIN)..=(owner, GroupId::MAX);
        for ((_, id), group) in self.user_groups.groups.range(all) {
            if group.is_some() {
                ids.insert(*id)
            } else {
                ids.remove(id)
            };
        }
        Ok((ids.len(), self.last_group_number(owner)?))
    }

    fn group(&mut self, owner: Uid, id: GroupId) -> EngineResult<Option<UserGroup>> {
        planned(self.user_groups.groups.get(&(owner, id)), || {
            rows::user_groups::group(&self.snapshot, owner, id)
        })
    }

    fn put_group(&mut self, group: UserGroup) -> EngineResult<()> {
        let UserGroup { owner, id, .. } = group;
        self.batch.put(Table::Records, &group_key(USER_GROUP, owner, id), &encode_group(&group));
        self.user_groups.groups.insert((owner, id), Some(group));
        Ok(())
    }

    fn raise_group_number(&mut self, owner: Uid, id: GroupId) -> EngineResult<()> {
        if self.last_group_number(owner)? < Some(id) {
            self.batch.put(Table::Records, &user_key(GROUP_NUMBER, owner), &encode_group_number(id));
            self.user_groups.numbers.insert(owner, Some(id));
        }
        Ok(())
    }

    fn remove_group(&mut self, owner: Uid, id: GroupId) -> EngineResult<()> {
        self.batch.remove(Table::Records, &group_key(USER_GROUP, owner, id));
        self.user_groups.groups.insert((owner, id), None);
        Ok(())
    }

    fn forget_group_numbers(&mut self, owner: Uid) -> EngineResult<()> {
        self.batch.remove(Table::Records, &user_key(GROUP_NUMBER, owner));
        self.user_groups.numbers.insert(owner, None);
        Ok(())
    }

    fn group_members(&mut self, owner: Uid, id: GroupId) -> EngineResult<Vec<Edge>> {
        let stored = rows::user_groups::members(&self.snapshot, owner, id)?;
        let mut members: BTreeMap<Uid, Stamp> = stored.into_iter().map(|edge| (edge.uid, edge.at)).collect();
        let all = (owner, id, Uid::MIN)..=(owner, id, Uid::MAX);
        for ((.., uid), since) in self.user_groups.members.range(all) {
            match since {
                Some(at) => members.insert(*uid, *at),
                None => members.remove(uid),
            };
        }
        Ok(members.into_iter().map(|(uid, at)| Edge { at, uid }).collect())
    }

    fn member_since(&mut self, owner: Uid, id: GroupId, member: Uid) -> EngineResult<Option<Stamp>> {
        planned(self.user_groups.members.get(&(owner, id, member)), || {
            rows::user_groups::member_since(&self.snapshot, owner, id, member)
        })
    }

    fn put_member(&mut self, owner: Uid, id: GroupId, member: Uid, since: Option<Stamp>) -> EngineResult<()> {
        let (row, back) = (group_member_key(owner, id, member), member_of_key(member, owner, id));
        if since.is_some() {
            self.shared.group_members.note_any();
        }
        self.batch.set(Table::Records, &row, since.map(encode_stamp));
        self.batch.set(Table::Records, &back, since.map(|_| []));
        self.user_groups.members.insert((owner, id, member), since);
        self.user_groups.member_of.insert((member, owner, id), since.is_some());
        Ok(())
    }

    fn groups_with(&mut self, owner: Uid, member: Uid) -> EngineResult<Vec<GroupId>> {
        if !self.shared.group_members.any() {
            return Ok(Vec::new());
        }
        let stored = rows::user_groups::groups_with(&self.snapshot, owner, member)?;
        let mut ids: BTreeSet<GroupId> = stored.into_iter().collect();
        let all = (member, owner, GroupId::MIN)..=(member, owner, GroupId::MAX);
        for ((.., id), is_in) in self.user_groups.member_of.range(all) {
            if *is_in {
                ids.insert(*id)
            } else {
                ids.remove(id)
            };
        }
        Ok(ids.into_iter().collect())
    }
}
