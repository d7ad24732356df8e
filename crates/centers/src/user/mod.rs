//! The user center: accounts, profiles, and who finds whom.

mod accounts;
mod contacts;
pub mod export;
mod external_ids;
pub mod familiar;
mod find;
mod hints;
pub mod passwords;
mod read;
pub mod sessions;
mod write;

pub use accounts::{AccountCenter, LoginAttempt, NewAccount};
pub use external_ids::{ExternalIdCenter, KnownUid, ResolvedIds};
pub use read::{GotUser, GotUsers, ShownUser};

use guanxi_model::Clock;
use guanxi_ports::Store;
use hints::Hints;
use std::sync::Arc;

/// The user center over a backend. Cheap to clone.
#[derive(Clone)]
pub struct UserCenter {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    hints: Arc<Hints>,
}

impl UserCenter {
    /// A center over a backend's port.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, hints: Arc::default() }
    }
}

#[cfg(test)]
mod tests;
