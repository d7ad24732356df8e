//! Posts and users that an operator has taken down.

use super::{Kind, Oracle, Written};
use guanxi_model::{PostId, Uid};

impl Written {
    /// Whether it is there for its audience.
    pub(super) const fn is_there(&self) -> bool {
        !self.deleted && !self.taken_down
    }
}

impl Oracle {
    /// Whether a post is taken down, deleted by its author or not.
    pub fn is_taken_down(&self, id: PostId) -> bool {
        self.posts.get(&id).is_some_and(|post| post.taken_down)
    }

    /// Whether nothing is kept of a post but that it was.
    pub fn is_purged(&self, id: PostId) -> bool {
        self.posts.get(&id).is_some_and(|post| post.purged)
    }

    /// Whether a user is taken down.
    pub fn is_user_taken_down(&self, uid: Uid) -> bool {
        self.taken_down.contains(&uid)
    }

    /// Whether a viewer is shown a post that it asks for by its id, or in a list of its author: one that it may see, or one of
    /// its own that is taken down.
    pub fn may_look_at(&self, viewer: Option<Uid>, id: PostId) -> bool {
        let Some(post) = self.posts.get(&id) else { return false };
        let is_own = viewer == Some(post.author) && post.taken_down && !post.deleted;
        let is_shown = match post.kind {
            Kind::Repost(of) => self.may_see(viewer, of),
            Kind::Post | Kind::Reply(_) | Kind::Quote(_) => true,
        };
        self.may_see(viewer, id) || is_own && self.is_there(post.author) && is_shown
    }

    pub(super) fn take_down(&mut self, id: PostId) -> bool {
        let post = self.posts.get_mut(&id).filter(|post| !post.purged);
        post.is_some_and(|post| !std::mem::replace(&mut post.taken_down, true))
    }

    /// A repost without words comes back as deleted while another of the same stands.
    pub(super) fn reinstate(&mut self, id: PostId) -> bool {
        let Some(post) = self.posts.get(&id).copied().filter(|post| post.taken_down) else { return false };
        let is_replaced = matches!(post.kind, Kind::Repost(of) if self.reposted(post.author, of).is_some());
        if let Some(post) = self.posts.get_mut(&id) {
            post.taken_down = false;
            post.deleted |= is_replaced;
        }
        true
    }
}
