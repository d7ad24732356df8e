//! Users: a login name leads to the user that has it, and each user with a name has a name that leads to it. A password is
//! of an account. A contact is claimed for the user that has it, and the user of a confirmed claim has its contact.

use super::findings::{Readable, Unmatched};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    CLAIM, DELETED_USER, ERASED_USER, FORGOTTEN_KEY, LOGIN_NAME, PASSWORD, SIGNED_OUT, STANDING, USER,
    claim_key, decode_claim, decode_number, decode_password, decode_standing, decode_user, deleted_user_key,
    encode_standing, login_name_key, parse_claim_key, parse_deleted_user_key, parse_login_name_key,
    parse_user_key, user_key,
};
use guanxi_model::user::{ContactKind, UserStatus};
use guanxi_model::{Uid, User};

/// Returns as much of a record as a report may show: neither what somebody is reached by nor hashes of passwords.
pub(super) fn shown<'a>(key: &'a [u8], value: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    match key.first() {
        Some(&(USER | PASSWORD)) => (key, &[]),
        Some(&CLAIM) => (key.get(..2).unwrap_or(key), value),
        _ => (key, value),
    }
}

/// Returns what a record of a user is, and whether it can be decoded.
pub(super) fn read(key: &[u8], value: &[u8]) -> Option<Readable> {
    let uid = || parse_user_key(key);
    Some(match key.first() {
        Some(&USER) => ("user", uid().is_some_and(|uid| decode_user(uid, value).is_some())),
        Some(&LOGIN_NAME) => {
            let leads = decode_number(value).is_some_and(|raw| Uid::new(raw).is_ok());
            ("login name", parse_login_name_key(key).is_some() && leads)
        }
        Some(&CLAIM) => ("claim of a contact", parse_claim_key(key).zip(decode_claim(value)).is_some()),
        Some(&PASSWORD) => ("password", uid().is_some() && decode_password(value).is_some()),
        Some(&SIGNED_OUT) => {
            let names = key == FORGOTTEN_KEY || uid().is_some();
            ("time of a sign-out", names && decode_number(value).is_some())
        }
        Some(&STANDING) => ("standing of a user", uid().is_some() && decode_standing(value).is_some()),
        Some(&DELETED_USER) => {
            ("user who is to be erased", parse_deleted_user_key(key).is_some() && value.is_empty())
        }
        Some(&ERASED_USER) => ("user who is erased", uid().is_some() && decode_number(value).is_some()),
        _ => return None,
    })
}

/// Returns what is wrong with a readable record of a user, if the other rows do not say the same.
pub(super) fn unmatched(snapshot: &Snapshot, key: &[u8], value: &[u8]) -> Unmatched {
    if key.first() == Some(&LOGIN_NAME) {
        let led = parse_login_name_key(key).zip(decode_number(value).and_then(|raw| Uid::new(raw).ok()));
        let Some((name, uid)) = led else { return Ok(None) };
        let has = user(snapshot, uid)?.is_some_and(|user| user.login_name.as_ref() == Some(&name));
        return Ok((!has).then_some("login name of a user who has another"));
    }
    if key.first() == Some(&CLAIM) {
        // A reservation may be of a user who does not have the contact yet.
        let confirmed = decode_claim(value).filter(|claim| claim.confirmed);
        let Some((contact, claim)) = parse_claim_key(key).zip(confirmed) else { return Ok(None) };
        let has = user(snapshot, claim.uid)?.is_some_and(|user| user.contacts.has(&contact));
        return Ok((!has).then_some(
            "claim of a contact that its user does not have; an unbinding that was cut off leaves one until the \
             contact is used next",
        ));
    }
    if key.first() == Some(&DELETED_USER) {
        let Some((erase_at_ms, uid)) = parse_deleted_user_key(key) else { return Ok(None) };
        let status = user(snapshot, uid)?.map(|user| user.status);
        let is_due = status == Some(UserStatus::Deleted { erase_at_ms });
        return Ok((!is_due).then_some("user who is to be erased, and is not, or at another time"));
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
    if key.first() == Some(&ERASED_USER) {
        let status = user(snapshot, uid)?.map(|user| user.status);
        let at_ms = decode_number(value).unwrap_or_default();
        let is_erased = status == Some(UserStatus::Erased { at_ms });
        return Ok((!is_erased).then_some("user who is erased, and is not, or since another time"));
    }
    if key.first() == Some(&SIGNED_OUT) {
        return Ok(None);
    }
    let Some(user) = decode_user(uid, value) else { return Ok(None) };
    not_as_indexed(snapshot, user)
}

/// Returns what is wrong with what is kept of a user, if its other rows do not say the same.
fn not_as_indexed(snapshot: &Snapshot, user: User) -> EngineResult<Option<&'static str>> {
    let uid = user.uid;
    let indexed = snapshot.get(Table::Records, &user_key(STANDING, uid))?;
    if indexed.as_deref() != encode_standing(user.standing()).as_deref() {
        return Ok(Some("user who stands otherwise than its index says"));
    }
    if let UserStatus::Deleted { erase_at_ms } = user.status
        && !snapshot.contains(Table::Records, &deleted_user_key(erase_at_ms, uid))?
    {
        return Ok(Some("user who is to be erased, and that nobody is told"));
    }
    if matches!(user.status, UserStatus::Erased { .. })
        && !snapshot.contains(Table::Records, &user_key(ERASED_USER, uid))?
    {
        return Ok(Some("user who is erased, and is not among them"));
    }
    for contact in ContactKind::ALL.into_iter().filter_map(|kind| user.contacts.of(kind)) {
        let claim = snapshot.get(Table::Records, &claim_key(contact))?;
        let claimed_by = claim.and_then(|bytes| decode_claim(&bytes)).map(|claim| claim.uid);
        if claimed_by != Some(uid) {
            return Ok(Some("user who has a contact that is not claimed for it"));
        }
    }
    let Some(name) = user.login_name else { return Ok(None) };
    if name.gene() != uid.gene() {
        return Ok(Some("user of another shard than the login name"));
    }
    let led = snapshot.get(Table::Records, &login_name_key(&name))?;
    let leads = led.is_some_and(|bytes| decode_number(&bytes) == Some(uid.get()));
    Ok((!leads).then_some("user whose login name does not lead to it"))
}

/// A user, if it can be decoded: one that cannot is named by itself.
fn user(snapshot: &Snapshot, uid: Uid) -> EngineResult<Option<User>> {
    let row = snapshot.get(Table::Records, &user_key(USER, uid))?;
    Ok(row.and_then(|bytes| decode_user(uid, &bytes)))
}
