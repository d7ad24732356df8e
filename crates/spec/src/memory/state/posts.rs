//! Posts, and what goes with them.

use guanxi_model::post::{PostIds, PostStats, Revision};
use guanxi_model::{FanoutPolicy, Position, Post, PostId, Stamp, Uid};
use guanxi_ports::AuthorHead;
use std::collections::{BTreeMap, BTreeSet};

/// All posts, and what goes with them. What is derived is marked so.
#[derive(Clone, Debug, Default)]
pub(crate) struct PostMaps {
    /// Mints ids; every id so far is below the next one that is not imported.
    pub(crate) ids: PostIds,
    /// Every post, deleted ones too.
    pub(crate) posts: BTreeMap<PostId, Post>,
    /// Derived: the same posts, by author.
    pub(crate) outboxes: BTreeSet<(Uid, PostId)>,
    /// Derived: the newest of each outbox, and when it last changed.
    pub(crate) heads: BTreeMap<Uid, AuthorHead>,
    /// Earlier revisions, by post and number.
    pub(crate) history: BTreeMap<(PostId, u32), Revision>,
    /// What a user likes, and since when.
    pub(crate) liked: BTreeMap<(Uid, PostId), Stamp>,
    /// Derived: who likes a post, and since when.
    pub(crate) likes: BTreeMap<(PostId, Uid), Stamp>,
    /// Derived: what answers or shares a post, and is not deleted; whether it shares it.
    pub(crate) references: BTreeMap<(PostId, PostId), bool>,
    /// Derived: the counters of every post that ever had one.
    pub(crate) stats: BTreeMap<PostId, PostStats>,
    /// Imported posts, by author and source key.
    pub(crate) sources: BTreeMap<(Uid, String), PostId>,
    /// The source key that each imported post came with.
    pub(crate) names: BTreeMap<PostId, String>,
    /// Up to where users have seen their homes.
    pub(crate) seen: BTreeMap<Uid, Position>,
    /// How home timelines are pushed.
    pub(crate) policy: FanoutPolicy,
}
