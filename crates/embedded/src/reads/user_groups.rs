//! Reads of groups.

use super::{PinnedView, now, page_of};
use crate::engine::EngineError;
use crate::memory::user_groups::GroupMembers;
use crate::rows;
use guanxi_model::{EdgePage, Error, GroupId, Page, Result, Uid, UserGroup};
use guanxi_ports::{BoxFuture, GroupView};
use std::sync::Arc;

impl GroupView for PinnedView {
    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        now(rows::user_groups::groups(&self.view.snapshot, owner).map_err(Error::from))
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        now(rows::user_groups::group(&self.view.snapshot, owner, id).map_err(Error::from))
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        let page = |members: Option<GroupMembers>| {
            members.map_or_else(EdgePage::default, |members| page_of(&members.newest, page))
        };
        now(self.members_of(owner, id).map(page).map_err(Error::from))
    }

    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        let members = self.members_of(owner, id).map_err(Error::from);
        now(members.map(|members| members.map(|members| members.uids)))
    }

    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>> {
        let with = |member: &Uid| rows::user_groups::groups_with(&self.view.snapshot, owner, *member);
        now(members.iter().map(|member| with(member).map_err(Error::from)).collect())
    }

    fn memberships(
        &self,
        member: Uid,
        after: Option<(Uid, GroupId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>> {
        now(rows::user_groups::memberships(&self.view.snapshot, member, after, max).map_err(Error::from))
    }
}

impl PinnedView {
    /// Whether a user is in each of some groups: a look at one row of each, however large they are.
    pub(super) fn in_groups_of(
        &self,
        member: Uid,
        groups: &[(Uid, GroupId)],
    ) -> Result<Vec<bool>, EngineError> {
        if !self.shared.group_members.any() {
            return Ok(vec![false; groups.len()]);
        }
        let since = |(owner, id): &(Uid, GroupId)| {
            rows::user_groups::member_since(&self.view.snapshot, *owner, *id, member)
        };
        groups.iter().map(|group| Ok(since(group)?.is_some())).collect()
    }

    /// The members of a group, if it is there.
    fn members_of(&self, owner: Uid, id: GroupId) -> Result<Option<GroupMembers>, EngineError> {
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
