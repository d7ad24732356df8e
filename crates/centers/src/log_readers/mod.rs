//! Following the logs: the one recipe for everything that is derived from events.
//!
//! A [`Follower`] keeps its position together with its effect, so that a process that dies between them goes on where the
//! effect is. It reads in batches, one log after the other. A log that has been trimmed beyond its position leads to a
//! rebuild from facts, with the head taken first. An error ends it; after a rest another one begins at the kept position. The
//! word to stop ends it for good. [`keep_following`] is the loop around all that, and [`step`] is one turn of it, for callers
//! that have a loop of their own.
//!
//! | follower | its effect and position |
//! |---|---|
//! | the fan-out | `covered`, kept by the inboxes |
//! | [`Hub`], which open streams share | the marks of streams, in memory |
//! | the counting of affinities | counts, in one commit with the position of the job |
//! | the indexers of search | documents, in one commit of the index with the position |

mod hub;

pub use hub::{Hub, HubSize, Interest, Subscription};

use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::{Error, LogId, Position, Reason, Result};
use guanxi_ports::{BoxFuture, EventBatch, Log};
use std::future::{Future, poll_fn, ready};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

/// The first rest after an error: most pass at once.
pub const RETRY_FIRST: Duration = Duration::from_millis(100);

/// The longest rest. Each error in a row doubles the rest before, and an operator who mends the cause does not wait long.
pub const RETRY_MAX: Duration = Duration::from_secs(5);

/// A reader that derives an effect from the events of some logs.
pub trait Follower: Send {
    /// After which events it stands; names the logs that it follows.
    fn position(&self) -> &Position;

    /// Returns whether it takes in more events now. While it does not it has work to do.
    fn has_room(&self) -> bool {
        true
    }

    /// Takes in the next events of one log. From then on it stands at the batch's position.
    ///
    /// # Errors
    /// When the effect cannot be written; then the position is not kept either.
    fn apply(&mut self, batch: EventBatch) -> BoxFuture<'_, Result<()>>;

    /// Events are gone unread: makes anew what follows from them, out of facts that are read from now on. From then on
    /// it stands at `head`.
    ///
    /// # Errors
    /// When the facts cannot be read, or the effect not be written.
    fn rebuild(&mut self, head: Position) -> BoxFuture<'_, Result<()>>;

    /// Does a piece of what it has taken in but not done. Returns whether there was any.
    ///
    /// # Errors
    /// When the effect cannot be written.
    fn work(&mut self) -> BoxFuture<'_, Result<bool>> {
        Box::pin(ready(Ok(false)))
    }

    /// Completes when there is work although no event came; none if there will be none.
    fn rest(&self) -> Option<BoxFuture<'static, ()>> {
        None
    }
}

/// Why a follower came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was told to.
    Stopped,
    /// The store closes.
    Closed,
}

/// Lets a follower take in new events and do one piece of work. Returns whether there was anything to do.
///
/// # Errors
/// When a log cannot be read, or the error of the follower.
pub async fn step(log: &dyn Log, follower: &mut dyn Follower) -> Result<bool> {
    let came = catch_up(log, follower).await?;
    let worked = follower.work().await?;
    Ok(came || worked)
}

/// Reads one batch of each log that goes on, as long as there is room. Returns whether anything came.
async fn catch_up(log: &dyn Log, follower: &mut dyn Follower) -> Result<bool> {
    let head = log.head().await?;
    let position = follower.position();
    let is_behind = |id: &LogId| !position.includes(head.in_log(*id));
    let behind: Vec<LogId> = position.marks().map(|(id, _)| id).filter(is_behind).collect();
    let mut came = false;
    for id in behind {
        if !follower.has_room() {
            break;
        }
        match log.read(id, follower.position(), EVENT_BATCH_MAX as usize).await {
            Err(error) if error.reason == Reason::Trimmed => {
                // The head is taken first: all that is read for the rebuild is at least as new.
                let (head, position) = (log.head().await?, follower.position());
                let head = head.only(|log| position.marks().any(|(own, _)| own == log));
                follower.rebuild(head).await?;
                return Ok(true);
            }
            batch => {
                let batch = batch?;
                came |= !batch.events.is_empty() || !batch.unreadable.is_empty();
                follower.apply(batch).await?;
            }
        }
    }
    Ok(came)
}

/// Follows until `stop` completes, which is asked between two steps, or the store closes.
///
/// # Errors
/// The first one of [`step`].
pub async fn follow(
    log: &dyn Log,
    follower: &mut dyn Follower,
    stop: impl Future<Output = ()> + Send,
) -> Result<Ended> {
    let (mut has_stepped, stop) = (false, pin!(stop));
    follow_on(log, follower, stop, &mut has_stepped).await
}

async fn follow_on(
    log: &dyn Log,
    follower: &mut dyn Follower,
    mut stop: Pin<&mut (impl Future<Output = ()> + Send)>,
    has_stepped: &mut bool,
) -> Result<Ended> {
    loop {
        let worked = match step(log, follower).await {
            Err(error) if error.reason == Reason::ShuttingDown => return Ok(Ended::Closed),
            worked => worked?,
        };
        *has_stepped = true;
        if worked {
            if is_ready(stop.as_mut()).await {
                return Ok(Ended::Stopped);
            }
            continue;
        }
        let (rest, wait) = (follower.rest(), log.wait(follower.position()));
        let woken = async {
            match rest {
                None => wait.await,
                Some(mut rest) => match until(rest.as_mut(), wait).await {
                    None => Ok(()),
                    Some(woken) => woken,
                },
            }
        };
        match until(stop.as_mut(), woken).await {
            None => return Ok(Ended::Stopped),
            Some(Err(error)) if error.reason == Reason::ShuttingDown => return Ok(Ended::Closed),
            Some(woken) => woken?,
        }
    }
}

/// Follows until `stop` completes or the store closes. It goes on after any error: another follower begins at the position
/// that the effect has by then. `failed` is told of an error, and completes after the rest that it is told. The caller
/// decides how to rest.
pub async fn keep_following<F: Follower>(
    log: &dyn Log,
    begin: impl Fn() -> BoxFuture<'static, Result<F>> + Send + Sync,
    stop: impl Future<Output = ()> + Send,
    failed: impl Fn(&Error, Duration) -> BoxFuture<'static, ()> + Send + Sync,
) -> Ended {
    let (mut stop, mut rest) = (pin!(stop), RETRY_FIRST);
    loop {
        let mut has_stepped = false;
        let Some(first) = until(stop.as_mut(), begin()).await else { return Ended::Stopped };
        let ended = match first {
            Ok(mut follower) => follow_on(log, &mut follower, stop.as_mut(), &mut has_stepped).await,
            Err(error) => Err(error),
        };
        let error = match ended {
            Ok(ended) => return ended,
            Err(error) if error.reason == Reason::ShuttingDown => return Ended::Closed,
            Err(error) => error,
        };
        if has_stepped {
            rest = RETRY_FIRST;
        }
        if until(stop.as_mut(), failed(&error, rest)).await.is_none() {
            return Ended::Stopped;
        }
        rest = RETRY_MAX.min(rest * 2);
    }
}

/// Lets others run, and tells whether a future is ready.
async fn is_ready(mut future: Pin<&mut (impl Future<Output = ()> + Send)>) -> bool {
    let mut yielded = false;
    poll_fn(|context| {
        if future.as_mut().poll(context).is_ready() {
            return Poll::Ready(true);
        }
        if yielded {
            return Poll::Ready(false);
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

/// The output of a future, or `None` if `stop` completes first.
async fn until<T>(
    mut stop: Pin<&mut (impl Future<Output = ()> + Send + ?Sized)>,
    future: impl Future<Output = T> + Send,
) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| {
        if stop.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        future.as_mut().poll(context).map(Some)
    })
    .await
}

#[cfg(test)]
pub(crate) mod tests;
