//! Step four of a read: the answer, with posts when they are asked for.

use super::FeedCenter;
use super::read::HomePage;
use crate::confirm::{CONFIRM_TRIES, unconfirmed};
use crate::post::{ShownPost, show_fitting};
use guanxi_model::{Position, PostCursor, PostPage, Result, Uid};

/// A page of home with its posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomePosts {
    /// The page.
    pub page: HomePage,
    /// Its posts, in the order of the page.
    pub posts: Vec<ShownPost>,
}

impl FeedCenter {
    /// A page of home with its posts, counters, the viewer's likes, and the originals of reposts. It ends where the answer
    /// has no room for more posts.
    ///
    /// # Errors
    /// Those of pinning a view.
    pub async fn home_posts(
        &self,
        viewer: Uid,
        page: PostPage,
        at_least: Option<Position>,
    ) -> Result<HomePosts> {
        for _ in 0..CONFIRM_TRIES {
            let (mut page, view) = self.home_and_view(viewer, page, at_least.as_ref()).await?;
            let posts = show_fitting(&*view, Some(viewer), &page.ids).await?;
            if posts.len() < page.ids.len() {
                page.ids.truncate(posts.len());
                page.next = page.ids.last().copied().map(PostCursor);
            }
            if view.confirm(viewer).await? {
                return Ok(HomePosts { page, posts });
            }
        }
        Err(unconfirmed())
    }
}
