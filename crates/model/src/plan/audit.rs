//! What operators did: entries that begin, end and are forgotten.

use super::{Planner, Planning, State};
use crate::audit::{AuditCommand, AuditEntry, AuditId, AuditOutcome};
use crate::command::Outcome;

impl<S: State> Planner<'_, S> {
    /// Plans one operation on entries of the audit log, none of which is ever refused.
    pub(super) fn audit_command(&mut self, command: AuditCommand) -> Planning<Outcome, S> {
        let has_changed = match command {
            AuditCommand::Begin(entry) => self.begin_audit(entry)?,
            AuditCommand::End { id, outcome } => self.end_audit(id, outcome)?,
            AuditCommand::Forget { ids } => {
                let mut has_changed = false;
                for id in ids {
                    has_changed |= self.forget_audit(id)?;
                }
                has_changed
            }
        };
        Ok(Outcome::Plain(Ok(has_changed)))
    }

    fn begin_audit(&mut self, entry: AuditEntry) -> Planning<bool, S> {
        let is_new = self.state.audit_entry(entry.id)?.is_none();
        if is_new {
            self.state.put_audit_entry(entry)?;
        }
        Ok(is_new)
    }

    fn end_audit(&mut self, id: AuditId, outcome: AuditOutcome) -> Planning<bool, S> {
        let Some(entry) = self.state.audit_entry(id)? else { return Ok(false) };
        if entry.outcome != AuditOutcome::Begun {
            return Ok(false);
        }
        self.state.put_audit_entry(AuditEntry { outcome, ..entry })?;
        Ok(true)
    }

    fn forget_audit(&mut self, id: AuditId) -> Planning<bool, S> {
        let is_there = self.state.audit_entry(id)?.is_some();
        if is_there {
            self.state.remove_audit_entry(id)?;
        }
        Ok(is_there)
    }
}
