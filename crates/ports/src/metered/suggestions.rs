//! Calls about suggestions, counted with those of the graph.

use super::{MeteredView, graph};
use crate::{BoxFuture, SuggestionView};
use guanxi_model::affinity::Affinities;
use guanxi_model::{Edge, Result, Uid};

impl SuggestionView for MeteredView {
    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>> {
        self.time(graph::Call::Dismissed, self.inner.dismissed(viewer))
    }

    fn dismissed_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        self.time(graph::Call::DismissedBy, self.inner.dismissed_by(uid, after, max))
    }

    fn affinities(&self, actor: Uid) -> BoxFuture<'_, Result<Affinities>> {
        self.time(graph::Call::Affinities, self.inner.affinities(actor))
    }

    fn scored_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>> {
        self.time(graph::Call::ScoredBy, self.inner.scored_by(uid, after, max))
    }
}
