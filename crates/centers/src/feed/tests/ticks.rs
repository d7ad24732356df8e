//! Ports of which every call takes a tick of paused time, so that the time of a read is how many calls wait for one
//! another.

use guanxi_model::post::{Post, PostHeader, PostMarks, PostStats};
use guanxi_model::{EventAt, GroupId, LogId, Logs, Position, PostId, Relation, Result, Uid, Write};
use guanxi_ports::{
    Applied, AuthorHead, BoxFuture, EventBatch, Facts, FillTicket, Inbox, InboxFill, InboxLayer, InboxRead,
    Layer, Log, OutboxAsk, Outboxes, PostLayer, RelationLayer, ScanLayer, Store, StoreView, UserLayer,
    ViewerRelations,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// What a call takes: long beside the steps of tokio's clock.
const TICK: Duration = Duration::from_millis(100);

/// The answer of a read, and how many calls in a row it took.
pub(super) async fn depth<T>(read: impl Future<Output = T>) -> (T, u128) {
    let before = Instant::now();
    let answer = read.await;
    let half = TICK.as_millis() / 2;
    (answer, (before.elapsed().as_millis() + half) / TICK.as_millis())
}

/// A call a tick later.
fn later<'a, T: 'a>(call: BoxFuture<'a, T>) -> BoxFuture<'a, T> {
    Box::pin(async move {
        sleep(TICK).await;
        call.await
    })
}

pub(super) struct SlowPosts {
    pub inner: Arc<dyn Store>,
    /// What views say of their mirrors.
    pub mirrors_are_exact: bool,
}

pub(super) struct SlowInbox(pub Arc<dyn Inbox>);
pub(super) struct SlowLog(pub Arc<dyn Log>);

struct SlowView {
    inner: Box<dyn StoreView>,
    mirrors_are_exact: bool,
}

impl Facts for SlowPosts {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        later(self.inner.apply(write))
    }
}

impl Store for SlowPosts {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        later(Box::pin(async move {
            let inner = self.inner.view(at_least).await?;
            let view = SlowView { inner, mirrors_are_exact: self.mirrors_are_exact };
            Ok(Box::new(view) as Box<dyn StoreView>)
        }))
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        later(self.inner.is_applied(uid, at))
    }
}

impl InboxLayer for SlowInbox {
    fn inner(&self) -> &dyn Inbox {
        &*self.0
    }

    fn read(
        &self,
        viewer: Uid,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>> {
        later(self.0.read(viewer, below, max, now_ms))
    }

    fn begin(&self, viewer: Uid, now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>> {
        later(self.0.begin(viewer, now_ms))
    }

    fn fill(&self, ticket: FillTicket, fill: InboxFill) -> BoxFuture<'_, Result<bool>> {
        later(self.0.fill(ticket, fill))
    }
}

impl Log for SlowLog {
    fn logs(&self) -> Logs {
        self.0.logs()
    }

    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        later(self.0.head())
    }

    fn read<'a>(&'a self, log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>> {
        later(self.0.read(log, after, max))
    }

    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>> {
        later(self.0.wait(after))
    }
}

impl Layer for SlowView {
    fn below(&self) -> &dyn StoreView {
        &*self.inner
    }

    fn mirrors_are_exact(&self) -> bool {
        self.mirrors_are_exact
    }
}

impl RelationLayer for SlowView {
    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        later(self.inner.relations(subject, objects))
    }
}

impl PostLayer for SlowView {
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        later(self.inner.viewer_relations(viewer))
    }

    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        later(self.inner.heads(authors))
    }

    fn created_from<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<PostId>>>> {
        later(self.inner.created_from(authors))
    }

    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        later(self.inner.outboxes(asks, max))
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        later(self.inner.headers(ids))
    }

    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>> {
        later(self.inner.posts(ids))
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        later(self.inner.stats(ids))
    }

    fn shown<'a>(
        &'a self,
        viewer: Option<Uid>,
        ids: &'a [PostId],
    ) -> BoxFuture<'a, Result<Vec<Option<(Post, PostMarks)>>>> {
        later(self.inner.shown(viewer, ids))
    }

    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>> {
        later(self.inner.follow(subjects, object))
    }

    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>> {
        later(self.inner.blocked_by(viewer, authors))
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        later(self.inner.in_groups(uid, groups))
    }

    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        later(self.inner.confirm(viewer))
    }
}

impl UserLayer for SlowView {
    fn seen(&self, uid: Uid) -> BoxFuture<'_, Result<Position>> {
        later(self.inner.seen(uid))
    }
}

impl ScanLayer for SlowView {}
