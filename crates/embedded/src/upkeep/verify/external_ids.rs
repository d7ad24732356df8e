//! The dictionary of external ids: an id leads to a uid of its shard, and each way back is there.

use super::findings::{Readable, Unmatched};
use crate::engine::{Snapshot, Table};
use crate::layout::{
    ERASED_ID, EXTERNAL_ID, EXTERNAL_UID, decode_external_id, decode_number, external_uid_key,
    parse_erased_id_key, parse_external_uid_key, parse_user_key, user_key,
};
use guanxi_model::{ExternalId, Uid};

/// Returns what a record of the dictionary is, and whether it can be decoded.
pub(super) fn read(key: &[u8], value: &[u8]) -> Option<Readable> {
    Some(match key.first() {
        Some(&EXTERNAL_UID) => ("external id", there(key, value).is_some()),
        Some(&EXTERNAL_ID) => ("external id of a user", back(key, value).is_some()),
        Some(&ERASED_ID) => ("hash of an erased id", parse_erased_id_key(key).is_some() && value.is_empty()),
        _ => return None,
    })
}

/// Returns what is wrong with a readable record of the dictionary, if the other way does not say the same.
pub(super) fn unmatched(snapshot: &Snapshot, key: &[u8], value: &[u8]) -> Unmatched {
    if let Some((id, uid)) = there(key, value) {
        if id.gene() != uid.gene() {
            return Ok(Some("external id of another shard than its user"));
        }
        let back = snapshot.get(Table::Records, &user_key(EXTERNAL_ID, uid))?;
        let leads = back.is_some_and(|bytes| &bytes[..] == id.as_str().as_bytes());
        return Ok((!leads).then_some("external id of a user who has another, or none"));
    }
    let Some((uid, id)) = back(key, value) else { return Ok(None) };
    let there = snapshot.get(Table::Records, &external_uid_key(&id))?;
    let leads = there.is_some_and(|bytes| decode_number(&bytes) == Some(uid.get()));
    Ok((!leads).then_some("user whose external id does not lead to it"))
}

fn there(key: &[u8], value: &[u8]) -> Option<(ExternalId, Uid)> {
    let uid = Uid::new(decode_number(value)?).ok()?;
    Some((parse_external_uid_key(key).filter(|_| key[0] == EXTERNAL_UID)?, uid))
}

fn back(key: &[u8], value: &[u8]) -> Option<(Uid, ExternalId)> {
    Some((parse_user_key(key).filter(|_| key[0] == EXTERNAL_ID)?, decode_external_id(value)?))
}
