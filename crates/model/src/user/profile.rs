//! What a user says of itself.

use crate::error::{Reason, Result};
use crate::limits::{
    AVATAR_LEN_MAX, BIO_LEN_MAX, BIRTH_YEAR_MAX, BIRTH_YEAR_MIN, NICKNAME_LEN_MAX,
    USER_ATTRIBUTE_KEY_LEN_MAX, USER_ATTRIBUTE_LEN_MAX, USER_ATTRIBUTES_MAX,
};
use std::collections::BTreeMap;

crate::kinds! {
    /// What a user says its sex is.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Sex: code {
        /// Nothing is said.
        #[default]
        Unspecified = 0,
        /// Female.
        Female = 1,
        /// Male.
        Male = 2,
        /// Neither.
        Other = 3,
    }
}

/// What a user says of itself, for all users who may see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Profile {
    /// What others call the user; not unique. At most [`NICKNAME_LEN_MAX`] bytes.
    pub nickname: String,
    /// The sex.
    pub sex: Sex,
    /// The year of birth, [`BIRTH_YEAR_MIN`] to [`BIRTH_YEAR_MAX`].
    pub birth_year: Option<u16>,
    /// A few words; at most [`BIO_LEN_MAX`] bytes.
    pub bio: String,
    /// Where the picture is, in the words of the application; at most [`AVATAR_LEN_MAX`] bytes.
    pub avatar: String,
    /// What else the application keeps: at most [`USER_ATTRIBUTES_MAX`], of names of
    /// [`USER_ATTRIBUTE_KEY_LEN_MAX`] and values of [`USER_ATTRIBUTE_LEN_MAX`] bytes.
    pub attributes: BTreeMap<String, String>,
}

impl Profile {
    /// Checks every field.
    ///
    /// # Errors
    /// `TOO_LONG`, `INVALID_FIELD`, `BATCH_TOO_LARGE` for attributes, `MISSING_FIELD` for an attribute without a name.
    pub fn check(&self) -> Result<(), Reason> {
        for (field, text, limit) in [
            ("nickname", &self.nickname, NICKNAME_LEN_MAX),
            ("bio", &self.bio, BIO_LEN_MAX),
            ("avatar", &self.avatar, AVATAR_LEN_MAX),
        ] {
            if text.len() > limit as usize {
                return Err(Reason::TooLong { field, limit });
            }
        }
        if self.nickname.chars().any(char::is_control) {
            return Err(Reason::InvalidField { field: "nickname" });
        }
        if self.birth_year.is_some_and(|year| !(BIRTH_YEAR_MIN..=BIRTH_YEAR_MAX).contains(&year)) {
            return Err(Reason::InvalidField { field: "birth_year" });
        }
        if self.attributes.len() > USER_ATTRIBUTES_MAX as usize {
            return Err(Reason::BatchTooLarge { limit: USER_ATTRIBUTES_MAX });
        }
        for (name, value) in &self.attributes {
            if name.is_empty() {
                return Err(Reason::MissingField { field: "attributes" });
            }
            for (text, limit) in [(name, USER_ATTRIBUTE_KEY_LEN_MAX), (value, USER_ATTRIBUTE_LEN_MAX)] {
                if text.len() > limit as usize {
                    return Err(Reason::TooLong { field: "attributes", limit });
                }
            }
        }
        Ok(())
    }
}

/// A change of a profile; what is `None` stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProfilePatch {
    /// The new nickname.
    pub nickname: Option<String>,
    /// The new sex.
    pub sex: Option<Sex>,
    /// The new year of birth, or that there is none.
    pub birth_year: Option<Option<u16>>,
    /// The new bio.
    pub bio: Option<String>,
    /// The new avatar.
    pub avatar: Option<String>,
    /// All new attributes.
    pub attributes: Option<BTreeMap<String, String>>,
}

impl ProfilePatch {
    /// Returns a profile with the change made.
    pub fn apply(self, profile: &Profile) -> Profile {
        Profile {
            nickname: self.nickname.unwrap_or_else(|| profile.nickname.clone()),
            sex: self.sex.unwrap_or(profile.sex),
            birth_year: self.birth_year.unwrap_or(profile.birth_year),
            bio: self.bio.unwrap_or_else(|| profile.bio.clone()),
            avatar: self.avatar.unwrap_or_else(|| profile.avatar.clone()),
            attributes: self.attributes.unwrap_or_else(|| profile.attributes.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_has_its_bound() {
        let long = |limit: u32| "x".repeat(limit as usize + 1);
        let one = |name: String, value: String| BTreeMap::from([(name, value)]);
        let many = (0..=USER_ATTRIBUTES_MAX).map(|n| (n.to_string(), String::new())).collect();
        let base = Profile::default;
        for (profile, reason) in [
            (
                Profile { nickname: long(NICKNAME_LEN_MAX), ..base() },
                Reason::TooLong { field: "nickname", limit: NICKNAME_LEN_MAX },
            ),
            (Profile { nickname: "a\nb".into(), ..base() }, Reason::InvalidField { field: "nickname" }),
            (
                Profile { bio: long(BIO_LEN_MAX), ..base() },
                Reason::TooLong { field: "bio", limit: BIO_LEN_MAX },
            ),
            (
                Profile { avatar: long(AVATAR_LEN_MAX), ..base() },
                Reason::TooLong { field: "avatar", limit: AVATAR_LEN_MAX },
            ),
            (
                Profile { birth_year: Some(BIRTH_YEAR_MIN - 1), ..base() },
                Reason::InvalidField { field: "birth_year" },
            ),
            (Profile { attributes: many, ..base() }, Reason::BatchTooLarge { limit: USER_ATTRIBUTES_MAX }),
            (
                Profile { attributes: one(String::new(), "v".into()), ..base() },
                Reason::MissingField { field: "attributes" },
            ),
            (
                Profile { attributes: one(long(USER_ATTRIBUTE_KEY_LEN_MAX), String::new()), ..base() },
                Reason::TooLong { field: "attributes", limit: USER_ATTRIBUTE_KEY_LEN_MAX },
            ),
            (
                Profile { attributes: one("k".into(), long(USER_ATTRIBUTE_LEN_MAX)), ..base() },
                Reason::TooLong { field: "attributes", limit: USER_ATTRIBUTE_LEN_MAX },
            ),
        ] {
            assert_eq!(profile.check(), Err(reason));
        }
        assert_eq!(base().check(), Ok(()));
    }

    #[test]
    fn a_patch_changes_what_it_names() {
        let before = Profile {
            nickname: "Al".into(),
            birth_year: Some(1990),
            bio: "words".into(),
            ..Profile::default()
        };
        assert_eq!(ProfilePatch::default().apply(&before), before);
        let patch =
            ProfilePatch { birth_year: Some(None), bio: Some(String::new()), ..ProfilePatch::default() };
        assert_eq!(patch.apply(&before), Profile { nickname: "Al".into(), ..Profile::default() });
    }
}
