//! Writes of the post center.
//!
//! `create` checks the draft by itself: length, attachments, not a reply and a repost at once. The planner checks the rest as of
//! the moment of the commit: a reply, repost or quote is refused unless the author may see the post that it names and the
//! original behind that. A repost without text is plain: it stands for its original, and a user has one of an original at a
//! time. A quote is a post of its own. The planner mints the id from the clock, never below the last one, so on one machine the
//! order of ids is the order of commits. From the acknowledgement on every follower's next page has the post, pushed or not.

use super::PostCenter;
use crate::apply_all::apply_all;
use crate::relation::check_request;
use guanxi_model::post::{Draft, Edit, PostCommand, check_draft};
use guanxi_model::{Edge, Error, Page, PageStart, Position, PostId, Reason, RequestKey, Result, Uid, Write};
use guanxi_ports::{PostView, Revised, Store};
use std::sync::Arc;

/// Likes that are taken back at once while a post is purged: as many as share a commit without holding up others.
const UNLIKES_AT_ONCE: i32 = 64;

/// Pieces of likes that one call takes back, 1,024 likes. Each piece is one wait for the disk. So a call that names no
/// deadline is answered within its two seconds where such a wait takes a tenth of a second.
pub const PURGE_PIECES_MAX: usize = 16;

/// Takes the next likes of a purged post back, and when there are none, notes that nothing is left to do. Returns where the
/// writes stand; `None` when nothing was left.
///
/// # Errors
/// Those of the store.
pub(crate) async fn take_likes_back(
    posts: &Arc<dyn Store>,
    view: &dyn PostView,
    author: Uid,
    id: PostId,
) -> Result<Option<Position>> {
    let page = Page::new(PageStart::Newest, UNLIKES_AT_ONCE)?;
    let likers = view.likers(id, page).await?.items;
    if likers.is_empty() {
        posts.apply(Write::of(PostCommand::EndPurge { author, id })).await?.post()?;
        return Ok(None);
    }
    let unlike = |Edge { uid, .. }| Write::of(PostCommand::Unlike { uid, id });
    let mut position: Option<Position> = None;
    for done in apply_all(posts, likers.into_iter().map(unlike)).await? {
        match &mut position {
            Some(position) => position.join(&done.position),
            None => position = Some(done.position),
        }
    }
    Ok(position)
}

impl PostCenter {
    /// Writes a post. A plain repost of what the author has reposted already answers the one that stands.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `INVALID_FIELD`, `TEXT_TOO_LONG`, `TOO_LONG`, `BATCH_TOO_LARGE` for what is wrong with the
    /// draft; `POST_NOT_FOUND`, `POST_DELETED` or `POST_FORBIDDEN` for what it answers or reposts.
    pub async fn create(&self, draft: Draft, request: Option<RequestKey>) -> Result<Revised<PostId>> {
        check_draft(&draft)?;
        self.command(PostCommand::Create(draft), request).await
    }

    /// Changes a post of `author`.
    ///
    /// # Errors
    /// Those of the content; `POST_NOT_FOUND`, `POST_DELETED`, `POST_FORBIDDEN`; `REVISION_MISMATCH {revision}`;
    /// `LIMIT_REACHED` after [`REVISIONS_MAX`](guanxi_model::limits::REVISIONS_MAX).
    pub async fn update(
        &self,
        author: Uid,
        id: PostId,
        edit: Edit,
        request: Option<RequestKey>,
    ) -> Result<Revised<PostId>> {
        self.command(PostCommand::Update { author, id, edit }, request).await
    }

    /// Deletes a post of `author`; it can be restored.
    ///
    /// # Errors
    /// `POST_NOT_FOUND`, `POST_FORBIDDEN`.
    pub async fn delete(
        &self,
        author: Uid,
        id: PostId,
        request: Option<RequestKey>,
    ) -> Result<Revised<PostId>> {
        self.command(PostCommand::Delete { author, id }, request).await
    }

    /// Brings a deleted post of `author` back; for a plain repost, answers another that stands instead.
    ///
    /// # Errors
    /// `POST_NOT_FOUND`, `POST_FORBIDDEN`.
    pub async fn restore(
        &self,
        author: Uid,
        id: PostId,
        request: Option<RequestKey>,
    ) -> Result<Revised<PostId>> {
        self.command(PostCommand::Restore { author, id }, request).await
    }

    /// Likes a post.
    ///
    /// # Errors
    /// `POST_NOT_FOUND`, `POST_DELETED`, `POST_FORBIDDEN`.
    pub async fn like(&self, uid: Uid, id: PostId, request: Option<RequestKey>) -> Result<Revised<PostId>> {
        self.command(PostCommand::Like { uid, id }, request).await
    }

    /// Takes a like back.
    ///
    /// # Errors
    /// `POST_NOT_FOUND`.
    pub async fn unlike(&self, uid: Uid, id: PostId, request: Option<RequestKey>) -> Result<Revised<PostId>> {
        self.command(PostCommand::Unlike { uid, id }, request).await
    }

    /// Deletes the user's plain repost of a post.
    ///
    /// # Errors
    /// `POST_NOT_FOUND`.
    pub async fn undo_repost(
        &self,
        uid: Uid,
        id: PostId,
        request: Option<RequestKey>,
    ) -> Result<Revised<PostId>> {
        self.command(PostCommand::UndoRepost { uid, id }, request).await
    }

    /// Deletes a post for good, of `author` if one is given: its text and its revisions at once, then its likes, piece by
    /// piece. Likes that are left after [`PURGE_PIECES_MAX`] pieces, or when the call is cut off, are taken back by a repeat,
    /// or by [`Retention`](crate::retention).
    ///
    /// # Errors
    /// `POST_NOT_FOUND`; `POST_FORBIDDEN` for another author's.
    pub async fn purge(&self, id: PostId, author: Option<Uid>) -> Result<Revised<PostId>> {
        self.purge_some(id, author).await.map(|(written, _)| written)
    }

    /// The same; tells whether likes may be left, too.
    pub(crate) async fn purge_some(
        &self,
        id: PostId,
        author: Option<Uid>,
    ) -> Result<(Revised<PostId>, bool)> {
        let view = self.store.view(None).await?;
        let header = view.headers(&[id]).await?.pop().flatten();
        let author = author.unwrap_or(header.ok_or(Error::new(Reason::PostNotFound))?.author);
        let mut written = self.command(PostCommand::Purge { author, id, deleted_until: None }, None).await?;
        for _ in 0..PURGE_PIECES_MAX {
            let view = self.store.view(Some(&written.position)).await?;
            let Some(position) = take_likes_back(&self.store, &*view, author, id).await? else {
                return Ok((written, false));
            };
            written.position.join(&position);
        }
        Ok((written, true))
    }

    async fn command(&self, command: PostCommand, request: Option<RequestKey>) -> Result<Revised<PostId>> {
        check_request(request.as_ref())?;
        self.store.apply(Write::of(command).under(request)).await?.revised()
    }
}
