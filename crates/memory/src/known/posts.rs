//! Whole posts. A page takes what a post says as of the same cut as its header, so that no edit is shown to a viewer who may not see
//! it.

use super::{KnownCache, KnownEntry, KnownValue};
use guanxi_model::{Post, PostId};
use std::sync::Arc;

/// The posts that memory holds.
pub type PostCache = KnownCache<PostId, HeldPost>;

/// Bytes of an attachment beside its reference, about.
const ATTACHMENT_BYTES: usize = 32;

/// A post that is not deleted. The default has none.
#[derive(Clone, Debug, Default)]
pub struct HeldPost(Option<Arc<Post>>);

impl HeldPost {
    /// What memory keeps of a post as its row tells it, as of an event of its author's log. `None` of a deleted one: a purge removes
    /// its content without an event.
    pub fn entry(as_of: u64, post: &Post) -> Option<KnownEntry<Self>> {
        let held = (!post.header.deleted).then(|| Self(Some(Arc::new(post.clone()))));
        held.map(|held| KnownEntry::new(as_of, held))
    }

    /// The post.
    pub fn post(&self) -> Option<&Post> {
        self.0.as_deref()
    }
}

impl KnownValue for HeldPost {
    const INLINE: bool = false;

    fn heap_bytes(&self) -> usize {
        let bytes = |post: &Post| {
            size_of::<Post>() + post.body.bytes() + post.body.attachments.len() * ATTACHMENT_BYTES
        };
        self.post().map_or(0, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::At;
    use guanxi_model::post::{Body, Kind, PostHeader};
    use guanxi_model::{Uid, Visibility};

    fn post(n: u64, text: &str, deleted: bool) -> Post {
        let header = PostHeader {
            id: PostId::new(n).unwrap(),
            author: Uid::new(1).unwrap(),
            kind: Kind::Post,
            visibility: Visibility::Public,
            deleted,
            taken_down: false,
            event: None,
        };
        let body = Body { text: text.to_owned(), attachments: Vec::new() };
        Post { header, body, revision: 1, update_ms: 1, create_ms: 1, deleted_ms: None, takedown: None }
    }

    #[test]
    fn a_deleted_post_is_not_kept() {
        let posts = PostCache::new(1 << 20);
        let (one, gone) = (post(1, "one", false), post(2, "gone", true));
        let ids = [one.header.id, gone.header.id];
        posts.begin_fills(ids).keep([HeldPost::entry(5, &one), HeldPost::entry(5, &gone)]);
        let told = posts.at(&ids, &At(5, u64::MAX));
        assert_eq!(told[0].as_ref().and_then(HeldPost::post), Some(&one));
        assert!(told[1].is_none() && posts.size().1 == 1);
    }

    #[test]
    fn posts_take_no_more_than_their_bytes() {
        let posts = PostCache::new(64 << 10);
        for n in 1..=500 {
            let long = post(n, &"x".repeat(1_000), false);
            posts.begin_fills([long.header.id]).keep([HeldPost::entry(1, &long)]);
        }
        let (bytes, count) = posts.size();
        assert!(bytes <= 64 << 10 && (20..64).contains(&count), "{bytes} bytes of {count} posts");
    }
}
