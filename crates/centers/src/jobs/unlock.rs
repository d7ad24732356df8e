//! Approves the users who wait to follow a user that has unlocked itself.

use super::{BackgroundJob, JobTerms, ROWS_AT_ONCE, meters};
use guanxi_model::{
    Command, Op, Page, PageStart, PairCommand, RequestDirection, RequestKind, Result, Stamp, Uid, Write,
};
use guanxi_ports::{BoxFuture, Store, Walk};
use metrics::Counter;
use std::sync::Arc;
use std::time::Duration;

/// How long the job rests when no account has unlocked itself.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The job over a backend. A user with many who wait takes many pieces; others have their turns between them.
pub struct Unlock {
    store: Arc<dyn Store>,
    /// The last user that this round has seen to.
    after: Option<Uid>,
    approved: Counter,
}

crate::opaque_debug!(Unlock { after });

impl Unlock {
    /// The job over a backend.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, after: None, approved: meters::approved() }
    }

    /// Lets some who wait to follow the next user that has unlocked itself; `false` at the end of a round.
    ///
    /// # Errors
    /// Those of the store. The next call goes on with the next user, and the next round meets this one again.
    pub async fn step(&mut self) -> Result<bool> {
        let view = self.store.view(None).await?;
        let Some((uid, since)) = view.unlocking(Walk::new(self.after, 1)).await?.pop() else {
            return Ok(self.after.take().is_some());
        };
        self.after = Some(uid);
        self.approve_some(uid, since).await?;
        Ok(true)
    }

    /// Approves the newest requests. A request of a deleted sender is passed over: the job behind deletion removes it. A
    /// request of a deactivated sender is passed over, too, and can be answered once the sender is back. No request is
    /// approved while the user itself is not active. When no request is left that can be approved, the work on this user is
    /// over.
    async fn approve_some(&self, uid: Uid, since: Stamp) -> Result<()> {
        let view = self.store.view(None).await?;
        let is_active = view.standings(&[uid]).await?.first().is_none_or(|standing| !standing.is_gone());
        let mut next = is_active.then_some(PageStart::Newest);
        while let Some(start) = next {
            let page = Page::new(start, i32::from(ROWS_AT_ONCE))?;
            let page = view.requests(uid, RequestDirection::Incoming, RequestKind::Follow, page).await?;
            let approve = page.items.iter().map(|request| PairCommand {
                op: Op::ApproveUnlocked,
                subject: uid,
                object: request.sender,
            });
            let approved = self.store.apply(Write::all(approve)).await?.changed();
            self.approved.increment(approved);
            if approved > 0 {
                return Ok(());
            }
            next = page.next.map(PageStart::After);
        }
        self.store.apply(Write::of(Command::EndUnlock { uid, since })).await.map(drop)
    }
}

impl BackgroundJob for Unlock {
    fn terms(&self) -> JobTerms {
        JobTerms::one_per_store(
            "unlock",
            "users who waited for an account to unlock were not approved",
            LOOK_EVERY,
        )
    }

    fn step(&mut self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(Self::step(self))
    }
}
