//! Rows of users: what is kept of one, whose a login name is, and passwords.

use super::parts::keys;
use guanxi_model::bytes::Reader;
use guanxi_model::limits::{PASSWORD_HASH_LEN_MAX, USER_ATTRIBUTES_MAX};
use guanxi_model::stored::{get_text, get_varint, put_text, put_varint};
use guanxi_model::user::{
    Contact, ContactKind, Contacts, PasswordHash, Privacy, Profile, Sex, Standing, UserStatus,
};
use guanxi_model::{LoginName, Uid, User};
use std::collections::BTreeMap;

/// Prefix of what is kept of users.
pub const USER: u8 = b'a';
/// Prefix of login names.
pub const LOGIN_NAME: u8 = b'o';
/// Prefix of how users stand who do not stand as the default says: an index of users, all of it read at opening.
pub const STANDING: u8 = b'd';
/// Prefix of users who are deleted and not erased yet, by the time to erase them at: an index of users.
pub const DELETED_USER: u8 = b'g';
/// Prefix of users who are erased, with the time since when: an index of users.
pub const ERASED_USER: u8 = b'h';
/// Prefix of passwords.
pub const PASSWORD: u8 = b'w';
/// Prefix of when users signed out everywhere, in Unix milliseconds: all of it is read at opening.
pub const SIGNED_OUT: u8 = b'b';
/// The key of the last time of a sign-out that was forgotten.
pub const FORGOTTEN_KEY: &[u8] = b"b";

/// The first byte of a user: the form of the rest.
const FORM: u8 = 1;

/// In the flags of a user: a login name and when it was registered follow; a day of login; a year of birth.
const ACCOUNT: u64 = 1;
const LOGIN_DAY: u64 = 2;
const BIRTH_YEAR: u64 = 4;
/// How a user stands: other end users do not find it by its login name; it takes no new followers; its lists are
/// hidden; it is deactivated. The same bits make the value of its row [`STANDING`].
const NOT_DISCOVERABLE: u64 = 8;
const LOCKED: u64 = 32;
const HIDES_FOLLOWING: u64 = 64;
const HIDES_FOLLOWERS: u64 = 128;
const DEACTIVATED: u64 = 256;
/// It is deleted, or erased: when the rest is erased, or was, follows at the end.
const DELETED: u64 = 512;
const ERASED: u64 = 1_024;
/// It is taken down, whether it is deactivated or not. Why is the last of the row of a user.
const TAKEN_DOWN: u64 = 2_048;
const STANDS: u64 = NOT_DISCOVERABLE
    | LOCKED
    | HIDES_FOLLOWING
    | HIDES_FOLLOWERS
    | DEACTIVATED
    | DELETED
    | ERASED
    | TAKEN_DOWN;
/// A phone number and a mail address follow the attributes; one of them may be empty.
const CONTACTS: u64 = 16;
const FLAGS: u64 = ACCOUNT | LOGIN_DAY | BIRTH_YEAR | STANDS | CONTACTS;

/// The stored form of what is kept of a user; the uid is in the key.
pub fn encode_user(user: &User) -> Vec<u8> {
    let User { login_name, registered_ms, profile, revision, login_day, contacts, .. } = user;
    let account = login_name.as_ref().zip(*registered_ms);
    let has_contacts = *contacts != Contacts::default();
    let flags = flag(account.is_some(), ACCOUNT)
        | flag(login_day.is_some(), LOGIN_DAY)
        | flag(profile.birth_year.is_some(), BIRTH_YEAR)
        | standing_flags(user.standing())
        | flag(has_contacts, CONTACTS);
    let mut out = vec![FORM];
    put_varint(&mut out, flags);
    out.push(profile.sex.code());
    put_varint(&mut out, (*revision).into());
    if let Some((name, registered_ms)) = account {
        put_text(&mut out, &name.to_stored());
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
    if has_contacts {
        for kind in ContactKind::ALL {
            put_text(&mut out, contacts.of(kind).map_or("", Contact::expose));
        }
    }
    put_status_time(&mut out, user.status);
    user.takedown.iter().for_each(|reason| put_text(&mut out, reason));
    out
}

/// Reads what is kept of a user.
pub fn decode_user(uid: Uid, bytes: &[u8]) -> Option<User> {
    let mut reader = Reader::new(bytes);
    let reader = &mut reader;
    let (form, flags, sex) = (reader.u8()?, get_varint(reader)?, reader.u8()?);
    if form != FORM || flags & !FLAGS != 0 {
        return None;
    }
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
    let contacts = if flags & CONTACTS == 0 { Contacts::default() } else { get_contacts(reader)? };
    let standing = get_standing(flags, reader)?;
    let takedown = if standing.taken_down { Some(get_text(reader)?) } else { None };
    reader.end()?;
    let profile = Profile { nickname, sex: Sex::of_code(sex)?, birth_year, bio, avatar, attributes };
    let Standing { status, privacy, .. } = standing;
    Some(User {
        uid,
        login_name,
        registered_ms,
        profile,
        privacy,
        status,
        revision,
        login_day,
        contacts,
        takedown,
    })
}

const fn flag(is_set: bool, flag: u64) -> u64 {
    if is_set { flag } else { 0 }
}

const fn standing_flags(standing: Standing) -> u64 {
    let Privacy { discoverable, locked, hides_following, hides_followers } = standing.privacy;
    flag(!discoverable, NOT_DISCOVERABLE)
        | flag(locked, LOCKED)
        | flag(hides_following, HIDES_FOLLOWING)
        | flag(hides_followers, HIDES_FOLLOWERS)
        | flag(standing.taken_down, TAKEN_DOWN)
        | match standing.status {
            UserStatus::Active => 0,
            UserStatus::Deactivated => DEACTIVATED,
            UserStatus::Deleted { .. } => DELETED,
            UserStatus::Erased { .. } => ERASED,
        }
}

fn put_status_time(out: &mut Vec<u8>, status: UserStatus) {
    match status {
        UserStatus::Active | UserStatus::Deactivated => {}
        UserStatus::Deleted { erase_at_ms: ms } | UserStatus::Erased { at_ms: ms } => put_varint(out, ms),
    }
}

/// Returns how a user stands by its flags and what follows.
fn get_standing(flags: u64, reader: &mut Reader<'_>) -> Option<Standing> {
    let status = match flags & (DEACTIVATED | DELETED | ERASED) {
        0 => UserStatus::Active,
        DEACTIVATED => UserStatus::Deactivated,
        DELETED => UserStatus::Deleted { erase_at_ms: get_varint(reader)? },
        ERASED => UserStatus::Erased { at_ms: get_varint(reader)? },
        _ => return None,
    };
    let taken_down = flags & TAKEN_DOWN != 0;
    if taken_down && status.is_deleted() {
        return None;
    }
    Some(Standing {
        status,
        taken_down,
        privacy: Privacy {
            discoverable: flags & NOT_DISCOVERABLE == 0,
            locked: flags & LOCKED != 0,
            hides_following: flags & HIDES_FOLLOWING != 0,
            hides_followers: flags & HIDES_FOLLOWERS != 0,
        },
    })
}

/// Returns the stored form of how a user stands; `None` for a user that stands as the default says, which has no row.
pub fn encode_standing(standing: Standing) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    put_varint(&mut out, standing_flags(standing));
    put_status_time(&mut out, standing.status);
    (standing != Standing::default()).then_some(out)
}

/// Reads how a user stands.
pub fn decode_standing(bytes: &[u8]) -> Option<Standing> {
    let mut reader = Reader::new(bytes);
    let flags = get_varint(&mut reader)?;
    if flags == 0 || flags & !STANDS != 0 {
        return None;
    }
    let standing = get_standing(flags, &mut reader)?;
    reader.end()?;
    Some(standing)
}

fn get_contacts(reader: &mut Reader<'_>) -> Option<Contacts> {
    let mut contacts = Contacts::default();
    for kind in ContactKind::ALL {
        let text = get_text(reader)?;
        contacts.set(kind, (!text.is_empty()).then(|| Contact::stored(kind, text)));
    }
    (contacts != Contacts::default()).then_some(contacts)
}

keys! {
    /// `ms uid`, the key of a user who is to be erased; the row has no value.
    deleted_user_key, parse_deleted_user_key = [DELETED_USER] (erase_at_ms: u64, uid: Uid);
}

/// `name`, the key of a login name.
pub fn login_name_key(name: &LoginName) -> Vec<u8> {
    super::named_key(LOGIN_NAME, name.as_str())
}

/// Reads the key of a login name.
pub fn parse_login_name_key(key: &[u8]) -> Option<LoginName> {
    Some(LoginName::stored(std::str::from_utf8(key.get(1..)?).ok()?.to_owned()))
}

/// Reads a password.
pub fn decode_password(bytes: &[u8]) -> Option<PasswordHash> {
    if bytes.len() > PASSWORD_HASH_LEN_MAX as usize {
        return None;
    }
    PasswordHash::new(std::str::from_utf8(bytes).ok()?.to_owned()).ok()
}
