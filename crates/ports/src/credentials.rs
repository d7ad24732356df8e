//! Stored credentials: tokens of services and operators, and the names that operators gave to tokens of end users.

use crate::{BoxFuture, Facts};
use guanxi_model::{Credential, CredentialCommand, Result, Write};

/// The tokens that operators made, by hash and by name; few enough to be held in memory.
///
/// One of an end user is a name for a session: it says whose the token is and which, and the session says whether it
/// is valid (see [`Sessions`](crate::Sessions)).
///
/// What adds or revokes one is a write like any other: a [`CredentialCommand`]. It goes through this port, so that wrappers
/// which keep sessions by names, or wait for the end of a token, are told.
pub trait Credentials: Facts {
    /// Returns the credential of a token's SHA-256, the first by name if several have it. It is asked on every call of a
    /// service or operator.
    ///
    /// # Errors
    /// When the backend cannot be asked: then it is not known whether the token is valid.
    fn find(&self, hash: [u8; 32]) -> BoxFuture<'_, Result<Option<Credential>>>;

    /// Returns all credentials, by name.
    ///
    /// # Errors
    /// When the backend cannot be asked.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Credential>>>;
}

/// Single commands, each in a write of its own.
pub trait CredentialWrites: Credentials {
    /// Adds a credential.
    ///
    /// # Errors
    /// As [`CredentialCommand::Add`] says, and what a name may not be; that of the store.
    fn add(&self, credential: Credential) -> BoxFuture<'_, Result<()>> {
        let write = Write::of(CredentialCommand::Add(credential));
        Box::pin(async move { self.apply(write).await?.plain().map(|_added| ()) })
    }

    /// Revokes a credential; `false` when there was none of this name.
    ///
    /// # Errors
    /// That of the store.
    fn revoke(&self, name: &str) -> BoxFuture<'_, Result<bool>> {
        let write = Write::of(CredentialCommand::Revoke { name: name.to_owned() });
        Box::pin(async move { self.apply(write).await?.plain() })
    }
}

impl<C: Credentials + ?Sized> CredentialWrites for C {}
