//! One line of a list of users: a JSON object with `uid` or `login_name`, and what else is known of the user.

use super::form::Form;
use super::post::Id;
use super::row::{Line, Refusal, Row};
use super::time::Seen;
use guanxi_centers::user::passwords::Passwords;
use guanxi_model::limits::IMPORT_USERS_MAX;
use guanxi_model::user::{ImportUser, PasswordHash, Profile, Sex};
use guanxi_model::{Gene, Reason, Uid};
use guanxi_texts::{NamedBy, new_login_name, nickname};
use serde::Deserialize;
use std::collections::BTreeMap;

impl Row for ImportUser {
    const NAME: &'static str = "users";
    /// The longest bio and attributes with every character escaped.
    const LINE_LEN_MAX: usize = 256 << 10;
    const BATCH_MAX: usize = IMPORT_USERS_MAX as usize;
    /// With one more line of the longest a batch still fits a request of a mebibyte.
    const BATCH_BYTES: usize = 512 << 10;

    fn parse(line: &[u8], _form: &Form, _seen: &mut Seen) -> Line<Self> {
        let read = serde_json::from_slice::<Object>(line).map_err(Refusal::malformed);
        match read.and_then(Object::user) {
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

impl Object {
    fn user(self) -> Result<ImportUser, Refusal> {
        let refused = |error: guanxi_model::Error| Refusal::of(&error.reason);
        let login_name = self
            .login_name
            .map(|name| new_login_name(&name, NamedBy::Service))
            .transpose()
            .map_err(refused)?;
        let (uid, is_minted) = match (self.uid, &login_name) {
            (Some(uid), _) => (uid.uid()?, false),
            (None, Some(name)) => (name.imported_uid(), true),
            (None, None) => return Err(Refusal::malformed("a user has a uid or a login_name")),
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
        Ok(ImportUser { uid, is_minted, login_name, password, profile })
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
        let name = guanxi_model::LoginName::stored("alice".into());
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
            (r#"{"uid":7,"email":"x"}"#, "MALFORMED"),
        ] {
            let found = read(text);
            assert!(
                matches!(&found, Line::Refused(refusal) if refusal.reason == reason),
                "{text}: {found:?}"
            );
        }
    }
}
