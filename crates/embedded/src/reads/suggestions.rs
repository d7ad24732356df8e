//! Reads of what users have noted of suggestions.

use super::{PinnedView, now};
use crate::engine::{EngineError, Snapshot};
use crate::rows;
use guanxi_model::affinity::Affinities;
use guanxi_model::{Edge, Error, Result, Uid};
use guanxi_ports::{BoxFuture, SuggestionView};

impl SuggestionView for PinnedView {
    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        let newest_first = |mut dismissed: Vec<Edge>| {
            dismissed.sort_unstable_by(|a, b| b.cmp(a));
            dismissed
        };
        let dismissed = rows::suggestions::dismissed(&self.view.snapshot, viewer);
        now(dismissed.map(newest_first).map_err(Error::from))
    }

    fn dismissed_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let viewers = rows::suggestions::dismissed_by(&self.view.snapshot, uid, after).take(max);
        now(viewers.map(|viewer| Ok(viewer?)).collect())
    }

    fn affinities(&self, actor: Uid) -> BoxFuture<'_, Result<Affinities>> {
        now(self.affinities_of(actor).map_err(Error::from))
    }

    fn scored_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let actors = rows::suggestions::scored_by(&self.view.snapshot, uid, after).take(max);
        now(actors.map(|actor| Ok(actor?)).collect())
    }
}

impl PinnedView {
    /// The scores of a user, the highest first.
    fn affinities_of(&self, actor: Uid) -> Result<Affinities, EngineError> {
        let read =
            |snapshot: &Snapshot| rows::suggestions::affinities(snapshot, actor).map(Affinities::ranked);
        let latest = self.shared.affinities.latest(actor, || {
            let snapshot = self.shared.engine.snapshot();
            let as_of = self.shared.relations.committing();
            Ok((read(&snapshot)?, as_of))
        })?;
        if latest.as_of <= self.view.seq { Ok(latest.affinities.clone()) } else { read(&self.view.snapshot) }
    }
}
