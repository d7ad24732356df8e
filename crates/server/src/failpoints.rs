//! Inboxes at which a test can make the process die, at each step of the fan-out.

use guanxi_embedded::failpoints::{
    FANOUT_ADVANCED, FANOUT_ADVANCING, FANOUT_OFFERED, FANOUT_SKIPPED, FANOUT_UNSKIPPED, pass,
};
use guanxi_model::{EventAt, Result, Uid};
use guanxi_ports::{BoxFuture, Inbox, InboxLayer, Offer, Offered};

/// Inboxes whose fan-out passes failpoints; what readers do is handed on as it is.
pub(super) struct Failing<I>(pub I);

impl<I: Inbox> InboxLayer for Failing<I> {
    fn inner(&self) -> &dyn Inbox {
        &self.0
    }

    fn offer<'a>(&'a self, offers: &'a [Offer<'a>]) -> BoxFuture<'a, Result<Vec<Offered>>> {
        Box::pin(async move {
            let offered = self.0.offer(offers).await;
            pass(FANOUT_OFFERED);
            offered
        })
    }

    fn skip(&self, author: Uid, at: EventAt) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.0.skip(author, at).await?;
            pass(FANOUT_SKIPPED);
            Ok(())
        })
    }

    fn unskip(&self, author: Uid, at: EventAt, earlier: Option<EventAt>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.0.unskip(author, at, earlier).await?;
            pass(FANOUT_UNSKIPPED);
            Ok(())
        })
    }

    /// The fan-out says only what gets it further.
    fn advance(&self, covered: EventAt) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            pass(FANOUT_ADVANCING);
            self.0.advance(covered).await?;
            pass(FANOUT_ADVANCED);
            Ok(())
        })
    }
}
