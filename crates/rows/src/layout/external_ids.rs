//! Rows of the dictionary of external ids: one for each way.

use guanxi_model::ExternalId;
use guanxi_model::limits::EXTERNAL_ID_LEN_MAX;

/// Prefix of external ids, which lead to uids.
pub const EXTERNAL_UID: u8 = b'x';
/// Prefix of uids, which lead to external ids.
pub const EXTERNAL_ID: u8 = b'y';

const _: () = assert!(EXTERNAL_ID_LEN_MAX < 1 << 16, "a key of the engine holds 64 KiB");

/// `id`, the key of an external id.
pub fn external_uid_key(id: &ExternalId) -> Vec<u8> {
    super::named_key(EXTERNAL_UID, id.as_str())
}

/// Reads the key of an external id.
pub fn parse_external_uid_key(key: &[u8]) -> Option<ExternalId> {
    decode_external_id(key.get(1..)?)
}

/// Reads an external id.
pub fn decode_external_id(bytes: &[u8]) -> Option<ExternalId> {
    ExternalId::new(std::str::from_utf8(bytes).ok()?, "external_id").ok()
}
