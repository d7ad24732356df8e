//! What a plan reads and changes of the dictionary of external ids.

use super::EventRows;
use crate::id::Uid;
use crate::user::ExternalId;

/// The dictionary of external ids.
pub trait ExternalRows: EventRows {
    /// Returns whose an external id is.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn external_uid(&mut self, id: &ExternalId) -> Result<Option<Uid>, Self::Error>;

    /// Gives an unused external id to a uid that has none.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_external_id(&mut self, id: &ExternalId, uid: Uid) -> Result<(), Self::Error>;

    /// Removes the external id of a user who is being erased, if it has one. A trace stays for
    /// [`is_erased_id`](Self::is_erased_id), from which the id cannot be read.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn erase_external_id(&mut self, uid: Uid) -> Result<(), Self::Error>;

    /// Returns whether an external id led to a user who is erased.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn is_erased_id(&mut self, id: &ExternalId) -> Result<bool, Self::Error>;
}
