//! Reading the dictionary of external ids from the tables at a snapshot.

use super::record;
use crate::engine::{EngineError, Snapshot};
use crate::layout::{EXTERNAL_ID, decode_external_id, decode_number, external_uid_key, user_key};
use guanxi_model::{ExternalId, Uid};

/// Whose an external id is.
pub(crate) fn uid_of(snapshot: &Snapshot, id: &ExternalId) -> Result<Option<Uid>, EngineError> {
    let decode = |bytes: &[u8]| Uid::new(decode_number(bytes)?).ok();
    record(snapshot, &external_uid_key(id), decode, format_args!("an external id"))
}

/// The external id of a user.
pub(crate) fn id_of(snapshot: &Snapshot, uid: Uid) -> Result<Option<ExternalId>, EngineError> {
    let key = user_key(EXTERNAL_ID, uid);
    record(snapshot, &key, decode_external_id, format_args!("the external id of user {uid}"))
}
