//! The stream of changes, for callers that follow the logs.

use crate::log_readers::Subscription;
use guanxi_model::post::Kind;
use guanxi_model::{Change, Event, LogId, Position, PostId, Result};
use guanxi_ports::{Log, Store};
use std::collections::HashMap;
use std::sync::Arc;

/// A reader of the changes in the logs that its position names. Its position is its whole state. It reads the logs by
/// itself, and only when the hub has found something for it there.
pub struct Changes {
    log: Arc<dyn Log>,
    store: Arc<dyn Store>,
    position: Position,
    subscription: Subscription,
    /// The logs may hold something that it has not read.
    is_due: bool,
}

impl Changes {
    pub(super) const fn new(
        log: Arc<dyn Log>,
        store: Arc<dyn Store>,
        position: Position,
        subscription: Subscription,
    ) -> Self {
        Self { log, store, position, subscription, is_due: true }
    }

    /// After which events it stands.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Moves the position past events that concern none of the users that it waits for, when there is nothing else to read.
    pub fn pass_quiet(&mut self) {
        let quiet_to = self.subscription.quiet_to().filter(|_| !self.is_due);
        if let Some(quiet_to) = quiet_to {
            let named: Vec<LogId> = self.named().collect();
            self.position.join(&quiet_to.only(|log| named.binary_search(&log).is_ok()));
        }
    }

    /// The logs that the position names, in order.
    fn named(&self) -> impl Iterator<Item = LogId> {
        self.position.marks().map(|(log, _)| log)
    }

    /// The next events, at most `max`, each log in its order; none when it has caught up.
    ///
    /// # Errors
    /// `TRIMMED`, `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    pub async fn read(&mut self, max: usize) -> Result<Vec<Event>> {
        let (mut events, mut has_passed): (Vec<Event>, bool) = Default::default();
        let logs: Vec<LogId> = self.named().collect();
        for log in logs {
            let room = max - events.len();
            if room == 0 {
                break;
            }
            let batch = self.log.read(log, &self.position, room).await?;
            self.position = batch.position;
            has_passed |= !batch.unreadable.is_empty();
            events.extend(batch.events);
        }
        self.is_due = has_passed || !events.is_empty();
        Ok(events)
    }

    /// Returns the kinds of the posts that changed in some events.
    ///
    /// # Errors
    /// When the posts cannot be asked.
    pub async fn kinds_of_posts(&self, events: &[Event]) -> Result<HashMap<PostId, Kind>> {
        kinds_of_posts(&*self.store, events).await
    }

    /// Completes when there may be more to read.
    ///
    /// # Errors
    /// What reading a log failed with; `SHUTTING_DOWN` when the store closes.
    pub async fn wait(&mut self) -> Result<()> {
        if !self.is_due {
            self.subscription.changed().await?;
            self.is_due = true;
        }
        Ok(())
    }
}

/// Returns the kinds of the posts that changed in some events. It makes one query for all of them, and none if no post
/// changed. A post that does not exist any more is left out. The kind of a post never changes, so the newest view answers
/// for an event of any age; it has every event that was read.
pub(crate) async fn kinds_of_posts(store: &dyn Store, events: &[Event]) -> Result<HashMap<PostId, Kind>> {
    let mut ids: Vec<PostId> = events.iter().filter_map(changed_post).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    ids.sort_unstable();
    ids.dedup();
    let view = store.view(None).await?;
    let headers = view.headers(&ids).await?;
    Ok(headers.into_iter().flatten().map(|header| (header.id, header.kind)).collect())
}

const fn changed_post(event: &Event) -> Option<PostId> {
    match event.change {
        Change::Post { id, .. } => Some(id),
        _ => None,
    }
}
