//! The follower that keeps an index of posts.
//!
//! What it writes of a post is what stands now, never what an event says: events that come again, and a start at an earlier
//! position, change nothing.

use crate::follow::Follower;
use guanxi_model::limits::{EVENT_BATCH_MAX, POSTS_MAX};
use guanxi_model::post::Kind;
use guanxi_model::{Change, Event, Position, Post, PostId, Result, Visibility};
use guanxi_ports::{
    Audience, BoxFuture, EventBatch, IndexChange, IndexStage, Indexing, Log, PostDoc, PostView, Posts,
};
use std::collections::BTreeSet;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

/// Keeps an index of posts, at the position of the events that it has taken in.
pub struct PostIndexer {
    posts: Arc<dyn Posts>,
    index: Box<dyn Indexing<PostDoc>>,
    walk: Option<Walk>,
    /// Posts that a step of the walk reads.
    pub(super) walk_at_once: usize,
    /// Whether all that came was read, so that it is kept before more is.
    is_caught_up: bool,
}

/// A walk through all posts, for a new index. Events are read after it, from where the logs ended before it.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    after: Option<PostId>,
}

impl fmt::Debug for PostIndexer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostIndexer").field("walk", &self.walk).finish_non_exhaustive()
    }
}

impl PostIndexer {
    /// Begins where the index stands. One that is not there is built from all posts first, and one that an error left
    /// half built goes on where it was.
    ///
    /// # Errors
    /// When the logs cannot be read, or the index not be written.
    pub async fn begin(posts: Arc<dyn Posts>, log: &dyn Log, index: Box<dyn Indexing<PostDoc>>) -> Result<Self> {
        let mut indexer =
            Self { posts, index, walk: None, walk_at_once: POSTS_MAX as usize, is_caught_up: false };
        match indexer.index.stage() {
            IndexStage::Whole => {}
            IndexStage::Building(after) => indexer.walk = Some(Walk { after }),
            IndexStage::Absent => indexer.begin_anew(log.head().await?).await?,
        }
        Ok(indexer)
    }

    async fn begin_anew(&mut self, head: Position) -> Result<()> {
        self.walk = None;
        self.index.begin_anew(head).await?;
        self.walk = Some(Walk::default());
        Ok(())
    }

    async fn take(&mut self, batch: EventBatch) -> Result<()> {
        self.is_caught_up = batch.events.len() < EVENT_BATCH_MAX as usize;
        let ids: Vec<PostId> =
            batch.events.iter().filter_map(changed).collect::<BTreeSet<_>>().into_iter().collect();
        let changes = if ids.is_empty() {
            Vec::new()
        } else {
            let view = self.posts.post_view(Some(&batch.position)).await?;
            changes(&*view, &ids).await?
        };
        self.index.apply(changes, batch.position).await
    }

    /// Puts the next posts of the walk into the new index. Returns whether there is a walk.
    async fn walk_on(&mut self) -> Result<bool> {
        let Some(walk) = self.walk else { return Ok(false) };
        let head = self.index.position().clone();
        let view = self.posts.post_view(Some(&head)).await?;
        let some = view.all_posts(walk.after, self.walk_at_once).await?;
        let ids: Vec<PostId> = some.iter().filter_map(|post| post.id).collect();
        let Some(last) = ids.last().copied() else {
            self.index.finish().await?;
            self.walk = None;
            return Ok(true);
        };
        let mut changes = changes(&*view, &ids).await?;
        // There is nothing to remove from a new index.
        changes.retain(|change| matches!(change, IndexChange::Put(_)));
        self.index.apply(changes, head).await?;
        self.walk = Some(Walk { after: Some(last) });
        Ok(true)
    }
}

/// The post that an event changed. What an event of another log left behind here changed none.
const fn changed(event: &Event) -> Option<PostId> {
    match event.change {
        Change::Post { id, .. } if event.echo.is_none() => Some(id),
        _ => None,
    }
}

/// What an index is told of some posts, in their order.
async fn changes(view: &dyn PostView, ids: &[PostId]) -> Result<Vec<IndexChange<PostDoc>>> {
    let (mut changes, mut rest) = (Vec::with_capacity(ids.len()), ids);
    while !rest.is_empty() {
        let posts = view.posts(rest).await?;
        let (some, others) = rest.split_at(posts.len().clamp(1, rest.len()));
        rest = others;
        changes.extend(
            some.iter()
                .zip(posts)
                .map(|(id, post)| post.and_then(document).map_or(IndexChange::Remove(*id), IndexChange::Put)),
        );
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

impl Follower for PostIndexer {
    fn position(&self) -> &Position {
        self.index.position()
    }

    fn has_room(&self) -> bool {
        self.walk.is_none()
    }

    fn apply(&mut self, batch: EventBatch) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.take(batch))
    }

    fn rebuild(&mut self, head: Position) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.begin_anew(head))
    }

    fn work(&mut self) -> BoxFuture<'_, Result<bool>> {
        if self.walk.is_some() {
            return Box::pin(self.walk_on());
        }
        if !std::mem::take(&mut self.is_caught_up) {
            return Box::pin(ready(Ok(false)));
        }
        // What comes meanwhile is read at once afterwards; an error of keeping is told to nobody else.
        Box::pin(async move { self.index.keep().await.map(|()| false) })
    }
}
