//! Writing settings, with their next version.

use super::audit::put_changed_audit;
use super::columns::{PUT_CREDENTIAL, PUT_POLICY, credential_terms, policy_terms};
use crate::rows::Rows;
use guanxi_postgres::{Statements, term};

const REVOKE: &str =
    "update gx.credential set active = false, change = $2, changed_at = now() where name = any($1)";

/// Of what was revoked long ago every process that is not away has heard. One that was away sees that it missed something.
const MOVE: &str = "with gone as (delete from gx.credential where not active and changed_at < now() - interval '1 day' \
    returning change) update gx.credential_state set change = $1, many = $2, \
    forgotten = greatest(forgotten, (select max(change) from gone))";

/// Adds the statements that write what changed.
pub(in crate::rows) fn put_settings(batch: &Rows, statements: &mut Statements) {
    put_changed_audit(&batch.settings, statements);
    let Some(state) = batch.settings.state else { return };
    let change = batch.settings.next_change();
    let (mut revoked, mut is_changed) = (Vec::new(), false);
    for (name, credential) in batch.credential_changes().changed {
        is_changed = true;
        match credential {
            Some(credential) => statements.add(PUT_CREDENTIAL, credential_terms(&credential, change)),
            None => revoked.push(name),
        }
    }
    if !revoked.is_empty() {
        statements.add(REVOKE, vec![term(revoked), term(change)]);
    }
    if let Some(policy) = &batch.settings.policy {
        is_changed = true;
        statements.add(PUT_POLICY, policy_terms(policy));
    }
    if is_changed {
        statements.add(MOVE, vec![term(change), term(state.many)]);
    }
}
