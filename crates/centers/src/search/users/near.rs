//! The users near a viewer: the users whom it follows, and those with whom it has an affinity.

use guanxi_model::affinity::Score;
use guanxi_model::{Result, Uid};
use guanxi_ports::{StoreView, ViewerRelations};
use std::cmp::Reverse;
use std::collections::HashMap;

/// How near users are to a viewer.
pub(super) struct Near {
    relations: Option<Box<dyn ViewerRelations>>,
    /// In rising order.
    followed: Vec<Uid>,
    scores: HashMap<Uid, Score>,
}

/// The order of nearness, the nearest first: friends, then users whom the viewer follows, then others. Within each, users
/// with the highest affinity come first.
pub(super) type Nearness = (Reverse<bool>, Reverse<bool>, Reverse<Score>);

impl Near {
    /// Reads whom a viewer follows, and its scores.
    pub(super) async fn read(view: &dyn StoreView, viewer: Option<Uid>) -> Result<Self> {
        let Some(viewer) = viewer else {
            return Ok(Self { relations: None, followed: Vec::new(), scores: HashMap::new() });
        };
        let (relations, affinities) =
            tokio::try_join!(view.viewer_relations(viewer), view.affinities(viewer))?;
        let mut followed = relations.following().to_vec();
        followed.sort_unstable();
        let scores = affinities.all.iter().map(|known| (known.uid, known.score)).collect();
        Ok(Self { relations: Some(relations), followed, scores })
    }

    /// Returns the users whom the viewer follows, in rising order.
    pub(super) fn followed(&self) -> &[Uid] {
        &self.followed
    }

    pub(super) fn of(&self, uid: Uid) -> Nearness {
        let follow = self.relations.as_ref().and_then(|relations| relations.follow(uid));
        let is_friend = follow.is_some_and(|(_, is_mutual)| is_mutual);
        let score = self.scores.get(&uid).copied().unwrap_or(Score::NONE);
        (Reverse(is_friend), Reverse(follow.is_some()), Reverse(score))
    }
}
