//! The posts of an exported user, newest first, each with its earlier revisions.

use super::UserRecord;
use guanxi_model::limits::POSTS_MAX;
use guanxi_model::{Post, PostId, Result, Uid};
use guanxi_ports::{OutboxAsk, StoreView};
use std::collections::VecDeque;

/// Revisions that are read at once: 50 of the longest are 4 MB.
const REVISIONS_READ: usize = 50;

/// How far the posts of an export are.
#[derive(Default)]
pub(super) struct PostsPart {
    /// The last post that was looked at.
    below: Option<PostId>,
    /// Posts that were read and not handed on yet.
    posts: VecDeque<Post>,
    /// The post whose revisions come next, when it was written, and below which of them.
    revisions: Option<(PostId, u64, Option<u32>)>,
    over: bool,
}

impl PostsPart {
    /// Returns whether all are there.
    pub(super) const fn is_over(&self) -> bool {
        self.over
    }

    /// The next posts or revisions; `None` after the last.
    pub(super) async fn next(
        &mut self,
        view: &dyn StoreView,
        author: Uid,
    ) -> Result<Option<Vec<UserRecord>>> {
        if let Some(of) = self.revisions {
            return self.revisions(view, of).await.map(Some);
        }
        if self.posts.is_empty() {
            let headers =
                view.stored_headers(OutboxAsk { author, below: self.below }, POSTS_MAX as usize).await?;
            let ids: Vec<PostId> = headers.iter().map(|header| header.id).collect();
            if ids.is_empty() {
                self.over = true;
                return Ok(None);
            }
            // As many of them as one read answers; the others are asked for again.
            let posts = view.posts(&ids).await?;
            self.below = ids.get(posts.len().saturating_sub(1)).copied();
            self.posts = posts.into_iter().flatten().collect();
        }
        let mut records = Vec::new();
        while let Some(post) = self.posts.pop_front() {
            let (id, create_ms, revision) = (post.header.id, post.create_ms, post.revision);
            records.push(UserRecord::Post(Box::new(post)));
            if revision > 1 {
                self.revisions = Some((id, create_ms, None));
                break;
            }
        }
        Ok(Some(records))
    }

    async fn revisions(
        &mut self,
        view: &dyn StoreView,
        (id, create_ms, below): (PostId, u64, Option<u32>),
    ) -> Result<Vec<UserRecord>> {
        let revisions = view.revisions(id, below, REVISIONS_READ).await?;
        let last = revisions.last().filter(|_| revisions.len() == REVISIONS_READ);
        self.revisions = last.map(|last| (id, create_ms, Some(last.revision)));
        let record = |revision| UserRecord::Revision { id, create_ms, revision: Box::new(revision) };
        Ok(revisions.into_iter().map(record).collect())
    }
}
