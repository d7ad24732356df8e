//! The user center: accounts, profiles, and who finds whom.

mod accounts;
pub mod passwords;
mod read;
pub mod sessions;
mod write;

pub use accounts::{AccountCenter, NewAccount};
pub use read::{GotUser, GotUsers, ShownUser};
pub use write::UserWritten;

use guanxi_ports::Graph;
use std::sync::Arc;

/// The user center over a backend. Cheap to clone.
#[derive(Clone)]
pub struct UserCenter {
    graph: Arc<dyn Graph>,
}

impl UserCenter {
    /// A center over a backend's port.
    pub fn new(graph: Arc<dyn Graph>) -> Self {
        Self { graph }
    }
}
