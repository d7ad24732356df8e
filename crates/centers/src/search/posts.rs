//! What an index of posts is made of.

use super::indexer::{IndexChanges, IndexSource};
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::post::Kind;
use guanxi_model::{Change, Event, Post, PostId, Result, Visibility};
use guanxi_ports::{Audience, BoxFuture, IndexChange, PostDoc, StoreView};

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
        changes.extend(some.iter().zip(posts).map(|(id, post)| match post {
            Some(post) => document(post).map_or(IndexChange::Remove(*id), IndexChange::Put),
            None => IndexChange::Erase(*id),
        }));
    }
    Ok(changes)
}

/// The document of a post: none of one that is deleted or says nothing of its own.
fn document(post: Post) -> Option<PostDoc> {
    let Post { header, body, revision, .. } = post;
    if header.deleted || matches!(header.kind, Kind::Repost { .. }) {
        return None;
    }
    Some(PostDoc {
        id: header.id,
        author: header.author,
        is_reply: matches!(header.kind, Kind::Reply { .. }),
        audience: if header.visibility == Visibility::Public {
            Audience::Public
        } else {
            Audience::Restricted
        },
        revision,
        digest: body.text_digest(),
        text: body.text,
    })
}
