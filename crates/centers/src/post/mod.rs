//! The post center: writing, reading and liking posts.
//!
//! [`PostCenter`] is the whole public surface; writes are in [`write`], reads in [`read`]. [`guanxi_model::post::visible`]
//! alone decides what a viewer may see, here as in home.

mod access;
mod behind;
mod read;
mod show;
mod shown;
pub(crate) mod size;
mod write;

pub(crate) use access::{PostAccess, access_of_authors, post_access};
pub(crate) use behind::{Behind, Lookups, Originals, gone, relations};
pub use read::{AuthorList, GotPosts, Likers, PostsWithStats, Reposters, Revisions};
pub(crate) use show::show_fitting;
pub use shown::{PostStatus, ShownPost};
pub use write::PURGE_PIECES_MAX;
pub(crate) use write::take_likes_back;

use guanxi_ports::Store;
use std::sync::Arc;

/// The post center over a backend. Cheap to clone.
#[derive(Clone)]
pub struct PostCenter {
    store: Arc<dyn Store>,
}

impl PostCenter {
    /// A center over a backend's port.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }
}

#[cfg(test)]
mod tests;
