//! What is kept of an action of an operator; its id is in the key.

use super::{get_text, put_text};
use crate::audit::{AuditEntry, AuditId, AuditOutcome, AuditTarget};
use crate::bytes::Reader;
use crate::id::Uid;
use crate::limits::AUDIT_TARGETS_MAX;
use crate::post::PostId;

// How an action ended: the first byte.
const BEGUN: u8 = 0;
const DONE: u8 = 1;
const REFUSED: u8 = 2;

// Kinds of targets.
const USER: u8 = 0;
const POST: u8 = 1;
const TOKEN: u8 = 2;
const JOB: u8 = 3;

/// The stored form of an entry, without its id.
pub fn encode_audit_entry(entry: &AuditEntry) -> Vec<u8> {
    let mut out = Vec::new();
    match &entry.outcome {
        AuditOutcome::Begun => out.push(BEGUN),
        AuditOutcome::Done => out.push(DONE),
        AuditOutcome::Refused { reason } => {
            out.push(REFUSED);
            put_text(&mut out, reason);
        }
    }
    for text in [&entry.principal, &entry.action, &entry.reason] {
        put_text(&mut out, text);
    }
    for target in &entry.targets {
        match target {
            AuditTarget::User(uid) => put_number(&mut out, USER, uid.get()),
            AuditTarget::Post(id) => put_number(&mut out, POST, id.get()),
            AuditTarget::Token(name) => put_name(&mut out, TOKEN, name),
            AuditTarget::Job(name) => put_name(&mut out, JOB, name),
        }
    }
    out
}

/// Reads an entry.
pub fn decode_audit_entry(id: AuditId, bytes: &[u8]) -> Option<AuditEntry> {
    let mut reader = Reader::new(bytes);
    let outcome = match reader.u8()? {
        BEGUN => AuditOutcome::Begun,
        DONE => AuditOutcome::Done,
        REFUSED => AuditOutcome::Refused { reason: get_text(&mut reader)? },
        _ => return None,
    };
    let mut text = || get_text(&mut reader);
    let (principal, action, reason) = (text()?, text()?, text()?);
    let mut targets = Vec::new();
    while !reader.rest().is_empty() && targets.len() < AUDIT_TARGETS_MAX {
        targets.push(match reader.u8()? {
            USER => AuditTarget::User(Uid::new(reader.u64()?).ok()?),
            POST => AuditTarget::Post(PostId::new(reader.u64()?).ok()?),
            TOKEN => AuditTarget::Token(get_text(&mut reader)?),
            JOB => AuditTarget::Job(get_text(&mut reader)?),
            _ => return None,
        });
    }
    reader.end()?;
    Some(AuditEntry { id, principal, action, targets, reason, outcome })
}

fn put_number(out: &mut Vec<u8>, kind: u8, number: u64) {
    out.push(kind);
    out.extend(number.to_be_bytes());
}

fn put_name(out: &mut Vec<u8>, kind: u8, name: &str) {
    out.push(kind);
    put_text(out, name);
}
