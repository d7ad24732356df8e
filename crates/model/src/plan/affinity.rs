//! With whom users have most to do.

use super::{Deciding, Planner, Planning, State, Stop, failed};
use crate::affinity::{Affinities, Affinity, AffinityCommand, Score};
use crate::error::{Reason, Result};
use crate::event::Change;
use crate::id::Uid;
use crate::limits::AFFINITIES_MAX;
use std::collections::BTreeMap;

impl<S: State> Planner<'_, S> {
    /// Adds to the scores of a user, or takes some back.
    pub(super) fn affinity(&mut self, command: &AffinityCommand) -> Planning<Result<bool, Reason>, S> {
        let decided =
            if command.half_life_ms == 0 { self.forget_scores(command) } else { self.add_scores(command) };
        match decided {
            Ok(changed) => Ok(Ok(changed)),
            Err(Stop::Refused(reason)) => Ok(Err(reason)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn add_scores(&mut self, command: &AffinityCommand) -> Deciding<bool, S> {
        let AffinityCommand { actor, half_life_ms, additions, is_fact } = command;
        if additions.iter().any(|(uid, _)| uid == actor) {
            return Err(Reason::SelfRelation.into());
        }
        self.check_not_deleted(*actor)?;
        let before = failed(self.state.affinities(*actor))?;
        let mut scores = self.scores_of(&before, *half_life_ms);
        let mut changed = false;
        for (uid, score) in additions {
            if *score != Score::NONE && !self.is_deleted(*uid)? {
                let sum = scores.entry(*uid).or_default();
                *sum = sum.plus(*score);
                changed = true;
            }
        }
        if changed {
            failed(self.state.put_affinities(*actor, highest(*half_life_ms, scores)))?;
            if *is_fact {
                let version = self.state.stamp(*actor, self.now_ms);
                self.state.log(version, *actor, Change::Interacted);
            }
        }
        Ok(changed)
    }

    /// The scores of a user as those of a half-life.
    fn scores_of(&self, before: &Affinities, half_life_ms: u64) -> BTreeMap<Uid, Score> {
        let from = before.half_life_ms;
        let all = before.all.iter();
        all.map(|known| (known.uid, known.score.with_half_life(from, half_life_ms, self.now_ms))).collect()
    }

    fn forget_scores(&mut self, command: &AffinityCommand) -> Deciding<bool, S> {
        let mut left = failed(self.state.affinities(command.actor))?;
        let before = left.all.len();
        left.all.retain(|known| command.additions.iter().all(|(uid, _)| *uid != known.uid));
        let changed = left.all.len() < before;
        if changed {
            failed(self.state.put_affinities(command.actor, left))?;
        }
        Ok(changed)
    }
}

/// The highest of some scores, as many as are kept.
fn highest(half_life_ms: u64, scores: BTreeMap<Uid, Score>) -> Affinities {
    let all = scores.into_iter().filter(|(_, score)| *score != Score::NONE);
    let all = all.map(|(uid, score)| Affinity { uid, score }).collect();
    let mut ranked = Affinities { half_life_ms, all }.ranked();
    ranked.all.truncate(AFFINITIES_MAX as usize);
    ranked
}
