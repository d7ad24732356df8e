//! What an index of posts is made of.

use super::indexer::{IndexChanges, IndexSource};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::{Kind, PostStats};
use guanxi_model::{Change, Event, Post, PostHeader, PostId, Result, Visibility};
use guanxi_ports::search::{Audience, PostForm, PostState};
use guanxi_ports::{BoxFuture, IndexChange, PostDoc, StoreView};

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

    /// What is liked, and what is answered or shared by a post that came, went or came back.
    fn counted<'a>(view: &'a dyn StoreView, events: &'a [Event]) -> BoxFuture<'a, Result<Vec<PostId>>> {
        Box::pin(async move {
            let (mut counted, mut posts) = (Vec::new(), Vec::new());
            for event in events {
                match event.change {
                    Change::Liked { id, .. } | Change::Unliked { id, .. } => counted.push(id),
                    Change::Post { id, .. } => posts.push(id),
                    _ => {}
                }
            }
            if !posts.is_empty() {
                let headers = view.headers(&posts).await?.into_iter().flatten();
                counted.extend(headers.filter_map(|header| match header.kind {
                    Kind::Post => None,
                    Kind::Reply { to, .. } => Some(to),
                    Kind::Repost { of, .. } | Kind::Quote { of, .. } => Some(of),
                }));
            }
            Ok(counted)
        })
    }

    fn all(view: &dyn StoreView, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<PostId>>> {
        Box::pin(async move {
            let some = view.all_posts(after, max).await?;
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
    let digest = body.text_digest() ^ digest(form, audience, standing);
    let text = body.text;
    Some(PostDoc { id, author, form, audience, state: standing, created_ms, stats, revision, digest, text })
}

/// What a digest has of a post beside its text: so that a document of another form, audience or state has another one.
const fn digest(form: PostForm, audience: Audience, state: PostState) -> u64 {
    ((form as u64) << 16 | (audience as u64) << 8 | state as u64).wrapping_mul(DIGEST_FACTOR)
}

/// An odd number, so that different numbers stay different, with bits everywhere.
const DIGEST_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
