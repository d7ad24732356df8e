//! Ends requests, rejections and mutes when their time is over.

use super::{BackgroundJob, JobTerms, ROWS_AT_ONCE, meters};
use crate::apply_all::apply_all;
use guanxi_model::{Clock, Command, Op, PairCommand, PairEnd, PairEndKind, Result, Write};
use guanxi_ports::{BoxFuture, DueEnd, Store, Walk};
use metrics::Counter;
use std::sync::Arc;
use std::time::Duration;

/// How long the job rests when nothing is due: so much later than its time a request or a mute may end.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The job over a backend.
pub struct Expiry {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// The last end that this round has seen to: one that cannot be read keeps none of the others.
    after: Option<DueEnd>,
    ended: Counter,
}

crate::opaque_debug!(Expiry { after });

impl Expiry {
    /// The job over a backend.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, after: None, ended: meters::ended() }
    }

    /// Ends the next things that are due; `false` at the end of a round. It costs what is due.
    ///
    /// # Errors
    /// Those of the store. The next call goes on behind what failed, which the next round meets again.
    pub async fn step(&mut self) -> Result<bool> {
        let view = self.store.view(None).await?;
        let due =
            view.due_ends(self.clock.now_ms(), Walk::new(self.after, usize::from(ROWS_AT_ONCE))).await?;
        self.after = due.last().copied();
        let writes: Vec<Write> = due.iter().map(|due| Write::of(end(due.end))).collect();
        let applied = apply_all(&self.store, writes).await?;
        self.ended.increment(applied.iter().map(guanxi_ports::Applied::changed).sum());
        Ok(!due.is_empty())
    }
}

/// The command that ends something, if it is due.
const fn end(PairEnd { kind, owner, other }: PairEnd) -> Command {
    let op = match kind {
        PairEndKind::Request => Op::ExpireRequest,
        PairEndKind::Mute => Op::ExpireMute,
        PairEndKind::Cooldown => return Command::ForgetRejection { owner, other },
    };
    Command::Pair(PairCommand { op, subject: owner, object: other })
}

impl BackgroundJob for Expiry {
    fn terms(&self) -> JobTerms {
        JobTerms::one_per_store("expiry", "what is over did not end", LOOK_EVERY)
    }

    fn step(&mut self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(Self::step(self))
    }
}
