//! What a view answers about posts.

use crate::view::ClusterView;
use crate::view::viewer_relations::read_viewer_relations;
use guanxi_model::post::{AuthorHead, Post, PostHeader, PostMarks, PostStats, Revision};
use guanxi_model::{EdgePage, GroupId, Page, PostId, Result, Uid};
use guanxi_ports::{BoxFuture, OutboxAsk, Outboxes, PostView, ViewerRelations};

impl PostView for ClusterView {
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        Box::pin(read_viewer_relations(self, viewer))
    }

    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        Box::pin(self.heads_of(authors))
    }

    fn created_from<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>> {
        Box::pin(async move {
            Ok(self.author_rows(authors).await?.into_iter().map(|row| row.created_from).collect())
        })
    }

    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        Box::pin(self.outboxes_of(asks, max))
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        Box::pin(self.headers_of(ids))
    }

    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>> {
        Box::pin(self.who_of_follow(subjects, object))
    }

    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>> {
        Box::pin(self.who_of_block(viewer, authors))
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        Box::pin(self.in_groups_of(uid, groups))
    }

    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        Box::pin(self.holds_still(viewer))
    }

    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        Box::pin(self.stored_headers_of(ask, max))
    }

    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>> {
        Box::pin(self.posts_of(ids))
    }

    fn revisions(&self, id: PostId, below: Option<u32>, max: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        Box::pin(self.revisions_of(id, below, max))
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        Box::pin(self.stats_of(ids))
    }

    fn shown<'a>(
        &'a self,
        viewer: Option<Uid>,
        ids: &'a [PostId],
    ) -> BoxFuture<'a, Result<Vec<Option<(Post, PostMarks)>>>> {
        Box::pin(self.shown_of(viewer, ids))
    }

    fn likers(&self, id: PostId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        Box::pin(self.likers_of(id, page))
    }

    fn reposts_of(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<PostId>>> {
        Box::pin(self.reposts_of_post(original, below, max))
    }
}
