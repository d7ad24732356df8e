//! What users note of suggestions: what the planner reads of it, and the rows that its changes come to.

use super::changes::{PlanRows, touched};
use crate::engine::{EngineResult, Table};
use crate::layout::{
    AFFINITY, DISMISSED, dismissed_by_key, encode_number, encode_stamp, pair_key, scored_by_key, user_key,
};
use crate::rows;
use guanxi_model::affinity::{Affinities, Score};
use guanxi_model::plan::SuggestionRows;
use guanxi_model::{Edge, Stamp, Uid};
use std::collections::HashMap;

impl PlanRows<'_> {
    /// Returns the users whom a user has dismissed as of this point of the plan, to be changed.
    fn dismissed_of(&mut self, viewer: Uid) -> EngineResult<&mut Vec<Edge>> {
        touched(&mut self.suggestions.dismissed, viewer, || {
            rows::suggestions::dismissed(&self.snapshot, viewer)
        })
    }
}

impl SuggestionRows for PlanRows<'_> {
    fn dismissed(&mut self, viewer: Uid) -> EngineResult<Vec<Edge>> {
        self.dismissed_of(viewer).cloned()
    }

    fn put_dismissed(&mut self, viewer: Uid, uid: Uid, at: Option<Stamp>) -> EngineResult<()> {
        let dismissed = self.dismissed_of(viewer)?;
        dismissed.retain(|edge| edge.uid != uid);
        dismissed.extend(at.map(|at| Edge { at, uid }));
        let (there, back) = (pair_key(DISMISSED, viewer, uid), dismissed_by_key(uid, viewer));
        self.batch.set(Table::Records, &there, at.map(encode_stamp));
        self.batch.set(Table::Records, &back, at.map(|_| []));
        Ok(())
    }

    fn affinities(&mut self, actor: Uid) -> EngineResult<Affinities> {
        let stored = || rows::suggestions::affinities(&self.snapshot, actor);
        touched(&mut self.suggestions.affinities, actor, stored).cloned()
    }

    fn put_affinities(&mut self, actor: Uid, affinities: Affinities) -> EngineResult<()> {
        let before = SuggestionRows::affinities(self, actor)?;
        let scores = |affinities: &Affinities| -> HashMap<Uid, Score> {
            affinities.all.iter().map(|known| (known.uid, known.score)).collect()
        };
        let (old, new) = (scores(&before), scores(&affinities));
        for uid in old.keys().filter(|uid| !new.contains_key(uid)) {
            self.batch.remove(Table::Records, &pair_key(AFFINITY, actor, *uid));
            self.batch.remove(Table::Records, &scored_by_key(*uid, actor));
        }
        for (uid, score) in &new {
            let known = old.get(uid);
            if known != Some(score) {
                self.batch.put(Table::Records, &pair_key(AFFINITY, actor, *uid), &encode_number(score.raw()));
            }
            if known.is_none() {
                self.batch.put(Table::Records, &scored_by_key(*uid, actor), &[]);
            }
        }
        let half_life = user_key(AFFINITY, actor);
        if new.is_empty() {
            if !old.is_empty() {
                self.batch.remove(Table::Records, &half_life);
            }
        } else if before.half_life_ms != affinities.half_life_ms {
            self.batch.put(Table::Records, &half_life, &encode_number(affinities.half_life_ms));
        }
        let half_life_ms = if new.is_empty() { 0 } else { affinities.half_life_ms };
        self.suggestions.affinities.insert(actor, Affinities { half_life_ms, ..affinities });
        Ok(())
    }
}
