//! Scores.

use crate::engine::{EngineResult, Snapshot};
use crate::rows;
use crate::shared::Shared;
use crate::view::View;
use guanxi_model::Uid;
use guanxi_model::affinity::Affinities;

impl Shared {
    /// The scores of a user as of a view, the highest first.
    pub(crate) fn affinities_at(&self, actor: Uid, view: &View) -> EngineResult<Affinities> {
        let fresh = || -> EngineResult<_> {
            let affinities = read(&self.engine.snapshot(), actor)?;
            Ok((affinities, self.committing.commit()))
        };
        let ranked = self.affinities.latest(actor, fresh)?;
        if ranked.as_of <= view.commit {
            return Ok(ranked.affinities.clone());
        }
        self.affinities.count_conflict();
        read(&view.snapshot, actor)
    }
}

/// The scores of a user from the tables, the highest first.
fn read(snapshot: &Snapshot, actor: Uid) -> EngineResult<Affinities> {
    rows::suggestions::affinities(snapshot, actor).map(Affinities::ranked)
}
