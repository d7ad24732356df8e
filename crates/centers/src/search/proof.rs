//! The proof of an index: all that it holds against what the facts say it should hold, while both change.
//!
//! The index and a view of the facts never stand at the same position for long. So a document that differs is compared again,
//! with an index that has taken in all events of the view. The difference is a finding if the facts say the same of the
//! document after that, too.

use super::indexer::{IndexSource, SourceId};
use guanxi_model::{Position, Result};
use guanxi_ports::search::{ComparedDocs, DocDiffers, ProvedIndex};
use guanxi_ports::{IndexChange, IndexDoc as _, Store, StoreView};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// How often documents that change all the time are compared; then they are left out.
const TRIES: usize = 8;

/// The result of one step of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofStep<I> {
    /// Documents that the facts say should be there, and were compared.
    pub compared: u64,
    /// Documents that are not as they should be.
    pub findings: Vec<(I, DocDiffers)>,
    /// Documents that were left out, because each comparison was overtaken by another change.
    pub left_out: u64,
    /// Where the index stands: events up to here are in what was compared.
    pub as_of: Position,
}

/// A proof of one index under way.
pub struct IndexProof<S: IndexSource> {
    facts: Arc<dyn Store>,
    index: Arc<dyn ProvedIndex<S::Doc>>,
    after: Option<SourceId<S>>,
    is_done: bool,
    at_once: usize,
}

impl<S: IndexSource> fmt::Debug for IndexProof<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexProof").field("after", &self.after).finish_non_exhaustive()
    }
}

/// The documents of a range, as the facts have them.
struct Wanted<S: IndexSource> {
    docs: HashMap<SourceId<S>, S::Doc>,
    /// The last id of the range; none for the end.
    last: Option<SourceId<S>>,
}

impl<S: IndexSource> IndexProof<S>
where
    S::Doc: Clone + PartialEq,
{
    /// Begins to compare an index with the facts that it is made of.
    pub fn new(facts: Arc<dyn Store>, index: Arc<dyn ProvedIndex<S::Doc>>) -> Self {
        Self { facts, index, after: None, is_done: false, at_once: S::WALK_AT_ONCE }
    }

    /// The same, which compares so many documents in a step.
    #[cfg(test)]
    pub(super) fn at_once(self, at_once: usize) -> Self {
        Self { at_once, ..self }
    }

    /// Compares the next documents; `None` when all are. The caller gives up by dropping it.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when no index can be asked; those of reading the facts.
    pub async fn next(&mut self) -> Result<Option<ProofStep<SourceId<S>>>> {
        if self.is_done {
            return Ok(None);
        }
        let at = self.index.as_of()?;
        let view = self.facts.view(Some(&at)).await?;
        let (wanted, compared) = self.compare(&*view).await?;
        if compared.differing.is_empty() {
            return Ok(Some(self.stepped(&wanted, compared, Vec::new(), 0)));
        }
        drop(view);
        self.settle().await.map(Some)
    }

    /// Compares the same documents until it is known of each that differs whether it does.
    async fn settle(&mut self) -> Result<ProofStep<SourceId<S>>> {
        let mut tries = 0;
        loop {
            tries += 1;
            let view = self.facts.view(None).await?;
            // The logs that a view stands at are those of its answers.
            let first = self.wanted(&*view).await?;
            self.index.wait(&view.position()).await?;
            let (wanted, compared) = self.against(first).await?;
            let later = self.facts.view(Some(&compared.as_of)).await?;
            let ids: Vec<SourceId<S>> = compared.differing.iter().map(|(id, _)| *id).collect();
            let now = docs::<S>(&*later, &ids).await?;
            let (findings, moving): (Vec<_>, Vec<_>) =
                compared.differing.iter().cloned().partition(|(id, _)| now.get(id) == wanted.docs.get(id));
            if moving.is_empty() || tries == TRIES {
                return Ok(self.stepped(&wanted, compared, findings, moving.len() as u64));
            }
        }
    }

    async fn compare(&self, view: &dyn StoreView) -> Result<(Wanted<S>, ComparedDocs<SourceId<S>>)> {
        let wanted = self.wanted(view).await?;
        self.against(wanted).await
    }

    async fn wanted(&self, view: &dyn StoreView) -> Result<Wanted<S>> {
        let ids = S::all(view, self.after, self.at_once).await?;
        Ok(Wanted { docs: docs::<S>(view, &ids).await?, last: ids.last().copied() })
    }

    async fn against(&self, wanted: Wanted<S>) -> Result<(Wanted<S>, ComparedDocs<SourceId<S>>)> {
        let docs = wanted.docs.values().cloned().collect();
        let compared = self.index.compare((self.after, wanted.last), docs).await?;
        Ok((wanted, compared))
    }

    /// Goes on behind what was compared.
    fn stepped(
        &mut self,
        wanted: &Wanted<S>,
        compared: ComparedDocs<SourceId<S>>,
        findings: Vec<(SourceId<S>, DocDiffers)>,
        left_out: u64,
    ) -> ProofStep<SourceId<S>> {
        let ComparedDocs { reached, as_of, .. } = compared;
        self.after = reached.or(wanted.last).or(self.after);
        self.is_done = reached.is_none() && wanted.last.is_none();
        let is_behind = |id: &SourceId<S>| reached.is_some_and(|reached| *id > reached);
        let compared = wanted.docs.keys().filter(|id| !is_behind(id)).count() as u64;
        ProofStep { compared, findings, left_out, as_of }
    }
}

/// The documents that the facts say should be there, of some ids.
async fn docs<S: IndexSource>(
    view: &dyn StoreView,
    ids: &[SourceId<S>],
) -> Result<HashMap<SourceId<S>, S::Doc>> {
    let changes = S::changes(view, ids).await?;
    let puts = changes.into_iter().filter_map(|change| match change {
        IndexChange::Put(doc) => Some((doc.id(), doc)),
        IndexChange::Remove(_) | IndexChange::Erase(_) => None,
    });
    Ok(puts.collect())
}
