//! One line of a list of users: a JSON object with `uid`, `login_name` or the id that the user has elsewhere, and what else is
//! known of the user.

use super::form::Form;
use super::json::{Id, JsonLine, object};
use super::named::{NamedRow, Names, WrittenIds};
use super::row::{Refusal, Row};
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

    fn parse(line: &[u8], form: &Form, seen: &mut Seen) -> Result<Self, Refusal> {
        Self::read(line, form, seen, None)
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
    fn read(line: &[u8], _: &Form, seen: &mut Seen, names: Option<&mut Names>) -> Result<Self, Refusal> {
        object::<Object>(line)?.user(seen, names)
    }

    fn users(&mut self) -> Vec<&mut Uid> {
        vec![&mut self.uid]
    }

    fn owner(&self) -> Uid {
        self.uid
    }
}

/// The object of a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    uid: Option<Id>,
    login_name: Option<String>,
    password_hash: Option<String>,
    nickname: Option<String>,
    sex: Option<SexField>,
    birth_year: Option<u16>,
    bio: Option<String>,
    avatar: Option<String>,
    attributes: Option<BTreeMap<String, String>>,
    register_time: Option<Id>,
    discoverable: Option<bool>,
    locked: Option<bool>,
    hides_following: Option<bool>,
    hides_followers: Option<bool>,
    status: Option<StatusWord>,
    phone: Option<String>,
    email: Option<String>,
    external_id: Option<Id>,
}

/// Writes a user as a line that an import reads: by its uid, or by the id that it has elsewhere. What is as of a new user is
/// left out.
///
/// # Errors
/// When the output cannot be written.
pub fn write(user: &ImportUser, ids: &WrittenIds, output: &mut impl Write) -> io::Result<()> {
    let uid = if ids.are_own() { None } else { Some(ids.user(user.uid)?) };
    let Profile { nickname, sex, birth_year, bio, avatar, attributes } = &user.profile;
    let (privacy, usual) = (user.privacy, Privacy::default());
    let mut json = JsonLine::new(output);
    json.some("uid", uid)?;
    json.some("external_id", user.external_id.as_ref().map(ExternalId::as_str))?;
    json.some("login_name", user.login_name.as_ref().map(LoginName::shown))?;
    json.some("password_hash", user.password.as_ref().map(PasswordHash::expose))?;
    json.some("register_time", user.registered_ms)?;
    json.text("nickname", nickname)?;
    json.some("sex", (*sex != Sex::Unspecified).then_some(SexField(*sex)))?;
    json.some("birth_year", *birth_year)?;
    json.text("bio", bio)?;
    json.text("avatar", avatar)?;
    json.some("attributes", (!attributes.is_empty()).then_some(attributes))?;
    for (name, is, usual) in [
        ("discoverable", privacy.discoverable, usual.discoverable),
        ("locked", privacy.locked, usual.locked),
        ("hides_following", privacy.hides_following, usual.hides_following),
        ("hides_followers", privacy.hides_followers, usual.hides_followers),
    ] {
        json.some(name, (is != usual).then_some(is))?;
    }
    json.some("status", user.is_deactivated.then_some("DEACTIVATED"))?;
    json.some("phone", user.contacts.phone.as_ref().map(Contact::expose))?;
    json.some("email", user.contacts.email.as_ref().map(Contact::expose))?;
    json.end()
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum StatusWord {
    #[serde(alias = "active")]
    Active,
    #[serde(alias = "deactivated")]
    Deactivated,
}

/// A sex as the word for it.
#[derive(Deserialize, Serialize)]
struct SexField(#[serde(with = "SexWord")] Sex);

#[derive(Deserialize, Serialize)]
#[serde(remote = "Sex", rename_all = "UPPERCASE")]
enum SexWord {
    #[serde(skip)]
    Unspecified,
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
        (Some(uid), _, None) => Ok((uid.user(None)?, false)),
        (None, Some(name), None) => Ok((name.imported_uid(), true)),
        (None, None, None) => Err(Refusal::malformed(
            "a user has a uid or a login_name; one with an external_id alone takes --ids string",
        )),
    }
}

impl Object {
    /// The user of a line, which is named by the id that it has elsewhere where `names` takes it.
    fn user(self, seen: &mut Seen, names: Option<&mut Names>) -> Result<ImportUser, Refusal> {
        let login_name = self.login_name.map(|name| new_login_name(&name, NamedBy::Service)).transpose()?;
        let external_id = self.external_id.as_ref().map(Id::shown);
        let (uid, is_minted) = named(self.uid, login_name.as_ref(), external_id.as_deref(), names)?;
        let external_id = external_id.map(|id| ExternalId::new(id, "external_id")).transpose()?;
        let known = |kind, text: Option<String>| text.map(|text| contact(kind, &text)).transpose();
        let contacts = Contacts {
            phone: known(ContactKind::Phone, self.phone)?,
            email: known(ContactKind::Email, self.email)?,
        };
        let privacy = PrivacyPatch {
            discoverable: self.discoverable,
            locked: self.locked,
            hides_following: self.hides_following,
            hides_followers: self.hides_followers,
        };
        let password = self.password_hash.map(PasswordHash::new).transpose()?;
        if let Some(hash) = &password {
            Passwords::check_hash(hash.expose())?;
        }
        let profile = Profile {
            nickname: nickname(&self.nickname.unwrap_or_default())?,
            sex: self.sex.map_or(Sex::Unspecified, |SexField(sex)| sex),
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
        let user = read(&line).unwrap();
        let name = LoginName::stored("alice".into());
        assert_eq!((user.uid, user.is_minted), (name.imported_uid(), true));
        assert_eq!((user.login_name, user.profile.sex), (Some(name), Sex::Female));
        assert_eq!(user.password.unwrap().expose(), bcrypt);
        let user = read(r#"{"uid":"7","bio":"b","attributes":{"a":"b"}}"#).unwrap();
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
            assert!(found.as_ref().is_err_and(|refusal| refusal.reason == reason), "{text}: {found:?}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let whole = r#"{"uid":"7","external_id":"a b","nickname":"N","sex":"OTHER","birth_year":1990,"bio":"b","avatar":"v","attributes":{"c":"d"},"discoverable":false,"locked":true,"hides_following":true,"hides_followers":true,"status":"DEACTIVATED","phone":"+14155550100","email":"a@example.org"}"#;
        let account = r#"{"uid":"7","login_name":"Alice","password_hash":"$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW","register_time":1700000000123}"#;
        for line in [whole, account, r#"{"uid":"7"}"#] {
            let read = ImportUser::parse(line.as_bytes(), &Form::default(), &mut Seen::default());
            let user = read.expect(line);
            let mut written = Vec::new();
            write(&user, &WrittenIds::default(), &mut written).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), format!("{line}\n"));
        }
    }
}
