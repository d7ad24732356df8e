//! Locking and fetching settings.

use super::audit::{self, read_audit};
use super::columns::{credential_columns, read_credential};
use crate::rows::{Answered, Rows, SettingState, damaged};
use guanxi_model::AuditId;
use guanxi_postgres::{Fault, Statements, term};
use std::collections::BTreeSet;
use tokio_postgres::Row;

/// Every change of settings holds this row, so that changes have one order.
const LOCK: &str = "select change, many, noted from gx.credential_state for update";

const CREDENTIALS: &str =
    concat!("select ", credential_columns!(), " from gx.credential where active and name = any($1)");

/// Adds the statement that locks settings.
pub(crate) fn lock_settings(statements: &mut Statements) {
    statements.add(LOCK, Vec::new());
}

/// Reads the answer to the statement that locks settings.
///
/// # Errors
/// When it has no row.
pub(crate) fn take_locked_settings(rows: &mut Rows, found: &[Row]) -> Result<(), Fault> {
    let row = found.first().ok_or_else(|| damaged("the version of settings"))?;
    rows.settings.state = Some(SettingState { change: row.get(0), many: row.get(1) });
    Ok(())
}

/// Settings to be fetched.
#[derive(Default)]
pub(in crate::rows) struct SettingFetch {
    /// Names of credentials.
    credentials: BTreeSet<String>,
    /// What operators did.
    audit: BTreeSet<AuditId>,
}

impl SettingFetch {
    /// The credential of a name, which no control character is in.
    pub(in crate::rows) fn credential(&mut self, name: String) {
        self.credentials.insert(name);
    }

    /// What an operator did.
    pub(in crate::rows) fn audit(&mut self, id: AuditId) {
        self.audit.insert(id);
    }

    /// Leaves out what is there.
    pub(in crate::rows) fn retain_missing(&mut self, rows: &Rows) {
        self.credentials.retain(|name| !rows.settings.credentials.has(name));
        self.audit.retain(|id| !rows.settings.audit.has(*id));
    }

    /// Adds the statements.
    pub(in crate::rows) fn ask(&self, statements: &mut Statements) {
        if !self.credentials.is_empty() {
            statements.add(CREDENTIALS, vec![term(self.credentials.iter().cloned().collect::<Vec<_>>())]);
        }
        if !self.audit.is_empty() {
            audit::ask(&self.audit, statements);
        }
    }

    /// Takes in their answers, in the same order.
    pub(in crate::rows) fn take(self, answers: &mut Answered, rows: &mut Rows) -> Result<(), Fault> {
        let Self { credentials, audit } = self;
        let (names, entries) = (usize::from(!credentials.is_empty()), usize::from(!audit.is_empty()));
        credentials.into_iter().for_each(|name| rows.settings.credentials.fetched(name));
        for row in answers.by_ref().take(names).flatten() {
            let credential = read_credential(&row)?;
            rows.settings.credentials.found(credential.name.clone(), Some(credential));
        }
        audit.into_iter().for_each(|id| rows.settings.audit.fetched(id));
        for row in answers.by_ref().take(entries).flatten() {
            let entry = read_audit(&row)?;
            rows.settings.audit.found(entry.id, Some(entry));
        }
        Ok(())
    }
}
