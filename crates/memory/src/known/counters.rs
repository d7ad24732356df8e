//! Counters of posts, and what viewers did with posts.
//!
//! The log of a post's author has each event that changes its counters: likes, and posts that answer or share it. The log of a viewer
//! has what the viewer did.

use super::{KnownCache, KnownEntry, KnownValue};
use crate::cache::CacheKey;
use crate::pairs::PairKey;
use guanxi_model::post::PostStats;
use guanxi_model::{Gene, PostId, Uid};

/// The counters of posts that memory holds.
pub type CountersCache = KnownCache<PostId, PostStats>;

/// What viewers did with posts, as far as memory holds it.
pub type MarksCache = KnownCache<MarkKey, HeldMarks>;

impl KnownValue for PostStats {}

/// A viewer and a post, as their marks are found: by a hash, whose last byte is the gene of the viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkKey(PairKey);

impl MarkKey {
    /// The key of a viewer and a post.
    pub fn new(viewer: Uid, id: PostId) -> Self {
        Self(PairKey::of_ids((viewer.get(), id.get()), viewer.gene()))
    }
}

impl CacheKey for MarkKey {
    fn raw(self) -> u64 {
        self.0.raw()
    }

    fn gene_of(raw: u64) -> Gene {
        PairKey::gene_of(raw)
    }
}

/// What a viewer did with a post. Two pairs may have the same key: it says of which pair it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldMarks {
    viewer: u64,
    id: u64,
    liked: bool,
    reposted: bool,
}

impl HeldMarks {
    /// What memory keeps of it as rows tell it, as of an event of the viewer's log: whether the viewer likes the post, and reposts it.
    pub const fn entry(
        as_of: u64,
        (viewer, id): (Uid, PostId),
        (liked, reposted): (bool, bool),
    ) -> KnownEntry<Self> {
        KnownEntry::new(as_of, Self { viewer: viewer.get(), id: id.get(), liked, reposted })
    }

    /// Whether the viewer likes the post, and reposts it. None if it is of another pair.
    pub fn of(self, viewer: Uid, id: PostId) -> Option<(bool, bool)> {
        ((self.viewer, self.id) == (viewer.get(), id.get())).then_some((self.liked, self.reposted))
    }
}

impl KnownValue for HeldMarks {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::At;

    #[test]
    fn marks_are_those_of_their_viewer_and_post() {
        let marks = MarksCache::new(1 << 20);
        let (viewer, id) = (Uid::new(0x105).unwrap(), PostId::new(0x907).unwrap());
        let key = MarkKey::new(viewer, id);
        assert_eq!(MarkKey::gene_of(key.raw()), Gene(5), "the log is that of the viewer");
        marks.begin_fills([key]).keep([Some(HeldMarks::entry(3, (viewer, id), (true, false)))]);
        let told = marks.at(&[key], &At(3, 0))[0].unwrap();
        assert_eq!(told.of(viewer, id), Some((true, false)));
        assert_eq!(
            told.of(Uid::new(0x205).unwrap(), id),
            None,
            "as another pair with the same key would be told"
        );
        marks.follow(&[(4, key)]);
        assert_eq!(marks.at(&[key], &At(9, 0)), [None]);
    }
}
