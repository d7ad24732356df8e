//! What operators did: one row for each action, the newest first.

use super::parts::keys;
use guanxi_model::AuditId;

/// Prefix of what operators did.
pub const AUDIT: u8 = b'Y';

keys! {
    /// `!at !nonce`, the key of what an operator did.
    audit_key, parse_audit_key = [AUDIT] (id: AuditId);
}
