//! Rows of users: what is kept of one, whose a login name is, and passwords.

use super::values::{get_varint, put_varint};
use guanxi_model::bytes::Reader;
use guanxi_model::limits::{PASSWORD_HASH_LEN_MAX, USER_ATTRIBUTES_MAX};
use guanxi_model::user::{PasswordHash, Privacy, Profile, Sex};
use guanxi_model::{LoginName, Uid, User};
use std::collections::BTreeMap;

/// Prefix of what is kept of users.
pub(crate) const USER: u8 = b'a';
/// Prefix of login names.
pub(crate) const LOGIN_NAME: u8 = b'o';
/// Prefix of passwords.
pub(crate) const PASSWORD: u8 = b'w';

/// The first byte of a user: the form of the rest.
const FORM: u8 = 1;

/// In the flags of a user: a login name and when it was registered follow; a day of login; a year of birth.
const ACCOUNT: u8 = 1;
const LOGIN_DAY: u8 = 2;
const BIRTH_YEAR: u8 = 4;
/// Other end users do not find the user by its login name.
const NOT_DISCOVERABLE: u8 = 8;
const FLAGS: u8 = ACCOUNT | LOGIN_DAY | BIRTH_YEAR | NOT_DISCOVERABLE;

/// The stored form of what is kept of a user; the uid is in the key.
pub(crate) fn encode_user(user: &User) -> Vec<u8> {
    let User { uid: _, login_name, registered_ms, profile, privacy, revision, login_day } = user;
    let account = login_name.as_ref().zip(*registered_ms);
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let flags = flag(account.is_some(), ACCOUNT)
        | flag(login_day.is_some(), LOGIN_DAY)
        | flag(profile.birth_year.is_some(), BIRTH_YEAR)
        | flag(!privacy.discoverable, NOT_DISCOVERABLE);
    let mut out = vec![FORM, flags, sex_code(profile.sex)];
    put_varint(&mut out, (*revision).into());
    if let Some((name, registered_ms)) = account {
        put_text(&mut out, name.as_str());
        put_varint(&mut out, registered_ms);
    }
    login_day.iter().for_each(|day| put_varint(&mut out, (*day).into()));
    profile.birth_year.iter().for_each(|year| put_varint(&mut out, (*year).into()));
    [&profile.nickname, &profile.bio, &profile.avatar].iter().for_each(|text| put_text(&mut out, text));
    put_varint(&mut out, profile.attributes.len() as u64);
    for (name, value) in &profile.attributes {
        put_text(&mut out, name);
        put_text(&mut out, value);
    }
    out
}

/// Reads what is kept of a user.
pub(crate) fn decode_user(uid: Uid, bytes: &[u8]) -> Option<User> {
    let mut reader = Reader::new(bytes);
    let (form, flags, sex) = (reader.u8()?, reader.u8()?, reader.u8()?);
    if form != FORM || flags & !FLAGS != 0 {
        return None;
    }
    let reader = &mut reader;
    let revision = u32::try_from(get_varint(reader)?).ok()?;
    let (login_name, registered_ms) = if flags & ACCOUNT == 0 {
        (None, None)
    } else {
        (Some(LoginName::stored(get_text(reader)?)), Some(get_varint(reader)?))
    };
    let login_day = match flags & LOGIN_DAY {
        0 => None,
        _ => Some(u32::try_from(get_varint(reader)?).ok()?),
    };
    let birth_year = match flags & BIRTH_YEAR {
        0 => None,
        _ => Some(u16::try_from(get_varint(reader)?).ok()?),
    };
    let (nickname, bio, avatar) = (get_text(reader)?, get_text(reader)?, get_text(reader)?);
    let attributes = get_varint(reader)?;
    if attributes > u64::from(USER_ATTRIBUTES_MAX) {
        return None;
    }
    let attributes = (0..attributes)
        .map(|_| Some((get_text(reader)?, get_text(reader)?)))
        .collect::<Option<BTreeMap<String, String>>>()?;
    reader.end()?;
    let profile = Profile { nickname, sex: sex_of(sex)?, birth_year, bio, avatar, attributes };
    let privacy = Privacy { discoverable: flags & NOT_DISCOVERABLE == 0 };
    Some(User { uid, login_name, registered_ms, profile, privacy, revision, login_day })
}

/// `name`, the key of a login name.
pub(crate) fn login_name_key(name: &LoginName) -> Vec<u8> {
    super::named_key(LOGIN_NAME, name.as_str())
}

/// Reads the key of a login name.
pub(crate) fn parse_login_name_key(key: &[u8]) -> Option<LoginName> {
    Some(LoginName::stored(std::str::from_utf8(key.get(1..)?).ok()?.to_owned()))
}

/// Reads a password.
pub(crate) fn decode_password(bytes: &[u8]) -> Option<PasswordHash> {
    if bytes.len() > PASSWORD_HASH_LEN_MAX as usize {
        return None;
    }
    PasswordHash::new(std::str::from_utf8(bytes).ok()?.to_owned()).ok()
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend(text.as_bytes());
}

fn get_text(reader: &mut Reader<'_>) -> Option<String> {
    let len = usize::try_from(get_varint(reader)?).ok()?;
    Some(std::str::from_utf8(reader.take(len)?).ok()?.to_owned())
}

const fn sex_code(sex: Sex) -> u8 {
    match sex {
        Sex::Unspecified => 0,
        Sex::Female => 1,
        Sex::Male => 2,
        Sex::Other => 3,
    }
}

fn sex_of(code: u8) -> Option<Sex> {
    [Sex::Unspecified, Sex::Female, Sex::Male, Sex::Other].into_iter().find(|sex| sex_code(*sex) == code)
}
