//! Reading what operators and readers have set from the tables.

use super::record;
use crate::engine::{EngineError, Snapshot};
use crate::layout::{JOB, POLICY_KEY, SEEN, decode_number, decode_policy, named_key, user_key};
use guanxi_model::{FanoutPolicy, Uid};

/// Where an import job stands; `None` if it never began.
pub(crate) fn import_position(snapshot: &Snapshot, job: &str) -> Result<Option<u64>, EngineError> {
    record(snapshot, &named_key(JOB, job), decode_number, format_args!("the position of import job {job}"))
}

/// Up to which event a user has seen its home.
pub(crate) fn seen(snapshot: &Snapshot, uid: Uid) -> Result<u64, EngineError> {
    let what = format_args!("the seen mark of user {uid}");
    Ok(record(snapshot, &user_key(SEEN, uid), decode_number, what)?.unwrap_or_default())
}

/// How home timelines are pushed.
pub(crate) fn policy(snapshot: &Snapshot) -> Result<FanoutPolicy, EngineError> {
    let what = format_args!("the fan-out's policy");
    Ok(record(snapshot, POLICY_KEY, decode_policy, what)?.unwrap_or_default())
}
