//! Wrappers of inboxes: each says only what it does otherwise.

use super::{ActiveCursor, ActivePage, FillTicket, Inbox, InboxFill, InboxRead, InboxStats, Offer, Offered};
use crate::BoxFuture;
use guanxi_model::{EventAt, FanoutPolicy, Position, PostId, Result, Uid};

/// Inboxes that are others with something changed: faults, counters, mutations. A type that implements this is an
/// [`Inbox`]; each method hands on to [`inner`](Self::inner) unless it is written anew.
#[expect(missing_docs, reason = "each method is the one of the same name of `Inbox`")]
pub trait InboxLayer: Send + Sync {
    /// The inboxes below.
    fn inner(&self) -> &dyn Inbox;

    fn keeps_any(&self) -> bool {
        self.inner().keeps_any()
    }

    fn configure<'a>(&'a self, policy: &'a FanoutPolicy) -> BoxFuture<'a, Result<()>> {
        self.inner().configure(policy)
    }

    fn read(
        &self,
        viewer: Uid,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>> {
        self.inner().read(viewer, below, max, now_ms)
    }

    fn begin(&self, viewer: Uid, now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>> {
        self.inner().begin(viewer, now_ms)
    }

    fn fill(&self, ticket: FillTicket, fill: InboxFill) -> BoxFuture<'_, Result<bool>> {
        self.inner().fill(ticket, fill)
    }

    fn offer<'a>(&'a self, offers: &'a [Offer<'a>]) -> BoxFuture<'a, Result<Vec<Offered>>> {
        self.inner().offer(offers)
    }

    fn active(
        &self,
        author: Uid,
        after: Option<ActiveCursor>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<ActivePage>> {
        self.inner().active(author, after, now_ms)
    }

    fn skip(&self, author: Uid, at: EventAt) -> BoxFuture<'_, Result<()>> {
        self.inner().skip(author, at)
    }

    fn unskip(&self, author: Uid, at: EventAt, earlier: Option<EventAt>) -> BoxFuture<'_, Result<()>> {
        self.inner().unskip(author, at, earlier)
    }

    fn advance(&self, covered: EventAt) -> BoxFuture<'_, Result<()>> {
        self.inner().advance(covered)
    }

    fn covered(&self) -> BoxFuture<'_, Result<Position>> {
        self.inner().covered()
    }

    fn evict(&self, viewer: Uid) -> BoxFuture<'_, Result<()>> {
        self.inner().evict(viewer)
    }

    fn sweep(&self, now_ms: u64) -> BoxFuture<'_, Result<u64>> {
        self.inner().sweep(now_ms)
    }

    fn stats(&self, now_ms: u64) -> BoxFuture<'_, Result<InboxStats>> {
        self.inner().stats(now_ms)
    }
}

impl<L: InboxLayer> Inbox for L {
    fn keeps_any(&self) -> bool {
        InboxLayer::keeps_any(self)
    }

    fn configure<'a>(&'a self, policy: &'a FanoutPolicy) -> BoxFuture<'a, Result<()>> {
        InboxLayer::configure(self, policy)
    }

    fn read(
        &self,
        viewer: Uid,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>> {
        InboxLayer::read(self, viewer, below, max, now_ms)
    }

    fn begin(&self, viewer: Uid, now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>> {
        InboxLayer::begin(self, viewer, now_ms)
    }

    fn fill(&self, ticket: FillTicket, fill: InboxFill) -> BoxFuture<'_, Result<bool>> {
        InboxLayer::fill(self, ticket, fill)
    }

    fn offer<'a>(&'a self, offers: &'a [Offer<'a>]) -> BoxFuture<'a, Result<Vec<Offered>>> {
        InboxLayer::offer(self, offers)
    }

    fn active(
        &self,
        author: Uid,
        after: Option<ActiveCursor>,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<ActivePage>> {
        InboxLayer::active(self, author, after, now_ms)
    }

    fn skip(&self, author: Uid, at: EventAt) -> BoxFuture<'_, Result<()>> {
        InboxLayer::skip(self, author, at)
    }

    fn unskip(&self, author: Uid, at: EventAt, earlier: Option<EventAt>) -> BoxFuture<'_, Result<()>> {
        InboxLayer::unskip(self, author, at, earlier)
    }

    fn advance(&self, covered: EventAt) -> BoxFuture<'_, Result<()>> {
        InboxLayer::advance(self, covered)
    }

    fn covered(&self) -> BoxFuture<'_, Result<Position>> {
        InboxLayer::covered(self)
    }

    fn evict(&self, viewer: Uid) -> BoxFuture<'_, Result<()>> {
        InboxLayer::evict(self, viewer)
    }

    fn sweep(&self, now_ms: u64) -> BoxFuture<'_, Result<u64>> {
        InboxLayer::sweep(self, now_ms)
    }

    fn stats(&self, now_ms: u64) -> BoxFuture<'_, Result<InboxStats>> {
        InboxLayer::stats(self, now_ms)
    }
}
