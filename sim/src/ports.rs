//! The ports of a backend as the centers get them in a simulation: each call may pause, pages and parts are short, and
//! offers may fail.

use crate::mutants::{Asked, Frozen, Mutation, OwnActsOnly};
use crate::stage::Stage;
use guanxi_model::post::PostHeader;
use guanxi_model::{
    Change, EdgePage, Error, Event, EventAt, GroupChange, GroupId, List, LogId, Logs, Op, Page, Position,
    PostId, Reason, Relation, Result, Uid, Write,
};
use guanxi_ports::Walk;
use guanxi_ports::{
    ActiveCursor, ActivePage, Applied, AuthorHead, BoxFuture, EventBatch, Facts, FillTicket, Inbox,
    InboxFill, InboxLayer, InboxRead, Layer, Log, Offer, Offered, OutboxAsk, Outboxes, PostLayer,
    RelationLayer, ScanLayer, Store, StoreView, UserLayer, ViewerRelations,
};
use std::future::ready;
use std::sync::{Arc, Mutex};

/// Posts on the stage.
pub(crate) struct StagedPosts {
    pub inner: Arc<dyn Store>,
    /// For bugs that look at it.
    pub log: Arc<dyn Log>,
    pub stage: Arc<Stage>,
    pub mutation: Option<Mutation>,
    pub asked: Asked,
}

impl Facts for StagedPosts {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        self.inner.apply(write)
    }
}

impl StagedPosts {
    /// Puts a view on the stage that is about to be opened.
    async fn staged(&self, opened: BoxFuture<'_, Result<Box<dyn StoreView>>>) -> Result<Box<dyn StoreView>> {
        self.stage.pause().await;
        let inner = opened.await?;
        self.stage.pause().await;
        let (log, stage, mutation) = (self.log.clone(), self.stage.clone(), self.mutation);
        Ok(Box::new(StagedView { inner, log, stage, mutation }))
    }
}

impl Store for StagedPosts {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(self.staged(self.inner.view(at_least)))
    }

    fn page_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(self.staged(self.inner.page_view(at_least)))
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        match self.mutation {
            Some(Mutation::AppliedAssumed) => Box::pin(ready(Ok(true))),
            Some(Mutation::AppliedAskedLate) => {
                self.asked.lock().expect("nobody panics while holding questions").insert(uid, at);
                Box::pin(ready(Ok(true)))
            }
            _ => self.inner.is_applied(uid, at),
        }
    }
}

/// Something that a job has done.
#[derive(Debug)]
pub(crate) struct Removal {
    pub write: Write,
    pub applied: Applied,
    /// Where the log ended then.
    pub head: Position,
}

/// Removals that jobs have done and no check has taken in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Removals(Arc<Mutex<Vec<Removal>>>);

impl Removals {
    /// Takes all of it in.
    pub(crate) fn take(&self) -> Vec<Removal> {
        std::mem::take(&mut *self.0.lock().expect("nobody panics while holding removals"))
    }
}

/// The ports of jobs: their views are on the stage, and what they do is noted.
#[derive(Clone)]
pub(crate) struct RemovalPort {
    pub graph: Arc<dyn Store>,
    /// On the stage themselves.
    pub posts: Arc<dyn Store>,
    pub log: Arc<dyn Log>,
    pub stage: Arc<Stage>,
    pub removals: Removals,
    /// Each view is of one moment, for all later questions: other steps then come between what a job finds and what it
    /// does.
    pub is_pinned: bool,
}

impl Facts for RemovalPort {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        Box::pin(async move {
            let applied = self.graph.apply(write.clone()).await?;
            let head = self.log.head().await?;
            let mut removals = self.removals.0.lock().expect("nobody panics while holding removals");
            removals.push(Removal { write, applied: applied.clone(), head });
            drop(removals);
            Ok(applied)
        })
    }
}

impl Store for RemovalPort {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            self.stage.pause().await;
            let inner = self.graph.view(at_least).await?;
            if self.is_pinned {
                inner.due_ends(u64::MAX, Walk::new(None, 1)).await?;
            }
            self.stage.pause().await;
            let (log, stage) = (self.log.clone(), self.stage.clone());
            Ok(Box::new(StagedView { inner, log, stage, mutation: None }) as Box<dyn StoreView>)
        })
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        self.posts.is_applied(uid, at)
    }
}

/// The log on the stage.
pub(crate) struct StagedLog {
    pub inner: Arc<dyn Log>,
    pub stage: Arc<Stage>,
    pub mutation: Option<Mutation>,
}

impl Log for StagedLog {
    fn logs(&self) -> Logs {
        self.inner.logs()
    }

    fn head(&self) -> BoxFuture<'_, Result<Position>> {
        self.inner.head()
    }

    fn read<'a>(&'a self, log: LogId, after: &'a Position, max: usize) -> BoxFuture<'a, Result<EventBatch>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            let mut batch = self.inner.read(log, after, max).await?;
            self.stage.pause_within().await;
            match self.mutation {
                Some(Mutation::EchoForgotten) => batch.events.retain(|event| event.echo.is_none()),
                Some(Mutation::MuteEndUntold) => batch.events.retain(|event| !ends_mute(event)),
                Some(Mutation::AudienceUntold) => batch.events.retain(|event| !changes_audience(event)),
                _ => {}
            }
            Ok(batch)
        })
    }

    fn wait<'a>(&'a self, after: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            while after.covers(&self.inner.head().await?) {
                self.stage.rest().await;
            }
            Ok(())
        })
    }
}

/// Inboxes on the stage.
pub(crate) struct StagedInbox {
    pub inner: Arc<dyn Inbox>,
    pub stage: Arc<Stage>,
}

impl InboxLayer for StagedInbox {
    fn inner(&self) -> &dyn Inbox {
        &*self.inner
    }

    fn read(
        &self,
        viewer: Uid,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            let read = self.inner.read(viewer, below, max, now_ms).await;
            self.stage.pause_within().await;
            read
        })
    }

    fn begin(&self, viewer: Uid, now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            let ticket = self.inner.begin(viewer, now_ms).await;
            self.stage.pause_within().await;
            ticket
        })
    }

    fn fill(&self, ticket: FillTicket, fill: InboxFill) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            let filled = self.inner.fill(ticket, fill).await;
            self.stage.pause_within().await;
            filled
        })
    }

    fn offer<'a>(&'a self, offers: &'a [Offer<'a>]) -> BoxFuture<'a, Result<Vec<Offered>>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            if self.stage.loses() {
                return Err(Error::with_detail(Reason::Internal, "lost by the simulator"));
            }
            let offered = self.inner.offer(offers).await;
            self.stage.pause_within().await;
            offered
        })
    }

    fn active(
        &self,
        author: Uid,
        after: Option<ActiveCursor>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<ActivePage>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            let active = self.inner.active(author, after, now_ms).await;
            self.stage.pause_within().await;
            active
        })
    }
}

/// A view on the stage.
struct StagedView {
    inner: Box<dyn StoreView>,
    log: Arc<dyn Log>,
    stage: Arc<Stage>,
    mutation: Option<Mutation>,
}

impl Layer for StagedView {
    fn below(&self) -> &dyn StoreView {
        &*self.inner
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        let page = match list {
            List::Followers => {
                let size = page.size().min(self.stage.followers_chunk);
                Page::new(page.start(), i32::try_from(size).unwrap_or(i32::MAX))
            }
            _ => Ok(page),
        };
        Box::pin(async move {
            let edges = self.inner.list(of, list, page?).await;
            self.stage.pause_within().await;
            edges
        })
    }
}

impl RelationLayer for StagedView {
    fn relations<'a>(&'a self, subject: Uid, objects: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Relation>>> {
        Box::pin(async move {
            let mut relations = self.inner.relations(subject, objects).await?;
            if self.mutation == Some(Mutation::BlockedByForgotten) {
                relations.iter_mut().for_each(|relation| relation.blocked_by = false);
            }
            Ok(relations)
        })
    }
}

impl PostLayer for StagedView {
    fn viewer_relations(&self, viewer: Uid) -> BoxFuture<'_, Result<Box<dyn ViewerRelations>>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            let inner = self.inner.viewer_relations(viewer).await?;
            self.stage.pause_within().await;
            Ok(match self.mutation {
                Some(Mutation::VersionFrozen) => Box::new(Frozen(inner)) as Box<dyn ViewerRelations>,
                Some(Mutation::EchoForgotten) => {
                    let acted = last_act(&*self.log, viewer, inner.changed()).await?;
                    Box::new(OwnActsOnly { inner, acted })
                }
                _ => inner,
            })
        })
    }

    fn heads<'a>(&'a self, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<AuthorHead>>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            let heads = self.inner.heads(authors).await;
            self.stage.pause_within().await;
            heads
        })
    }

    fn outboxes<'a>(&'a self, asks: &'a [OutboxAsk], max: usize) -> BoxFuture<'a, Result<Outboxes>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            self.inner.outboxes(asks, max.min(self.stage.outbox_part)).await
        })
    }

    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            self.inner.headers(ids).await
        })
    }

    fn follow<'a>(&'a self, subjects: &'a [Uid], object: Uid) -> BoxFuture<'a, Result<Vec<bool>>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            self.inner.follow(subjects, object).await
        })
    }

    fn blocked_by<'a>(&'a self, viewer: Uid, authors: &'a [Uid]) -> BoxFuture<'a, Result<Vec<bool>>> {
        if self.mutation == Some(Mutation::BlockedByForgotten) {
            return Box::pin(ready(Ok(vec![false; authors.len()])));
        }
        self.inner.blocked_by(viewer, authors)
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        Box::pin(async move {
            self.stage.pause_within().await;
            if self.mutation == Some(Mutation::AudienceAssumed) {
                return Ok(vec![true; groups.len()]);
            }
            self.inner.in_groups(uid, groups).await
        })
    }

    fn confirm(&self, viewer: Uid) -> BoxFuture<'_, Result<bool>> {
        if self.mutation == Some(Mutation::ConfirmForgotten) {
            return Box::pin(ready(Ok(true)));
        }
        self.inner.confirm(viewer)
    }
}

impl UserLayer for StagedView {}

impl ScanLayer for StagedView {}

/// Whether an event tells that a mute ended by itself.
const fn changes_audience(event: &Event) -> bool {
    matches!(event.change, Change::Group { kind: GroupChange::AudienceChanged, .. })
}

const fn ends_mute(event: &Event) -> bool {
    matches!(event.change, Change::Pair { cause: Op::ExpireMute, .. })
}

/// The last event of a user's log, up to a place, that the user made: what the log would say of the user without echoes.
async fn last_act(log: &dyn Log, uid: Uid, changed: EventAt) -> Result<EventAt> {
    let head = log.head().await?;
    let beginning = Position::beginning(head.history(), head.logs());
    let events = match log.read(changed.log(), &beginning, usize::MAX).await {
        Ok(batch) => batch.events,
        // What is gone is taken as it was.
        Err(_) => return Ok(changed),
    };
    let own = events.iter().filter(|event| event.subject == uid && event.echo.is_none());
    let last = own.map(|event| event.at).rfind(|at| !at.is_after(changed));
    Ok(last.unwrap_or_else(|| EventAt::beginning(changed.log())))
}
