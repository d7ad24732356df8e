//! Every read, at a pinned view.

mod external_ids;
mod followed;
mod lists;
mod posts;
mod questions;
mod relations;
#[cfg(test)]
mod tests;
mod user_groups;
mod waiting;

use crate::shared::Shared;
use crate::view::View;
use guanxi_memory::relations::RelationsEntry;
use guanxi_model::{Edge, EdgePage, Page, PageStart, Result, Uid};
use guanxi_ports::BoxFuture;
use std::future::ready;
use std::sync::Arc;

/// The store at one commit.
pub(crate) struct PinnedView {
    shared: Arc<Shared>,
    view: Arc<View>,
}

impl PinnedView {
    pub(crate) fn new(shared: Arc<Shared>, view: Arc<View>) -> Self {
        Self { shared, view }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// A user as of this view.
    pub(crate) fn user(&self, uid: Uid) -> Result<RelationsEntry> {
        Ok(self.shared.user_at(uid, &self.view)?)
    }
}

/// A page of a list that is at hand, newest first.
fn page_of(edges: &[Edge], page: Page) -> EdgePage {
    let from = match page.start() {
        PageStart::Newest => 0,
        PageStart::After(cursor) => edges.partition_point(|edge| *edge >= cursor.0),
        PageStart::Offset(skip) => skip as usize,
    };
    EdgePage::cut(edges.get(from..).unwrap_or_default().iter().copied(), page.size())
}

/// A future that is ready: what a read needs is in memory or one short read away.
fn now<'a, T: Send + 'a>(result: Result<T>) -> BoxFuture<'a, Result<T>> {
    Box::pin(ready(result))
}
