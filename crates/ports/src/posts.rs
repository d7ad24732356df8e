//! Posts, and what a feed reads of them.

use guanxi_model::limits::READ_BYTES_MAX;
use guanxi_model::post::{ImportPost, Post, PostMarks};
use guanxi_model::{Edge, PostId, Result, Stamp, Uid};

/// One of the likes of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserLike {
    /// Of which post.
    pub id: PostId,
    /// The time when it began.
    pub at: Stamp,
}

/// A like, as exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportLike {
    /// Of which post.
    pub id: PostId,
    /// The user that likes it, and since when.
    pub like: Edge,
    /// The author of the post.
    pub author: Uid,
    /// The key of the post.
    pub key: String,
}

/// The first of some exported posts, up to the one whose body brings all of them to [`READ_BYTES_MAX`]: what
/// [`Scan::all_posts`](crate::Scan::all_posts) answers.
///
/// # Errors
/// The first error of the posts taken.
pub fn first_exported(posts: impl Iterator<Item = Result<ImportPost>>) -> Result<Vec<ImportPost>> {
    first_within(posts, |post| post.body.bytes())
}

/// The first of some posts, up to the one whose body brings all of them to [`READ_BYTES_MAX`]: what [`PostView::posts`](crate::PostView::posts)
/// answers.
///
/// # Errors
/// The first error of the posts taken.
pub fn first_posts(posts: impl Iterator<Item = Result<Option<Post>>>) -> Result<Vec<Option<Post>>> {
    first_within(posts, |post| post.as_ref().map_or(0, |post| post.body.bytes()))
}

/// The same of posts with what belongs to them: what [`PostView::shown`](crate::PostView::shown) answers.
///
/// # Errors
/// The first error of the posts taken.
pub fn first_shown(
    posts: impl Iterator<Item = Result<Option<(Post, PostMarks)>>>,
) -> Result<Vec<Option<(Post, PostMarks)>>> {
    first_within(posts, |shown| shown.as_ref().map_or(0, |(post, _)| post.body.bytes()))
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
