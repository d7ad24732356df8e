//! One line of a list of users: a JSON object with `uid`, `login_name` or the id that the user has elsewhere, and what else is
//! known of the user.

use super::form::Form;
use super::named::{NamedRow, Names, WrittenIds, WrittenUser};
use super::post::{Id, write_line};
use super::row::{Line, Refusal, Row};
use super::time::Seen;
use guanxi_centers::user::passwords::Passwords;
use guanxi_model::limits::IMPORT_USERS_MAX;
use guanxi_model::user::{
    Contact, ContactKind, Contacts, ImportUser, PasswordHash, Privacy, PrivacyPatch, Profile, Sex,
};
use guanxi_model::{ExternalId, Gene, LoginName, Reason, Uid};
use guanxi_texts::{NamedBy, contact, new_login_name, nickname};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

impl Row for ImportUser {
    const NAME: &'static str = "users";
    /// The longest bio and attributes with every character escaped.
    const LINE_LEN_MAX: usize = 256 << 10;
    const BATCH_MAX: usize = IMPORT_USERS_MAX as usize;
    /// With one more line of the longest a batch still fits a request of a mebibyte.
    const BATCH_BYTES: usize = 512 << 10;

    fn parse(line: &[u8], _form: &Form, seen: &mut Seen) -> Line<Self> {
        let read = serde_json::from_slice::<Object>(line).map_err(Refusal::malformed);
        match read.and_then(|line| line.user(seen, None)) {
            Ok(user) => Line::Row(user),
            Err(refusal) => Line::Refused(refusal),
        }
    }

    fn gene(&self) -> Gene {
        self.uid.gene()
    }

    fn refused(&self, reason: &Reason) -> String {
        self.login_name
            .as_ref()
            .map_or_else(|| format!("{}: {reason}", self.uid), |name| format!("{name}: {reason}"))
    }

    fn told(&self, _verb: &str, user: &dyn Fn(Uid) -> String) -> String {
        self.login_name.as_ref().map_or_else(
            || format!("the profile of {}", user(self.uid)),
            |name| format!("the account {name}, uid {}", user(self.uid)),
        )
    }
}

impl NamedRow for ImportUser {
    fn read_named(line: &[u8], _form: &Form, seen: &mut Seen, names: &mut Names) -> Result<Self, Refusal> {
        let read = serde_json::from_slice::<Object>(line).map_err(Refusal::malformed)?;
        read.user(seen, Some(names))
    }

    fn users(&mut self) -> Vec<&mut Uid> {
        vec![&mut self.uid]
    }

    fn owner(&self) -> Uid {
        self.uid
    }
}

/// A line as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    #[serde(default)]
    uid: Option<Id>,
    #[serde(default)]
    login_name: Option<String>,
    #[serde(default)]
    password_hash: Option<String>,
    #[serde(default)]
    nickname: Option<String>,
    #[serde(default)]
    sex: Option<SexWord>,
    #[serde(default)]
    birth_year: Option<u16>,
    #[serde(default)]
    bio: Option<String>,
    #[serde(default)]
    avatar: Option<String>,
    #[serde(default)]
    attributes: Option<BTreeMap<String, String>>,
    #[serde(default)]
    register_time: Option<Id>,
    #[serde(default)]
    discoverable: Option<bool>,
    #[serde(default)]
    locked: Option<bool>,
    #[serde(default)]
    hides_following: Option<bool>,
    #[serde(default)]
    hides_followers: Option<bool>,
    #[serde(default)]
    status: Option<StatusWord>,
    #[serde(default)]
    phone: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    external_id: Option<Id>,
}

/// A line as it is written; what is as of a new user is left out.
#[derive(Serialize)]
struct Exported<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<WrittenUser<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    login_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    password_hash: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    register_time: Option<u64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    nickname: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sex: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    birth_year: Option<u16>,
    #[serde(skip_serializing_if = "str::is_empty")]
    bio: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    avatar: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discoverable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locked: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hides_following: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hides_followers: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
}

/// Writes a user as a line that an import reads: by its uid, or by the id that it has elsewhere.
///
/// # Errors
/// When the output cannot be written.
pub fn write(user: &ImportUser, ids: &WrittenIds, output: &mut impl Write) -> io::Result<()> {
    let uid = if ids.are_own() { None } else { Some(ids.user(user.uid)?) };
    let Profile { nickname, sex, birth_year, bio, avatar, attributes } = &user.profile;
    let (privacy, usual) = (user.privacy, Privacy::default());
    let other = |is: bool, usual: bool| Some(is).filter(|is| *is != usual);
    let line = Exported {
        uid,
        external_id: user.external_id.as_ref().map(ExternalId::as_str),
        login_name: user.login_name.as_ref().map(LoginName::shown),
        password_hash: user.password.as_ref().map(PasswordHash::expose),
        register_time: user.registered_ms,
        nickname,
        sex: match sex {
            Sex::Unspecified => None,
            Sex::Female => Some("FEMALE"),
            Sex::Male => Some("MALE"),
            Sex::Other => Some("OTHER"),
        },
        birth_year: *birth_year,
        bio,
        avatar,
        attributes,
        discoverable: other(privacy.discoverable, usual.discoverable),
        locked: other(privacy.locked, usual.locked),
        hides_following: other(privacy.hides_following, usual.hides_following),
        hides_followers: other(privacy.hides_followers, usual.hides_followers),
        status: user.is_deactivated.then_some("DEACTIVATED"),
        phone: user.contacts.phone.as_ref().map(Contact::expose),
        email: user.contacts.email.as_ref().map(Contact::expose),
    };
    write_line(&line, output)
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum StatusWord {
    #[serde(alias = "active")]
    Active,
    #[serde(alias = "deactivated")]
    Deactivated,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum SexWord {
    #[serde(alias = "female")]
    Female,
    #[serde(alias = "male")]
    Male,
    #[serde(alias = "other")]
    Other,
}

/// By which uid a user is kept, and whether it was made of the login name. With `names` it is named by the id that it has
/// elsewhere alone.
fn named(
    uid: Option<Id>,
    login_name: Option<&LoginName>,
    external_id: Option<&str>,
    names: Option<&mut Names>,
) -> Result<(Uid, bool), Refusal> {
    match (uid, login_name, names) {
        (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => Err(Refusal::malformed(
            "with --ids string a user has an external_id, and neither uid nor login_name",
        )),
        (None, None, Some(names)) => {
            let missing = || Refusal::malformed("a user has an external_id");
            Ok((names.user(external_id.ok_or_else(missing)?)?, false))
        }
        (Some(uid), _, None) => Ok((uid.uid()?, false)),
        (None, Some(name), None) => Ok((name.imported_uid(), true)),
        (None, None, None) => Err(Refusal::malformed(
            "a user has a uid or a login_name; one with an external_id alone takes --ids string",
        )),
    }
}

impl Object {
    /// The user of a line, which is named by the id that it has elsewhere where `names` takes it.
    fn user(self, seen: &mut Seen, names: Option<&mut Names>) -> Result<ImportUser, Refusal> {
        let refused = |error: guanxi_model::Error| Refusal::of(&error.reason);
        let login_name = self
            .login_name
            .map(|name| new_login_name(&name, NamedBy::Service))
            .transpose()
            .map_err(refused)?;
        let external_id = self.external_id.as_ref().map(Id::shown);
        let (uid, is_minted) = named(self.uid, login_name.as_ref(), external_id.as_deref(), names)?;
        let external_id =
            external_id.map(|id| ExternalId::new(id, "external_id")).transpose().map_err(refused)?;
        let known = |kind, text: Option<String>| text.map(|text| contact(kind, &text)).transpose();
        let contacts = Contacts {
            phone: known(ContactKind::Phone, self.phone).map_err(refused)?,
            email: known(ContactKind::Email, self.email).map_err(refused)?,
        };
        let privacy = PrivacyPatch {
            discoverable: self.discoverable,
            locked: self.locked,
            hides_following: self.hides_following,
            hides_followers: self.hides_followers,
        };
        let password = self.password_hash.map(PasswordHash::new).transpose().map_err(refused)?;
        if let Some(hash) = &password {
            Passwords::check_hash(hash.expose()).map_err(refused)?;
        }
        let profile = Profile {
            nickname: nickname(&self.nickname.unwrap_or_default()).map_err(refused)?,
            sex: self.sex.map_or(Sex::Unspecified, |word| match word {
                SexWord::Female => Sex::Female,
                SexWord::Male => Sex::Male,
                SexWord::Other => Sex::Other,
            }),
            birth_year: self.birth_year,
            bio: self.bio.unwrap_or_default(),
            avatar: self.avatar.unwrap_or_default(),
            attributes: self.attributes.unwrap_or_default(),
        };
        profile.check().map_err(|reason| Refusal::of(&reason))?;
        let registered_ms = self.register_time.map(|time| time.ms(seen)).transpose()?;
        if registered_ms.is_some() && login_name.is_none() {
            return Err(Refusal::of(&Reason::MissingField { field: "login_name" }));
        }
        Ok(ImportUser {
            uid,
            is_minted,
            login_name,
            password,
            profile,
            registered_ms,
            privacy: privacy.apply(Privacy::default()),
            is_deactivated: matches!(self.status, Some(StatusWord::Deactivated)),
            contacts,
            external_id,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_users_or_refused_with_what_is_wrong() {
        let read = |text: &str| ImportUser::parse(text.as_bytes(), &Form::default(), &mut Seen::default());
        let bcrypt = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
        let line = format!(
            r#"{{"login_name":"Alice","password_hash":"{bcrypt}","nickname":"A","sex":"FEMALE","birth_year":1990}}"#
        );
        let Line::Row(user) = read(&line) else { panic!("{:?}", read(&line)) };
        let name = LoginName::stored("alice".into());
        assert_eq!((user.uid, user.is_minted), (name.imported_uid(), true));
        assert_eq!((user.login_name, user.profile.sex), (Some(name), Sex::Female));
        assert_eq!(user.password.unwrap().expose(), bcrypt);
        let Line::Row(user) = read(r#"{"uid":"7","bio":"b","attributes":{"a":"b"}}"#) else { panic!() };
        assert!(user.uid.get() == 7 && !user.is_minted && user.login_name.is_none());
        for (text, reason) in [
            ("{}", "MALFORMED"),
            (r#"{"nickname":"x"}"#, "MALFORMED"),
            (r#"{"uid":0}"#, "UID_OUT_OF_RANGE"),
            (r#"{"login_name":"a b"}"#, "INVALID_FIELD"),
            (r#"{"login_name":"a","password_hash":"md5:x"}"#, "PASSWORD_HASH_UNUSABLE"),
            (r#"{"uid":7,"birth_year":1}"#, "INVALID_FIELD"),
            (r#"{"uid":7,"nickname":"a\u202eb"}"#, "INVALID_FIELD"),
            (r#"{"login_name":"@alice"}"#, "INVALID_FIELD"),
            (r#"{"uid":7,"email":"x"}"#, "INVALID_FIELD"),
            (r#"{"uid":7,"phone":"1"}"#, "INVALID_FIELD"),
            (r#"{"uid":7,"status":"ERASED"}"#, "MALFORMED"),
            (r#"{"uid":7,"register_time":5}"#, "MISSING_FIELD"),
            (r#"{"external_id":"a"}"#, "MALFORMED"),
            (r#"{"uid":7,"colour":"red"}"#, "MALFORMED"),
        ] {
            let found = read(text);
            assert!(
                matches!(&found, Line::Refused(refusal) if refusal.reason == reason),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let whole = r#"{"uid":"7","external_id":"a b","nickname":"N","sex":"OTHER","birth_year":1990,"bio":"b","avatar":"v","attributes":{"c":"d"},"discoverable":false,"locked":true,"hides_following":true,"hides_followers":true,"status":"DEACTIVATED","phone":"+14155550100","email":"a@example.org"}"#;
        let account = r#"{"uid":"7","login_name":"Alice","password_hash":"$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW","register_time":1700000000123}"#;
        for line in [whole, account, r#"{"uid":"7"}"#] {
            let read = ImportUser::parse(line.as_bytes(), &Form::default(), &mut Seen::default());
            let Line::Row(user) = read else { panic!("{line}: {read:?}") };
            let mut written = Vec::new();
            write(&user, &WrittenIds::default(), &mut written).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), format!("{line}\n"));
        }
    }
}
