//! What a plan reads and changes of the tokens that operators made.

use super::EventRows;
use crate::credential::Credential;

/// Tokens of services and operators, and the names of tokens of end users. They are no user's.
pub trait CredentialRows: EventRows {
    /// Returns whether there is a credential of a name.
    ///
    /// # Errors
    /// When the row cannot be read.
    fn has_credential(&mut self, name: &str) -> Result<bool, Self::Error>;

    /// Returns how many credentials there are.
    ///
    /// # Errors
    /// When the number cannot be read.
    fn credentials(&mut self) -> Result<u32, Self::Error>;

    /// Adds a credential, whose name is free.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_credential(&mut self, credential: Credential) -> Result<(), Self::Error>;

    /// Removes the credential of a name, which is there.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_credential(&mut self, name: &str) -> Result<(), Self::Error>;
}
