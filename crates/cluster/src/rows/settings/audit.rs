//! What operators did.

use crate::rows::{SettingCells, damaged};
use guanxi_model::stored::{decode_audit_entry, encode_audit_entry};
use guanxi_model::{AuditEntry, AuditId, Stamp};
use guanxi_postgres::{Fault, Statements, term};
use std::collections::BTreeSet;
use tokio_postgres::Row;

const FETCH: &str = "select id, entry from gx.audit where id = any($1)";

/// Puts entries in the place of those of their ids.
pub(crate) const PUT_AUDIT: &str = "insert into gx.audit (id, entry) \
    select * from unnest($1::bytea[], $2::bytea[]) on conflict (id) do update set entry = excluded.entry";

const REMOVE: &str = "delete from gx.audit where id = any($1)";

/// The newest entries below an id, or below what is longer than any.
pub(crate) const AUDIT: &str = "select id, entry from gx.audit where id < $1 order by id desc limit $2";

/// All of them.
pub(crate) const ALL_AUDIT: &str = "select id, entry from gx.audit";

/// The bytes of an id, which are in the order of ids.
pub(crate) fn audit_column(id: AuditId) -> Vec<u8> {
    [id.at.raw(), id.nonce].map(u64::to_be_bytes).concat()
}

/// Returns what is above the bytes of every id.
pub(crate) fn audit_end() -> Vec<u8> {
    vec![u8::MAX; 17]
}

/// The entry of a row.
pub(crate) fn read_audit(row: &Row) -> Result<AuditEntry, Fault> {
    read(row.get(0), row.get(1)).ok_or_else(|| damaged("what an operator did"))
}

fn read(id: &[u8], entry: &[u8]) -> Option<AuditEntry> {
    let (at, nonce) = id.split_at_checked(size_of::<u64>())?;
    let number = |bytes: &[u8]| Some(u64::from_be_bytes(bytes.try_into().ok()?));
    decode_audit_entry(AuditId { at: Stamp::from_raw(number(at)?), nonce: number(nonce)? }, entry)
}

/// Adds the statement that puts entries.
pub(crate) fn put_audit<'a>(entries: impl Iterator<Item = &'a AuditEntry>, statements: &mut Statements) {
    let (ids, entries): (Vec<Vec<u8>>, Vec<Vec<u8>>) =
        entries.map(|entry| (audit_column(entry.id), encode_audit_entry(entry))).unzip();
    if !ids.is_empty() {
        statements.add(PUT_AUDIT, vec![term(ids), term(entries)]);
    }
}

/// Adds the statement that fetches entries.
pub(super) fn ask(ids: &BTreeSet<AuditId>, statements: &mut Statements) {
    statements.add(FETCH, vec![term(ids.iter().copied().map(audit_column).collect::<Vec<_>>())]);
}

/// Adds the statements that write changed rows. No process has a copy of entries, so that they are of no version.
pub(super) fn put_changed_audit(settings: &SettingCells, statements: &mut Statements) {
    let changed = || settings.audit.changed();
    put_audit(changed().filter_map(|(_, entry)| entry.as_ref()), statements);
    let removed: Vec<Vec<u8>> =
        changed().filter(|(_, entry)| entry.is_none()).map(|(id, _)| audit_column(id)).collect();
    if !removed.is_empty() {
        statements.add(REMOVE, vec![term(removed)]);
    }
}
