//! Work in tasks of their own, whose failures and panics are errors of the run.

use crate::broken;
use guanxi_model::Result;
use std::collections::VecDeque;
use tokio::task::{JoinError, JoinHandle};

/// Returns what a task came to.
pub(crate) fn joined<T>(task: std::result::Result<Result<T>, JoinError>) -> Result<T> {
    task.unwrap_or_else(|error| Err(broken(error)))
}

/// Does each piece of work in a task of its own, at most `max` at once, and returns what they came to, in order.
pub(crate) async fn in_flight<T: Send + 'static>(
    max: usize,
    work: impl Iterator<Item = impl Future<Output = Result<T>> + Send + 'static>,
) -> Result<Vec<T>> {
    let (mut flight, mut done) = (VecDeque::with_capacity(max), Vec::new());
    for next in work {
        if flight.len() == max
            && let Some(oldest) = flight.pop_front()
        {
            done.push(joined(oldest.await)?);
        }
        flight.push_back(tokio::spawn(next));
    }
    done.extend(all(flight.into()).await?);
    Ok(done)
}

/// Begins all work at once, each in a task of its own.
pub(crate) fn begin<T: Send + 'static>(
    work: impl Iterator<Item = impl Future<Output = Result<T>> + Send + 'static>,
) -> Vec<JoinHandle<Result<T>>> {
    work.map(tokio::spawn).collect()
}

/// Waits for all tasks, and returns what they came to.
pub(crate) async fn all<T>(tasks: Vec<JoinHandle<Result<T>>>) -> Result<Vec<T>> {
    let mut done = Vec::new();
    for task in tasks {
        done.push(joined(task.await)?);
    }
    Ok(done)
}
