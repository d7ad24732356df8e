//! What a view answers about posts.

use crate::reads::{PinnedView, now};
use crate::rows;
use crate::view::View;
use guanxi_memory::cut::Cut as _;
use guanxi_memory::viewer_relations::HeldViewerRelations;
use guanxi_model::post::{PostMarks, PostStats, Revision};
use guanxi_model::{EdgePage, Error, GroupId, Page, Post, PostHeader, PostId, Result, Uid};
use guanxi_ports::{
    AuthorHead, BoxFuture, OutboxAsk, Outboxes, PostView, ViewerRelations, first_posts, first_shown,
};

impl PostView for PinnedView {
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        now(self.user(viewer).map(|user| {
            Box::new(HeldViewerRelations::new(user, View::LOGS.of(viewer))) as Box<dyn ViewerRelations>
        }))
    }

    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        now(self.shared().heads(authors, self.view()).map_err(Error::from))
    }

    fn created_from<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>> {
        let snapshot = &self.view().snapshot;
        let first = |author: &Uid| Ok(rows::posts::author(snapshot, *author)?.created_from);
        now(authors.iter().map(first).collect())
    }

    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        now(self.shared().outboxes_at(asks, max, self.view()).map_err(Error::from))
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        now(self.shared().headers_at(ids, self.view()).map_err(Error::from))
    }

    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>> {
        now(self.follow_of(subjects, object))
    }

    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>> {
        now(self.blocked_by_of(viewer, authors))
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        now(self.in_groups_of(uid, groups).map_err(Error::from))
    }

    /// One snapshot answers everything, so that nothing of it can be of another moment.
    fn confirm(&self, _viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        now(Ok(true))
    }

    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        now(self.stored(ask, max))
    }

    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>> {
        now(first_posts(ids.iter().map(|id| self.post(*id))))
    }

    fn revisions(&self, id: PostId, below: Option<u32>, max: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        let revisions = rows::posts::revisions(&self.view().snapshot, id, below).take(max);
        now(revisions.map(|revision| Ok(revision?)).collect())
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        now(ids.iter().map(|id| Ok(rows::posts::stats(&self.view().snapshot, *id)?)).collect())
    }

    fn shown<'a>(
        &'a self,
        viewer: Option<Uid>,
        ids: &'a [PostId],
    ) -> BoxFuture<'a, Result<Vec<Option<(Post, PostMarks)>>>> {
        let shown = |id: &PostId| {
            let Some(post) = self.post(*id)? else { return Ok(None) };
            Ok(Some((post, self.marks_of(viewer, *id)?)))
        };
        now(first_shown(ids.iter().map(shown)))
    }

    fn likers(&self, id: PostId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        now(self.likers_page(id, page))
    }

    fn reposts_of(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<PostId>>> {
        now(self.reposts_page(original, below, max))
    }
}
