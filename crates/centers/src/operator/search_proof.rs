//! The proof of the search indexes of a process.

use super::{LongTask, OperatorCenter};
use crate::search::{IndexProof, PostSource, ProofStep, UserSource, off};
use guanxi_model::{Position, Result};
use guanxi_ports::search::DocDiffers;

/// Which search index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchIndexKind {
    /// The index of users.
    Users,
    /// The index of posts.
    Posts,
}

/// The result of a step of a proof of search indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchProofStep {
    /// Which index.
    pub index: SearchIndexKind,
    /// Documents that were compared.
    pub compared: u64,
    /// The users or posts whose documents are not as they should be.
    pub findings: Vec<(u64, DocDiffers)>,
    /// Documents that changed too often to be compared.
    pub left_out: u64,
    /// Where the index stands.
    pub as_of: Position,
}

/// A proof of the search indexes under way: users first, then posts.
pub struct SearchProof {
    _task: LongTask,
    users: IndexProof<UserSource>,
    posts: IndexProof<PostSource>,
}

crate::opaque_debug!(SearchProof);

impl OperatorCenter {
    /// Begins to compare the search indexes of this process with the facts.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when this process keeps none; `OVERLOADED` while another long task runs.
    pub fn search_proof(&self) -> Result<SearchProof> {
        let proved = self.indexes()?.proved().ok_or_else(off)?;
        let facts = &self.ports.store;
        Ok(SearchProof {
            _task: self.long_task()?,
            users: IndexProof::new(facts.clone(), proved.users),
            posts: IndexProof::new(facts.clone(), proved.posts),
        })
    }
}

impl SearchProof {
    /// Compares the next documents; `None` when all are.
    ///
    /// # Errors
    /// `SEARCH_UNAVAILABLE` when an index cannot be asked; those of reading the facts. A difference is a finding, not an error.
    pub async fn next(&mut self) -> Result<Option<SearchProofStep>> {
        if let Some(step) = self.users.next().await? {
            return Ok(Some(told(SearchIndexKind::Users, step, guanxi_model::Uid::get)));
        }
        let step = self.posts.next().await?;
        Ok(step.map(|step| told(SearchIndexKind::Posts, step, guanxi_model::PostId::get)))
    }
}

fn told<I>(index: SearchIndexKind, step: ProofStep<I>, number: impl Fn(I) -> u64) -> SearchProofStep {
    let ProofStep { compared, findings, left_out, as_of } = step;
    let findings = findings.into_iter().map(|(id, differs)| (number(id), differs)).collect();
    SearchProofStep { index, compared, findings, left_out, as_of }
}
