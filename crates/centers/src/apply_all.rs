//! Writes of many shards at once.

use guanxi_model::{Error, Reason, Result, Write};
use guanxi_ports::{Applied, Facts};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Does some writes side by side; their answers come in any order. Each is whole or not there, and the others go on when one
/// fails.
///
/// # Errors
/// The first that any of them met, after all are done.
pub(crate) async fn apply_all<F: Facts + ?Sized + 'static>(
    facts: &Arc<F>,
    writes: impl IntoIterator<Item = Write>,
) -> Result<Vec<Applied>> {
    let mut under_way = JoinSet::new();
    for write in writes {
        let facts = facts.clone();
        under_way.spawn(async move { facts.apply(write).await });
    }
    let mut answers = Vec::with_capacity(under_way.len());
    while let Some(answer) = under_way.join_next().await {
        answers.push(answer.unwrap_or_else(|error| Err(Error::with_detail(Reason::Internal, error))));
    }
    answers.into_iter().collect()
}
