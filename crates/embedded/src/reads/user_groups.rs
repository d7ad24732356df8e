//! Reads of groups.

use super::PinnedView;
use crate::engine::EngineResult;
use crate::rows;
use guanxi_memory::user_groups::GroupMembers;
use guanxi_model::{GroupId, Uid};

impl PinnedView {
    /// Returns whether a user is in each of some groups: a look at one row of each, however large they are.
    pub(super) fn in_groups_of(&self, member: Uid, groups: &[(Uid, GroupId)]) -> EngineResult<Vec<bool>> {
        if !self.shared.group_members.any() {
            return Ok(vec![false; groups.len()]);
        }
        let since = |(owner, id): &(Uid, GroupId)| {
            rows::user_groups::member_since(&self.view.snapshot, *owner, *id, member)
        };
        groups.iter().map(|group| Ok(since(group)?.is_some())).collect()
    }

    /// The members of a group, if it is there.
    pub(super) fn members_of(&self, owner: Uid, id: GroupId) -> EngineResult<Option<GroupMembers>> {
        let (snapshot, cache, changes) =
            (&self.view.snapshot, &self.shared.group_members, self.view.group_changes);
        if let Some(members) = cache.unchanged(owner, id, changes) {
            return Ok(Some(members));
        }
        let Some(group) = rows::user_groups::group(snapshot, owner, id)? else { return Ok(None) };
        if let Some(members) = cache.get(&group, changes) {
            return Ok(Some(members));
        }
        let members = GroupMembers::new(rows::user_groups::members(snapshot, owner, id)?);
        cache.put(&group, changes, members.clone());
        Ok(Some(members))
    }
}
