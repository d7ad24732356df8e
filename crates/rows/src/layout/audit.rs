//! What operators did: one row for each action, the newest first.

use guanxi_model::bytes::Reader;
use guanxi_model::{AuditId, Stamp};

/// Prefix of what operators did.
pub const AUDIT: u8 = b'Y';

/// `!at !nonce`, the key of what an operator did.
pub fn audit_key(id: AuditId) -> [u8; 17] {
    let mut key = [AUDIT; 17];
    key[1..9].copy_from_slice(&(!id.at.raw()).to_be_bytes());
    key[9..].copy_from_slice(&(!id.nonce).to_be_bytes());
    key
}

/// Reads the key of what an operator did.
pub fn parse_audit_key(key: &[u8]) -> Option<AuditId> {
    let mut reader = Reader::new(key.get(1..)?);
    let (at, nonce) = (reader.u64()?, reader.u64()?);
    reader.end()?;
    Some(AuditId { at: Stamp::from_raw(!at), nonce: !nonce })
}
