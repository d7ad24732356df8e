//! Posts as viewers get them.

use super::PostAccess;
use guanxi_model::post::{Post, PostStats};
use guanxi_model::{PostId, Reason};

/// A post as a viewer gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownPost {
    /// The post.
    pub post: Post,
    /// Its counters.
    pub stats: PostStats,
    /// Whether the viewer likes it; false without a viewer.
    pub liked: bool,
    /// Whether a plain repost of it by the viewer stands; false without a viewer.
    pub reposted: bool,
    /// The original of a repost or quote, as the viewer gets it.
    pub original: Option<PostStatus>,
}

/// The status of one post in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostStatus {
    /// The viewer may see it.
    Ok(Box<ShownPost>),
    /// There is no such post.
    NotFound,
    /// It was deleted.
    Deleted,
    /// The viewer may not see it.
    Forbidden,
    /// It had no room in the answer; another call gets it.
    Omitted,
}

impl ShownPost {
    /// Which post it is.
    pub(crate) const fn id(&self) -> PostId {
        self.post.header.id
    }
}

impl From<PostAccess> for PostStatus {
    /// The status of a post whose content is not at hand; a visible one counts as missing.
    fn from(accesses: PostAccess) -> Self {
        match accesses {
            PostAccess::Missing | PostAccess::Visible(_) => Self::NotFound,
            PostAccess::Hidden(_, hidden) if hidden.refusal() == Reason::PostDeleted => Self::Deleted,
            PostAccess::Hidden(..) => Self::Forbidden,
        }
    }
}
