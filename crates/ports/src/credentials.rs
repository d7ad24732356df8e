//! Stored credentials: tokens of services and operators, and the names that operators gave to tokens of end users.

use crate::BoxFuture;
use guanxi_model::{Credential, Result};

/// The tokens that operators made, by hash and by name; few enough to be held in memory.
///
/// One of an end user is a name for a session: it says whose the token is and which, and the session says whether it
/// is valid (see [`Sessions`](crate::Sessions)).
pub trait Credentials: Send + Sync {
    /// Stores a credential durably.
    ///
    /// # Errors
    /// `AlreadyExists` when the name is taken; `LimitReached`.
    fn add(&self, credential: Credential) -> BoxFuture<'_, Result<()>>;

    /// Returns the credential of a token's SHA-256. It is asked on every call of a service or operator.
    ///
    /// # Errors
    /// When the backend cannot be asked: then it is not known whether the token is valid.
    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>>;

    /// Returns all credentials, by name.
    ///
    /// # Errors
    /// When the backend cannot be asked.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>>;

    /// Removes a credential durably; `false` when there was none of this name.
    ///
    /// # Errors
    /// When the backend cannot write.
    fn revoke(&self, name: &str) -> BoxFuture<'_, Result<bool>>;
}
