//! Users: a login name leads to the user that has it, and whoever has one is led to; a password is of an account.

use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    LOGIN_NAME, PASSWORD, STANDING, USER, decode_number, decode_password, decode_standing, decode_user,
    encode_standing, login_name_key, parse_login_name_key, parse_user_key, user_key,
};
use guanxi_model::user::Standing;
use guanxi_model::{Uid, User};

/// What a record of a user should have been, if it cannot be decoded.
pub(super) fn unreadable(key: &[u8], value: &[u8]) -> Option<&'static str> {
    let uid = || parse_user_key(key);
    let (what, readable) = match key.first() {
        Some(&USER) => ("user", uid().is_some_and(|uid| decode_user(uid, value).is_some())),
        Some(&LOGIN_NAME) => {
            let leads = decode_number(value).is_some_and(|raw| Uid::new(raw).is_ok());
            ("login name", parse_login_name_key(key).is_some() && leads)
        }
        Some(&PASSWORD) => ("password", uid().is_some() && decode_password(value).is_some()),
        Some(&STANDING) => ("standing of a user", uid().is_some() && decode_standing(value).is_some()),
        _ => return None,
    };
    (!readable).then_some(what)
}

/// What is wrong with a readable record of a user, if the other rows do not say the same.
pub(super) fn unmatched(
    snapshot: &Snapshot,
    key: &[u8],
    value: &[u8],
) -> Result<Option<&'static str>, EngineError> {
    if key.first() == Some(&LOGIN_NAME) {
        let led = parse_login_name_key(key).zip(decode_number(value).and_then(|raw| Uid::new(raw).ok()));
        let Some((name, uid)) = led else { return Ok(None) };
        let has = user(snapshot, uid)?.is_some_and(|user| user.login_name.as_ref() == Some(&name));
        return Ok((!has).then_some("login name of a user who has another"));
    }
    let Some(uid) = parse_user_key(key) else { return Ok(None) };
    if key.first() == Some(&PASSWORD) {
        let is_account = user(snapshot, uid)?.is_some_and(|user| user.login_name.is_some());
        return Ok((!is_account).then_some("password of no account"));
    }
    if key.first() == Some(&STANDING) {
        let standing = user(snapshot, uid)?.and_then(|user| encode_standing(user.standing()));
        return Ok((standing.as_deref() != Some(value)).then_some("standing of a user who stands otherwise"));
    }
    let Some(User { login_name, privacy, status, .. }) = decode_user(uid, value) else { return Ok(None) };
    let indexed = snapshot.get(Table::Records, &user_key(STANDING, uid))?;
    if indexed.as_deref() != encode_standing(Standing { status, privacy }).as_deref() {
        return Ok(Some("user who stands otherwise than its index says"));
    }
    let Some(name) = login_name else { return Ok(None) };
    if name.gene() != uid.gene() {
        return Ok(Some("user of another shard than the login name"));
    }
    let led = snapshot.get(Table::Records, &login_name_key(&name))?;
    let leads = led.is_some_and(|bytes| decode_number(&bytes) == Some(uid.get()));
    Ok((!leads).then_some("user whose login name does not lead to it"))
}

/// A user, if it can be decoded: one that cannot is named by itself.
fn user(snapshot: &Snapshot, uid: Uid) -> Result<Option<User>, EngineError> {
    let row = snapshot.get(Table::Records, &user_key(USER, uid))?;
    Ok(row.and_then(|bytes| decode_user(uid, &bytes)))
}
