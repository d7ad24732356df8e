//! What users note of suggestions, and with whom they have most to do.

use super::state::{Commit, Maps};
use super::view::of_owner;
use guanxi_model::affinity::{AffinityCommand, Score};
use guanxi_model::limits::{AFFINITIES_MAX, DISMISSED_MAX};
use guanxi_model::suggestion::DismissCommand;
use guanxi_model::{Change, Reason, Result, Stamp, Uid};

impl Maps {
    /// Dismisses somebody, or takes that back.
    pub(super) fn dismiss(&mut self, command: DismissCommand, commit: &Commit<'_>) -> Result<bool, Reason> {
        let DismissCommand { viewer, uid, dismissed } = command;
        if viewer == uid {
            return Err(Reason::SelfRelation);
        }
        if !dismissed {
            return Ok(self.dismissed.remove(&(viewer, uid)).is_some());
        }
        if self.dismissed.contains_key(&(viewer, uid)) {
            return Ok(false);
        }
        if self.is_deleted(viewer) || self.is_deleted(uid) {
            return Err(Reason::UserDeleted);
        }
        self.dismissed.insert((viewer, uid), Stamp::from_ms(commit.now_ms));
        let mut all = of_owner(&self.dismissed, viewer);
        if all.len() > DISMISSED_MAX as usize {
            // The new one stays, even if a clock that was set back has made it the oldest.
            all.retain(|edge| edge.uid != uid);
            all.sort_unstable();
            self.dismissed.remove(&(viewer, all[0].uid));
        }
        Ok(true)
    }
}

impl Maps {
    /// Adds to the scores of a user, or takes some back.
    pub(super) fn add_affinity(
        &mut self,
        command: &AffinityCommand,
        commit: &mut Commit<'_>,
    ) -> Result<bool, Reason> {
        let AffinityCommand { actor, half_life_ms, additions, is_fact } = command;
        if *half_life_ms == 0 {
            let Some(scores) = self.scores.get_mut(actor) else { return Ok(false) };
            let before = scores.with.len();
            scores.with.retain(|known, _| additions.iter().all(|(uid, _)| uid != known));
            let changed = scores.with.len() < before;
            if scores.with.is_empty() {
                self.scores.remove(actor);
            }
            return Ok(changed);
        }
        if additions.iter().any(|(uid, _)| uid == actor) {
            return Err(Reason::SelfRelation);
        }
        if self.is_deleted(*actor) {
            return Err(Reason::UserDeleted);
        }
        let counted: Vec<(Uid, Score)> = additions
            .iter()
            .copied()
            .filter(|(uid, score)| *score > Score::NONE && !self.is_deleted(*uid))
            .collect();
        if counted.is_empty() {
            return Ok(false);
        }
        let scores = self.scores.entry(*actor).or_default();
        if scores.half_life_ms != *half_life_ms {
            let from = std::mem::replace(&mut scores.half_life_ms, *half_life_ms);
            let halving =
                |score: &mut Score| *score = score.with_half_life(from, *half_life_ms, commit.now_ms);
            scores.with.values_mut().for_each(halving);
        }
        for (uid, score) in counted {
            let sum = scores.with.entry(uid).or_default();
            *sum = sum.plus(score);
        }
        scores.with.retain(|_, score| *score > Score::NONE);
        while scores.with.len() > AFFINITIES_MAX as usize {
            let lowest = scores.with.iter().min_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
            let lowest = *lowest.expect("there are some").0;
            scores.with.remove(&lowest);
        }
        if *is_fact {
            let version = self.hlc.tick(commit.now_ms);
            self.log(version, *actor, Change::Interacted, commit);
        }
        Ok(true)
    }
}
