//! Reading home: the four steps in order.

use super::FeedCenter;
use super::hydrate::hydrate;
use super::rules::judge;
use super::skeleton::{InboxHandle, Skeleton};
use crate::confirm::confirmed;
use crate::post::{Behind, Originals};
use guanxi_model::limits::HOME_SCAN_MAX;
use guanxi_model::{FanoutMode, Position, PostCursor, PostHeader, PostId, PostPage, Result, Uid};
use guanxi_ports::{InboxFill, InboxRead, OutboxView, StoreView, ViewerRelations};

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

/// What a page shows, with what that was decided by; empty for a page of ids.
#[derive(Default)]
pub(super) struct Shown {
    pub headers: Vec<PostHeader>,
    pub behind: Behind,
}

/// A page of home, and what it shows.
pub(super) struct FoundPage {
    pub page: HomePage,
    shown: Shown,
}

/// A page of home with the view that it was read from, and what it shows.
pub(super) struct ReadHome {
    pub page: HomePage,
    pub view: Box<dyn StoreView>,
    pub shown: Shown,
}

impl FoundPage {
    fn of(mut self, view: Box<dyn StoreView>, at_least: Option<&Position>) -> ReadHome {
        self.page.position = self.page.position.joined(at_least);
        ReadHome { page: self.page, view, shown: self.shown }
    }
}

impl FeedCenter {
    /// A page of the viewer's home: the items of those whom the viewer follows and of the viewer, newest first.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn home(&self, viewer: Uid, page: PostPage, at_least: Option<Position>) -> Result<HomePage> {
        let at_least = at_least.as_ref();
        confirmed(|| self.try_home(viewer, page, at_least)).await
    }

    async fn try_home(
        &self,
        viewer: Uid,
        page: PostPage,
        at_least: Option<&Position>,
    ) -> Result<Option<HomePage>> {
        let read = self.read_home(viewer, page, at_least, Originals::OfReposts).await?;
        Ok(read.view.confirm(viewer).await?.then_some(read.page))
    }

    /// A page of home, which is not confirmed yet.
    pub(super) async fn read_home(
        &self,
        viewer: Uid,
        page: PostPage,
        at_least: Option<&Position>,
        originals: Originals,
    ) -> Result<ReadHome> {
        let view = self.posts.post_view(at_least).await?;
        let visit = self.visit(viewer, page);
        let (viewer_relations, read) = tokio::try_join!(view.viewer_relations(viewer), visit)?;
        let serves =
            read.slice.as_ref().is_some_and(|slice| slice.relations_version == viewer_relations.version());
        if !serves && page.below.is_none() && self.policy().mode != FanoutMode::Pull {
            // Seldom, and large: on the heap, where it is no part of every read.
            return Box::pin(self.rebuild(&*viewer_relations, viewer, page, at_least, originals)).await;
        }
        let found = self.page(&*view, &*viewer_relations, viewer, Some(read), page, originals).await?;
        Ok(found.of(view, at_least))
    }

    /// A visit to the viewer's inbox for a page; after the view is pinned that the page is read from.
    pub(super) async fn visit(&self, viewer: Uid, page: PostPage) -> Result<InboxRead> {
        self.handle(viewer).read(page.below, page.size + 1 + spare(page.size)).await
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
        originals: Originals,
    ) -> Result<ReadHome> {
        let ticket = self.inbox.begin(viewer, self.clock.now_ms()).await?;
        let is_applied = async {
            if ticket.is_none() { Ok(false) } else { self.posts.is_applied(viewer, known.changed()).await }
        };
        // Whatever was offered before the registration was published by now, and is read from the view.
        let (is_applied, published) = tokio::try_join!(is_applied, self.log.head())?;
        let view = self.posts.post_view(Some(&published.joined(at_least))).await?;
        let viewer_relations = view.viewer_relations(viewer).await?;
        let is_known = is_applied && viewer_relations.version() == known.version();
        let fill = async {
            let Some(ticket) = ticket else { return Ok(()) };
            let fill =
                if is_known { Some(self.read_fill(&*view, &*viewer_relations, viewer).await?) } else { None };
            match fill.filter(|fill| lacks_nothing(&fill.built, &ticket.covered)) {
                Some(fill) => self.inbox.fill(ticket, fill).await.map(drop),
                None => self.inbox.evict(viewer).await.map(drop),
            }
        };
        let found = self.page(&*view, &*viewer_relations, viewer, None, page, originals);
        let ((), found) = tokio::try_join!(fill, found)?;
        Ok(found.of(view, at_least))
    }

    /// What an inbox holds as of a view: everything, unfiltered, down to a floor.
    async fn read_fill(
        &self,
        view: &dyn OutboxView,
        viewer_relations: &dyn ViewerRelations,
        viewer: Uid,
    ) -> Result<InboxFill> {
        let max = self.policy().inbox_cap.min(FILL_MAX) as usize;
        let handle = self.handle(viewer);
        let mut all = Skeleton::unfiltered(view, handle, viewer_relations).await?;
        let ids = all.next(max).await?;
        let floor = if ids.len() < max { None } else { ids.last().copied() };
        Ok(InboxFill { ids, floor, built: view.position(), relations_version: viewer_relations.version() })
    }

    /// A page at a view: skeleton, hydrate, rules, until the page is full and one more is seen, or the list ends.
    /// `read` is a [`visit`](Self::visit) for this page; `None` pulls everybody.
    ///
    /// One round is enough unless more candidates are hidden than were asked for to spare. A second one has as many to
    /// spare, and each further round [`SPARE_GROWTH`] times as many, so that even the whole budget takes few.
    pub(super) async fn page(
        &self,
        view: &dyn OutboxView,
        viewer_relations: &dyn ViewerRelations,
        viewer: Uid,
        read: Option<InboxRead>,
        page: PostPage,
        originals: Originals,
    ) -> Result<FoundPage> {
        let mut spare = spare(page.size);
        let asked = page.size + 1 + spare;
        let mut skeleton =
            Skeleton::open(view, self.handle(viewer), viewer_relations, read, page.below, asked).await?;
        let (mut ids, mut shown) = (Vec::with_capacity(asked), Shown::default());
        let mut last_scanned = page.below;
        let (mut scanned, mut ended) = (0, false);
        while ids.len() <= page.size && !ended && scanned < HOME_SCAN_MAX as usize {
            let wanted = (page.size + 1 - ids.len() + spare).min(HOME_SCAN_MAX as usize - scanned);
            let candidates = skeleton.next(wanted).await?;
            ended = candidates.len() < wanted;
            scanned += candidates.len();
            last_scanned = candidates.last().copied().or(last_scanned);
            let hydrated = hydrate(view, viewer_relations, viewer, &candidates, originals).await?;
            let passing = hydrated.headers.iter().flatten();
            let passing = passing.filter(|header| judge(header, viewer, viewer_relations, &hydrated).is_ok());
            if originals == Originals::OfAll {
                shown.headers.extend(passing);
                ids.extend(shown.headers[ids.len()..].iter().map(|header| header.id));
                shown.behind.extend(hydrated.behind);
            } else {
                ids.extend(passing.map(|header| header.id));
            }
            // The first further round has as many to spare as the first one.
            if scanned > asked {
                spare *= SPARE_GROWTH;
            }
        }
        let next = if ids.len() > page.size {
            ids.truncate(page.size);
            shown.headers.truncate(page.size);
            ids.last().copied()
        } else if ended {
            None
        } else {
            last_scanned
        };
        let source = skeleton.pulled().map_or(Source::Pull, |pulled| Source::Inbox { pulled });
        self.meters.page(source, scanned);
        let page = HomePage {
            ids,
            next: next.map(PostCursor),
            scanned: u32::try_from(scanned).unwrap_or(u32::MAX),
            source,
            position: view.position(),
        };
        Ok(FoundPage { page, shown })
    }
}

/// How the spare candidates of further rounds grow after the second one, in which a few are enough for most pages.
pub(super) const SPARE_GROWTH: usize = 4;

/// Candidates asked for beyond a page: what is deleted or hidden seldom costs another round.
pub(super) const fn spare(size: usize) -> usize {
    1 + size / 12
}

/// Whether a fill has every event of its logs that the fan-out had passed when the inbox was registered.
fn lacks_nothing(built: &Position, covered: &Position) -> bool {
    built.marks().all(|(log, _)| built.includes(covered.in_log(log)))
}
