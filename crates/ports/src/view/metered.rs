//! The view that counts and times what it is asked.

use super::{BaseView, MeteredView};
use crate::BoxFuture;
use crate::meter::{CallMeter, meters};
use guanxi_model::{EdgePage, GroupId, List, Page, Position, Result, Uid};
use std::sync::Arc;

meters! {
    /// What is asked of a view and is no question.
    pub(crate) struct BaseMeters {
        graph { list_following, list_followers, list_friends, list_blocks, list_mutes }
        group { uids }
    }
}

impl BaseMeters {
    pub(crate) const fn of_list(&self, list: List) -> &CallMeter {
        match list {
            List::Following => &self.list_following,
            List::Followers => &self.list_followers,
            List::Friends => &self.list_friends,
            List::Blocks => &self.list_blocks,
            List::Mutes => &self.list_mutes,
        }
    }
}

impl BaseView for MeteredView {
    fn position(&self) -> Position {
        self.inner.position()
    }

    fn mirrors_are_exact(&self) -> bool {
        self.inner.mirrors_are_exact()
    }

    fn all_stand_by_default(&self) -> bool {
        self.inner.all_stand_by_default()
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        Box::pin(self.meters.base.of_list(list).time(self.inner.list(of, list, page)))
    }

    fn group_uids(&self, owner: Uid, id: GroupId) -> BoxFuture<'_, Result<Option<Arc<[Uid]>>>> {
        Box::pin(self.meters.base.uids.time(self.inner.group_uids(owner, id)))
    }
}
