//! Reads of groups.

use super::{PinnedView, now};
use crate::rows;
use guanxi_model::{Edge, EdgePage, Error, GroupId, Page, PageStart, Result, Uid, UserGroup};
use guanxi_ports::{BoxFuture, GroupView};

impl GroupView for PinnedView {
    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>> {
        now(rows::user_groups::groups(&self.view.snapshot, owner).map_err(Error::from))
    }

    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>> {
        now(rows::user_groups::group(&self.view.snapshot, owner, id).map_err(Error::from))
    }

    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        let members = rows::user_groups::members(&self.view.snapshot, owner, id);
        now(members.map(|members| page_of(members, page)).map_err(Error::from))
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

/// A page of members, which are few enough to be sorted for each.
fn page_of(mut members: Vec<Edge>, page: Page) -> EdgePage {
    members.sort_unstable_by(|a, b| b.cmp(a));
    let skip = match page.start() {
        PageStart::Newest => 0,
        PageStart::After(cursor) => members.partition_point(|edge| *edge >= cursor.0),
        PageStart::Offset(skip) => skip as usize,
    };
    EdgePage::cut(members.into_iter().skip(skip), page.size())
}
