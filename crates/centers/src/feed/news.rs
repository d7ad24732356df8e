//! News of a home: polling, and the red dot.
//!
//! "New since" goes by the event that made a header, never by its id. So nothing is lost when clocks jump, and imported or
//! restored posts are never new. The viewer's own posts are never new, either. A change below the newest item (a follow, a
//! block, a deletion) is not listed: the caller is told to read the first page again.

use super::FeedCenter;
use super::new_items::{NewItems, new_authors, new_items};
use crate::confirm::confirmed;
use guanxi_model::limits::{POLL_ITEMS_MAX, UNREAD_CAP_MAX};
use guanxi_model::{Command, Error, Position, PostId, Reason, Result, Uid, Write};
use guanxi_ports::Facts as _;

/// The news of a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeUpdates {
    /// New headers that are shown, newest first; empty with a reset.
    pub ids: Vec<PostId>,
    /// More changed than new headers can tell, or more came than a poll answers: read the first page again.
    pub reset: bool,
    /// Where to go on.
    pub position: Position,
}

/// The news of a home, with the state by which a stream goes on.
pub(super) struct FoundNews {
    pub updates: HomeUpdates,
    /// Strangers whose posts stand behind new plain reposts of others, hidden ones included.
    pub strangers: Vec<Uid>,
    /// The viewer's own outbox changed, too.
    pub wrote: bool,
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
    /// Returns the news of the viewer's home since a position: at most `max` headers (at most [`POLL_ITEMS_MAX`]).
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`.
    pub async fn poll(&self, viewer: Uid, since: Position, max: usize) -> Result<HomeUpdates> {
        let max = max.min(POLL_ITEMS_MAX as usize);
        confirmed(|| self.look_for_news(viewer, &since, &since, max)).await.map(|found| found.updates)
    }

    /// Returns the news since a position, at a view that includes a later one; `None` if the answer was overtaken.
    pub(super) async fn look_for_news(
        &self,
        viewer: Uid,
        since: &Position,
        at_least: &Position,
        max: usize,
    ) -> Result<Option<FoundNews>> {
        let view = self.store.page_view(Some(at_least)).await?;
        let viewer_relations = view.viewer_relations(viewer).await?;
        let new = new_authors(&*view, &*viewer_relations, viewer, since).await?;
        // Of an author whose log the token does not name, the token does not tell which posts are new.
        let is_unknown = new.iter().any(|(author, _)| !since.names(*author));
        let mut reset = viewer_relations.changed().is_after(since.of(viewer)) || is_unknown;
        reset = reset || Box::pin(self.changes_show(&*view, &*viewer_relations, viewer, &new, since)).await?;
        let (mut ids, mut strangers) = (Vec::new(), Vec::new());
        if !reset {
            let found = new_items(&*view, &*viewer_relations, viewer, &new, since, max).await?;
            reset = found.cut || found.ids.len() > max;
            reset = reset || self.originals_changed(&*view, &*viewer_relations, viewer, since).await?;
            (ids, strangers) = if reset { Default::default() } else { (found.ids, found.strangers) };
        }
        let position = view.position().joined(Some(at_least));
        let wrote = new.iter().any(|(author, _)| *author == viewer);
        let updates = HomeUpdates { ids, reset, position };
        Ok(view.confirm(viewer).await?.then_some(FoundNews { updates, strangers, wrote }))
    }

    /// Notes that the viewer has seen its home up to a position; the mark only rises. Answers the position of the
    /// write.
    ///
    /// # Errors
    /// `TOKEN_FROM_OTHER_HISTORY`, `TOKEN_AHEAD`, `USER_DELETED`.
    pub async fn mark_seen(&self, viewer: Uid, seen: Position) -> Result<Position> {
        self.store.view(Some(&seen)).await?;
        let write = Write::of(Command::MarkSeen { uid: viewer, seen });
        self.store.apply(write).await?.done()
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
        confirmed(|| async {
            let view = self.store.page_view(at_least).await?;
            let (viewer_relations, seen) =
                tokio::try_join!(view.viewer_relations(viewer), view.seen(viewer))?;
            let new = new_authors(&*view, &*viewer_relations, viewer, &seen).await?;
            let NewItems { ids, cut, .. } =
                new_items(&*view, &*viewer_relations, viewer, &new, &seen, cap as usize).await?;
            let capped = cut || ids.len() > cap as usize;
            let count = u32::try_from(ids.len()).unwrap_or(u32::MAX).min(cap);
            let unread = Unread { count, capped, position: view.position().joined(at_least) };
            Ok(view.confirm(viewer).await?.then_some(unread))
        })
        .await
    }
}
