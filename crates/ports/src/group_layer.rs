//! Wrappers of views, for groups.

use crate::BoxFuture;
use crate::groups::GroupView;
use crate::layer::ViewLayer;
use guanxi_model::{EdgePage, GroupId, Page, Result, Uid, UserGroup};
use std::sync::Arc;

impl<L: ViewLayer> GroupView for L {
    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        ViewLayer::groups(self, owner)
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        ViewLayer::group(self, owner, id)
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        ViewLayer::group_members(self, owner, id, page)
    }

    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        ViewLayer::group_uids(self, owner, id)
    }

    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>> {
        ViewLayer::groups_with(self, owner, members)
    }

    fn memberships(
        &self,
        member: Uid,
        after: Option<(Uid, GroupId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>> {
        ViewLayer::memberships(self, member, after, max)
    }
}
