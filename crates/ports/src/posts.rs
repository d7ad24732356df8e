//! Posts, and what a feed reads of them.

use crate::{BoxFuture, OutboxView};
use guanxi_model::limits::READ_BYTES_MAX;
use guanxi_model::post::{ImportPost, Post, PostMarks, PostStats, Revision};
use guanxi_model::{Edge, EdgePage, Page, PostId, Result, Stamp, Uid};

/// Posts with their content and what others did with them, for whoever shows them.
pub trait PostView: OutboxView {
    /// Each post, in order, deleted ones too; `None` for one that does not exist at this view. The answer ends early with
    /// the post whose body brings all of them to [`READ_BYTES_MAX`]: who asked for more asks again for the rest.
    fn posts<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<Post>>>>;

    /// Earlier revisions of a post, newest first, below a revision; at most `max`.
    fn revisions(&self, id: PostId, below: Option<u32>, max: usize) -> BoxFuture<'_, Result<Vec<Revision>>>;

    /// The counters of each post, in order; all zero for one without.
    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>>;

    /// The counters of each post, and what `viewer` did with it, in order; nothing and all zero for one without.
    fn marks<'a>(&'a self, viewer: Uid, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostMarks>>>;

    /// Posts of all authors in the order of their ids, after an id, as [`ImportPosts`](guanxi_model::Command::ImportPosts)
    /// takes them: each with its id and its key, deleted ones too, without their content. The key of a post that was written
    /// here is its id in decimal, with pluses behind it for as long as another post of the author was imported under that.
    /// At most `max`, and fewer where their bodies bring them to [`READ_BYTES_MAX`]; none means the end.
    fn all_posts(&self, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<ImportPost>>>;

    /// Likes of all posts in the order of post and user, after one, with the keys of [`all_posts`](Self::all_posts); at most
    /// `max`. Fewer than `max` means the end.
    fn all_likes(&self, after: Option<(PostId, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<ExportLike>>>;

    /// What a user likes, and since when, in the order of the posts' ids, after one; at most `max`. Fewer than `max` means
    /// the end. It costs what it finds.
    fn likes_by(&self, uid: Uid, after: Option<PostId>, max: usize) -> BoxFuture<'_, Result<Vec<UserLike>>>;

    /// The names under which posts of an author were imported, each with the post that it leads to, in the order of the
    /// names, after one; at most `max`. Fewer than `max` means the end.
    fn imported_names<'a>(
        &'a self,
        author: Uid,
        after: Option<&'a str>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(String, PostId)>>>;

    /// Posts that are deleted and of which something is here that a purge removes, each with the time since when, in Unix
    /// milliseconds ([`Post::deleted_ms`]), in the order of both, after one; at most `max`. Fewer than `max` means the end. It
    /// costs what it finds.
    fn deleted_posts(
        &self,
        after: Option<(u64, PostId)>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<(u64, PostId)>>>;

    /// Who likes a post, newest like first. No offset.
    fn likers(&self, id: PostId, page: Page) -> BoxFuture<'_, Result<EdgePage>>;

    /// Reposts and quotes of a post that are not deleted, newest first, below one; at most `max`. Fewer than `max` means the
    /// end. It costs what it finds.
    fn reposts_of(
        &self,
        original: PostId,
        below: Option<PostId>,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<PostId>>>;
}

/// One of the likes of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserLike {
    /// Of which post.
    pub id: PostId,
    /// Since when.
    pub at: Stamp,
}

/// A like, as exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportLike {
    /// Of which post.
    pub id: PostId,
    /// Who likes it, and since when.
    pub like: Edge,
    /// Whose post.
    pub author: Uid,
    /// The key of the post.
    pub key: String,
}

/// The first of some exported posts, up to the one whose body brings all of them to [`READ_BYTES_MAX`]: what
/// [`PostView::all_posts`] answers.
///
/// # Errors
/// The first error of the posts taken.
pub fn first_exported(posts: impl Iterator<Item = Result<ImportPost>>) -> Result<Vec<ImportPost>> {
    first_within(posts, |post| post.body.bytes())
}

/// The first of some posts, up to the one whose body brings all of them to [`READ_BYTES_MAX`]: what [`PostView::posts`]
/// answers.
///
/// # Errors
/// The first error of the posts taken.
pub fn first_posts(posts: impl Iterator<Item = Result<Option<Post>>>) -> Result<Vec<Option<Post>>> {
    first_within(posts, |post| post.as_ref().map_or(0, |post| post.body.bytes()))
}

fn first_within<T>(posts: impl Iterator<Item = Result<T>>, bytes: impl Fn(&T) -> usize) -> Result<Vec<T>> {
    let mut first = Vec::with_capacity(posts.size_hint().0);
    let mut room = READ_BYTES_MAX;
    for post in posts {
        let post = post?;
        room = room.saturating_sub(bytes(&post));
        first.push(post);
        if room == 0 {
            break;
        }
    }
    Ok(first)
}
