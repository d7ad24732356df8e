//! Reads of what users have noted of suggestions.

use super::{PinnedView, now};
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
        let affinities = self.shared.affinities.at(actor, &self.view, &self.shared.engine);
        now(affinities.map_err(Error::from))
    }

    fn scored_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        let actors = rows::suggestions::scored_by(&self.view.snapshot, uid, after).take(max);
        now(actors.map(|actor| Ok(actor?)).collect())
    }
}
