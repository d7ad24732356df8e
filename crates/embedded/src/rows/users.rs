//! Reading users from the tables at a snapshot.

use super::{damaged, record};
use crate::engine::{EngineError, Snapshot, Table};
use crate::layout::{
    DELETED_USER, ERASED_USER, FORGOTTEN_KEY, PASSWORD, SIGNED_OUT, STANDING, USER, claim_key, decode_claim,
    decode_number, decode_password, decode_standing, decode_user, deleted_user_key, login_name_key,
    parse_deleted_user_key, parse_user_key, user_key,
};
use crate::signed_out::StoredTimes;
use guanxi_model::user::{Contact, ContactClaim, PasswordHash, Standing};
use guanxi_model::{LoginName, Uid, User};
use std::ops::Bound;

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

/// How all users stand who do not stand as the default says.
pub(crate) fn standings(snapshot: &Snapshot) -> Result<Vec<(Uid, Standing)>, EngineError> {
    let rows = snapshot.prefix(Table::Records, &[STANDING]).map(|row| {
        let (key, value) = row?;
        let standing = parse_user_key(&key).zip(decode_standing(&value));
        standing.ok_or_else(|| damaged(format_args!("how a user stands")))
    });
    rows.collect()
}

/// Who is deleted and not erased yet, by the time to erase it at, after one; at most `max`.
pub(crate) fn deleted(
    snapshot: &Snapshot,
    after: Option<(u64, Uid)>,
    max: usize,
) -> Result<Vec<(u64, Uid)>, EngineError> {
    let after = after.map(|(ms, uid)| deleted_user_key(ms, uid));
    let first = [DELETED_USER];
    let from = after.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    let rows = snapshot.range(Table::Records, from, Bound::Excluded(&[DELETED_USER + 1])).take(max);
    let parsed = |key: &[u8]| parse_deleted_user_key(key);
    rows.map(|row| parsed(&row?.0).ok_or_else(|| damaged(format_args!("a user who is to be erased"))))
        .collect()
}

/// Who is erased, and since when, after one; at most `max`.
pub(crate) fn erased(
    snapshot: &Snapshot,
    after: Option<Uid>,
    max: usize,
) -> Result<Vec<(Uid, u64)>, EngineError> {
    let after = after.map(|uid| user_key(ERASED_USER, uid));
    let first = [ERASED_USER];
    let from = after.as_ref().map_or(Bound::Included(&first[..]), |key| Bound::Excluded(&key[..]));
    let rows = snapshot.range(Table::Records, from, Bound::Excluded(&[ERASED_USER + 1])).take(max);
    let rows = rows.map(|row| {
        let (key, value) = row?;
        let erased = parse_user_key(&key).zip(decode_number(&value));
        erased.ok_or_else(|| damaged(format_args!("a user who is erased")))
    });
    rows.collect()
}

/// When users signed out everywhere, and the last such time that was forgotten.
pub(crate) fn signed_out(snapshot: &Snapshot) -> Result<StoredTimes, EngineError> {
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

/// Who has claimed a contact.
pub(crate) fn claim(snapshot: &Snapshot, contact: &Contact) -> Result<Option<ContactClaim>, EngineError> {
    record(snapshot, &claim_key(contact), decode_claim, format_args!("a claim of a contact"))
}
