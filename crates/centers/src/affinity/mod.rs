//! The affinity center: what users have to do with each other, recorded, counted and read.
//!
//! Interactions become scores here, by the terms that an operator has set; stores add scores up and know nothing of terms.
//! Visits and messages are recorded by services ([`AffinityCenter::record`]); likes, replies and reposts are counted from the
//! log ([`counting`]).

mod counting;

pub use counting::LikesAndReplies;

use crate::relation::check_request;
use guanxi_model::affinity::{Affinities, AffinityCommand, AffinityTerms, InteractionKind, Score};
use guanxi_model::limits::INTERACTIONS_MAX;
use guanxi_model::{Clock, Error, Position, Reason, RequestKey, Result, Uid, Write};
use guanxi_ports::{Log, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An act of one user that concerns another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interaction {
    /// The user that acts.
    pub subject: Uid,
    /// About whom.
    pub object: Uid,
    /// The kind of act.
    pub kind: InteractionKind,
    /// How many times; at most [`INTERACTION_COUNT_MAX`](guanxi_model::limits::INTERACTION_COUNT_MAX).
    pub count: u32,
    /// When, in Unix milliseconds; now if not given.
    pub at_ms: Option<u64>,
}

/// With whom a user has most to do.
#[derive(Clone, Debug, PartialEq)]
pub struct TopAffinity {
    /// Each of them with what the score is worth now, the highest first.
    pub items: Vec<(Uid, f64)>,
    /// Where the answer stands.
    pub position: Position,
}

/// The affinity center over a store. Cheap to clone.
#[derive(Clone)]
pub struct AffinityCenter {
    store: Arc<dyn Store>,
    log: Arc<dyn Log>,
    clock: Arc<dyn Clock>,
    terms: AffinityTerms,
}

crate::opaque_debug!(AffinityCenter { terms });

impl AffinityCenter {
    /// A center over a backend's ports, with the usual terms.
    pub fn new(store: Arc<dyn Store>, log: Arc<dyn Log>, clock: Arc<dyn Clock>) -> Self {
        Self { store, log, clock, terms: AffinityTerms::default() }
    }

    /// The same with other terms.
    #[must_use]
    pub fn with_terms(self, terms: AffinityTerms) -> Self {
        Self { terms, ..self }
    }

    /// Records interactions, all in one commit; answers for how many users something counted, which is less than there are
    /// if some are deleted or their interactions weigh nothing.
    ///
    /// # Errors
    /// `USER_DELETED` if all of them are of deleted users; `BATCH_TOO_LARGE`; `SELF`; `INVALID_FIELD{time}` for what has not happened yet; a whole-request error of the store.
    pub async fn record(
        &self,
        interactions: &[Interaction],
        request: Option<RequestKey>,
    ) -> Result<(u32, Position)> {
        check_request(request.as_ref())?;
        if interactions.len() > INTERACTIONS_MAX as usize {
            return Err(Error::new(Reason::BatchTooLarge { limit: INTERACTIONS_MAX }));
        }
        let now_ms = self.clock.now_ms();
        let mut additions: BTreeMap<Uid, Vec<(Uid, Score)>> = BTreeMap::new();
        for Interaction { subject, object, kind, count, at_ms } in interactions {
            if subject == object {
                return Err(Error::new(Reason::SelfRelation));
            }
            if at_ms.is_some_and(|at_ms| at_ms > now_ms) {
                return Err(Error::new(Reason::InvalidField { field: "time" }));
            }
            let score = self.terms.score(*kind, *count, at_ms.unwrap_or(now_ms));
            additions.entry(*subject).or_default().push((*object, score));
        }
        let write = Write::all(additions.into_iter().map(|(actor, all)| self.command(actor, all, true)));
        let answer = self.store.apply(write.under(request)).await?;
        let mut refusals = answer.outcomes.iter().map(|outcome| outcome.result().err());
        if let Some(Some(reason)) = refusals.next()
            && refusals.all(|refused| refused.as_ref() == Some(&reason))
        {
            return Err(Error::new(reason));
        }
        Ok((answer.changed() as u32, answer.position))
    }

    fn command(&self, actor: Uid, additions: Vec<(Uid, Score)>, is_fact: bool) -> AffinityCommand {
        AffinityCommand { actor, half_life_ms: self.terms.half_life_ms, additions, is_fact }
    }

    /// With whom a user has most to do: at most `size` users.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn top(&self, of: Uid, size: usize, at_least: Option<Position>) -> Result<TopAffinity> {
        let view = self.store.view(at_least.as_ref()).await?;
        let Affinities { half_life_ms, all } = view.affinities(of).await?;
        let now_ms = self.clock.now_ms();
        let worth = |score: Score| score.worth(half_life_ms, now_ms);
        let items = all.into_iter().take(size).map(|known| (known.uid, worth(known.score))).collect();
        Ok(TopAffinity { items, position: view.position().joined(at_least.as_ref()) })
    }
}

#[cfg(test)]
mod tests;
