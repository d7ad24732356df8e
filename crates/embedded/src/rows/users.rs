//! Reading users from the tables at a snapshot.

use super::record;
use crate::engine::{EngineError, Snapshot};
use crate::layout::{PASSWORD, USER, decode_number, decode_password, decode_user, login_name_key, user_key};
use guanxi_model::user::PasswordHash;
use guanxi_model::{LoginName, Uid, User};

/// What is kept of a user.
pub(crate) fn user(snapshot: &Snapshot, uid: Uid) -> Result<Option<User>, EngineError> {
    let decode = |bytes: &[u8]| decode_user(uid, bytes);
    record(snapshot, &user_key(USER, uid), decode, format_args!("user {uid}"))
}

/// Whose a login name is.
pub(crate) fn uid_of(snapshot: &Snapshot, name: &LoginName) -> Result<Option<Uid>, EngineError> {
    let decode = |bytes: &[u8]| Uid::new(decode_number(bytes)?).ok();
    record(snapshot, &login_name_key(name), decode, format_args!("a login name"))
}

/// A user's password.
pub(crate) fn password(snapshot: &Snapshot, uid: Uid) -> Result<Option<PasswordHash>, EngineError> {
    record(snapshot, &user_key(PASSWORD, uid), decode_password, format_args!("the password of user {uid}"))
}
