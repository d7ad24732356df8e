//! What operators did: one map by the ids of entries.

use super::state::Maps;
use guanxi_model::{AuditCommand, AuditEntry, AuditId, AuditOutcome};

impl Maps {
    /// Does one operation on entries; whether state changed.
    pub(super) fn audit_command(&mut self, command: &AuditCommand) -> bool {
        match command {
            AuditCommand::Begin(entry) => {
                let is_new = !self.audit.contains_key(&entry.id);
                if is_new {
                    self.audit.insert(entry.id, entry.clone());
                }
                is_new
            }
            AuditCommand::End { id, outcome } => {
                let entry = self.audit.get_mut(id).filter(|entry| entry.outcome == AuditOutcome::Begun);
                entry.map(|entry| entry.outcome = outcome.clone()).is_some()
            }
            AuditCommand::Forget { ids } => {
                let before = self.audit.len();
                self.audit.retain(|id, _| !ids.contains(id));
                self.audit.len() < before
            }
        }
    }

    /// Entries below one, newest first.
    pub(super) fn audit_entries(&self, below: Option<AuditId>, max: usize) -> Vec<AuditEntry> {
        let newest = self.audit.iter().rev();
        let rest = newest.filter(|(id, _)| below.is_none_or(|below| **id < below));
        rest.take(max).map(|(_, entry)| entry.clone()).collect()
    }
}
