//! Searching: an index proposes posts until a page is full, and the facts decide of each.

use super::SearchCenter;
use super::circle::Searcher;
use super::hits::{Hit, PostQuery, SearchFilter, hits};
use super::query::parse;
use crate::confirm::{confirm, confirmed};
use crate::post::{Behind, ShownPost, show_fitting};
use guanxi_model::limits::{HOME_SCAN_MAX, PAGE_SIZE_MAX};
use guanxi_model::{Error, Position, PostCursor, PostHeader, PostId, PostPage, Reason, Result, Uid};
use guanxi_ports::{PostAsk, SearchIndex, Store, StoreView};
use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::pin;
use std::task::Poll;

/// Questions to the index for one page: it may answer fewer posts than it is asked for, and even none.
const ROUNDS_MAX: u32 = 16;

/// When to come back to an index that is late, in milliseconds: by then it has committed once more.
const BEHIND_RETRY_MS: u32 = 500;

/// A post that was searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// The post.
    pub post: ShownPost,
    /// The parts of its text that match, in code points: ascending, and apart from each other.
    pub highlights: Vec<Range<u32>>,
}

/// A page of posts that were searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPage<N = PostCursor> {
    /// The posts that the viewer may see, newest or best first.
    pub hits: Vec<SearchHit>,
    /// Where the next page starts; `None` if and only if the search ended.
    pub next: Option<N>,
    /// How many posts were looked at, plus the cost of looks at the index in posts. A page shorter than asked for with a
    /// `next` has used up its budget, or its bytes.
    pub scanned: u32,
    /// Up to which events posts are found: a post or text that is newer may be missing.
    pub as_of: Position,
    /// Where the answer stands.
    pub position: Position,
}

impl SearchCenter {
    /// A page of the posts that a query finds and the viewer may see, newest first. Without a viewer the posts for
    /// everybody are searched. With `at_least` every event that it includes is found; `patience` completes when a caller waits for
    /// that no longer.
    ///
    /// # Errors
    /// `BAD_QUERY`; `SEARCH_BEHIND` when the index came not far enough in time; `SEARCH_UNAVAILABLE`; those of pinning a
    /// view.
    pub async fn posts(
        &self,
        query: &str,
        viewer: Option<Uid>,
        filter: SearchFilter,
        page: PostPage,
        at_least: Option<Position>,
        patience: impl Future<Output = ()> + Send,
    ) -> Result<SearchPage> {
        let query = parse(query)?;
        let (wanted, at_least) = (PostQuery { query: &query, viewer, filter }, at_least.as_ref());
        if let Some(at_least) = at_least {
            wait(&*self.store, &*self.index, at_least, patience).await?;
        }
        confirmed(|| async {
            // The view includes what the index does, so that what an index leaves out is judged as it stands there.
            let as_of = self.index.as_of()?;
            let view = self.store.view(Some(&as_of.clone().joined(at_least))).await?;
            let mut scan = Scan { below: page.below, more: true, ..Scan::new(as_of) };
            self.fill(&*view, wanted, page.size, &mut scan).await?;
            let Scan { mut found, behind, below, more, scanned, looked, as_of, .. } = scan;
            reaches(&as_of, at_least)?;
            let next = if found.len() > page.size {
                found.truncate(page.size);
                found.last().map(|hit| hit.header.id)
            } else {
                below.filter(|_| more)
            };
            let headers: Vec<PostHeader> = found.iter().map(|hit| hit.header).collect();
            let shown = show_fitting(&*view, wanted.viewer, &headers, &behind).await?;
            let confirmed = confirm(&*view, wanted.viewer).await?;
            let next = if shown.len() < found.len() { shown.last().map(ShownPost::id) } else { next };
            let hits = search_hits(shown, found);
            let position = view.position().joined(at_least);
            let scanned = scanned.saturating_add(rows_of_looks(looked));
            Ok(confirmed.then_some(SearchPage { hits, next: next.map(PostCursor), scanned, as_of, position }))
        })
        .await
    }

    /// Asks the index until a page and one more are found: the one tells whether the search goes on.
    async fn fill(
        &self,
        view: &dyn StoreView,
        wanted: PostQuery<'_>,
        size: usize,
        scan: &mut Scan,
    ) -> Result<()> {
        let PostQuery { query, filter, viewer } = wanted;
        let searcher = Searcher::read(view, viewer).await?;
        while scan.more
            && scan.found.len() <= size
            && scan.rounds < ROUNDS_MAX
            && scan.scanned < HOME_SCAN_MAX
        {
            let ask = PostAsk {
                query,
                author: filter.author,
                replies: filter.replies,
                from: filter.from,
                below: scan.below.into_iter().chain(filter.until).min(),
                circle: searcher.circle(),
                max: scan.ask_for(size),
            };
            let part = self.index.search(ask).await?;
            scan.rounds += 1;
            scan.looked += part.looked;
            scan.scanned += u32::try_from(part.ids.len()).unwrap_or(u32::MAX);
            // An index that was opened again meanwhile stands at an earlier position.
            if !part.as_of.covers(&scan.as_of) {
                scan.as_of = part.as_of;
            }
            scan.more = part.next.is_some();
            scan.below = part.next.or(scan.below);
            let (some, behind) = hits(view, wanted, &searcher, &part.ids).await?;
            scan.found.extend(some);
            scan.behind.extend(behind);
        }
        Ok(())
    }
}

/// Waits for an index to include a position, as long as there is patience.
pub(super) async fn wait(
    facts: &dyn Store,
    index: &dyn SearchIndex,
    at_least: &Position,
    patience: impl Future<Output = ()> + Send,
) -> Result<()> {
    let as_of = index.as_of()?;
    let is_of_store = as_of.history() == at_least.history() && as_of.logs() == at_least.logs();
    if is_of_store && as_of.covers(at_least) {
        return Ok(());
    }
    // Of a position that the store refuses, the index would never say anything.
    drop(facts.view(Some(at_least)).await?);
    let (mut reached, mut patience) = (pin!(index.wait(at_least)), pin!(patience));
    let behind = Reason::SearchBehind { retry_after_ms: BEHIND_RETRY_MS };
    poll_fn(|context| match reached.as_mut().poll(context) {
        Poll::Pending => patience.as_mut().poll(context).map(|()| Err(Error::new(behind.clone()))),
        reached @ Poll::Ready(_) => reached,
    })
    .await
}

/// Checks that the answer of an index includes the position that was waited for. An index that was opened again meanwhile may
/// not include it, and neither may an index of another process that answered in place of the first.
///
/// # Errors
/// `SEARCH_BEHIND`.
pub(super) fn reaches(as_of: &Position, at_least: Option<&Position>) -> Result<()> {
    if at_least.is_none_or(|at_least| as_of.covers(at_least)) {
        return Ok(());
    }
    Err(Error::new(Reason::SearchBehind { retry_after_ms: BEHIND_RETRY_MS }))
}

/// Documents of an index, or follows, that cost as much to look at as one post or user does.
const LOOKS_PER_ROW: u64 = 128;

/// How many posts or users cost as much as some looks at an index, or at follows.
pub(super) fn rows_of_looks(looks: u64) -> u32 {
    u32::try_from(looks / LOOKS_PER_ROW).unwrap_or(u32::MAX)
}

/// How far a page is.
struct Scan {
    found: Vec<Hit>,
    behind: Behind,
    below: Option<PostId>,
    more: bool,
    rounds: u32,
    scanned: u32,
    /// Documents that the index looked at.
    looked: u64,
    as_of: Position,
}

impl Scan {
    fn new(as_of: Position) -> Self {
        let (found, behind) = (Vec::new(), Behind::default());
        Self { found, behind, below: None, more: true, rounds: 0, scanned: 0, looked: 0, as_of }
    }

    /// How many posts to ask for: what is missing, and after rounds that lost many more and more beside.
    fn ask_for(&self, size: usize) -> usize {
        let missing = (size + 1).saturating_sub(self.found.len());
        let left = HOME_SCAN_MAX.saturating_sub(self.scanned) as usize;
        (missing << (2 * self.rounds.min(8))).clamp(1, PAGE_SIZE_MAX as usize).min(left.max(1))
    }
}

/// The first hits of some, as they are shown. Both are of one view, so that highlights are of the texts that are shown.
pub(super) fn search_hits(shown: Vec<ShownPost>, hits: impl IntoIterator<Item = Hit>) -> Vec<SearchHit> {
    let pairs = shown.into_iter().zip(hits);
    pairs.map(|(post, Hit { highlights, .. })| SearchHit { post, highlights }).collect()
}
