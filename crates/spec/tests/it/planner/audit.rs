//! What operators did, as a database would hold it.

use super::rows::{NotFetched, Rows, Selected};
use guanxi_model::plan::{AuditRows, RowKey};
use guanxi_model::{AuditEntry, AuditId, Result};

impl AuditRows for Selected<'_, &mut Rows> {
    fn audit_entry(&mut self, id: AuditId) -> Result<Option<AuditEntry>, NotFetched> {
        self.check(RowKey::Audit(id))?;
        Ok(self.rows().audit.get(&id).cloned())
    }

    fn put_audit_entry(&mut self, entry: AuditEntry) -> Result<(), NotFetched> {
        self.check(RowKey::Audit(entry.id))?;
        self.rows().audit.insert(entry.id, entry);
        Ok(())
    }

    fn remove_audit_entry(&mut self, id: AuditId) -> Result<(), NotFetched> {
        self.check(RowKey::Audit(id))?;
        self.rows().audit.remove(&id);
        Ok(())
    }
}
