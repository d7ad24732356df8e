//! Reading home: the four steps in order.

use super::FeedCenter;
use super::hydrate::hydrate;
use super::rules::judge;
use super::skeleton::{InboxHandle, Skeleton};
use crate::confirm::{CONFIRM_TRIES, unconfirmed};
use guanxi_model::limits::HOME_SCAN_MAX;
use guanxi_model::{FanoutMode, Position, PostCursor, PostId, PostPage, Result, Uid};
use guanxi_ports::{InboxFill, InboxRead, PostView, ViewerRelations};

/// Candidates asked for beyond a page: what is deleted or hidden seldom costs another round.
const SPARE: usize = 2;

/// Items that a new inbox begins with: some pages. What is below is pulled, and pushes fill it up to its cap.
const FILL_MAX: u32 = 256;

/// Where a page came from. It tells an operator what a read cost; the page is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// From the viewer's inbox and from so many authors that it did not vouch for.
    Inbox {
        /// The authors pulled beside the inbox.
        pulled: u32,
    },
    /// From everybody's outbox.
    Pull,
}

/// A page of home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomePage {
    /// The items, newest first.
    pub ids: Vec<PostId>,
    /// Where the next page starts; `None` if and only if the list ended.
    pub next: Option<PostCursor>,
    /// How many candidates were looked at: a page shorter than asked for with a `next` has used up its budget of
    /// [`HOME_SCAN_MAX`].
    pub scanned: u32,
    /// Where the page came from.
    pub source: Source,
    /// Where the answer stands.
    pub position: Position,
}

impl FeedCenter {
    /// A page of the viewer's home: the items of those whom the viewer follows and of the viewer, newest first.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn home(&self, viewer: Uid, page: PostPage, at_least: Option<Position>) -> Result<HomePage> {
        for _ in 0..CONFIRM_TRIES {
            let (page, view) = self.home_and_view(viewer, page, at_least.as_ref()).await?;
            if view.confirm(viewer).await? {
                return Ok(page);
            }
        }
        Err(unconfirmed())
    }

    /// A page of home with the view that it was read from, which is not confirmed yet.
    pub(super) async fn home_and_view(
        &self,
        viewer: Uid,
        page: PostPage,
        at_least: Option<&Position>,
    ) -> Result<(HomePage, Box<dyn PostView>)> {
        let view = self.posts.post_view(at_least).await?;
        let viewer_relations = view.viewer_relations(viewer).await?;
        let read = self.visit(viewer, page).await?;
        let serves =
            read.slice.as_ref().is_some_and(|slice| slice.relations_version == viewer_relations.version());
        if !serves && page.below.is_none() && self.policy().mode != FanoutMode::Pull {
            return self.rebuild(&*viewer_relations, viewer, page, at_least).await;
        }
        let mut page = self.page(&*view, &*viewer_relations, viewer, Some(read), page).await?;
        page.position = page.position.joined(at_least);
        Ok((page, view))
    }

    /// A visit to the viewer's inbox for a page; after the view is pinned that the page is read from.
    pub(super) async fn visit(&self, viewer: Uid, page: PostPage) -> Result<InboxRead> {
        self.handle(viewer).read(page.below, page.size + SPARE).await
    }

    pub(super) fn handle(&self, viewer: Uid) -> InboxHandle<'_> {
        InboxHandle { inbox: &*self.inbox, viewer, now_ms: self.clock.now_ms() }
    }

    /// Fills the viewer's inbox, and returns the first page. The inbox is registered for offers before the view is
    /// pinned that it is filled from: what is not in the view is offered.
    ///
    /// It is kept only if the fan-out knows of every follow that it was built for. `known` is what a view of before
    /// said of the viewer's relations: once what follows from those stands everywhere, and the new view says the same,
    /// the followers lists that the fan-out reads have this viewer. Otherwise the page is pulled, and the next visit
    /// tries again.
    async fn rebuild(
        &self,
        known: &dyn ViewerRelations,
        viewer: Uid,
        page: PostPage,
        at_least: Option<&Position>,
    ) -> Result<(HomePage, Box<dyn PostView>)> {
        let ticket = self.inbox.begin(viewer, self.clock.now_ms()).await?;
        let is_applied = ticket.is_some() && self.posts.is_applied(viewer, known.changed()).await?;
        // Whatever was offered before the registration was published by now, and is read from the view.
        let published = self.log.head().await?.joined(at_least);
        let view = self.posts.post_view(Some(&published)).await?;
        let viewer_relations = view.viewer_relations(viewer).await?;
        if let Some(ticket) = ticket {
            let is_known = is_applied && viewer_relations.version() == known.version();
            let fill =
                if is_known { Some(self.read_fill(&*view, &*viewer_relations, viewer).await?) } else { None };
            match fill.filter(|fill| lacks_nothing(&fill.built, &ticket.covered)) {
                Some(fill) => drop(self.inbox.fill(ticket, fill).await?),
                None => self.inbox.evict(viewer).await?,
            }
        }
        let mut page = self.page(&*view, &*viewer_relations, viewer, None, page).await?;
        page.position = page.position.joined(at_least);
        Ok((page, view))
    }

    /// What an inbox holds as of a view: everything, unfiltered, down to a floor.
    async fn read_fill(
        &self,
        view: &dyn PostView,
        viewer_relations: &dyn ViewerRelations,
        viewer: Uid,
    ) -> Result<InboxFill> {
        let max = self.policy().inbox_cap.min(FILL_MAX) as usize;
        let handle = self.handle(viewer);
        let mut all = Skeleton::open(view, handle, viewer_relations, None, None, 0).await?;
        let ids = all.next(max).await?;
        let floor = if ids.len() < max { None } else { ids.last().copied() };
        Ok(InboxFill { ids, floor, built: view.position(), relations_version: viewer_relations.version() })
    }

    /// A page at a view: skeleton, hydrate, rules, until the page is full and one more is seen, or the list ends.
    /// `read` is a [`visit`](Self::visit) for this page; `None` pulls everybody.
    pub(super) async fn page(
        &self,
        view: &dyn PostView,
        viewer_relations: &dyn ViewerRelations,
        viewer: Uid,
        read: Option<InboxRead>,
        page: PostPage,
    ) -> Result<HomePage> {
        let asked = page.size + SPARE;
        let mut skeleton =
            Skeleton::open(view, self.handle(viewer), viewer_relations, read, page.below, asked).await?;
        let mut ids = Vec::with_capacity(page.size + 1);
        let mut last_scanned = page.below;
        let (mut scanned, mut ended) = (0, false);
        while ids.len() <= page.size && !ended && scanned < HOME_SCAN_MAX as usize {
            let wanted = page.size + 1 - ids.len() + SPARE;
            let candidates = skeleton.next(wanted).await?;
            ended = candidates.len() < wanted;
            scanned += candidates.len();
            last_scanned = candidates.last().copied().or(last_scanned);
            let hydrated = hydrate(view, viewer_relations, viewer, &candidates).await?;
            let shown = hydrated.headers.iter().flatten();
            let shown = shown.filter(|item| judge(item, viewer, viewer_relations, &hydrated).is_ok());
            ids.extend(shown.map(|item| item.id));
        }
        let next = if ids.len() > page.size {
            ids.truncate(page.size);
            ids.last().copied()
        } else if ended {
            None
        } else {
            last_scanned
        };
        let source = skeleton.pulled().map_or(Source::Pull, |pulled| Source::Inbox { pulled });
        self.meters.page(source, scanned);
        Ok(HomePage {
            ids,
            next: next.map(PostCursor),
            scanned: u32::try_from(scanned).unwrap_or(u32::MAX),
            source,
            position: view.position(),
        })
    }
}

/// Whether a fill has every event of its logs that the fan-out had passed when the inbox was registered.
fn lacks_nothing(built: &Position, covered: &Position) -> bool {
    built.marks().all(|(log, _)| built.includes(covered.in_log(log)))
}
