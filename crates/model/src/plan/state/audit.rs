//! What a plan reads and changes of what operators did.

use super::EventRows;
use crate::audit::{AuditEntry, AuditId};

/// Entries of the audit log. They are no user's.
pub trait AuditRows: EventRows {
    /// Returns an entry, if it is there.
    ///
    /// # Errors
    /// When the row cannot be read.
    fn audit_entry(&mut self, id: AuditId) -> Result<Option<AuditEntry>, Self::Error>;

    /// Adds an entry, or changes the one of its id.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_audit_entry(&mut self, entry: AuditEntry) -> Result<(), Self::Error>;

    /// Removes an entry that is there.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_audit_entry(&mut self, id: AuditId) -> Result<(), Self::Error>;
}
