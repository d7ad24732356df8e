//! A followed home: it delivers what is new in the home as it comes.
//!
//! The position is the whole state, as with a poll. A stream registers in the hub for the viewer's relations, for the posts
//! of the authors in its home, and for the changes that strangers make to originals of the newest plain reposts. It sleeps
//! until an event concerns it, and then polls from its own position. It is registered for the authors of the version of the
//! relations that it read last. A change of the relations concerns it, so that it reads them again and registers anew.

use super::FeedCenter;
use super::news::{FoundNews, HomeUpdates};
use super::originals::strangers_originals;
use crate::confirm::confirmed;
use crate::log_readers::{Interest, Subscription};
use guanxi_model::limits::{POLL_ITEMS_MAX, WATCHED_ITEMS};
use guanxi_model::{MuteScope, Position, Result, Uid};
use guanxi_ports::{PostView, RelationsVersion, ViewerRelations};
use std::collections::HashSet;

impl FeedCenter {
    /// Follows the viewer's home from a position on, or from now.
    ///
    /// # Errors
    /// When the log cannot be asked where it stands.
    pub async fn stream(&self, viewer: Uid, since: Option<Position>) -> Result<HomeStream> {
        let position = match since {
            Some(since) => since,
            None => self.log.head().await?,
        };
        Ok(HomeStream { center: self.clone(), viewer, position, listening: None, due: None })
    }
}

/// A followed home.
pub struct HomeStream {
    center: FeedCenter,
    viewer: Uid,
    position: Position,
    /// `None` until the first wait.
    listening: Option<Listening>,
    /// The stream has not yet looked for events up to here.
    due: Option<Position>,
}

/// A stream's place in the hub.
struct Listening {
    subscription: Subscription,
    /// The relations that it is registered for.
    version: RelationsVersion,
    /// Strangers that it is registered for; one may count several times.
    strangers: usize,
}

/// Strangers that a stream is registered for before it looks up afresh who still stands on the page: twice as many as can.
const STRANGERS_MAX: usize = 2 * WATCHED_ITEMS;

impl HomeStream {
    /// Where the stream stands: after everything that it has told.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Moves the position on past what did not concern the stream, and returns it: a caller that comes back with it has
    /// less to catch up with.
    pub fn quiet_position(&mut self) -> &Position {
        let quiet_to = self.listening.as_ref().and_then(|listening| listening.subscription.quiet_to());
        if let Some(quiet_to) = quiet_to.filter(|_| self.due.is_none()) {
            self.position.join(&quiet_to);
        }
        &self.position
    }

    /// Waits for the next news: new headers, or a reset. Dropping the future loses nothing.
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`, and `SHUTTING_DOWN` at the end.
    pub async fn next(&mut self) -> Result<HomeUpdates> {
        loop {
            let reached = self.woken().await?;
            // What marked the stream was in its last answer already.
            if self.position.covers(&reached) {
                self.due = None;
                continue;
            }
            // On the heap, as all work between two waits: a stream that waits holds little.
            if let Some(news) = Box::pin(self.look(&reached)).await? {
                return Ok(news);
            }
        }
    }

    /// Waits until something may concern the viewer: how far the logs had been read then.
    pub(super) async fn woken(&mut self) -> Result<Position> {
        if let Some(due) = &self.due {
            return Ok(due.clone());
        }
        if self.listening.is_none() {
            Box::pin(self.begin()).await?;
        }
        let listening = self.listening.as_mut().expect("it has been registered just now");
        let reached = listening.subscription.changed().await?;
        self.due = Some(reached.clone());
        Ok(reached)
    }

    async fn begin(&mut self) -> Result<()> {
        let view = self.center.store.view(Some(&self.position)).await?;
        let viewer_relations = view.viewer_relations(self.viewer).await?;
        self.listen(&*view, &*viewer_relations).await
    }

    /// Registers for what a view says; the stream looks for itself at what came between, since it begins marked.
    async fn listen(&mut self, view: &dyn PostView, viewer_relations: &dyn ViewerRelations) -> Result<()> {
        let newest = self.center.newest_reposts(view, viewer_relations, self.viewer).await?;
        let originals = strangers_originals(newest.iter(), viewer_relations, self.viewer);
        let strangers: HashSet<Uid> = originals.map(|(_, author)| author).collect();
        let followed = viewer_relations.following().iter().copied();
        let shown =
            followed.filter(|uid| viewer_relations.mutes(*uid) != Some(MuteScope::All)).chain([self.viewer]);
        let interests = shown.map(Interest::Posts).chain([Interest::Relations(self.viewer)]);
        let interests = interests.chain(strangers.iter().copied().map(Interest::Resets));
        let subscription = self.center.hub.subscribe(interests).await?;
        let (version, strangers) = (viewer_relations.version(), strangers.len());
        self.listening = Some(Listening { subscription, version, strangers });
        self.due = None;
        Ok(())
    }

    /// Looks for news, at a view that includes what marked the stream.
    async fn look(&mut self, reached: &Position) -> Result<Option<HomeUpdates>> {
        let at_least = self.position.clone().joined(Some(reached));
        let view = self.center.store.view(Some(&at_least)).await?;
        let viewer_relations = view.viewer_relations(self.viewer).await?;
        if self.listening.as_ref().map(|listening| listening.version) != Some(viewer_relations.version()) {
            // A user that is followed since may have written before the stream was registered for it: the stream begins
            // marked.
            self.listen(&*view, &*viewer_relations).await?;
            return Ok(None);
        }
        drop((viewer_relations, view));
        let max = POLL_ITEMS_MAX as usize;
        let attempt = || self.center.look_for_news(self.viewer, &self.position, &at_least, max);
        let FoundNews { updates: news, strangers, wrote } = confirmed(attempt).await?;
        self.position = news.position.clone();
        self.due = None;
        // What shows now is known at the next registering alone, and so is what the viewer reposted.
        self.listening = self.listening.take().filter(|listening| {
            !news.reset && !wrote && listening.strangers + strangers.len() <= STRANGERS_MAX
        });
        if let Some(listening) = self.listening.as_mut().filter(|_| !strangers.is_empty()) {
            listening.strangers += strangers.len();
            listening.subscription.add(strangers.into_iter().map(Interest::Resets));
        }
        Ok((news.reset || !news.ids.is_empty()).then_some(news))
    }
}
