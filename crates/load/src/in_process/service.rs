//! The centers as a service that load can be put on.

use crate::backend::Backend;
use crate::in_process::fanout::draft;
use crate::in_process::{PAGE, first_page};
use crate::service::{Service, Streamed};
use guanxi_centers::feed::{FeedCenter, HomeStream};
use guanxi_centers::post::{PostCenter, PostStatus};
use guanxi_model::post::AuthorFilter;
use guanxi_model::{PostId, PostPage, Result, Uid};

/// The centers of this process.
#[derive(Clone)]
pub struct Centers {
    feed: FeedCenter,
    posts: PostCenter,
}

impl std::fmt::Debug for Centers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Centers").finish_non_exhaustive()
    }
}

impl Centers {
    /// The centers over a backend.
    pub fn new(backend: &Backend, feed: &FeedCenter) -> Self {
        Self { feed: feed.clone(), posts: backend.post_center() }
    }
}

impl Service for Centers {
    type Stream = HomeStream;

    async fn home(&mut self, viewer: Uid) -> Result<Vec<PostId>> {
        self.feed.home(viewer, first_page(), None).await.map(|home| home.ids)
    }

    async fn create(&mut self, author: Uid, text: String) -> Result<PostId> {
        self.posts.create(draft(author, text), None).await.map(|written| written.id)
    }

    async fn get(&mut self, id: PostId, viewer: Uid) -> Result<bool> {
        let got = self.posts.get(&[id], Some(viewer), None).await?;
        Ok(matches!(got.posts.as_slice(), [PostStatus::Ok(_)]))
    }

    async fn list_author(&mut self, author: Uid, viewer: Uid) -> Result<usize> {
        let page = PostPage { below: None, size: PAGE };
        let list = self.posts.list_author(author, AuthorFilter::Posts, page, Some(viewer), None).await?;
        Ok(list.posts.len())
    }

    async fn stream(&mut self, viewer: Uid) -> Result<HomeStream> {
        Ok(self.feed.stream(viewer, None))
    }
}

impl Streamed for HomeStream {
    async fn next_ids(&mut self) -> Result<Vec<PostId>> {
        self.next().await.map(|news| news.ids)
    }
}
