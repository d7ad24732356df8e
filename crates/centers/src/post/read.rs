//! Reads of the post center.

use super::size::{fitting, post_bytes, shown_bytes};
use super::{PostAccess, PostCenter, PostStatus, ShownPost, post_access};
use guanxi_model::limits::{HOME_SCAN_MAX, POSTS_MAX};
use guanxi_model::post::{AuthorFilter, Post, PostStats, Revision};
use guanxi_model::{
    Edge, EdgePage, Error, Page, Position, PostCursor, PostId, PostPage, Reason, Result, Uid,
};
use guanxi_ports::{BoxFuture, OutboxAsk, PostView};
use std::collections::{BTreeSet, HashMap};

/// What a batch answers.
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

/// A page of those who like a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likers {
    /// The users, newest like first; those whom a block separates from the viewer are left out.
    pub page: EdgePage,
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
    /// When the post was created, in Unix milliseconds.
    pub create_ms: u64,
    /// Where the answer stands.
    pub position: Position,
}

impl PostCenter {
    /// Up to [`POSTS_MAX`] posts, each with its status. Those that the answer has no room for are
    /// [`PostStatus::Omitted`]; the first one that is seen never is.
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
        let view = self.posts.post_view(at_least.as_ref()).await?;
        let accesses = post_access(&*view, viewer, ids).await?;
        let seen: Vec<PostId> =
            accesses.iter().zip(ids).filter_map(|(access, id)| access.visible().map(|_| *id)).collect();
        let mut shown = show_fitting(&*view, viewer, &seen).await?.into_iter();
        let status = |access: PostAccess| match access {
            PostAccess::Visible(_) => {
                shown.next().map_or(PostStatus::Omitted, |post| PostStatus::Ok(Box::new(post)))
            }
            other => other.into(),
        };
        let posts = accesses.into_iter().map(status).collect();
        Ok(GotPosts { posts, position: view.position().joined(at_least.as_ref()) })
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
        let view = self.posts.post_view(at_least.as_ref()).await?;
        let mut visible: Vec<PostId> = Vec::new();
        // Across a block there is nothing to see, so nothing is looked at.
        let apart = match viewer.filter(|viewer| *viewer != author) {
            Some(viewer) => {
                let relation = view.relations(viewer, &[author]).await?.pop().unwrap_or_default();
                relation.blocking || relation.blocked_by
            }
            None => false,
        };
        let mut ask = OutboxAsk { author, below: page.below };
        let (mut scanned, mut more) = (0, !apart);
        // One beyond the page tells whether the list goes on.
        while more && visible.len() <= page.size && scanned < HOME_SCAN_MAX as usize {
            let part = view.outboxes(&[ask], page.size + 1 - visible.len()).await?;
            more = part.parts.first().is_some_and(|part| part.more);
            scanned += part.ids.len();
            ask.below = part.ids.last().copied().or(ask.below);
            let accesses = post_access(&*view, viewer, &part.ids).await?;
            let taken =
                accesses.into_iter().filter_map(PostAccess::visible).filter(|item| filter.takes(item.kind));
            visible.extend(taken.map(|item| item.id));
        }
        let next = if visible.len() > page.size {
            visible.truncate(page.size);
            visible.last().copied()
        } else if more {
            ask.below
        } else {
            None
        };
        let posts = show_fitting(&*view, viewer, &visible).await?;
        let next = if posts.len() < visible.len() { posts.last().map(ShownPost::id) } else { next };
        let scanned = u32::try_from(scanned).unwrap_or(u32::MAX);
        Ok(AuthorList {
            posts,
            next: next.map(PostCursor),
            scanned,
            position: view.position().joined(at_least.as_ref()),
        })
    }

    /// Who likes a post, newest like first.
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
        let view = self.posts.post_view(at_least.as_ref()).await?;
        require(&*view, viewer, id).await?;
        let mut found = view.likers(id, page).await?;
        if let Some(viewer) = viewer {
            // Blocks are few: a page is filled up from the next ones only as far as it lost some.
            let mut kept = unblocked(&*view, viewer, std::mem::take(&mut found.items)).await?;
            while kept.len() < page.size()
                && let Some(next) = found.next
            {
                let missing = i32::try_from(page.size() - kept.len()).unwrap_or(i32::MAX);
                found = view.likers(id, Page::new(guanxi_model::PageStart::After(next), missing)?).await?;
                kept.extend(unblocked(&*view, viewer, std::mem::take(&mut found.items)).await?);
            }
            found.items = kept;
        }
        Ok(Likers { page: found, position: view.position().joined(at_least.as_ref()) })
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
        let view = self.posts.post_view(at_least.as_ref()).await?;
        let accesses = post_access(&*view, viewer, ids).await?;
        let stats = view.stats(ids).await?;
        let one = |(accesses, stats): (PostAccess, PostStats)| match accesses {
            PostAccess::Visible(_) => Ok(stats),
            other => Err(other.into()),
        };
        Ok(PostsWithStats {
            stats: accesses.into_iter().zip(stats).map(one).collect(),
            position: view.position().joined(at_least.as_ref()),
        })
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
        let view = self.posts.post_view(at_least.as_ref()).await?;
        let item = require(&*view, viewer, id).await?;
        let post = view.posts(&[id]).await?.pop().flatten();
        let create_ms = post.map_or_else(|| id.ms(), |post| post.create_ms);
        let mut revisions = view.revisions(id, below, max).await?;
        revisions.truncate(fitting(&revisions, |revision| post_bytes(&revision.body)));
        // Taken before any is left out: revisions are numbered from 1 without gaps.
        let next_below = revisions.last().map(|last| last.revision).filter(|last| *last > 1);
        if let Some(viewer) = viewer.filter(|viewer| *viewer != item.author) {
            let relation = view.relations(viewer, &[item.author]).await?.pop().unwrap_or_default();
            let then =
                |revision: &Revision| guanxi_model::PostHeader { visibility: revision.visibility, ..item };
            revisions.retain(|revision| {
                guanxi_model::post::check_visibility(&then(revision), viewer, &relation).is_ok()
            });
        }
        Ok(Revisions {
            revisions,
            next_below,
            create_ms,
            position: view.position().joined(at_least.as_ref()),
        })
    }
}

impl PostAccess {
    /// The item, if the viewer sees it.
    pub(crate) const fn visible(self) -> Option<guanxi_model::PostHeader> {
        match self {
            Self::Visible(item) => Some(item),
            Self::Missing | Self::Hidden(..) => None,
        }
    }
}

/// The item of a post that the viewer may see.
async fn require(view: &dyn PostView, viewer: Option<Uid>, id: PostId) -> Result<guanxi_model::PostHeader> {
    match post_access(view, viewer, &[id]).await?.pop() {
        Some(PostAccess::Visible(item)) => Ok(item),
        None | Some(PostAccess::Missing) => Err(Error::new(Reason::PostNotFound)),
        Some(PostAccess::Hidden(_, hidden)) => Err(Error::new(hidden.refusal())),
    }
}

async fn unblocked(view: &dyn PostView, viewer: Uid, likers: Vec<Edge>) -> Result<Vec<Edge>> {
    let uids: Vec<Uid> = likers.iter().map(|edge| edge.uid).collect();
    let relations = view.relations(viewer, &uids).await?;
    let clear = |(edge, relation): (Edge, guanxi_model::Relation)| {
        (!relation.blocking && !relation.blocked_by).then_some(edge)
    };
    Ok(likers.into_iter().zip(relations).filter_map(clear).collect())
}

/// How many originals stand behind each other in an answer: that of a repost, and if it is a quote, what that quotes.
const ORIGINALS_DEEP: u8 = 2;

/// Posts that are read at a time while an answer is filled: what is read in vain stays small.
const READ_AT_ONCE: usize = 32;

/// Posts that the viewer is known to see, with counters, what the viewer did with them, and originals of reposts and
/// quotes: the first ones, as far as one answer has room for them.
pub(crate) async fn show_fitting(
    view: &dyn PostView,
    viewer: Option<Uid>,
    ids: &[PostId],
) -> Result<Vec<ShownPost>> {
    let mut shown: Vec<ShownPost> = Vec::with_capacity(ids.len());
    for ids in ids.chunks(READ_AT_ONCE) {
        for (id, post) in ids.iter().zip(show_with(view, viewer, ids, ORIGINALS_DEEP).await?) {
            // A view that has the header of a post has the post.
            let lost = || Error::with_detail(Reason::Internal, format_args!("post {id} is missing"));
            shown.push(post.ok_or_else(lost)?);
        }
        let fits = fitting(&shown, shown_bytes);
        if fits < shown.len() {
            shown.truncate(fits);
            break;
        }
    }
    Ok(shown)
}

fn show_with<'a>(
    view: &'a dyn PostView,
    viewer: Option<Uid>,
    ids: &'a [PostId],
    originals_deep: u8,
) -> BoxFuture<'a, Result<Vec<Option<ShownPost>>>> {
    Box::pin(async move {
        let mut shown = with_counters(view, viewer, ids, view.posts(ids).await?).await?;
        if originals_deep == 0 {
            return Ok(shown);
        }
        let of = |shown: &ShownPost| Some(shown.post.header.kind.shared()?.0);
        let originals: BTreeSet<PostId> = shown.iter().flatten().filter_map(of).collect();
        if originals.is_empty() {
            return Ok(shown);
        }
        let originals: Vec<PostId> = originals.into_iter().collect();
        let statuses = statuses(view, viewer, &originals, originals_deep - 1).await?;
        let by_id: HashMap<PostId, PostStatus> = originals.into_iter().zip(statuses).collect();
        for shown in shown.iter_mut().flatten() {
            shown.original = of(shown).and_then(|of| by_id.get(&of).cloned());
        }
        Ok(shown)
    })
}

/// Posts as a viewer gets them, whether it sees them or not.
async fn statuses(
    view: &dyn PostView,
    viewer: Option<Uid>,
    ids: &[PostId],
    originals_deep: u8,
) -> Result<Vec<PostStatus>> {
    let accesses = post_access(view, viewer, ids).await?;
    let seen: Vec<PostId> =
        accesses.iter().zip(ids).filter_map(|(access, id)| access.visible().map(|_| *id)).collect();
    let mut shown = show_with(view, viewer, &seen, originals_deep).await?.into_iter();
    let status = |access: PostAccess| match access {
        PostAccess::Visible(_) => {
            shown.next().flatten().map_or(PostStatus::NotFound, |post| PostStatus::Ok(Box::new(post)))
        }
        other => other.into(),
    };
    Ok(accesses.into_iter().map(status).collect())
}

async fn with_counters(
    view: &dyn PostView,
    viewer: Option<Uid>,
    ids: &[PostId],
    posts: Vec<Option<Post>>,
) -> Result<Vec<Option<ShownPost>>> {
    let stats = view.stats(ids).await?;
    let (likes, reposted) = match viewer {
        Some(viewer) => (view.likes(viewer, ids).await?, view.reposted(viewer, ids).await?),
        None => (vec![false; ids.len()], vec![false; ids.len()]),
    };
    let shown = posts.into_iter().zip(stats).zip(likes.into_iter().zip(reposted));
    let one = |((post, stats), (liked, reposted)): ((Option<Post>, _), _)| {
        Some(ShownPost { post: post?, stats, liked, reposted, original: None })
    };
    Ok(shown.map(one).collect())
}

fn check_len(ids: &[PostId]) -> Result<()> {
    if ids.len() > POSTS_MAX as usize {
        return Err(Error::new(Reason::BatchTooLarge { limit: POSTS_MAX }));
    }
    Ok(())
}
