//! Proof: live pages against the definition of home, read from what is stored and from no cache.

use super::FeedCenter;
use super::group::{group_members, group_page};
use super::page::Source;
use crate::post::{Originals, PostAccess, post_access};
use guanxi_model::post::home_hides;
use guanxi_model::{
    GroupId, List, MuteScope, MuteTerms, Page, PageStart, Position, PostHeader, PostId, PostPage, Reason,
    Result, Uid,
};
use guanxi_ports::{OutboxAsk, StoreView};
use std::collections::{BTreeMap, BTreeSet};

/// Items of the pages that are walked.
const PAGE: usize = 50;

/// Posts of one outbox read at once.
const STEP: usize = 200;

/// Relations looked up at once.
const BATCH: usize = 200;

/// The result of comparing a home with its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedReport {
    /// The viewer of the home.
    pub viewer: Uid,
    /// Which of the viewer's groups, if it is not of the home but of that group's timeline.
    pub group: Option<GroupId>,
    /// Items compared.
    pub items: u64,
    /// Pages walked.
    pub pages: u64,
    /// Pages that began in the inbox.
    pub from_inbox: u64,
    /// Items that the pages should have and have not.
    pub missing: Vec<PostId>,
    /// Items that the pages have and should not.
    pub unexpected: Vec<PostId>,
    /// Items that the pages have twice or out of order.
    pub misplaced: Vec<PostId>,
    /// Where both stood.
    pub position: Position,
}

impl FeedReport {
    /// Returns whether the home is exact.
    pub const fn clean(&self) -> bool {
        self.missing.is_empty() && self.unexpected.is_empty() && self.misplaced.is_empty()
    }
}

impl FeedCenter {
    /// Compares the newest `max_items` of the viewer's live home with its definition, both at one view. The pages are read as
    /// any reader gets them, from inbox and caches. It begins with a visit as a reader does, which builds the viewer's inbox
    /// if the policy says so. Without that visit, a proof soon after a start would be one of pulling alone.
    ///
    /// # Errors
    /// When the store cannot be read; a difference is a finding, not an error.
    pub async fn verify(&self, viewer: Uid, max_items: usize) -> Result<FeedReport> {
        let mut page = PostPage { below: None, size: PAGE };
        self.read_home(viewer, page, None, Originals::OfReposts).await?;
        let view = self.store.view(None).await?;
        let viewer_relations = view.viewer_relations(viewer).await?;
        let mut report = FeedReport::new(viewer, None, view.position());
        let originals = Originals::OfReposts;
        let mut live: Vec<PostId> = Vec::new();
        while live.len() < max_items {
            let read = self.visit(viewer, page).await?;
            let found =
                self.page(&*view, &*viewer_relations, viewer, Some(read), page, originals).await?.page;
            report.pages += 1;
            report.from_inbox += u64::from(found.source != Source::Pull);
            live.extend(&found.ids);
            let Some(next) = found.next else { break };
            page.below = Some(next.0);
        }
        let wanted = defined_home(&*view, viewer).await?;
        report.compare(&live, &wanted, max_items);
        Ok(report)
    }

    /// Compares the newest `max_items` of the timeline of one of the viewer's groups with its definition, both at one view;
    /// `None` if there is no such group.
    ///
    /// # Errors
    /// When the store cannot be read; a difference is a finding, not an error.
    pub async fn verify_group(
        &self,
        viewer: Uid,
        id: GroupId,
        max_items: usize,
    ) -> Result<Option<FeedReport>> {
        let view = self.store.view(None).await?;
        let members = match group_members(&*view, viewer, id).await {
            Err(error) if error.reason == Reason::GroupNotFound => return Ok(None),
            members => members?,
        };
        let mut report = FeedReport::new(viewer, Some(id), view.position());
        let (mut page, mut live) = (PostPage { below: None, size: PAGE }, Vec::<PostId>::new());
        while live.len() < max_items {
            let (found, _) = group_page(&*view, viewer, id, page, Originals::OfReposts).await?;
            report.pages += 1;
            live.extend(&found.ids);
            let Some(next) = found.next else { break };
            page.below = Some(next.0);
        }
        let authors = members.iter().copied();
        let wanted = defined(&*view, viewer, authors, |uid| members.binary_search(&uid).is_ok()).await?;
        report.compare(&live, &wanted, max_items);
        Ok(Some(report))
    }

    /// The groups of a viewer whose timelines can be compared.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn groups_of(&self, viewer: Uid) -> Result<Vec<GroupId>> {
        let view = self.store.view(None).await?;
        Ok(view.groups(viewer).await?.into_iter().map(|group| group.id).collect())
    }
}

impl FeedReport {
    fn new(viewer: Uid, group: Option<GroupId>, position: Position) -> Self {
        let (missing, unexpected, misplaced) = (Vec::new(), Vec::new(), Vec::new());
        let (items, pages, from_inbox) = (0, 0, 0);
        Self { viewer, group, items, pages, from_inbox, missing, unexpected, misplaced, position }
    }

    fn compare(&mut self, live: &[PostId], wanted: &[PostId], max_items: usize) {
        // Beyond what was walked nothing is known to be missing.
        let walked_all = live.len() < max_items;
        let last = live.last().copied();
        let compared = |id: &PostId| walked_all || last.is_some_and(|last| *id >= last);
        let expected: BTreeSet<PostId> = wanted.iter().copied().filter(compared).collect();
        let found: BTreeSet<PostId> = live.iter().copied().collect();
        self.items = expected.len() as u64;
        self.missing = expected.difference(&found).copied().collect();
        self.unexpected = found.difference(&expected).copied().collect();
        self.misplaced = live.windows(2).filter(|pair| pair[0] <= pair[1]).map(|pair| pair[1]).collect();
    }
}

/// Returns the home by its definition, newest first, from the stored lists: the items of the viewer and of all users whom it
/// follows, if they pass the rules.
async fn defined_home(view: &dyn StoreView, viewer: Uid) -> Result<Vec<PostId>> {
    let mut follows = whole_list(view, viewer, List::Following).await?;
    if !view.mirrors_are_exact() {
        // A block ends a follow, although the viewer's own list may not say so yet.
        let followed: Vec<Uid> = follows.iter().copied().collect();
        let blocked_by = view.blocked_by(viewer, &followed).await?;
        let open = followed.into_iter().zip(blocked_by).filter(|(_, blocks)| !blocks);
        follows = open.map(|(uid, _)| uid).collect();
    }
    let authors = follows.iter().copied().chain([viewer]);
    defined(view, viewer, authors, |uid| follows.contains(&uid)).await
}

/// The items of some authors that pass the rules, newest first, from the stored lists; `follows` says who counts as followed.
async fn defined(
    view: &dyn StoreView,
    viewer: Uid,
    authors: impl Iterator<Item = Uid>,
    follows: impl Fn(Uid) -> bool,
) -> Result<Vec<PostId>> {
    let muted: Vec<Uid> = whole_list(view, viewer, List::Mutes).await?.into_iter().collect();
    let terms = view.mute_terms(viewer, &muted).await?;
    let scopes: BTreeMap<Uid, MuteScope> =
        muted.into_iter().zip(terms.into_iter().map(MuteTerms::scope)).collect();
    let mut items: Vec<PostHeader> = Vec::new();
    for author in authors {
        let mut ask = OutboxAsk { author, below: None };
        loop {
            let part = view.stored_headers(ask, STEP).await?;
            ask.below = part.last().map(|item| item.id);
            let is_last = part.len() < STEP;
            let taken = |item: &PostHeader| {
                home_hides(item, viewer, &follows, |uid| scopes.get(&uid).copied()).is_none()
            };
            items.extend(part.into_iter().filter(taken));
            if is_last {
                break;
            }
        }
    }
    let mut ids: Vec<PostId> = Vec::new();
    for batch in items.chunks(BATCH) {
        let batch: Vec<PostId> = batch.iter().map(|item| item.id).collect();
        let (accesses, _) = post_access(view, Some(viewer), &batch, Originals::OfReposts).await?;
        ids.extend(accesses.into_iter().filter_map(PostAccess::visible).map(|item| item.id));
    }
    ids.sort_unstable_by(|a, b| b.cmp(a));
    Ok(ids)
}

async fn whole_list(view: &dyn StoreView, of: Uid, list: List) -> Result<BTreeSet<Uid>> {
    let mut all = BTreeSet::new();
    let mut start = PageStart::Newest;
    loop {
        let page = view.list(of, list, Page::new(start, 1_000)?).await?;
        all.extend(page.items.iter().map(|edge| edge.uid));
        match page.next {
            Some(next) => start = PageStart::After(next),
            None => return Ok(all),
        }
    }
}
