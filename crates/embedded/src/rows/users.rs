//! Reading users from the tables at a snapshot.

use super::{damaged, decoded, record};
use crate::engine::{EngineResult, Snapshot, Table};
use crate::layout::{
    CLAIM, DELETED_USER, ERASED_USER, FORGOTTEN_KEY, PASSWORD, SIGNED_OUT, STANDING, USER, claim_key,
    decode_claim, decode_number, decode_password, decode_standing, decode_user, deleted_user_key,
    login_name_key, parse_claim_key, parse_deleted_user_key, parse_user_key, user_key,
};
use crate::signed_out::StoredTimes;
use guanxi_model::user::{Contact, ContactClaim, PasswordHash, Standing};
use guanxi_model::{LoginName, Uid, User};

/// Returns what is kept of a user.
pub(crate) fn user(snapshot: &Snapshot, uid: Uid) -> EngineResult<Option<User>> {
    let decode = |bytes: &[u8]| decode_user(uid, bytes);
    record(snapshot, &user_key(USER, uid), decode, format_args!("user {uid}"))
}

/// All that is kept of users, after one; at most `max`.
pub(crate) fn all(snapshot: &Snapshot, after: Option<Uid>, max: usize) -> EngineResult<Vec<User>> {
    let after = after.map(|uid| user_key(USER, uid));
    let rows = snapshot.prefix_after(Table::Records, &[USER], after).take(max);
    let user = |key: &[u8], value: &[u8]| decode_user(parse_user_key(key)?, value);
    decoded(rows, user, || "a user".to_owned()).collect()
}

/// Returns whose a login name is.
pub(crate) fn uid_of(snapshot: &Snapshot, name: &LoginName) -> EngineResult<Option<Uid>> {
    let decode = |bytes: &[u8]| Uid::new(decode_number(bytes)?).ok();
    record(snapshot, &login_name_key(name), decode, format_args!("a login name"))
}

/// A user's password.
pub(crate) fn password(snapshot: &Snapshot, uid: Uid) -> EngineResult<Option<PasswordHash>> {
    record(snapshot, &user_key(PASSWORD, uid), decode_password, format_args!("the password of user {uid}"))
}

/// Returns how all users stand who do not stand as the default says.
pub(crate) fn standings(snapshot: &Snapshot) -> EngineResult<Vec<(Uid, Standing)>> {
    let rows = snapshot.prefix(Table::Records, &[STANDING]);
    let standing = |key: &[u8], value: &[u8]| parse_user_key(key).zip(decode_standing(value));
    decoded(rows, standing, || "how a user stands".to_owned()).collect()
}

/// Returns the users who are deleted and not erased yet, by the time to erase it at, after one; at most `max`.
pub(crate) fn deleted(
    snapshot: &Snapshot,
    after: Option<(u64, Uid)>,
    max: usize,
) -> EngineResult<Vec<(u64, Uid)>> {
    let after = after.map(|(ms, uid)| deleted_user_key(ms, uid));
    let rows = snapshot.prefix_after(Table::Records, &[DELETED_USER], after).take(max);
    decoded(rows, |key, _| parse_deleted_user_key(key), || "a user who is to be erased".to_owned()).collect()
}

/// Returns the erased users, and since when, after one; at most `max`.
pub(crate) fn erased(snapshot: &Snapshot, after: Option<Uid>, max: usize) -> EngineResult<Vec<(Uid, u64)>> {
    let after = after.map(|uid| user_key(ERASED_USER, uid));
    let rows = snapshot.prefix_after(Table::Records, &[ERASED_USER], after).take(max);
    let erased = |key: &[u8], value: &[u8]| parse_user_key(key).zip(decode_number(value));
    decoded(rows, erased, || "a user who is erased".to_owned()).collect()
}

/// Returns when users signed out everywhere, and the last such time that was forgotten.
pub(crate) fn signed_out(snapshot: &Snapshot) -> EngineResult<StoredTimes> {
    let (mut times, mut forgotten) = (Vec::new(), None);
    for row in snapshot.prefix(Table::Records, &[SIGNED_OUT]) {
        let (key, value) = row?;
        let damaged = || damaged(format_args!("when a user signed out"));
        let at_ms = decode_number(&value).ok_or_else(damaged)?;
        if key[..] == *FORGOTTEN_KEY {
            forgotten = Some(at_ms);
        } else {
            times.push((parse_user_key(&key).ok_or_else(damaged)?, at_ms));
        }
    }
    Ok((times, forgotten))
}

/// Returns the claim of a contact.
pub(crate) fn claim(snapshot: &Snapshot, contact: &Contact) -> EngineResult<Option<ContactClaim>> {
    record(snapshot, &claim_key(contact), decode_claim, format_args!("a claim of a contact"))
}

/// The claims of contacts behind one, in the order of their keys.
pub(crate) fn claims(
    snapshot: &Snapshot,
    after: Option<&Contact>,
    max: usize,
) -> EngineResult<Vec<(Contact, ContactClaim)>> {
    let rows = snapshot.prefix_after(Table::Records, &[CLAIM], after.map(claim_key)).take(max);
    let claim = |key: &[u8], value: &[u8]| parse_claim_key(key).zip(decode_claim(value));
    decoded(rows, claim, || "a claim of a contact".to_owned()).collect()
}
