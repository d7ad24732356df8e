//! Reads of posts.

use super::{PinnedView, now};
use crate::engine::EngineError;
use crate::memory::viewer_relations::HeldViewerRelations;
use crate::rows;
use guanxi_model::post::{ImportPost, PostMarks, PostStats, Revision};
use guanxi_model::{
    EdgePage, Error, GroupId, Page, PageStart, Post, PostHeader, PostId, Reason, Result, Uid,
};
use guanxi_ports::{
    AuthorHead, BoxFuture, ExportLike, OutboxAsk, OutboxView, Outboxes, PostView, UserLike, ViewerRelations,
    first_exported, first_posts,
};

impl PinnedView {
    /// Whether a post can exist at this view: ids are minted in ascending order, so one above the last is newer.
    fn may_exist(&self, id: PostId) -> bool {
        id.get() <= self.view().ids_high
    }

    fn post(&self, id: PostId) -> Result<Option<Post>> {
        if !self.may_exist(id) {
            return Ok(None);
        }
        Ok(rows::posts::post(&self.view().snapshot, id)?.map(|value| value.post))
    }

    /// What a viewer did is looked up where somebody did it at all: most posts are liked and reposted by nobody, and the
    /// counters are of the same commit.
    fn marks_of(&self, viewer: Uid, id: PostId) -> Result<PostMarks> {
        let snapshot = &self.view().snapshot;
        let stats = rows::posts::stats(snapshot, id)?;
        Ok(PostMarks {
            stats,
            liked: stats.likes > 0 && rows::posts::likes(snapshot, id, viewer)?,
            reposted: stats.reposts > 0 && rows::posts::reposted(snapshot, viewer, id)?,
        })
    }

    fn likers_page(&self, id: PostId, page: Page) -> Result<EdgePage> {
        let after = match page.start() {
            PageStart::Newest => None,
            PageStart::After(cursor) => Some(cursor.0),
            PageStart::Offset(_) => return Err(Error::new(Reason::InvalidField { field: "offset" })),
        };
        let likes = || Ok(rows::posts::stats(&self.view().snapshot, id)?.likes);
        let part = (after, page.size() + 1);
        let found = self.entries(&self.shared().lists.likers, id, part, likes, rows::posts::likers)?;
        Ok(EdgePage::cut(found, page.size()))
    }

    fn reposts_page(&self, original: PostId, below: Option<PostId>, max: usize) -> Result<Vec<PostId>> {
        let standing = || Ok(rows::posts::stats(&self.view().snapshot, original)?.reposts);
        let lists = &self.shared().lists;
        self.entries(&lists.reposts, original, (below, max), standing, rows::posts::reposts_of)
    }

    /// Whether each subject follows a user: asked of the subject, whose set is bounded.
    fn follow_of(&self, subjects: &[Uid], object: Uid) -> Result<Vec<bool>> {
        let known: Vec<Option<bool>> = {
            let users = self.shared().relations.read(self.view());
            users.get_many(subjects).iter().map(|user| Some((*user)?.packed().follows(object))).collect()
        };
        let follows = |(subject, known): (&Uid, Option<bool>)| {
            known.map_or_else(|| Ok(self.user(*subject)?.packed().follows(object)), Ok)
        };
        subjects.iter().zip(known).map(follows).collect()
    }

    fn blocked_by_of(&self, viewer: Uid, authors: &[Uid]) -> Result<Vec<bool>> {
        Ok(self.relations_of(viewer, authors)?.iter().map(|relation| relation.blocked_by).collect())
    }

    fn stored(&self, ask: OutboxAsk, max: usize) -> Result<Vec<PostHeader>> {
        let snapshot = &self.view().snapshot;
        let headers = rows::posts::outbox(snapshot, ask.author, ask.below).take(max).map(|id| {
            let id = id?;
            let lost = || EngineError::Damaged(format!("post {id} is missing"));
            Ok(rows::posts::header(snapshot, id)?.ok_or_else(lost)?.0)
        });
        headers.collect()
    }
}

impl OutboxView for PinnedView {
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        now(self
            .user(viewer)
            .map(|user| Box::new(HeldViewerRelations::new(user)) as Box<dyn ViewerRelations>))
    }

    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        let shared = self.shared();
        now(shared.outboxes.heads(authors, &shared.engine).map_err(Error::from))
    }

    fn created_from<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>> {
        let snapshot = &self.view().snapshot;
        let first = |author: &Uid| Ok(rows::posts::author(snapshot, *author)?.created_from);
        now(authors.iter().map(first).collect())
    }

    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        let shared = self.shared();
        now(shared.outboxes.outboxes(asks, max, self.view(), &shared.engine).map_err(Error::from))
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        let shared = self.shared();
        now(shared.headers.at(ids, self.view(), &shared.engine).map_err(Error::from))
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

    /// One commit holds a fact and all that follows from it.
    fn mirrors_are_exact(&self) -> bool {
        true
    }

    /// One snapshot answers everything, so that nothing of it can be of another moment.
    fn confirm(&self, _viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        now(Ok(true))
    }

    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        now(self.stored(ask, max))
    }
}

impl PostView for PinnedView {
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

    fn marks<'a>(&'a self, viewer: Uid, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostMarks>>> {
        now(ids.iter().map(|id| self.marks_of(viewer, *id)).collect())
    }

    fn all_posts(&self, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        let posts = rows::posts::all(&self.view().snapshot, after).take(max);
        now(first_exported(posts.map(|post| Ok(post?))))
    }

    fn all_likes(&self, after: Option<(PostId, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        let likes = rows::posts::all_likes(&self.view().snapshot, after).take(max);
        now(likes.map(|like| Ok(like?)).collect())
    }

    fn likes_by(&self, uid: Uid, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        let likes = rows::posts::likes_of_user(&self.view().snapshot, uid, after).take(max);
        now(likes.map(|like| Ok(like?)).collect())
    }

    fn deleted_posts(
        &self,
        after: Option<(u64, PostId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        let posts = rows::posts::deleted(&self.view().snapshot, after).take(max);
        now(posts.map(|post| Ok(post?)).collect())
    }

    fn imported_names<'a>(
        &'a self,
        author: Uid,
        after: Option<&'a str>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        let names = rows::posts::sources(&self.view().snapshot, author, after).take(max);
        now(names.map(|name| Ok(name?)).collect())
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
