//! Searching posts by relevance: the best are kept as a result set, and read page by page.

use super::SearchCenter;
use super::circle::Searcher;
use super::hits::{Hit, PostQuery, SearchFilter, hits};
use super::query::parse;
use super::read::{SearchPage, reaches, rows_of_looks, search_hits, wait};
use super::sets::{RankPlace, ResultSet};
use crate::confirm::{confirm, confirmed};
use crate::post::{Behind, show_fitting};
use guanxi_model::limits::PAGE_SIZE_MAX;
use guanxi_model::{Position, PostHeader, PostId, Result, Uid};
use guanxi_ports::{PostAsk, StoreView};
use std::future::Future;

/// Posts of a result set: who looks for more narrows the search.
pub const RANKED_MAX: usize = 1_000;

/// How far a page of a result set is.
#[derive(Default)]
struct Walk {
    /// The hits that the viewer may see, with the places in the set.
    found: Vec<(usize, Hit)>,
    behind: Behind,
    /// The place after the last one that was looked at.
    at: usize,
}

impl SearchCenter {
    /// A page of the [`RANKED_MAX`] posts that fit a query best and the viewer may see, the best first. `place` is the
    /// [`next`](SearchPage::next) of the page before. All else is as of [`posts`](Self::posts).
    ///
    /// # Errors
    /// As [`posts`](Self::posts); `STALE_CURSOR` for a place in a set that is gone, or another reader's.
    pub async fn best_posts(
        &self,
        query: &str,
        viewer: Option<Uid>,
        filter: SearchFilter,
        (place, size): (Option<RankPlace>, usize),
        at_least: Option<Position>,
        patience: impl Future<Output = ()> + Send,
    ) -> Result<SearchPage<RankPlace>> {
        let query = parse(query)?;
        let wanted = PostQuery { query: &query, viewer, filter };
        if let Some(at_least) = &at_least {
            wait(&*self.store, &*self.index, at_least, patience).await?;
        }
        let (set, from, ranked) = if let Some(place) = place {
            (self.sets.posts.get(viewer, place.set)?, place.from as usize, 0)
        } else {
            let (set, ranked) = self.rank(wanted, at_least.as_ref()).await?;
            (set.into(), 0, ranked)
        };
        let page = confirmed(|| self.try_ranked(wanted, &set, (from, size), at_least.as_ref())).await?;
        let next = page.next.map(|from| match place {
            Some(place) => RankPlace { from, ..place },
            // Only a set with another page is kept.
            None => RankPlace { set: self.sets.posts.keep(viewer, set), from },
        });
        let SearchPage { hits, scanned, as_of, position, .. } = page;
        Ok(SearchPage { hits, next, scanned: scanned.saturating_add(ranked), as_of, position })
    }

    /// The best posts of a search, and how many posts cost as much as finding them.
    async fn rank(
        &self,
        wanted: PostQuery<'_>,
        at_least: Option<&Position>,
    ) -> Result<(ResultSet<PostId>, u32)> {
        let PostQuery { query, viewer, filter } = wanted;
        let view = self.store.view(Some(&self.index.as_of()?)).await?;
        let searcher = Searcher::read(&*view, viewer).await?;
        let SearchFilter { author, replies, from, until } = filter;
        let circle = searcher.circle();
        let ask = PostAsk { query, author, replies, from, below: until, circle, max: RANKED_MAX };
        let found = self.index.best(ask).await?;
        reaches(&found.as_of, at_least)?;
        Ok((ResultSet { items: found.ids, as_of: found.as_of }, rows_of_looks(found.looked)))
    }

    async fn try_ranked(
        &self,
        wanted: PostQuery<'_>,
        set: &ResultSet<PostId>,
        (from, size): (usize, usize),
        at_least: Option<&Position>,
    ) -> Result<Option<SearchPage<u32>>> {
        let view = self.store.view(Some(&set.as_of.clone().joined(at_least))).await?;
        let Walk { mut found, behind, at } = walk(&*view, wanted, &set.items, from, size).await?;
        let rest = if found.len() > size { Some(found[size].0) } else { Some(at) };
        let rest = rest.filter(|place| *place < set.items.len());
        found.truncate(size);
        let headers: Vec<PostHeader> = found.iter().map(|(_, hit)| hit.header).collect();
        let shown = show_fitting(&*view, wanted.viewer, &headers, &behind).await?;
        let is_confirmed = confirm(&*view, wanted.viewer).await?;
        let next = found.get(shown.len()).map(|(place, _)| *place).or(rest);
        let hits = search_hits(shown, found.into_iter().map(|(_, hit)| hit));
        Ok(is_confirmed.then_some(SearchPage {
            hits,
            next: next.and_then(|place| u32::try_from(place).ok()),
            scanned: u32::try_from(at.saturating_sub(from)).unwrap_or(u32::MAX),
            as_of: set.as_of.clone(),
            position: view.position().joined(at_least),
        }))
    }
}

/// Looks at posts of a set from a place on, until a page and one more are found: the one tells whether the search goes on.
async fn walk(
    view: &dyn StoreView,
    wanted: PostQuery<'_>,
    items: &[PostId],
    from: usize,
    size: usize,
) -> Result<Walk> {
    let searcher = Searcher::read(view, wanted.viewer).await?;
    let mut walk = Walk { at: from, ..Walk::default() };
    while walk.at < items.len() && walk.found.len() <= size {
        let many = (size + 1 - walk.found.len()).clamp(1, PAGE_SIZE_MAX as usize);
        let some = &items[walk.at..(walk.at + many).min(items.len())];
        let (hits, behind) = hits(view, wanted, &searcher, some).await?;
        for hit in hits {
            // Hits come in the order of the set.
            let nth = some.iter().position(|id| *id == hit.header.id).unwrap_or(0);
            walk.found.push((walk.at + nth, hit));
        }
        walk.behind.extend(behind);
        walk.at += some.len();
    }
    Ok(walk)
}
