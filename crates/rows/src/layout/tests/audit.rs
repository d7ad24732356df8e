//! Rows of what operators did.

use super::super::*;
use super::{check_golden, hex, uid};
use guanxi_model::stored::{decode_audit_entry, encode_audit_entry};
use guanxi_model::{AuditEntry, AuditId, AuditOutcome, AuditTarget, PostId, Stamp};

const ID: AuditId = AuditId { at: Stamp::from_raw(0x0123_4567_89ab_cdef), nonce: 0x0011_2233_4455_6677 };

fn entries() -> [(&'static str, AuditEntry); 3] {
    let entry = AuditEntry {
        id: ID,
        principal: "ops".into(),
        action: "TakeDownPost".into(),
        targets: vec![AuditTarget::Post(PostId::MIN), AuditTarget::User(uid(600))],
        reason: "垃圾".into(),
        outcome: AuditOutcome::Begun,
    };
    let named = vec![AuditTarget::Token("web".into()), AuditTarget::Job("nightly".into())];
    let refused = AuditOutcome::Refused { reason: "NOT_FOUND".into() };
    let done = AuditOutcome::Done;
    [
        ("begun", entry.clone()),
        ("done", AuditEntry { targets: Vec::new(), reason: String::new(), outcome: done, ..entry.clone() }),
        ("refused", AuditEntry { principal: String::new(), targets: named, outcome: refused, ..entry }),
    ]
}

#[test]
fn rows_of_what_operators_did_have_golden_bytes() {
    let rows = entries().map(|(name, entry)| format!("{name}: {}\n", hex(encode_audit_entry(&entry))));
    check_golden("audit", &format!("key: {}\n{}", hex(audit_key(ID)), rows.concat()));
    for (name, entry) in entries() {
        assert_eq!(decode_audit_entry(ID, &encode_audit_entry(&entry)), Some(entry), "{name}");
    }
}

#[test]
fn keys_are_in_the_order_of_the_newest_first() {
    let id = |at, nonce| AuditId { at: Stamp::from_raw(at), nonce };
    let ids = [id(u64::MAX, 0), id(7, u64::MAX), id(7, 0), id(6, u64::MAX), id(0, 0)];
    assert!(ids.is_sorted_by(|a, b| a > b && audit_key(*a) < audit_key(*b)));
    for id in ids {
        let key = audit_key(id);
        assert_eq!(parse_audit_key(&key), Some(id));
        assert_eq!(parse_audit_key(&key[..16]), None);
        assert_eq!(parse_audit_key(&[&key[..], &[0]].concat()), None);
    }
}
