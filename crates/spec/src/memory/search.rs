//! Searching posts, as specified: every post that stands is looked at, and its text says whether it fits.

use super::MemoryStore;
use guanxi_model::post::Kind;
use guanxi_model::{Position, Post, PostId, Result, Visibility};
use guanxi_ports::Walk;
use guanxi_ports::search::{ComparedDocs, ProvedIndex};
use guanxi_ports::{BoxFuture, FoundPosts, IndexDoc, PostAsk, PostSearch, SearchIndex, StoreView};
use guanxi_text::matches;

/// Posts that are read at once.
const READ_AT_ONCE: usize = 100;

impl PostSearch for MemoryStore {
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        Box::pin(async move {
            let as_of = self.shared.head();
            let view = self.view_now(Some(&as_of)).await?;
            let mut ids = scan_posts(&view, &ask).await?;
            let more = ids.len() > ask.max;
            ids.truncate(ask.max);
            let next = ids.last().copied().filter(|_| more);
            let looked = ids.len() as u64;
            Ok(FoundPosts { ids, next, looked, as_of })
        })
    }
}

impl SearchIndex for MemoryStore {
    fn as_of(&self) -> Result<Position> {
        Ok(self.shared.head())
    }

    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.shared.reach(at_least))
    }
}

/// All posts of a view that fit, however many are asked for: the newest first.
///
/// # Errors
/// Those of the view.
pub async fn scan_posts(view: &dyn StoreView, ask: &PostAsk<'_>) -> Result<Vec<PostId>> {
    let posts = all(view).await?;
    Ok(posts.iter().rev().filter(|post| fits(post, ask)).map(|post| post.header.id).collect())
}

/// All posts, by rising ids.
pub(super) async fn all(view: &dyn StoreView) -> Result<Vec<Post>> {
    let (mut posts, mut after) = (Vec::new(), None);
    loop {
        let some = view.all_posts(Walk::new(after, READ_AT_ONCE)).await?;
        let mut ids: Vec<PostId> = some.iter().filter_map(|post| post.id).collect();
        let Some(last) = ids.last().copied() else { return Ok(posts) };
        while !ids.is_empty() {
            let read = view.posts(&ids).await?;
            ids.drain(..read.len());
            posts.extend(read.into_iter().flatten());
        }
        after = Some(last);
    }
}

/// The store is its own index, in which nothing is ever wrong.
impl<D: IndexDoc> ProvedIndex<D> for MemoryStore {
    fn compare(
        &self,
        _: (Option<D::Id>, Option<D::Id>),
        _: Vec<D>,
    ) -> BoxFuture<'_, Result<ComparedDocs<D::Id>>> {
        let compared = |as_of| ComparedDocs { differing: Vec::new(), reached: None, as_of };
        Box::pin(std::future::ready(SearchIndex::as_of(self).map(compared)))
    }
}

fn fits(post: &Post, ask: &PostAsk<'_>) -> bool {
    let header = &post.header;
    let is_reply = matches!(header.kind, Kind::Reply { .. });
    let is_public = header.visibility == Visibility::Public && !header.deleted;
    (!header.deleted || header.taken_down)
        && !matches!(header.kind, Kind::Repost { .. })
        && ask.author.is_none_or(|author| author == header.author)
        && ask.replies.is_none_or(|replies| replies == is_reply)
        && ask.from.is_none_or(|from| header.id >= from)
        && ask.below.is_none_or(|below| header.id < below)
        && ask.circle.takes(header.author, is_public)
        && matches(ask.query, &post.body.text)
}
