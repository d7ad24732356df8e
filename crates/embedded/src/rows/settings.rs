//! Reading what operators and readers have set, and what operators did, from the tables.

use super::{decoded, record};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    AUDIT, CREDENTIAL, JOB, POLICY_KEY, SEEN, audit_key, decode_credential, decode_number, decode_policy,
    named_key, parse_audit_key, user_key,
};
use guanxi_model::stored::decode_audit_entry;
use guanxi_model::{AuditEntry, AuditId, Credential, FanoutPolicy, Uid};

/// Returns where an import job stands; `None` if it never began.
pub(crate) fn import_position(snapshot: &Snapshot, job: &str) -> EngineResult<Option<u64>> {
    record(snapshot, &named_key(JOB, job), decode_number, format_args!("the position of import job {job}"))
}

/// Returns up to which event a user has seen its home.
pub(crate) fn seen(snapshot: &Snapshot, uid: Uid) -> EngineResult<u64> {
    let what = format_args!("the seen mark of user {uid}");
    Ok(record(snapshot, &user_key(SEEN, uid), decode_number, what)?.unwrap_or_default())
}

/// Returns how home timelines are pushed.
pub(crate) fn policy(snapshot: &Snapshot) -> EngineResult<FanoutPolicy> {
    let what = format_args!("the fan-out's policy");
    Ok(record(snapshot, POLICY_KEY, decode_policy, what)?.unwrap_or_default())
}

/// All credentials.
pub(crate) fn credentials(snapshot: &Snapshot) -> EngineResult<Vec<Credential>> {
    let rows = snapshot.prefix(Table::Records, &[CREDENTIAL]);
    decoded(rows, |key, value| decode_credential(&key[1..], value), || "a credential".to_owned()).collect()
}

/// Returns what an operator did, if that is kept.
pub(crate) fn audit_entry(snapshot: &Snapshot, id: AuditId) -> EngineResult<Option<AuditEntry>> {
    record(
        snapshot,
        &audit_key(id),
        |bytes| decode_audit_entry(id, bytes),
        format_args!("what an operator did"),
    )
}

/// Returns what operators did, newest first, from below an entry on.
pub(crate) fn audit_entries(
    snapshot: &Snapshot,
    below: Option<AuditId>,
) -> impl Iterator<Item = EngineResult<AuditEntry>> + use<> {
    let rows = snapshot.prefix_after(Table::Records, &[AUDIT], below.map(audit_key));
    let entry = |key: &[u8], value: &[u8]| decode_audit_entry(parse_audit_key(key)?, value);
    decoded(rows, entry, || "what an operator did".to_owned())
}
