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

    /// Gives an external id, which nobody has, to a uid, which has none.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_external_id(&mut self, id: &ExternalId, uid: Uid) -> Result<(), Self::Error>;

    /// Takes its external id away from a user who is being erased, if it has one, and keeps of it what tells
    /// [`is_erased_id`](Self::is_erased_id), from which nobody reads it.
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
