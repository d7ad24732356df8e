//! The long lists whose first pages are in memory.

use super::cache::CacheKey;
use super::first_pages::{FirstPages, ListChange};
use guanxi_model::{Edge, Gene, PostId, RequestKind, Uid};

/// The requests of one kind that a user got.
#[derive(Clone, Copy, Debug)]
pub struct RequestsTo(pub Uid, pub RequestKind);

impl CacheKey for RequestsTo {
    #[inline]
    fn raw(self) -> u64 {
        // A uid has 63 bits.
        self.0.get() << 1 | u64::from(self.1 == RequestKind::Friend)
    }

    #[inline]
    fn gene_of(raw: u64) -> Gene {
        Uid::gene_of(raw >> 1)
    }
}

/// The first pages of lists, by kind of list.
pub struct Lists {
    /// The followers of a user.
    pub followers: FirstPages<Uid, Edge>,
    /// What was asked of a user.
    pub requests: FirstPages<RequestsTo, Edge>,
    /// The users that like a post.
    pub likers: FirstPages<PostId, Edge>,
    /// Reposts and quotes of a post.
    pub reposts: FirstPages<PostId, PostId>,
}

/// What a group of writes did to lists.
#[derive(Default)]
pub struct ListChanges {
    /// Of followers.
    pub followers: Vec<(Uid, ListChange<Edge>)>,
    /// Of requests to users.
    pub requests: Vec<(RequestsTo, ListChange<Edge>)>,
    /// Of the users that like posts.
    pub likers: Vec<(PostId, ListChange<Edge>)>,
    /// Of reposts and quotes.
    pub reposts: Vec<(PostId, ListChange<PostId>)>,
}

impl Lists {
    /// Empty lists. Followers have a budget of `bytes`, each other kind an eighth of it.
    pub fn new(bytes: u64) -> Self {
        Self {
            followers: FirstPages::new("followers", bytes),
            requests: FirstPages::new("requests", bytes / 8),
            likers: FirstPages::new("likers", bytes / 8),
            reposts: FirstPages::new("reposts", bytes / 8),
        }
    }

    /// Returns what all lists may hold, in bytes, of followers' budget.
    pub const fn budget(bytes: u64) -> u64 {
        bytes + 3 * (bytes / 8)
    }

    /// Applies what the commit `seq` did, before it is published.
    pub fn apply(&self, seq: u64, changes: &ListChanges) {
        self.followers.apply(seq, &changes.followers);
        self.requests.apply(seq, &changes.requests);
        self.likers.apply(seq, &changes.likers);
        self.reposts.apply(seq, &changes.reposts);
    }
}
