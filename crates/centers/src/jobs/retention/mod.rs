//! The job that removes what is kept for a limited time only: deleted posts, the memory of removed follows, and the audit
//! log.
//!
//! A deleted post can be restored until it is purged. A removed follow is remembered so that an import does not bring it
//! back. The audit log is there to be read. All of it is kept for ever unless an operator says for how
//! long ([`KeptFor`]).
//!
//! The job also finishes purges that were cut off. The text of a purged post goes in one commit. Its likes, which are facts
//! of other users, are removed piece by piece after it.
//!
//! The job has no state of its own. It works by ordinary commands that name the time until which they apply. So a user or
//! post that was restored, deleted or left again meanwhile is left alone. Work of one process is found done by the next, and
//! two jobs side by side come to the same result.
//!
//! Deleted posts are found by their time, so a look at them costs only as much as is due. Removed follows are not: all of
//! them are looked at once a day, `ROWS_AT_ONCE` at a time.

mod meters;

use super::sweep::Sweep;
use super::{BackgroundJob, JobTerms};
use crate::apply_all::{apply_all, do_all};
use crate::post::take_likes_back;
use guanxi_model::limits::AUDIT_FORGET_MAX;
use guanxi_model::post::{PURGING_MS, PostCommand};
use guanxi_model::{
    AuditCommand, AuditId, Clock, Command, Gene, PostHeader, PostId, Result, Stamp, Uid, Write,
};
use guanxi_ports::{BoxFuture, Store, StoreView, Walk};
use meters::RetentionMeters;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Rows of one piece: as many as share a commit without holding up others.
const ROWS_AT_ONCE: usize = 64;

/// How long the job rests when nothing is due: things are kept for days, and no reader sees a purge that was cut off.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// For how long things are kept; `None` is for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptFor {
    /// A post after its deletion, in milliseconds.
    pub deleted_posts_ms: Option<u64>,
    /// How long removed follows are remembered, in milliseconds.
    pub removed_follows_ms: Option<u64>,
    /// How long entries of the audit log are kept, in milliseconds.
    pub audit_ms: Option<u64>,
}

/// Ends what was kept for long enough.
pub struct Retention {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    kept: KeptFor,
    /// The last deleted post that this round has seen to.
    after: Option<(u64, PostId)>,
    /// Whether this round has done anything.
    has_worked: bool,
    /// Where it is with removed follows.
    follows: Sweep<(Uid, Uid)>,
    /// The last entry of the audit log that this round has removed.
    audit: Option<AuditId>,
    meters: RetentionMeters,
}

crate::opaque_debug!(Retention { kept });

impl Retention {
    /// The job over a backend.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, kept: KeptFor) -> Self {
        Self {
            store,
            clock,
            kept,
            after: None,
            has_worked: false,
            follows: Sweep::default(),
            audit: None,
            meters: RetentionMeters::default(),
        }
    }

    /// Does one piece of the work, of at most `ROWS_AT_ONCE` rows. Returns whether there was any. The caller rests between
    /// two pieces, so that other writes go first.
    ///
    /// # Errors
    /// Those of the store. The next call goes on behind what failed, which the next round meets again.
    pub async fn step(&mut self) -> Result<bool> {
        Ok(self.end_posts().await? || self.forget_follows().await? || self.forget_audit().await?)
    }

    /// Returns the time up to which deleted rows have been kept for long enough; `None` if they are kept for ever.
    fn due_ms(&self, kept_ms: Option<u64>) -> Option<u64> {
        Some(self.clock.now_ms().saturating_sub(kept_ms?))
    }

    /// Purges the next deleted posts that are due, and takes back the next likes of purged posts. Returns `false` after a
    /// round in which there was nothing to do. A post with many likes has its turn once a round.
    async fn end_posts(&mut self) -> Result<bool> {
        let view = self.store.view(None).await?;
        let due_ms = self.due_ms(self.kept.deleted_posts_ms).unwrap_or(PURGING_MS);
        let mut found = view.deleted_posts(Walk::new(self.after, ROWS_AT_ONCE)).await?;
        found.retain(|(ms, _)| *ms <= due_ms);
        let Some(first) = found.first().copied() else {
            self.after = None;
            return Ok(std::mem::take(&mut self.has_worked));
        };
        if first.0 == PURGING_MS {
            self.after = Some(first);
            self.take_likes_back(&*view, first.1).await?;
        } else {
            self.after = found.last().copied();
            self.purge(found.into_iter().map(|(_, id)| id).collect(), due_ms).await?;
        }
        self.has_worked = true;
        Ok(true)
    }

    async fn take_likes_back(&self, view: &dyn StoreView, id: PostId) -> Result<()> {
        if let Some(header) = view.headers(&[id]).await?.pop().flatten() {
            take_likes_back(&self.store, view, header.author, id).await?;
        }
        Ok(())
    }

    /// Purges posts, each by itself, so that one whose rows cannot be read keeps none of the others.
    async fn purge(&self, ids: Vec<PostId>, due_ms: u64) -> Result<()> {
        do_all(ids.into_iter().map(|id| {
            let (posts, purged) = (self.store.clone(), self.meters.purged.clone());
            async move {
                let header = posts.view(None).await?.headers(&[id]).await?.pop().flatten();
                let Some(PostHeader { author, .. }) = header else { return Ok(()) };
                let purge = PostCommand::Purge { author, id, deleted_until: Some(due_ms) };
                purged.increment(posts.apply(Write::of(purge)).await?.changed());
                Ok(())
            }
        }))
        .await
        .map(drop)
    }

    /// Forgets the next removed follows that are due; `false` between two sweeps.
    async fn forget_follows(&mut self) -> Result<bool> {
        let Some(due_ms) = self.due_ms(self.kept.removed_follows_ms) else { return Ok(false) };
        if !self.follows.begin(self.clock.now_ms()) {
            return Ok(false);
        }
        let view = self.store.view(None).await?;
        let found = view.all_removed_follows(Walk::new(self.follows.after().copied(), ROWS_AT_ONCE)).await?;
        let until = Stamp::from_ms(due_ms);
        let mut of_genes = BTreeMap::<Gene, Vec<(Uid, Uid)>>::new();
        for edge in found.iter().filter(|edge| edge.at <= until) {
            of_genes.entry(edge.subject.gene()).or_default().push((edge.subject, edge.object));
        }
        let dropped: usize = of_genes.values().map(Vec::len).sum();
        let drop = |pairs| Write::of(Command::DropTombstones { pairs, until: Some(until) });
        apply_all(&self.store, of_genes.into_values().map(drop)).await?;
        self.meters.forgotten.increment(dropped as u64);
        let last = found.last().filter(|_| found.len() == ROWS_AT_ONCE);
        self.follows.found(last.map(|edge| (edge.subject, edge.object)));
        Ok(true)
    }

    /// Forgets the next entries of the audit log that are due; `false` when there are none. A round goes on below what it has
    /// removed, since the engine of a store looks at removed rows again for a while.
    async fn forget_audit(&mut self) -> Result<bool> {
        let Some(due_ms) = self.due_ms(self.kept.audit_ms) else { return Ok(false) };
        let due = AuditId { at: Stamp::from_ms(due_ms), nonce: 0 };
        let view = self.store.view(None).await?;
        let found = view.audit_entries(Some(self.audit.unwrap_or(due).min(due)), AUDIT_FORGET_MAX).await?;
        let ids: Vec<AuditId> = found.into_iter().map(|entry| entry.id).collect();
        self.audit = ids.last().copied();
        if ids.is_empty() {
            return Ok(false);
        }
        let removed = ids.len() as u64;
        self.store.apply(Write::of(AuditCommand::Forget { ids })).await?.plain()?;
        self.meters.audit.increment(removed);
        Ok(true)
    }
}

#[cfg(test)]
mod tests;

impl BackgroundJob for Retention {
    fn terms(&self) -> JobTerms {
        JobTerms::one_per_store("retention", "what was kept for long enough was not removed", LOOK_EVERY)
    }

    fn step(&mut self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(Self::step(self))
    }
}
