//! What is new: polling, streaming, and the red dot.
//!
//! "New since" goes by the event that made an header, never by its id, so nothing is lost when clocks jump, and what is
//! imported or restored is never new. Neither is what the viewer wrote itself. What a change below the newest did (a follow, a block, a deletion) is not
//! listed: the caller is told to read the first page again.

use super::FeedCenter;
use super::new_items::{NewItems, new_authors, new_items};
use super::originals::strangers_originals;
use crate::confirm::confirmed;
use guanxi_model::event::{Change, Event};
use guanxi_model::limits::{EVENT_BATCH_MAX, POLL_ITEMS_MAX, UNREAD_CAP_MAX, WATCHED_ITEMS};
use guanxi_model::{Command, Error, Position, PostId, Reason, Result, Uid, Write};
use guanxi_ports::{Facts as _, ViewerRelations};
use std::collections::HashSet;

/// What is new in a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeUpdates {
    /// New headers that are shown, newest first; empty with a reset.
    pub ids: Vec<PostId>,
    /// More changed than new headers can tell, or more came than a poll answers: read the first page again.
    pub reset: bool,
    /// Where to go on.
    pub position: Position,
}

/// How many headers are new to a viewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Shown headers that came after the seen mark, up to the cap.
    pub count: u32,
    /// There are more than the cap, or there may be more: the call looked at as many headers as it may.
    pub capped: bool,
    /// Where the answer stands.
    pub position: Position,
}

impl FeedCenter {
    /// What is new in the viewer's home since a position: at most `max` headers (at most [`POLL_ITEMS_MAX`]).
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    pub async fn poll(&self, viewer: Uid, since: Position, max: usize) -> Result<HomeUpdates> {
        let max = max.min(POLL_ITEMS_MAX as usize);
        confirmed(|| self.try_poll(viewer, &since, max)).await
    }

    async fn try_poll(&self, viewer: Uid, since: &Position, max: usize) -> Result<Option<HomeUpdates>> {
        let view = self.posts.post_view(Some(since)).await?;
        let viewer_relations = view.viewer_relations(viewer).await?;
        let new = new_authors(&*view, &*viewer_relations, viewer, since).await?;
        let changed = new.iter().any(|(author, head)| head.changed.is_after(since.of(*author)));
        // Of an author whose log the token does not name it says nothing, so that nobody can tell what is new.
        let is_unknown = new.iter().any(|(author, _)| !since.names(*author));
        let mut reset = viewer_relations.changed().is_after(since.of(viewer)) || changed || is_unknown;
        let mut ids = Vec::new();
        if !reset {
            let found = new_items(&*view, &*viewer_relations, viewer, &new, since, max).await?;
            reset = found.cut || found.ids.len() > max;
            reset = reset || self.originals_changed(&*view, &*viewer_relations, viewer, since).await?;
            ids = if reset { Vec::new() } else { found.ids };
        }
        let position = view.position().joined(Some(since));
        Ok(view.confirm(viewer).await?.then_some(HomeUpdates { ids, reset, position }))
    }

    /// Notes that the viewer has seen its home up to a position; the mark only rises. Answers the position of the
    /// write.
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    pub async fn mark_seen(&self, viewer: Uid, seen: Position) -> Result<Position> {
        self.posts.post_view(Some(&seen)).await?;
        let write = Write::of(Command::MarkSeen { uid: viewer, seen });
        Ok(self.posts.apply(write).await?.position)
    }

    /// How many shown headers of others are new since the viewer's seen mark, up to a cap (at most [`UNREAD_CAP_MAX`]).
    ///
    /// # Errors
    /// `INVALID_FIELD` for a cap that is 0 or too large.
    pub async fn unread(&self, viewer: Uid, cap: u32, at_least: Option<Position>) -> Result<Unread> {
        if cap == 0 || cap > UNREAD_CAP_MAX {
            return Err(Error::new(Reason::InvalidField { field: "cap" }));
        }
        let at_least = at_least.as_ref();
        confirmed(|| self.try_unread(viewer, cap, at_least)).await
    }

    async fn try_unread(&self, viewer: Uid, cap: u32, at_least: Option<&Position>) -> Result<Option<Unread>> {
        let view = self.posts.post_view(at_least).await?;
        let (viewer_relations, seen) = tokio::try_join!(view.viewer_relations(viewer), view.seen(viewer))?;
        let new = new_authors(&*view, &*viewer_relations, viewer, &seen).await?;
        let NewItems { ids, cut } =
            new_items(&*view, &*viewer_relations, viewer, &new, &seen, cap as usize).await?;
        let capped = cut || ids.len() > cap as usize;
        let count = u32::try_from(ids.len()).unwrap_or(u32::MAX).min(cap);
        let unread = Unread { count, capped, position: view.position().joined(at_least) };
        Ok(view.confirm(viewer).await?.then_some(unread))
    }

    /// Follows the viewer's home from a position on, or from now.
    ///
    /// # Errors
    /// When the log cannot be asked where it stands.
    pub async fn stream(&self, viewer: Uid, since: Option<Position>) -> Result<HomeStream> {
        let position = match since {
            Some(since) => since,
            None => self.log.head().await?,
        };
        Ok(HomeStream { center: self.clone(), viewer, position, listening: None })
    }
}

/// A followed home. It reads the log and asks what is new only when something in it may concern the viewer.
pub struct HomeStream {
    center: FeedCenter,
    viewer: Uid,
    position: Position,
    /// Whom the stream listens to; looked up anew after a reset.
    listening: Option<Listening>,
}

/// Whose events concern a stream.
struct Listening {
    viewer_relations: Box<dyn ViewerRelations>,
    /// Strangers whose posts stand behind the newest plain reposts.
    strangers: HashSet<Uid>,
}

impl HomeStream {
    /// Where the stream stands: after everything that it has told.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Waits for the next news: new headers, or a reset. Dropping the future loses nothing.
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`, and `SHUTTING_DOWN` at the end.
    pub async fn next(&mut self) -> Result<HomeUpdates> {
        loop {
            let (events, read_to) = match self.read_logs().await {
                Err(error) if error.reason == Reason::Trimmed => {
                    self.listening = None;
                    self.position = self.center.log.head().await?;
                    let position = self.position.clone();
                    return Ok(HomeUpdates { ids: Vec::new(), reset: true, position });
                }
                read => read?,
            };
            if events.is_empty() {
                self.center.log.wait(&self.position).await?;
                continue;
            }
            if !self.concerned(&events).await? {
                self.position = read_to;
                continue;
            }
            let news = self.center.poll(self.viewer, self.position.clone(), POLL_ITEMS_MAX as usize).await?;
            Box::pin(self.listen_on(&news)).await?;
            self.position = news.position.clone();
            if news.reset || !news.ids.is_empty() {
                return Ok(news);
            }
        }
    }

    /// What came after the position, in the logs that it names, and where that ends.
    async fn read_logs(&self) -> Result<(Vec<Event>, Position)> {
        let (mut events, mut position) = (Vec::new(), self.position.clone());
        for (log, _) in self.position.marks() {
            let batch = self.center.log.read(log, &position, EVENT_BATCH_MAX as usize).await?;
            events.extend(batch.events);
            position = batch.position;
        }
        Ok((events, position))
    }

    /// Whether any of some events may change what the viewer's home shows.
    async fn concerned(&mut self, events: &[Event]) -> Result<bool> {
        let listening = match self.listening.take() {
            Some(listening) => listening,
            None => Box::pin(self.listen()).await?,
        };
        let concerned = events.iter().any(|event| concerns(event, self.viewer, &listening));
        self.listening = Some(listening);
        Ok(concerned)
    }

    /// Listens for what became of the originals of news, too. Without a reset the viewer's relations are what they were.
    async fn listen_on(&mut self, news: &HomeUpdates) -> Result<()> {
        let listening = self
            .listening
            .take()
            .filter(|listening| !news.reset && listening.strangers.len() <= STRANGERS_MAX);
        let Some(mut listening) = listening else { return Ok(()) };
        if !news.ids.is_empty() {
            let view = self.center.posts.post_view(Some(&news.position)).await?;
            let headers = view.headers(&news.ids).await?;
            let originals = strangers_originals(&headers, &*listening.viewer_relations, self.viewer);
            listening.strangers.extend(originals.map(|(_, author)| author));
        }
        self.listening = Some(listening);
        Ok(())
    }

    async fn listen(&self) -> Result<Listening> {
        let view = self.center.posts.post_view(Some(&self.position)).await?;
        let viewer_relations = view.viewer_relations(self.viewer).await?;
        let newest = self.center.newest_headers(&*view, &*viewer_relations, self.viewer).await?;
        let originals = strangers_originals(&newest, &*viewer_relations, self.viewer);
        let strangers = originals.map(|(_, author)| author).collect();
        Ok(Listening { viewer_relations, strangers })
    }
}

/// Strangers that a stream listens to before it looks up afresh who still stands on the page: twice as many as can.
const STRANGERS_MAX: usize = 2 * WATCHED_ITEMS;

/// Whether an event may change what the viewer's home shows.
fn concerns(event: &Event, viewer: Uid, listening: &Listening) -> bool {
    let author = event.subject;
    match event.change {
        Change::Pair { object, .. } => author == viewer || object == viewer,
        Change::Post { kind, .. } => {
            let relations = &listening.viewer_relations;
            let follows = || relations.follow(author).is_some() && !relations.mutes(author);
            author == viewer || follows() || kind.resets() && listening.strangers.contains(&author)
        }
        Change::FollowLimit(_) | Change::Liked { .. } | Change::Unliked { .. } => false,
    }
}
