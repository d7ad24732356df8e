//! The centers as a service that load can be put on.

use crate::in_process::fanout::draft;
use crate::in_process::{PAGE, first_page};
use crate::service::{Service, Streamed};
use guanxi_centers::Centers;
use guanxi_centers::feed::HomeStream;
use guanxi_centers::post::PostStatus;
use guanxi_model::post::AuthorFilter;
use guanxi_model::{PostId, PostPage, Result, Uid};

impl Service for Centers {
    type Stream = HomeStream;

    async fn home(&mut self, viewer: Uid) -> Result<Vec<PostId>> {
        self.feed.home(viewer, first_page(), None).await.map(|home| home.ids)
    }

    async fn create(&mut self, author: Uid, text: String) -> Result<PostId> {
        self.post.create(draft(author, text), None).await.map(|written| written.id)
    }

    async fn get(&mut self, id: PostId, viewer: Uid) -> Result<bool> {
        let got = self.post.get(&[id], Some(viewer), None).await?;
        Ok(matches!(got.posts.as_slice(), [PostStatus::Ok(_)]))
    }

    async fn list_author(&mut self, author: Uid, viewer: Uid) -> Result<usize> {
        let page = PostPage { below: None, size: PAGE };
        let list = self.post.list_author(author, AuthorFilter::Posts, page, Some(viewer), None).await?;
        Ok(list.posts.len())
    }

    async fn stream(&mut self, viewer: Uid) -> Result<HomeStream> {
        self.feed.stream(viewer, None).await
    }
}

impl Streamed for HomeStream {
    async fn next_ids(&mut self) -> Result<Vec<PostId>> {
        self.next().await.map(|news| news.ids)
    }
}
