//! Calls of posts.

use super::{Metered, MeteredView};
use crate::{
    AuthorHead, BoxFuture, ExportLike, OutboxAsk, OutboxView, Outboxes, PostView, Posts, StoreView, UserLike,
    ViewerRelations,
};
use guanxi_model::post::{ImportPost, PostMarks, PostStats, Revision};
use guanxi_model::{EdgePage, EventAt, GroupId, Page, Position, Post, PostHeader, PostId, Result, Uid};

/// What a call is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Call {
    Create,
    Update,
    Delete,
    Restore,
    Like,
    Unlike,
    UndoRepost,
    Purge,
    EndPurge,
    TakeDown,
    Reinstate,
    Import,
    ImportLikes,
    MarkSeen,
    SetFanoutPolicy,
    View,
    ViewerRelations,
    Heads,
    CreatedFrom,
    Outboxes,
    Headers,
    Posts,
    Revisions,
    Stats,
    Marks,
    Likers,
    AllPosts,
    AllLikes,
    Follow,
    Seen,
    FanoutPolicy,
    StoredHeaders,
    IsApplied,
    BlockedBy,
    Confirm,
    LikesBy,
    DeletedPosts,
    ImportedNames,
    InGroups,
    RepostsOf,
}

/// The label of each call, in the order of [`Call`].
pub const LABELS: [&str; Call::RepostsOf as usize + 1] = [
    "create",
    "update",
    "delete",
    "restore",
    "like",
    "unlike",
    "undo_repost",
    "purge",
    "end_purge",
    "take_down",
    "reinstate",
    "import",
    "import_likes",
    "mark_seen",
    "set_fanout_policy",
    "view",
    "audience",
    "heads",
    "created_from",
    "outboxes",
    "items",
    "posts",
    "revisions",
    "stats",
    "marks",
    "likers",
    "all_posts",
    "all_likes",
    "follow",
    "seen",
    "fanout_policy",
    "stored_items",
    "is_applied",
    "blocked_by",
    "confirm",
    "likes_by",
    "deleted_posts",
    "imported_names",
    "in_groups",
    "reposts_of",
];

impl<P: Posts> Posts for Metered<P> {
    fn post_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let inner = self.meters.posts[Call::View as usize].time(self.inner.post_view(at_least)).await?;
            Ok(Box::new(MeteredView { inner, meters: self.meters.clone() }) as Box<dyn StoreView>)
        })
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        Box::pin(self.meters.posts[Call::IsApplied as usize].time(self.inner.is_applied(uid, at)))
    }
}

impl MeteredView {
    pub(super) fn time_posts<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        answer: BoxFuture<'a, Result<T>>,
    ) -> BoxFuture<'a, Result<T>> {
        Box::pin(self.meters.posts[call as usize].time(answer))
    }
}

impl OutboxView for MeteredView {
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        self.time_posts(Call::ViewerRelations, self.inner.viewer_relations(viewer))
    }

    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        self.time_posts(Call::Heads, self.inner.heads(authors))
    }

    fn created_from<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>> {
        self.time_posts(Call::CreatedFrom, self.inner.created_from(authors))
    }

    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        self.time_posts(Call::Outboxes, self.inner.outboxes(asks, max))
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        self.time_posts(Call::Headers, self.inner.headers(ids))
    }

    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>> {
        self.time_posts(Call::Follow, self.inner.follow(subjects, object))
    }

    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>> {
        self.time_posts(Call::BlockedBy, self.inner.blocked_by(viewer, authors))
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        self.time_posts(Call::InGroups, self.inner.in_groups(uid, groups))
    }

    fn mirrors_are_exact(&self) -> bool {
        self.inner.mirrors_are_exact()
    }

    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        self.time_posts(Call::Confirm, self.inner.confirm(viewer))
    }

    fn stored_headers(&self, ask: OutboxAsk, max: usize) -> BoxFuture<'_, Result<Vec<PostHeader>>> {
        self.time_posts(Call::StoredHeaders, self.inner.stored_headers(ask, max))
    }
}

impl PostView for MeteredView {
    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>> {
        self.time_posts(Call::Posts, self.inner.posts(ids))
    }

    fn revisions(&self, id: PostId, below: Option<u32>, max: usize) -> BoxFuture<'_, Result<Vec<Revision>>> {
        self.time_posts(Call::Revisions, self.inner.revisions(id, below, max))
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        self.time_posts(Call::Stats, self.inner.stats(ids))
    }

    fn marks<'a>(&'a self, viewer: Uid, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostMarks>>> {
        self.time_posts(Call::Marks, self.inner.marks(viewer, ids))
    }

    fn likers(&self, id: PostId, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        self.time_posts(Call::Likers, self.inner.likers(id, page))
    }

    fn reposts_of(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<PostId>>> {
        self.time_posts(Call::RepostsOf, self.inner.reposts_of(original, below, max))
    }

    fn all_posts(&self, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<ImportPost>>> {
        self.time_posts(Call::AllPosts, self.inner.all_posts(after, max))
    }

    fn all_likes(&self, after: Option<(PostId, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportLike>>> {
        self.time_posts(Call::AllLikes, self.inner.all_likes(after, max))
    }

    fn likes_by(&self, uid: Uid, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<UserLike>>> {
        self.time_posts(Call::LikesBy, self.inner.likes_by(uid, after, max))
    }

    fn deleted_posts(
        &self,
        after: Option<(u64, PostId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>> {
        self.time_posts(Call::DeletedPosts, self.inner.deleted_posts(after, max))
    }

    fn imported_names<'a>(
        &'a self,
        author: Uid,
        after: Option<&'a str>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>> {
        self.time_posts(Call::ImportedNames, self.inner.imported_names(author, after, max))
    }
}
