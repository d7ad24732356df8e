//! Reading the dictionary of external ids from the tables at a snapshot.

use super::record;
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    EXTERNAL_ID, ErasedIdHash, decode_external_id, decode_number, erased_id_key, external_uid_key, user_key,
};
use guanxi_model::{ExternalId, Gene, Uid};

/// Returns whose an external id is.
pub(crate) fn uid_of(snapshot: &Snapshot, id: &ExternalId) -> EngineResult<Option<Uid>> {
    let decode = |bytes: &[u8]| Uid::new(decode_number(bytes)?).ok();
    record(snapshot, &external_uid_key(id), decode, format_args!("an external id"))
}

/// The external id of a user.
pub(crate) fn id_of(snapshot: &Snapshot, uid: Uid) -> EngineResult<Option<ExternalId>> {
    let key = user_key(EXTERNAL_ID, uid);
    record(snapshot, &key, decode_external_id, format_args!("the external id of user {uid}"))
}

/// Returns whether an external id with a hash led to a user who is erased.
pub(crate) fn is_erased(snapshot: &Snapshot, gene: Gene, hash: ErasedIdHash) -> EngineResult<bool> {
    snapshot.contains(Table::Records, &erased_id_key(gene, hash))
}
