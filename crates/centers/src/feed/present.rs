//! Step four of a read: the answer, with posts when they are asked for.

use super::FeedCenter;
use super::page::HomePage;
use super::read::ReadHome;
use crate::confirm::confirmed;
use crate::post::{Originals, ShownPost, show_fitting};
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
        let at_least = at_least.as_ref();
        confirmed(|| async {
            let read = self.read_home(viewer, page, at_least, Originals::OfAll).await?;
            read.present(viewer).await
        })
        .await
    }
}

impl ReadHome {
    /// The posts of a page, as many as an answer has room for; `None` if it is not confirmed.
    pub(super) async fn present(self, viewer: Uid) -> Result<Option<HomePosts>> {
        let Self { mut page, view, shown } = self;
        // All users whose posts are shown have been looked up by now, except users that only a quote within a quote names.
        let posts = show_fitting(&*view, Some(viewer), &shown.headers, &shown.behind).await?;
        // What posts say may be newer than what decided that the viewer sees them.
        let confirmed = view.confirm(viewer).await?;
        if posts.len() < page.ids.len() {
            page.ids.truncate(posts.len());
            page.next = page.ids.last().copied().map(PostCursor);
        }
        Ok(confirmed.then_some(HomePosts { page, posts }))
    }
}
