//! Groups of users.

use crate::BoxFuture;
use guanxi_model::limits::GROUP_MEMBERS_MAX;
use guanxi_model::{EdgePage, GroupId, Page, PageStart, Result, Uid, UserGroup};
use std::sync::Arc;

/// Groups and their members. Whoever asks on behalf of an end user has checked that it is the owner.
pub trait GroupView: Send + Sync {
    /// All groups of an owner, in the order of their numbers; at most [`GROUPS_MAX`](guanxi_model::limits::GROUPS_MAX).
    fn groups(&self, owner: Uid) -> BoxFuture<'_, Result<Vec<UserGroup>>>;

    /// A group of an owner.
    fn group(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<UserGroup>>>;

    /// A page of a group's members, who came last first; empty of a group that is not there. Offsets are good: the list is
    /// bounded by [`GROUP_MEMBERS_MAX`](guanxi_model::limits::GROUP_MEMBERS_MAX), so a page of that size is all of it.
    fn group_members(&self, owner: Uid, id: GroupId, page: Page) -> BoxFuture<'_, Result<EdgePage>>;

    /// The members of a group, by uid; `None` of one that is not there. A store that has them in memory says it from there.
    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        Box::pin(async move {
            let all = Page::new(PageStart::Newest, GROUP_MEMBERS_MAX.cast_signed())?;
            let members = self.group_members(owner, id, all).await?.items;
            // Of a group that is not there nobody is a member, so that only then it is asked for.
            if members.is_empty() && self.group(owner, id).await?.is_none() {
                return Ok(None);
            }
            let mut uids: Vec<Uid> = members.into_iter().map(|edge| edge.uid).collect();
            uids.sort_unstable();
            Ok(Some(uids.into()))
        })
    }

    /// The groups of an owner that contain each of some users, in the order of the question and of their numbers. At most
    /// [`BATCH_MAX`](guanxi_model::limits::BATCH_MAX) users.
    fn groups_with<'a>(&'a self, owner: Uid, members: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Vec<GroupId>>>>;

    /// Whose groups contain a user, and which these are, in the order of owners and numbers, after one; at most `max`. Fewer
    /// than `max` means the end. For the job that erases users, and to know of whose posts some may be for a user: nobody else
    /// is told.
    fn memberships(
        &self,
        member: Uid,
        after: Option<(Uid, GroupId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(Uid, GroupId)>>>;
}
