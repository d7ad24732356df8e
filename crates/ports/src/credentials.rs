//! Stored credentials.

use crate::BoxFuture;
use guanxi_model::{Credential, Result};

/// The tokens that the server accepts, by hash.
pub trait Credentials: Send + Sync {
    /// Stores a credential durably.
    ///
    /// # Errors
    /// `AlreadyExists` when the name is taken; `LimitReached`.
    fn add(&self, credential: Credential) -> BoxFuture<'_, Result<()>>;

    /// The credential of a token's SHA-256. Answered from memory: it is asked on every call.
    fn find(&self, hash: &[u8; 32]) -> Option<Credential>;

    /// All credentials, by name.
    fn list(&self) -> Vec<Credential>;

    /// Removes a credential durably; `false` when there was none of this name.
    fn revoke(&self, name: &str) -> BoxFuture<'_, Result<bool>>;
}
