//! Inboxes where there are none: every page is pulled.

use super::{
    ActiveCursor, ActivePage, Coverage, FillTicket, Inbox, InboxFill, InboxRead, InboxStats, Offer, Offered,
};
use crate::BoxFuture;
use guanxi_model::{EventAt, FanoutPolicy, HistoryId, Logs, Position, PostId, Result, Uid};
use std::future::ready;
use std::sync::Arc;

/// Inboxes that keep nothing and vouch for nothing, so that readers pull everything that they show.
#[derive(Debug)]
pub struct AbsentInbox {
    covered: Position,
}

impl AbsentInbox {
    /// Those of a store of a history, whose users are spread over logs in a way.
    pub fn new(history: HistoryId, logs: Logs) -> Self {
        Self { covered: Position::beginning(history, logs) }
    }
}

fn now<'a, T: Send + 'a>(answer: T) -> BoxFuture<'a, Result<T>> {
    Box::pin(ready(Ok(answer)))
}

impl Inbox for AbsentInbox {
    fn keeps_any(&self) -> bool {
        false
    }

    fn configure<'a>(&'a self, _policy: &'a FanoutPolicy) -> BoxFuture<'a, Result<()>> {
        now(())
    }

    fn read(
        &self,
        _viewer: Uid,
        _below: Option<PostId>,
        _max: usize,
        _now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>> {
        now(InboxRead { coverage: Coverage::new(self.covered.clone(), Arc::default()), slice: None })
    }

    fn begin(&self, _viewer: Uid, _now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>> {
        now(None)
    }

    fn fill(&self, _ticket: FillTicket, _fill: InboxFill) -> BoxFuture<'_, Result<bool>> {
        now(false)
    }

    fn offer<'a>(&'a self, offers: &'a [Offer<'a>]) -> BoxFuture<'a, Result<Vec<Offered>>> {
        now(offers.iter().map(|_| Offered::default()).collect())
    }

    fn active(
        &self,
        _author: Uid,
        _after: Option<ActiveCursor>,
        _now_ms: u64,
    ) -> BoxFuture<'_, Result<ActivePage>> {
        now(ActivePage::default())
    }

    fn skip(&self, _author: Uid, _at: EventAt) -> BoxFuture<'_, Result<()>> {
        now(())
    }

    fn unskip(&self, _author: Uid, _at: EventAt, _earlier: Option<EventAt>) -> BoxFuture<'_, Result<()>> {
        now(())
    }

    fn advance(&self, _covered: EventAt) -> BoxFuture<'_, Result<()>> {
        now(())
    }

    fn covered(&self) -> BoxFuture<'_, Result<Position>> {
        now(self.covered.clone())
    }

    fn evict(&self, _viewer: Uid) -> BoxFuture<'_, Result<()>> {
        now(())
    }

    fn sweep(&self, _now_ms: u64) -> BoxFuture<'_, Result<u64>> {
        now(0)
    }

    fn stats(&self, _now_ms: u64) -> BoxFuture<'_, Result<InboxStats>> {
        now(InboxStats::default())
    }
}
