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
    let applied = |write| {
        let facts = facts.clone();
        async move { facts.apply(write).await }
    };
    do_all(writes.into_iter().map(applied)).await
}

/// Does some things side by side, as [`apply_all`].
///
/// # Errors
/// The first that any of them met, after all are done.
pub(crate) async fn do_all<T: Send + 'static>(
    things: impl IntoIterator<Item = impl Future<Output = Result<T>> + Send + 'static>,
) -> Result<Vec<T>> {
    let mut under_way: JoinSet<Result<T>> = things.into_iter().collect();
    let mut answers = Vec::with_capacity(under_way.len());
    while let Some(answer) = under_way.join_next().await {
        answers.push(answer.unwrap_or_else(|error| Err(Error::with_detail(Reason::Internal, error))));
    }
    answers.into_iter().collect()
}
