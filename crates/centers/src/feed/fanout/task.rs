//! One item on its way to inboxes.

use super::super::FeedCenter;
use super::status::PostFanout;
use guanxi_model::{Cursor, EventAt, FanoutMode, List, Page, PageStart, Position, PostId, Result, Uid};
use guanxi_ports::{ActiveCursor, Offer, PostView};

/// Followers of a chunk: few, since others in the queue wait for a chunk of each celebrity.
const FOLLOWERS_CHUNK: i32 = 256;

/// Active readers of a chunk: each is probed for whether it follows the author.
const ACTIVE_CHUNK: usize = 1_024;

/// The readers that are offered the item next.
enum Targets {
    /// Not looked at yet.
    Unknown,
    /// The author's followers after a cursor: the task's checkpoint.
    Followers(PageStart),
    /// Readers who were active when the task began: those at hand from an index on, and where to go on.
    Active { readers: Vec<Uid>, from: usize, next: Option<ActiveCursor> },
    /// No reader is left.
    Done,
}

/// An item to offer.
pub(super) struct Task {
    /// The event that made it, or brought it back.
    pub at: EventAt,
    /// When, in Unix milliseconds.
    pub at_ms: u64,
    /// Its state, as operators see it.
    pub shown: PostFanout,
    targets: Targets,
}

impl Task {
    pub(super) const fn new(at: EventAt, at_ms: u64, id: PostId, author: Uid) -> Self {
        let shown = PostFanout {
            id,
            author,
            celebrity: false,
            planned: 0,
            offered: 0,
            delivered: 0,
            skipped: false,
            done: false,
        };
        Self { at, at_ms, shown, targets: Targets::Unknown }
    }

    pub(super) const fn is_done(&self) -> bool {
        matches!(self.targets, Targets::Done)
    }

    /// Offers the item to the next chunk of readers.
    ///
    /// The followers are read at the present view. A reader who began to follow after the item's event has another version of
    /// its viewer relations. An inbox of that version was filled from a view that has the item.
    pub(super) async fn chunk(&mut self, center: &FeedCenter, event: &Position) -> Result<()> {
        if center.policy().mode == FanoutMode::Pull && matches!(self.targets, Targets::Unknown) {
            self.shown.skipped = true;
            self.targets = Targets::Done;
            return Ok(());
        }
        let view = center.store.view(Some(event)).await?;
        if matches!(self.targets, Targets::Unknown) {
            self.begin(center, &*view).await?;
        }
        match std::mem::replace(&mut self.targets, Targets::Done) {
            Targets::Followers(start) => self.followers(center, &*view, start).await,
            Targets::Active { readers, from, next } => {
                self.active(center, &*view, (readers, from), next).await
            }
            Targets::Unknown | Targets::Done => Ok(()),
        }
    }

    /// Classifies the author, as of now, and offers the item to the author's own inbox.
    async fn begin(&mut self, center: &FeedCenter, view: &dyn PostView) -> Result<()> {
        let author = self.shown.author;
        let policy = center.policy();
        let followers = view.counts(&[author]).await?.first().map_or(0, |counts| counts.followers);
        self.shown.celebrity = policy.mode == FanoutMode::Hybrid && followers > policy.celebrity_followers;
        self.offer(center, &[author]).await?;
        self.targets = if self.shown.celebrity {
            self.shown.planned = 1;
            self.more_active(center, None).await?
        } else {
            self.shown.planned = followers + 1;
            if followers == 0 { Targets::Done } else { Targets::Followers(PageStart::Newest) }
        };
        Ok(())
    }

    async fn followers(&mut self, center: &FeedCenter, view: &dyn PostView, start: PageStart) -> Result<()> {
        let page = Page::new(start, FOLLOWERS_CHUNK)?;
        let page = view.list(self.shown.author, List::Followers, page).await?;
        let readers: Vec<Uid> = page.items.iter().map(|edge| edge.uid).collect();
        self.offer(center, &readers).await?;
        if let Some(Cursor(edge)) = page.next {
            self.targets = Targets::Followers(PageStart::After(Cursor(edge)));
        }
        Ok(())
    }

    async fn active(
        &mut self,
        center: &FeedCenter,
        view: &dyn PostView,
        (readers, from): (Vec<Uid>, usize),
        next: Option<ActiveCursor>,
    ) -> Result<()> {
        let to = readers.len().min(from + ACTIVE_CHUNK);
        let chunk = &readers[from..to];
        let follow = view.follow(chunk, self.shown.author).await?;
        let followers: Vec<Uid> =
            chunk.iter().zip(follow).filter_map(|(uid, follows)| follows.then_some(*uid)).collect();
        let passed = (chunk.len() - followers.len()) as u64;
        self.offer(center, &followers).await?;
        self.shown.offered += passed;
        self.targets = match next {
            _ if to < readers.len() => Targets::Active { readers, from: to, next },
            Some(next) => self.more_active(center, Some(next)).await?,
            None => Targets::Done,
        };
        Ok(())
    }

    /// The next page of active readers.
    async fn more_active(&mut self, center: &FeedCenter, after: Option<ActiveCursor>) -> Result<Targets> {
        let page = center.inbox.active(self.shown.author, after, center.clock.now_ms()).await?;
        self.shown.planned += page.readers.len() as u64;
        Ok(Targets::Active { readers: page.readers, from: 0, next: page.next })
    }

    async fn offer(&mut self, center: &FeedCenter, readers: &[Uid]) -> Result<()> {
        let offered = center.inbox.offer(&[Offer { id: self.shown.id, readers }]).await?;
        self.shown.offered += readers.len() as u64;
        self.shown.delivered += offered.iter().map(|offered| offered.delivered).sum::<u64>();
        Ok(())
    }
}
