//! Inboxes at which a test can make the process die, at each step of the fan-out.

use guanxi_embedded::failpoints::{
    FANOUT_ADVANCED, FANOUT_ADVANCING, FANOUT_OFFERED, FANOUT_SKIPPED, FANOUT_UNSKIPPED, pass,
};
use guanxi_model::{FanoutPolicy, PostId, Result, Uid};
use guanxi_ports::{BoxFuture, FillTicket, Inbox, InboxFill, InboxRead, InboxStats, Offered};

/// Inboxes whose fan-out passes failpoints; what readers do is handed on as it is.
pub struct Failing<I>(pub I);

impl<I: Inbox> Inbox for Failing<I> {
    fn configure(&self, policy: &FanoutPolicy) {
        self.0.configure(policy);
    }

    fn read(
        &self,
        viewer: Uid,
        below: Option<PostId>,
        max: usize,
        now_ms: u64,
    ) -> BoxFuture<'_, Result<InboxRead>> {
        self.0.read(viewer, below, max, now_ms)
    }

    fn begin(&self, viewer: Uid, now_ms: u64) -> BoxFuture<'_, Result<Option<FillTicket>>> {
        self.0.begin(viewer, now_ms)
    }

    fn fill(&self, ticket: FillTicket, fill: InboxFill) -> BoxFuture<'_, Result<bool>> {
        self.0.fill(ticket, fill)
    }

    fn offer<'a>(&'a self, id: PostId, readers: &'a [Uid]) -> BoxFuture<'a, Result<Offered>> {
        Box::pin(async move {
            let offered = self.0.offer(id, readers).await;
            pass(FANOUT_OFFERED);
            offered
        })
    }

    fn active(&self, now_ms: u64) -> BoxFuture<'_, Result<Vec<Uid>>> {
        self.0.active(now_ms)
    }

    fn skip(&self, author: Uid, seq: u64) {
        self.0.skip(author, seq);
        pass(FANOUT_SKIPPED);
    }

    fn unskip(&self, author: Uid, seq: u64, earlier: Option<u64>) {
        self.0.unskip(author, seq, earlier);
        pass(FANOUT_UNSKIPPED);
    }

    fn advance(&self, covered: u64) {
        // The fan-out says where it stands at each of its steps; only those count that get it further.
        let advances = covered > self.0.covered();
        if advances {
            pass(FANOUT_ADVANCING);
        }
        self.0.advance(covered);
        if advances {
            pass(FANOUT_ADVANCED);
        }
    }

    fn covered(&self) -> u64 {
        self.0.covered()
    }

    fn evict(&self, viewer: Uid) {
        self.0.evict(viewer);
    }

    fn sweep(&self, now_ms: u64) -> u64 {
        self.0.sweep(now_ms)
    }

    fn stats(&self, now_ms: u64) -> InboxStats {
        self.0.stats(now_ms)
    }
}
