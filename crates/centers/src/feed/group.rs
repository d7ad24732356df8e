//! The timeline of a group: home with the members of a group in place of the users whom the viewer follows.
//!
//! Nothing is kept for it. A group has few members, so each page is the lazy merge of their outboxes, at one view, under the
//! same rules, and with the same cursors and budget as home. No block separates the viewer from a member, so the checks that
//! home makes of authors are enough here, too. Of a member whom the viewer does not follow it sees the public posts, and the
//! posts for a group that it is in. The viewer is no member, and finds its own posts at home.

use super::FeedCenter;
use super::hydrate::hydrate;
use super::merge::Merge;
use super::page::{HomePage, ShownItems, Source};
use super::present::HomePosts;
use super::read::ReadHome;
use super::rules::judge_in_group;
use super::scan::PageScan;
use crate::confirm::confirmed;
use crate::post::{Originals, gone};
use guanxi_model::{Error, GroupId, Position, PostHeader, PostId, PostPage, Reason, Result, Uid};
use guanxi_ports::{PostView, RelationView, StoreView, ViewerRelations};
use std::sync::Arc;

/// A reader of a group: the viewer, the members that it reads, and the view.
struct GroupReader<'a> {
    view: &'a dyn PostView,
    viewer: Uid,
    viewer_relations: &'a dyn ViewerRelations,
    /// By uid.
    members: Arc<[Uid]>,
}

impl FeedCenter {
    /// A page of the timeline of a group of the viewer: the items of its members, newest first.
    ///
    /// # Errors
    /// `GROUP_NOT_FOUND`; `OVERLOADED` without a place for a heavy call; those of pinning a view.
    pub async fn group(
        &self,
        viewer: Uid,
        id: GroupId,
        page: PostPage,
        at_least: Option<Position>,
    ) -> Result<HomePage> {
        let _place = self.heavy.begin(viewer).await?;
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let read = self.read_group(viewer, id, page, at_least, Originals::OfReposts).await?;
            Ok(read.view.confirm(viewer).await?.then_some(read.page))
        })
        .await
    }

    /// The same with its posts, as [`home_posts`](Self::home_posts).
    ///
    /// # Errors
    /// `GROUP_NOT_FOUND`; `OVERLOADED` without a place for a heavy call; those of pinning a view.
    pub async fn group_posts(
        &self,
        viewer: Uid,
        id: GroupId,
        page: PostPage,
        at_least: Option<Position>,
    ) -> Result<HomePosts> {
        let _place = self.heavy.begin(viewer).await?;
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let read = self.read_group(viewer, id, page, at_least, Originals::OfAll).await?;
            read.present(viewer).await
        })
        .await
    }

    /// A page of a group's timeline, which is not confirmed yet.
    async fn read_group(
        &self,
        viewer: Uid,
        id: GroupId,
        page: PostPage,
        at_least: Option<&Position>,
        originals: Originals,
    ) -> Result<ReadHome> {
        let view = self.store.page_view(at_least).await?;
        let (mut page, shown) = group_page(&*view, viewer, id, page, originals).await?;
        page.position = page.position.joined(at_least);
        Ok(ReadHome { page, view, shown })
    }
}

/// A page of a group's timeline at a view.
pub(super) async fn group_page(
    view: &dyn StoreView,
    viewer: Uid,
    id: GroupId,
    page: PostPage,
    originals: Originals,
) -> Result<(HomePage, ShownItems)> {
    let members = group_members(view, viewer, id);
    let (members, viewer_relations) = tokio::try_join!(members, view.viewer_relations(viewer))?;
    let reader = GroupReader { view, viewer, viewer_relations: &*viewer_relations, members };
    reader.page(page, originals).await
}

/// Returns the members of a group, by uid.
///
/// # Errors
/// `GROUP_NOT_FOUND`.
pub(super) async fn group_members(view: &dyn RelationView, owner: Uid, id: GroupId) -> Result<Arc<[Uid]>> {
    view.group_uids(owner, id).await?.ok_or_else(|| Error::new(Reason::GroupNotFound))
}

impl GroupReader<'_> {
    /// A page: candidates, what the rules ask, rules, until the page is full and one more is seen, or the list ends.
    async fn page(&self, page: PostPage, originals: Originals) -> Result<(HomePage, ShownItems)> {
        let mut merge = self.merge(page.below).await?;
        let mut scan = PageScan::new(page, originals);
        while let Some(wanted) = scan.wanted() {
            let candidates = self.candidates(&mut merge, wanted).await?;
            let hydrated =
                hydrate(self.view, self.viewer_relations, self.viewer, &candidates, originals).await?;
            let is_shown = |header: &&PostHeader| {
                judge_in_group(header, self.viewer, self.viewer_relations, &hydrated, &self.members).is_ok()
            };
            scan.add(wanted, &candidates, hydrated.headers.iter().flatten().filter(is_shown));
            scan.keep(hydrated.behind);
        }
        Ok(scan.end(Source::Pull, self.view.position()))
    }

    /// Returns the merge of the members' outboxes below a cursor. Posts of gone members are not shown, so their outboxes are
    /// not read.
    async fn merge(&self, below: Option<PostId>) -> Result<Merge> {
        let gone = gone(self.view, &self.members).await?;
        let there = self.members.iter().copied().filter(|member| !gone.contains(member));
        let members: Vec<Uid> = there.collect();
        let heads = self.view.heads(&members).await?;
        Ok(Merge::new(members.into_iter().zip(&heads).map(|(member, head)| (member, head, below))))
    }

    /// At most `max` more candidates; fewer only at the end.
    async fn candidates(&self, merge: &mut Merge, max: usize) -> Result<Vec<PostId>> {
        let mut ids = Vec::with_capacity(max);
        while ids.len() < max {
            let Some(id) = merge.peek(self.view, None, max - ids.len()).await? else { break };
            merge.pop();
            ids.push(id);
        }
        Ok(ids)
    }
}
