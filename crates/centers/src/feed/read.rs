//! Reading home: the four steps in order.

use super::FeedCenter;
use super::hydrate::hydrate;
use super::page::{HomePage, ShownItems, Source};
use super::rules::judge;
use super::scan::{PageScan, first_round};
use super::skeleton::{InboxHandle, Skeleton};
use crate::confirm::confirmed;
use crate::post::Originals;
use guanxi_model::{FanoutMode, Position, PostPage, Result, Uid};
use guanxi_ports::{InboxFill, InboxRead, PostView, StoreView, ViewerRelations};

/// Items that a new inbox begins with: some pages. Items below are pulled, and pushes fill the inbox up to its cap.
const FILL_MAX: u32 = 256;

/// A page of home, and what it shows.
pub(super) struct FoundPage {
    pub page: HomePage,
    shown: ShownItems,
}

/// A page of home with the view that it was read from, and what it shows.
pub(super) struct ReadHome {
    pub page: HomePage,
    pub view: Box<dyn StoreView>,
    pub shown: ShownItems,
}

impl FoundPage {
    fn of(mut self, view: Box<dyn StoreView>, at_least: Option<&Position>) -> ReadHome {
        self.page.position = self.page.position.joined(at_least);
        ReadHome { page: self.page, view, shown: self.shown }
    }
}

impl FeedCenter {
    /// Returns a page of the viewer's home, newest first: the items of the viewer and of the users whom it follows.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn home(&self, viewer: Uid, page: PostPage, at_least: Option<Position>) -> Result<HomePage> {
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let read = self.read_home(viewer, page, at_least, Originals::OfReposts).await?;
            Ok(read.view.confirm(viewer).await?.then_some(read.page))
        })
        .await
    }

    /// A page of home, which is not confirmed yet.
    pub(super) async fn read_home(
        &self,
        viewer: Uid,
        page: PostPage,
        at_least: Option<&Position>,
        originals: Originals,
    ) -> Result<ReadHome> {
        let view = self.store.page_view(at_least).await?;
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
        self.handle(viewer).read(page.below, first_round(page.size)).await
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
            if ticket.is_none() { Ok(false) } else { self.store.is_applied(viewer, known.changed()).await }
        };
        // All items that were offered before the registration were published by now, and are read from the view.
        let (is_applied, published) = tokio::try_join!(is_applied, self.log.head())?;
        let view = self.store.view(Some(&published.joined(at_least))).await?;
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

    /// Returns the content of an inbox as of a view: everything, unfiltered, down to a floor.
    async fn read_fill(
        &self,
        view: &dyn PostView,
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
    /// `read` is a [`visit`](Self::visit) for this page; `None` pulls all authors.
    pub(super) async fn page(
        &self,
        view: &dyn PostView,
        viewer_relations: &dyn ViewerRelations,
        viewer: Uid,
        read: Option<InboxRead>,
        page: PostPage,
        originals: Originals,
    ) -> Result<FoundPage> {
        let mut scan = PageScan::new(page, originals);
        let asked = first_round(page.size);
        let mut skeleton =
            Skeleton::open(view, self.handle(viewer), viewer_relations, read, page.below, asked).await?;
        while let Some(wanted) = scan.wanted() {
            let candidates = skeleton.next(wanted).await?;
            let hydrated = hydrate(view, viewer_relations, viewer, &candidates, originals).await?;
            let passing = hydrated.headers.iter().flatten();
            let passing = passing.filter(|header| judge(header, viewer, viewer_relations, &hydrated).is_ok());
            scan.add(wanted, &candidates, passing);
            scan.keep(hydrated.behind);
        }
        let source = skeleton.pulled().map_or(Source::Pull, |pulled| Source::Inbox { pulled });
        self.meters.page(source, scan.scanned());
        let (page, shown) = scan.end(source, view.position());
        Ok(FoundPage { page, shown })
    }
}

/// Returns whether a fill has every event of its logs that the fan-out had passed when the inbox was registered.
fn lacks_nothing(built: &Position, covered: &Position) -> bool {
    built.marks().all(|(log, _)| built.includes(covered.in_log(log)))
}
