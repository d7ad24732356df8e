//! The history of a user: what the user's log still tells of it, newest first.
//!
//! A log is read forward, so the search goes down in windows: each is read forward from its beginning and looked at from its
//! end. A user's own log has all that changed about it, so one log is enough. Nothing is indexed by user, so a page costs what
//! it looks at, and has a budget.

use super::OperatorCenter;
use crate::relation::kinds_of_posts;
use crate::turn::yield_now;
use guanxi_model::limits::EVENT_BATCH_MAX;
use guanxi_model::post::Kind;
use guanxi_model::{Error, Event, EventAt, Position, PostId, Reason, Result, Uid};
use guanxi_ports::Log;
use std::collections::HashMap;

/// Events that a page looks at before it answers with what it has.
pub const HISTORY_SCAN_MAX: u32 = 100_000;

/// Events of a window: one batch of the log.
const WINDOW: u32 = EVENT_BATCH_MAX;

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct HistoryAsked {
    /// Whose history.
    pub uid: Uid,
    /// Only events before this place; from the newest event on without one.
    pub below: Option<EventAt>,
    /// Events in the answer at most.
    pub max: usize,
    /// Events that are looked at, at most.
    pub scan_max: u32,
}

/// Why a page of a history ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryEnd {
    /// The page has as many events as asked for.
    Full,
    /// It has looked at as many events as it may.
    Budget,
    /// It has no time left.
    Time,
    /// The log has older events no more.
    Trimmed,
    /// It has come to the beginning of the log.
    Beginning,
}

impl HistoryEnd {
    /// Returns whether older events may follow on a next page.
    pub const fn goes_on(self) -> bool {
        matches!(self, Self::Full | Self::Budget | Self::Time)
    }
}

/// A page of a history.
#[derive(Clone, Debug)]
pub struct UserHistory {
    /// The events about the user, newest first.
    pub events: Vec<Event>,
    /// The kinds of the posts that changed in them.
    pub kinds: HashMap<PostId, Kind>,
    /// How many events were looked at.
    pub scanned: u32,
    /// The oldest event that was looked at; none if there was none.
    pub reached: Option<Event>,
    /// Why the page ends.
    pub end: HistoryEnd,
}

impl OperatorCenter {
    /// Returns a page of the history of a user. `is_late` says whether there is no time for another window.
    ///
    /// # Errors
    /// `STALE_CURSOR` for a place that the log does not have; that of the log or the store.
    pub async fn user_history(
        &self,
        asked: HistoryAsked,
        is_late: impl Fn() -> bool + Send,
    ) -> Result<UserHistory> {
        let log = &*self.ports.log;
        let head = log.head().await?;
        let newest = head.of(asked.uid);
        let top = asked.below.map_or(newest, EventAt::before);
        if top.log() != newest.log() || top.is_after(newest) {
            return Err(Error::new(Reason::StaleCursor));
        }
        let mut search = Search { log, head, top, events: Vec::new(), scanned: 0, reached: None };
        let end = search.run(asked, is_late).await?;
        let Search { events, scanned, reached, .. } = search;
        let kinds = kinds_of_posts(&*self.ports.store, &events).await?;
        Ok(UserHistory { events, kinds, scanned, reached, end })
    }
}

/// A search down a log.
struct Search<'a> {
    log: &'a dyn Log,
    /// A position of the store, from which places in the log are told.
    head: Position,
    /// The newest event that was not looked at.
    top: EventAt,
    events: Vec<Event>,
    scanned: u32,
    reached: Option<Event>,
}

impl Search<'_> {
    async fn run(&mut self, asked: HistoryAsked, is_late: impl Fn() -> bool + Send) -> Result<HistoryEnd> {
        while self.top != EventAt::beginning(self.top.log()) {
            let room = asked.scan_max.saturating_sub(self.scanned);
            if room == 0 {
                return Ok(HistoryEnd::Budget);
            }
            // The first window is looked at in any case, so that each page goes on.
            if self.scanned > 0 && is_late() {
                return Ok(HistoryEnd::Time);
            }
            let len = u64::from(room.min(WINDOW));
            let below = self.below_top(len).in_log(self.top.log());
            let (window, is_trimmed) = self.window(len).await?;
            for event in window.into_iter().rev() {
                (self.top, self.reached, self.scanned) = (event.at.before(), Some(event), self.scanned + 1);
                if event.tells_of(asked.uid) {
                    self.events.push(event);
                    if self.events.len() >= asked.max {
                        return Ok(HistoryEnd::Full);
                    }
                }
            }
            if is_trimmed {
                return Ok(HistoryEnd::Trimmed);
            }
            // Events that cannot be read are not among those of the window.
            self.top = below;
            yield_now().await;
        }
        Ok(HistoryEnd::Beginning)
    }

    /// Returns so many events up to the top, oldest first, and whether the log has none before them any more.
    async fn window(&self, len: u64) -> Result<(Vec<Event>, bool)> {
        match self.up_to_top(len).await {
            Err(error) if error.reason == Reason::Trimmed => {}
            read => return Ok((read?, false)),
        }
        // The log begins within the window. Its first event is found in ten steps, each of which reads one event.
        let (mut kept, mut gone) = (0, len);
        while gone - kept > 1 {
            let middle = kept + (gone - kept) / 2;
            match self.log.read(self.top.log(), &self.below_top(middle), 1).await {
                Ok(_) => kept = middle,
                Err(error) if error.reason == Reason::Trimmed => gone = middle,
                Err(error) => return Err(error),
            }
        }
        match self.up_to_top(kept).await {
            // It was trimmed further meanwhile.
            Err(error) if error.reason == Reason::Trimmed => Ok((Vec::new(), true)),
            read => Ok((read?, true)),
        }
    }

    /// The position so many events below the top.
    fn below_top(&self, events: u64) -> Position {
        Position::seen(self.head.history(), self.head.logs(), self.top).back(events)
    }

    /// Reads so many events up to the top, or all if there are fewer.
    async fn up_to_top(&self, events: u64) -> Result<Vec<Event>> {
        let (log, mut position) = (self.top.log(), self.below_top(events));
        let mut found: Vec<Event> = Vec::new();
        while self.top.is_after(position.in_log(log)) {
            let batch = self.log.read(log, &position, events as usize).await?;
            if batch.events.is_empty() && batch.unreadable.is_empty() {
                return Err(Error::with_detail(Reason::Damaged, "the log ends before its head"));
            }
            found.extend(batch.events);
            position = batch.position;
        }
        found.retain(|event| !event.at.is_after(self.top));
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
