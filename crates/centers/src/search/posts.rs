//! The source of an index of posts.

use super::indexer::{IndexChanges, IndexSource};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::{Kind, PostStats};
use guanxi_model::{Change, DigestParts, Event, Post, PostHeader, PostId, Result, Visibility};
use guanxi_ports::search::{Audience, PostForm, PostState};
use guanxi_ports::{BoxFuture, IndexChange, PostDoc, StoreView, UnreadableEvent, Walk};

/// Posts, which an index is made of.
#[derive(Clone, Copy, Debug)]
pub struct PostSource;

impl IndexSource for PostSource {
    type Doc = PostDoc;

    const WALK_AT_ONCE: usize = POSTS_MAX as usize;

    fn changed(event: &Event) -> Option<PostId> {
        match event.change {
            Change::Post { id, .. } if event.echo.is_none() => Some(id),
            _ => None,
        }
    }

    fn named(event: &UnreadableEvent) -> Option<PostId> {
        PostId::new(event.object?).ok()
    }

    /// Returns the post that was liked.
    fn counted(event: &Event) -> [Option<PostId>; 2] {
        match event.change {
            Change::Liked { id, .. } | Change::Unliked { id, .. } => [Some(id), None],
            _ => [None, None],
        }
    }

    /// A post that came, went or came back.
    fn counts(event: &Event) -> Option<PostId> {
        match event.change {
            Change::Post { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Returns the posts that these answer or share.
    fn counting_for<'a>(view: &'a dyn StoreView, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostId>>> {
        Box::pin(async move {
            let headers = view.headers(ids).await?.into_iter().flatten();
            let counted = headers.filter_map(|header| match header.kind {
                Kind::Post => None,
                Kind::Reply { to, .. } => Some(to),
                Kind::Repost { of, .. } | Kind::Quote { of, .. } => Some(of),
            });
            Ok(counted.collect())
        })
    }

    fn all(view: &dyn StoreView, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<PostId>>> {
        Box::pin(async move {
            let some = view.all_posts(Walk::new(after, max)).await?;
            Ok(some.iter().filter_map(|post| post.id).collect())
        })
    }

    fn changes<'a>(view: &'a dyn StoreView, ids: &'a [PostId]) -> BoxFuture<'a, Result<IndexChanges<Self>>> {
        Box::pin(changes(view, ids))
    }
}

async fn changes(view: &dyn StoreView, ids: &[PostId]) -> Result<IndexChanges<PostSource>> {
    let (mut changes, mut rest) = (Vec::with_capacity(ids.len()), ids);
    while !rest.is_empty() {
        let posts = view.posts(rest).await?;
        let (some, others) = rest.split_at(posts.len().clamp(1, rest.len()));
        rest = others;
        let stats = view.stats(some).await?;
        let found = some.iter().zip(posts).zip(stats);
        changes.extend(found.map(|((id, post), stats)| match post {
            // Nothing is kept of it but that it was.
            Some(post) if post.revision == 0 => IndexChange::Erase(*id),
            Some(post) => document(post, stats).map_or(IndexChange::Remove(*id), IndexChange::Put),
            None => IndexChange::Erase(*id),
        }));
    }
    Ok(changes)
}

/// The document of a post: none of a plain repost, which says nothing of its own.
pub(super) fn document(post: Post, stats: PostStats) -> Option<PostDoc> {
    let Post { header, body, revision, create_ms, .. } = post;
    let form = match header.kind {
        Kind::Post => PostForm::Post,
        Kind::Reply { .. } => PostForm::Reply,
        Kind::Quote { .. } => PostForm::Quote,
        Kind::Repost { .. } => return None,
    };
    let audience = match header.visibility {
        Visibility::Public => Audience::Public,
        Visibility::Followers => Audience::Followers,
        Visibility::Friends => Audience::Friends,
        Visibility::Group(_) => Audience::Group,
    };
    let standing = match header {
        PostHeader { taken_down: true, .. } => PostState::TakenDown,
        PostHeader { deleted: true, .. } => PostState::Deleted,
        _ => PostState::Live,
    };
    let (id, author, created_ms) = (header.id, header.author, create_ms);
    let parts = DigestParts::default().text(&body.text).number(author.get()).number(created_ms);
    let digest = parts.number(form as u64).number(audience as u64).number(standing as u64).digest();
    let text = body.text;
    Some(PostDoc { id, author, form, audience, state: standing, created_ms, stats, revision, digest, text })
}
