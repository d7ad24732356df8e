//! Reads of the post center.

use super::access::access_of_authors;
use super::behind::{gone, groups_of, relations};
use super::size::post_bytes;
use super::{Behind, Originals, PostAccess, PostCenter, PostStatus, ShownPost, post_access, show_fitting};
use crate::answer_room::fitting;
use crate::confirm::{confirm, confirmed, view_for};
use guanxi_model::limits::{HOME_SCAN_MAX, POSTS_MAX};
use guanxi_model::post::{AuthorFilter, PostStats, Revision, check_visibility};
use guanxi_model::{
    Edge, EdgePage, Error, Page, Position, PostCursor, PostHeader, PostId, PostPage, Reason, Relation,
    Result, Uid,
};
use guanxi_ports::{OutboxAsk, PostView};

/// The answer to a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GotPosts {
    /// One status per id, in order.
    pub posts: Vec<PostStatus>,
    /// Where the answer stands.
    pub position: Position,
}

/// A page of an author's posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorList {
    /// The posts that the viewer may see, newest first.
    pub posts: Vec<ShownPost>,
    /// Where the next page starts; `None` if and only if the list ended.
    pub next: Option<PostCursor>,
    /// How many posts were looked at: a page shorter than asked for with a `next` has used up its budget, or its bytes.
    pub scanned: u32,
    /// Where the answer stands.
    pub position: Position,
}

/// A page of the users who like a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likers {
    /// The users, newest like first. Gone users, and users whom a block separates from the viewer, are left out.
    pub page: EdgePage,
    /// Where the answer stands.
    pub position: Position,
}

/// A page of the reposts and quotes of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reposters {
    /// The reposts that the viewer may see, newest first.
    pub reposts: Vec<PostHeader>,
    /// Where the next page starts; `None` if and only if the list ended.
    pub next: Option<PostCursor>,
    /// Where the answer stands.
    pub position: Position,
}

/// Counters of posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostsWithStats {
    /// The counters of each post, in order; what hinders the viewer to see them otherwise.
    pub stats: Vec<Result<PostStats, PostStatus>>,
    /// Where the answer stands.
    pub position: Position,
}

/// Earlier revisions of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revisions {
    /// Newest first.
    pub revisions: Vec<Revision>,
    /// Where the next page starts: below this revision; `None` when the list ended.
    pub next_below: Option<u32>,
    /// The author of the post.
    pub author: Uid,
    /// When the post was created, in Unix milliseconds.
    pub create_ms: u64,
    /// Where the answer stands.
    pub position: Position,
}

impl PostCenter {
    /// Returns up to [`POSTS_MAX`] posts, each with its status. Posts for which the answer has no room are
    /// [`PostStatus::Omitted`]; the first visible one never is.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn get(
        &self,
        ids: &[PostId],
        viewer: Option<Uid>,
        at_least: Option<Position>,
    ) -> Result<GotPosts> {
        check_len(ids)?;
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let view = view_for(&*self.store, viewer, at_least).await?;
            let (accesses, behind) = access_of_authors(&*view, viewer, ids, Originals::OfAll).await?;
            let seen: Vec<PostHeader> = accesses.iter().filter_map(|access| access.visible()).collect();
            let shown = show_fitting(&*view, viewer, &seen, &behind).await?;
            let confirmed = confirm(&*view, viewer).await?;
            if !confirmed {
                return Ok(None);
            }
            let mut shown = shown.into_iter();
            let status = |access: PostAccess| match access {
                PostAccess::Visible(_) => {
                    shown.next().map_or(PostStatus::Omitted, |post| PostStatus::Ok(Box::new(post)))
                }
                other => other.into(),
            };
            let posts = accesses.into_iter().map(status).collect();
            Ok(Some(GotPosts { posts, position: view.position().joined(at_least) }))
        })
        .await
    }

    /// A page of an author's posts that the viewer may see, newest first.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn list_author(
        &self,
        author: Uid,
        filter: AuthorFilter,
        page: PostPage,
        viewer: Option<Uid>,
        at_least: Option<Position>,
    ) -> Result<AuthorList> {
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let view = view_for(&*self.store, viewer, at_least).await?;
            let (mut visible, mut behind) = (Vec::<PostHeader>::new(), Behind::default());
            // Posts across a block, and posts of a gone author, are not visible, so nothing is read.
            let authors = [author];
            let (relations, gone) =
                tokio::try_join!(relations(&*view, viewer, authors.to_vec()), gone(&*view, &authors))?;
            let apart = !gone.is_empty() || relations.values().any(Relation::is_apart);
            let mut ask = OutboxAsk { author, below: page.below };
            let (mut scanned, mut more) = (0, !apart);
            // One beyond the page tells whether the list goes on.
            while more && visible.len() <= page.size && scanned < HOME_SCAN_MAX as usize {
                let part = view.outboxes(&[ask], page.size + 1 - visible.len()).await?;
                more = part.parts.first().is_some_and(|part| part.more);
                scanned += part.ids.len();
                ask.below = part.ids.last().copied().or(ask.below);
                let (accesses, found) =
                    access_of_authors(&*view, viewer, &part.ids, Originals::OfAll).await?;
                behind.extend(found);
                let taken = accesses.into_iter().filter_map(PostAccess::visible);
                visible.extend(taken.filter(|header| filter.takes(header.kind)));
            }
            let next = if visible.len() > page.size {
                visible.truncate(page.size);
                visible.last().map(|header| header.id)
            } else if more {
                ask.below
            } else {
                None
            };
            let posts = show_fitting(&*view, viewer, &visible, &behind).await?;
            let confirmed = confirm(&*view, viewer).await?;
            let next = if posts.len() < visible.len() { posts.last().map(ShownPost::id) } else { next };
            let scanned = u32::try_from(scanned).unwrap_or(u32::MAX);
            let position = view.position().joined(at_least);
            Ok(confirmed.then_some(AuthorList { posts, next: next.map(PostCursor), scanned, position }))
        })
        .await
    }

    /// Returns the users who like a post, newest like first.
    ///
    /// # Errors
    /// `POST_NOT_FOUND`, `POST_DELETED`, `POST_FORBIDDEN`.
    pub async fn likers(
        &self,
        id: PostId,
        viewer: Option<Uid>,
        page: Page,
        at_least: Option<Position>,
    ) -> Result<Likers> {
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let view = view_for(&*self.store, viewer, at_least).await?;
            let (_, mut found) = tokio::try_join!(require(&*view, viewer, id), view.likers(id, page))?;
            if viewer.is_some() || !view.all_stand_by_default() {
                // Blocks and users who are not there are few: a page is filled up from the next ones only as far as it lost
                // some.
                let mut kept = shown_likers(&*view, viewer, std::mem::take(&mut found.items)).await?;
                while kept.len() < page.size()
                    && let Some(next) = found.next
                {
                    let missing = i32::try_from(page.size() - kept.len()).unwrap_or(i32::MAX);
                    found =
                        view.likers(id, Page::new(guanxi_model::PageStart::After(next), missing)?).await?;
                    kept.extend(shown_likers(&*view, viewer, std::mem::take(&mut found.items)).await?);
                }
                found.items = kept;
            }
            let confirmed = confirm(&*view, viewer).await?;
            Ok(confirmed.then(|| Likers { page: found, position: view.position().joined(at_least) }))
        })
        .await
    }

    /// Returns a page of the reposts and quotes of a post that the viewer may see, newest first. A page that is short and has
    /// a `next` has used up its budget, [`HOME_SCAN_MAX`].
    ///
    /// # Errors
    /// `POST_NOT_FOUND`, `POST_DELETED`, `POST_FORBIDDEN`.
    pub async fn reposters(
        &self,
        id: PostId,
        viewer: Option<Uid>,
        page: PostPage,
        at_least: Option<Position>,
    ) -> Result<Reposters> {
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let view = view_for(&*self.store, viewer, at_least).await?;
            require(&*view, viewer, id).await?;
            let (mut reposts, mut below, mut scanned) = (Vec::<PostHeader>::new(), page.below, 0);
            // One beyond the page tells whether the list goes on.
            let more = loop {
                let wanted = page.size + 1 - reposts.len();
                let ids = view.reposts_of(id, below, wanted).await?;
                scanned += ids.len();
                below = ids.last().copied().or(below);
                let (accesses, _) = post_access(&*view, viewer, &ids, Originals::OfReposts).await?;
                reposts.extend(accesses.into_iter().filter_map(PostAccess::visible));
                if ids.len() < wanted || reposts.len() > page.size {
                    break false;
                }
                if scanned >= HOME_SCAN_MAX as usize {
                    break true;
                }
            };
            let next = if reposts.len() > page.size {
                reposts.truncate(page.size);
                reposts.last().map(|header| header.id)
            } else {
                below.filter(|_| more)
            };
            let confirmed = confirm(&*view, viewer).await?;
            let position = view.position().joined(at_least);
            Ok(confirmed.then_some(Reposters { reposts, next: next.map(PostCursor), position }))
        })
        .await
    }

    /// The counters of up to [`POSTS_MAX`] posts that the viewer may see.
    ///
    /// # Errors
    /// `BATCH_TOO_LARGE`.
    pub async fn stats(
        &self,
        ids: &[PostId],
        viewer: Option<Uid>,
        at_least: Option<Position>,
    ) -> Result<PostsWithStats> {
        check_len(ids)?;
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let view = view_for(&*self.store, viewer, at_least).await?;
            let accesses = access_of_authors(&*view, viewer, ids, Originals::OfReposts);
            let ((accesses, _), stats) = tokio::try_join!(accesses, view.stats(ids))?;
            let one = |(accesses, stats): (PostAccess, PostStats)| match accesses {
                PostAccess::Visible(_) => Ok(stats),
                other => Err(other.into()),
            };
            let stats = accesses.into_iter().zip(stats).map(one).collect();
            let confirmed = confirm(&*view, viewer).await?;
            Ok(confirmed.then(|| PostsWithStats { stats, position: view.position().joined(at_least) }))
        })
        .await
    }

    /// Earlier revisions of a post that the viewer may see, newest first, below a revision. A revision that was for
    /// fewer is left out for everybody but the author and services.
    ///
    /// # Errors
    /// `POST_NOT_FOUND`, `POST_DELETED`, `POST_FORBIDDEN`.
    pub async fn revisions(
        &self,
        id: PostId,
        viewer: Option<Uid>,
        below: Option<u32>,
        max: usize,
        at_least: Option<Position>,
    ) -> Result<Revisions> {
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let view = view_for(&*self.store, viewer, at_least).await?;
            let (header, behind) = require(&*view, viewer, id).await?;
            let ids = [id];
            let (mut posts, mut revisions) =
                tokio::try_join!(view.posts(&ids), view.revisions(id, below, max))?;
            if !confirm(&*view, viewer).await? {
                return Ok(None);
            }
            let create_ms = posts.pop().flatten().map_or_else(|| id.ms(), |post| post.create_ms);
            revisions.truncate(fitting(&revisions, |revision| post_bytes(&revision.body)));
            // Taken before any is left out: revisions are numbered from 1 without gaps.
            let next_below = revisions.last().map(|last| last.revision).filter(|last| *last > 1);
            if let Some(viewer) = viewer {
                let relation = behind.relation(header.author);
                let then = |revision: &Revision| PostHeader { visibility: revision.visibility, ..header };
                let groups = revisions.iter().filter_map(|revision| then(revision).audience()).collect();
                let groups = groups_of(&*view, Some(viewer), groups).await?;
                let is_in = |owner, id| groups.contains(&(owner, id));
                revisions
                    .retain(|revision| check_visibility(&then(revision), viewer, &relation, is_in).is_ok());
            }
            let position = view.position().joined(at_least);
            Ok(Some(Revisions { revisions, next_below, author: header.author, create_ms, position }))
        })
        .await
    }
}

/// The header of a post that the viewer may see, with what that was decided by.
async fn require(view: &dyn PostView, viewer: Option<Uid>, id: PostId) -> Result<(PostHeader, Behind)> {
    let (mut accesses, behind) = access_of_authors(view, viewer, &[id], Originals::OfReposts).await?;
    match accesses.pop() {
        Some(PostAccess::Visible(header)) => Ok((header, behind)),
        None | Some(PostAccess::Missing) => Err(Error::new(Reason::PostNotFound)),
        Some(PostAccess::Hidden(_, hidden)) => Err(Error::new(hidden.refusal())),
    }
}

/// Returns the likers without gone users, and without users whom a block separates from the viewer.
async fn shown_likers(view: &dyn PostView, viewer: Option<Uid>, mut likers: Vec<Edge>) -> Result<Vec<Edge>> {
    let uids: Vec<Uid> = likers.iter().map(|edge| edge.uid).collect();
    let (relations, gone) = tokio::try_join!(relations(view, viewer, uids.clone()), gone(view, &uids))?;
    let is_apart = |uid| relations.get(&uid).is_some_and(Relation::is_apart);
    likers.retain(|edge| !gone.contains(&edge.uid) && !is_apart(edge.uid));
    Ok(likers)
}

fn check_len(ids: &[PostId]) -> Result<()> {
    if ids.len() > POSTS_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: POSTS_MAX }));
    }
    Ok(())
}
