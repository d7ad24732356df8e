//! What operators did, of a group: what the planner reads of it, and the rows that its changes come to.

use super::changes::{PlanRows, planned};
use crate::engine::{EngineResult, Table};
use crate::layout::audit_key;
use crate::rows;
use guanxi_model::plan::AuditRows;
use guanxi_model::stored::encode_audit_entry;
use guanxi_model::{AuditEntry, AuditId};

impl AuditRows for PlanRows<'_> {
    fn audit_entry(&mut self, id: AuditId) -> EngineResult<Option<AuditEntry>> {
        planned(self.audit.get(&id), || rows::settings::audit_entry(&self.snapshot, id))
    }

    fn put_audit_entry(&mut self, entry: AuditEntry) -> EngineResult<()> {
        self.batch.put(Table::Records, &audit_key(entry.id), &encode_audit_entry(&entry));
        self.audit.insert(entry.id, Some(entry));
        Ok(())
    }

    fn remove_audit_entry(&mut self, id: AuditId) -> EngineResult<()> {
        self.batch.remove(Table::Records, &audit_key(id));
        self.audit.insert(id, None);
        Ok(())
    }
}
