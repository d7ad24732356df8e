//! Reading the logs for all streams.

use super::super::{Follower, follow};
use super::{HubInner, HubState, wake};
use guanxi_model::{Error, Position, Reason, Result};
use guanxi_ports::{BoxFuture, EventBatch};
use std::future::{pending, ready};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// The reader of the logs. Its effect, the marks of streams, is in memory with the hub's position, so that the two always
/// agree. A reader that has been replaced has no effect any more.
pub(super) struct HubReader {
    hub: Arc<HubInner>,
    number: u64,
    position: Position,
}

impl HubReader {
    /// The reader of a number, from the hub's position on.
    pub(super) const fn new(hub: Arc<HubInner>, number: u64, position: Position) -> Self {
        Self { hub, number, position }
    }

    /// Takes the role, even if another reader has it.
    pub(super) fn begin(hub: Arc<HubInner>) -> BoxFuture<'static, Result<Self>> {
        Box::pin(async move {
            let (number, position) = {
                let mut state = hub.lock();
                (state.appoint(), state.position.clone())
            };
            let position = match position {
                Some(position) => position,
                // The last stream has gone: its end ends this reading, too.
                None => hub.log.head().await?,
            };
            Ok(Self::new(hub, number, position))
        })
    }

    /// Goes on to a position, at which some streams are marked.
    fn go_on(&mut self, position: Position, mark: impl FnOnce(&mut HubState, &mut Vec<Waker>)) {
        let mut woken = Vec::new();
        let mut state = self.hub.lock();
        if state.reader == Some(self.number) && state.position.is_some() {
            mark(&mut state, &mut woken);
            state.position = Some(position.clone());
        }
        drop(state);
        wake(woken);
        self.position = position;
    }
}

impl Follower for HubReader {
    fn position(&self) -> &Position {
        &self.position
    }

    fn apply(&mut self, batch: EventBatch) -> BoxFuture<'_, Result<()>> {
        self.go_on(batch.position, |state, woken| {
            state.mark(&batch.events, woken);
            // Whom they concern is not known.
            if !batch.unreadable.is_empty() {
                state.registry.mark_all(woken);
            }
        });
        Box::pin(ready(Ok(())))
    }

    /// Marks every stream, since it is not known which streams the lost events concerned.
    fn rebuild(&mut self, head: Position) -> BoxFuture<'_, Result<()>> {
        self.go_on(head, |state, woken| state.registry.mark_all(woken));
        Box::pin(ready(Ok(())))
    }
}

impl Drop for HubReader {
    fn drop(&mut self) {
        let heir = {
            let mut state = self.hub.lock();
            if state.reader != Some(self.number) {
                return;
            }
            state.reader = None;
            state.heir()
        };
        wake(heir);
    }
}

/// A reading in the course of a stream's wait. It ends by an error alone, of which it tells every stream.
pub(super) struct LogReading {
    number: u64,
    future: BoxFuture<'static, ()>,
}

impl LogReading {
    pub(super) fn new(mut reader: HubReader) -> Self {
        let number = reader.number;
        let future = Box::pin(async move {
            let hub = reader.hub.clone();
            let error = match follow(&*hub.log, &mut reader, pending()).await {
                Ok(_closed) => Error::new(Reason::ShuttingDown),
                Err(error) => error,
            };
            // While the role is held, so that no reader reads on before all streams are told.
            hub.fail(&error);
        });
        Self { number, future }
    }

    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.future.as_mut().poll(context)
    }
}
