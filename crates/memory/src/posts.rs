//! Whole posts, in memory under the rules of [`cache`](crate::cache): answers that hold until an event tells of the post.
//!
//! A page takes what a post says as of the same cut as its header, so that no edit is shown to a viewer who may not see it. A deleted
//! post is not kept: a purge removes its content without an event.

use crate::cache::{Cache, Entry, Fills};
use crate::cut::Cut;
use guanxi_model::{LogId, Logs, Post, PostId};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bit of `as_of` that readers set; lets eviction spare posts that pages show.
const REFERENCED: u64 = 1 << 63;

/// Bytes of an attachment beside its reference, about.
const ATTACHMENT_BYTES: usize = 32;

/// A whole post.
#[derive(Debug, Default)]
pub struct PostEntry {
    post: Option<Arc<Post>>,
    /// The event of the author's log as of which it was read, and [`REFERENCED`].
    as_of: AtomicU64,
}

impl PostEntry {
    /// A post as its row tells it, as of an event of its author's log. `None` of a deleted one.
    pub fn new(as_of: u64, post: &Post) -> Option<Self> {
        let post = (!post.header.deleted).then(|| Arc::new(post.clone()));
        post.map(|post| Self { post: Some(post), as_of: AtomicU64::new(as_of) })
    }

    fn touch(&self) {
        if self.as_of.load(Ordering::Relaxed) & REFERENCED == 0 {
            self.as_of.fetch_or(REFERENCED, Ordering::Relaxed);
        }
    }
}

impl Clone for PostEntry {
    fn clone(&self) -> Self {
        Self { post: self.post.clone(), as_of: AtomicU64::new(self.as_of.load(Ordering::Relaxed)) }
    }
}

impl Entry for PostEntry {
    /// An event has told something of the post.
    type Change = ();

    fn heap_bytes(&self) -> usize {
        let bytes = |post: &Arc<Post>| {
            size_of::<Post>() + post.body.bytes() + post.body.attachments.len() * ATTACHMENT_BYTES
        };
        self.post.as_ref().map_or(0, bytes)
    }

    fn untouch(&self) -> bool {
        self.as_of.fetch_and(!REFERENCED, Ordering::Relaxed) & REFERENCED != 0
    }

    fn as_of(&self) -> u64 {
        self.as_of.load(Ordering::Relaxed) & !REFERENCED
    }

    fn after(&self, seq: u64, (): &()) -> Option<Self> {
        (self.as_of() >= seq).then(|| self.clone())
    }
}

/// The posts that memory holds.
pub struct PostCache(Cache<PostEntry>);

impl PostCache {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        Self(Cache::new(bytes))
    }

    /// Each of some posts as of a cut, in order; `None` of a post that memory cannot tell.
    pub fn at(&self, ids: &[PostId], cut: &impl Cut) -> Vec<Option<Arc<Post>>> {
        let held = self.0.read();
        held.warm(ids.iter().copied());
        let told = |id: &PostId| {
            let entry = held.get(*id).filter(|entry| entry.as_of() <= cut.seq_of(*id))?;
            entry.touch();
            entry.post.clone()
        };
        ids.iter().map(told).collect()
    }

    /// Registers fills of posts that memory does not have; the rows that are read for them come after.
    pub fn begin_fills(&self, ids: impl IntoIterator<Item = PostId>) -> Fills<'_, PostEntry> {
        self.0.begin_fills(ids)
    }

    /// Forgets posts of which an event of their author's log tells something, before the event is in a published cut.
    pub fn follow(&self, events: &[(u64, PostId)]) {
        if events.is_empty() {
            return;
        }
        let mut held = self.0.write();
        events.iter().for_each(|(seq, id)| held.change(*id, *seq, &()));
    }

    /// Forgets all posts by users of some logs. It looks at all posts that are held.
    pub fn forget_logs(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        self.0.forget_logs::<PostId>(logs, gone);
    }

    /// Bytes held, about, and posts held.
    pub fn size(&self) -> (usize, usize) {
        let held = self.0.read();
        (held.bytes(), held.count())
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

    fn text(posts: &PostCache, n: u64, seq: u64) -> Option<String> {
        let told = posts.at(&[PostId::new(n).unwrap()], &At(seq, u64::MAX));
        told[0].as_ref().map(|post| post.body.text.clone())
    }

    #[test]
    fn a_post_holds_from_its_event_until_the_next_one() {
        let posts = PostCache::new(1 << 20);
        let (one, other) = (post(1, "one", false), post(2, "other", false));
        let read = [PostEntry::new(5, &one), PostEntry::new(5, &other)];
        posts.begin_fills([one.header.id, other.header.id]).keep(read);
        assert_eq!((text(&posts, 1, 5).as_deref(), text(&posts, 1, 4)), (Some("one"), None));
        posts.follow(&[(5, one.header.id), (6, other.header.id)]);
        assert_eq!((text(&posts, 1, 6).as_deref(), text(&posts, 2, 6)), (Some("one"), None));
    }

    #[test]
    fn a_post_that_changes_while_it_is_read_is_not_kept_and_a_deleted_one_never() {
        let posts = PostCache::new(1 << 20);
        let (one, gone) = (post(1, "one", false), post(2, "gone", true));
        let fill = posts.begin_fills([one.header.id, gone.header.id]);
        posts.follow(&[(6, one.header.id)]);
        fill.keep([PostEntry::new(5, &one), PostEntry::new(5, &gone)]);
        assert_eq!((text(&posts, 1, 9), text(&posts, 2, 9)), (None, None));
        assert_eq!(posts.size().1, 0);
    }

    #[test]
    fn posts_take_no_more_than_their_bytes() {
        let posts = PostCache::new(64 << 10);
        for n in 1..=500 {
            let long = post(n, &"x".repeat(1_000), false);
            posts.begin_fills([long.header.id]).keep([PostEntry::new(1, &long)]);
        }
        let (bytes, count) = posts.size();
        assert!(bytes <= 64 << 10 && (20..64).contains(&count), "{bytes} bytes of {count} posts");
    }
}
