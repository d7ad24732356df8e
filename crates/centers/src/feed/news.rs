//! What is new: polling, streaming, and the red dot.
//!
//! "New since" goes by the event that made an item, never by its id, so nothing is lost when clocks jump, and what is
//! imported or restored is never new. What a change below the newest did (a follow, a block, a deletion) is not
//! listed: the caller is told to read the first page again.

use super::FeedCenter;
use super::hydrate::hydrate;
use super::rules::judge;
use guanxi_model::event::{Change, Event};
use guanxi_model::limits::{EVENT_BATCH_MAX, POLL_ITEMS_MAX, UNREAD_CAP_MAX};
use guanxi_model::{Error, Item, Position, PostId, PostWrite, Reason, Result, Uid};
use guanxi_ports::{Audience, AuthorHead, OutboxAsk, PostView};

/// Ids of an outbox read at once while looking for new items.
const STEP: usize = 16;

/// What is new in a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// New items that are shown, newest first; empty with a reset.
    pub ids: Vec<PostId>,
    /// More changed than new items can tell, or more came than a poll answers: read the first page again.
    pub reset: bool,
    /// Where to go on.
    pub position: Position,
}

/// How many items are new to a viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Shown items that came after the seen mark, up to the cap.
    pub count: u32,
    /// There are more than the cap.
    pub capped: bool,
    /// Where the answer stands.
    pub position: Position,
}

impl FeedCenter {
    /// What is new in the viewer's home since a position: at most `max` items (at most [`POLL_ITEMS_MAX`]).
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    pub async fn poll(&self, viewer: Uid, since: Position, max: usize) -> Result<News> {
        let view = self.posts.post_view(Some(since)).await?;
        let audience = view.audience(viewer).await?;
        let position = view.position();
        let max = max.min(POLL_ITEMS_MAX as usize);
        let new = new_authors(&*view, &*audience, viewer, since.seq).await?;
        let changed = new.iter().any(|(_, head)| head.changed_seq > since.seq);
        if audience.version() > since.seq || changed {
            return Ok(News { ids: Vec::new(), reset: true, position });
        }
        let mut ids = fresh(&*view, &*audience, viewer, &new, since.seq, max).await?;
        let reset = ids.len() > max;
        if reset {
            ids.clear();
        }
        Ok(News { ids, reset, position })
    }

    /// Notes that the viewer has seen its home up to a position; the mark only rises. Answers the position of the
    /// write.
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    pub async fn mark_seen(&self, viewer: Uid, seen: Position) -> Result<Position> {
        self.posts.post_view(Some(seen)).await?;
        let write = PostWrite::MarkSeen { uid: viewer, seq: seen.seq };
        Ok(self.posts.write_posts(write).await?.position)
    }

    /// How many shown items are new since the viewer's seen mark, up to a cap (at most [`UNREAD_CAP_MAX`]).
    ///
    /// # Errors
    /// `INVALID_FIELD` for a cap that is 0 or too large.
    pub async fn unread(&self, viewer: Uid, cap: u32, at_least: Option<Position>) -> Result<Unread> {
        if cap == 0 || cap > UNREAD_CAP_MAX {
            return Err(Error::new(Reason::InvalidField { field: "cap" }));
        }
        let view = self.posts.post_view(at_least).await?;
        let audience = view.audience(viewer).await?;
        let seen = view.seen(viewer).await?;
        let new = new_authors(&*view, &*audience, viewer, seen).await?;
        let ids = fresh(&*view, &*audience, viewer, &new, seen, cap as usize).await?;
        let capped = ids.len() > cap as usize;
        let count = u32::try_from(ids.len()).unwrap_or(u32::MAX).min(cap);
        Ok(Unread { count, capped, position: view.position() })
    }

    /// Follows the viewer's home from a position on, or from now.
    pub fn stream(&self, viewer: Uid, since: Option<Position>) -> HomeStream {
        let position = since.unwrap_or_else(|| self.log.head());
        HomeStream { center: self.clone(), viewer, position, audience: None }
    }
}

/// Those in the viewer's home whose outbox changed after an event.
async fn new_authors(
    view: &dyn PostView,
    audience: &dyn Audience,
    viewer: Uid,
    since: u64,
) -> Result<Vec<(Uid, AuthorHead)>> {
    let authors: Vec<Uid> = audience.following().iter().copied().chain([viewer]).collect();
    let heads = view.heads(&authors).await?;
    Ok(authors.into_iter().zip(heads).filter(|(_, head)| head.last_seq > since).collect())
}

/// The shown items that came after an event, newest first. It stops when more than `max` are found.
async fn fresh(
    view: &dyn PostView,
    audience: &dyn Audience,
    viewer: Uid,
    authors: &[(Uid, AuthorHead)],
    since: u64,
    max: usize,
) -> Result<Vec<PostId>> {
    let mut found: Vec<PostId> = Vec::new();
    let mut asks: Vec<OutboxAsk> =
        authors.iter().map(|(author, _)| OutboxAsk { author: *author, below: None }).collect();
    while !asks.is_empty() && found.len() <= max {
        let read = view.outboxes(&asks, STEP).await?;
        let hydrated = hydrate(view, audience, viewer, &read.ids).await?;
        let mut start = 0;
        let mut further = Vec::new();
        for (ask, part) in asks.iter().zip(&read.parts) {
            let items = &hydrated.items[start..part.end as usize];
            start = part.end as usize;
            // An author's live items are in the order of their events: below one that is not new, none is.
            let old = |item: &Item| item.seq != 0 && item.seq <= since;
            let ends = items.iter().flatten().any(old);
            let new = items.iter().flatten().filter(|item| item.seq > since);
            let shown = new.filter(|item| judge(item, viewer, audience, &hydrated).is_ok());
            found.extend(shown.map(|item| item.id));
            if part.more && !ends {
                let below = read.ids[..start].last().copied();
                further.push(OutboxAsk { below, ..*ask });
            }
        }
        asks = further;
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

/// A followed home. It reads the log and asks what is new only when something in it may concern the viewer.
pub struct HomeStream {
    center: FeedCenter,
    viewer: Uid,
    position: Position,
    audience: Option<Box<dyn Audience>>,
}

impl HomeStream {
    /// Where the stream stands: after everything that it has told.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// Waits for the next news: new items, or a reset. Dropping the future loses nothing.
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`, and `SHUTTING_DOWN` at the end.
    pub async fn next(&mut self) -> Result<News> {
        loop {
            let batch = match self.center.log.read(self.position, EVENT_BATCH_MAX as usize).await {
                Err(error) if error.reason == Reason::Trimmed => {
                    self.audience = None;
                    self.position = self.center.log.head();
                    return Ok(News { ids: Vec::new(), reset: true, position: self.position });
                }
                batch => batch?,
            };
            if batch.events.is_empty() {
                self.center.log.wait(self.position).await?;
                continue;
            }
            if !self.concerned(&batch.events).await? {
                self.position = batch.position;
                continue;
            }
            let news = self.center.poll(self.viewer, self.position, POLL_ITEMS_MAX as usize).await?;
            self.position = news.position;
            self.audience = None;
            if news.reset || !news.ids.is_empty() {
                return Ok(news);
            }
        }
    }

    /// Whether any of some events may change what the viewer's home shows.
    async fn concerned(&mut self, events: &[Event]) -> Result<bool> {
        let audience = if let Some(audience) = self.audience.take() {
            audience
        } else {
            let view = self.center.posts.post_view(Some(self.position)).await?;
            view.audience(self.viewer).await?
        };
        let viewer = self.viewer;
        let concerns = |event: &Event| match event.change {
            Change::Pair { object, .. } => event.subject == viewer || object == viewer,
            Change::Post { .. } => event.subject == viewer || audience.follow(event.subject).is_some(),
            Change::FollowLimit(_) | Change::Liked { .. } | Change::Unliked { .. } => false,
        };
        let concerned = events.iter().any(concerns);
        self.audience = Some(audience);
        Ok(concerned)
    }
}
