//! A password, as a user types it. `Debug` never shows it.

use super::rules;
use guanxi_model::{LoginName, Result};
use std::{fmt, iter};
use zeroize::Zeroizing;

/// A password in clear: never logged, and overwritten when it is dropped.
///
/// It is hashed in its normal form, which `guanxi-texts` makes: what is typed composed or decomposed is one password. A
/// hash that is older than that, or that comes from elsewhere, was made of the text as it was typed. So where the two
/// differ both are verified, the normal form first.
#[derive(Clone)]
pub struct Password {
    /// The text that a new hash is made of.
    hashed: Zeroizing<String>,
    /// The text as it was typed, if it differs.
    typed: Option<Zeroizing<String>>,
}

impl Password {
    /// Returns a password that its user chooses now, if it keeps the rules for new ones. The text is its normal form.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `PASSWORD_TOO_SHORT`, `TOO_LONG`, `PASSWORD_TOO_COMMON`.
    pub fn chosen(normal: impl Into<Zeroizing<String>>) -> Result<Self> {
        let normal = normal.into();
        rules::check_chosen(&normal)?;
        Ok(Self { hashed: normal, typed: None })
    }

    /// Returns a password that is given to prove who somebody is, with its normal form, if it has one. The rules may have
    /// been others when it was chosen, so it is bounded and nothing else.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `TOO_LONG`.
    pub fn given(typed: String, normal: Option<Zeroizing<String>>) -> Result<Self> {
        let typed = Zeroizing::new(typed);
        rules::check_given(&typed)?;
        Ok(match normal {
            Some(normal) if *normal != *typed => Self { hashed: normal, typed: Some(typed) },
            _ => Self { hashed: typed, typed: None },
        })
    }

    /// Checks that a password that is chosen is not the login name of its user.
    ///
    /// # Errors
    /// `PASSWORD_TOO_COMMON`.
    pub(in crate::user) fn check_is_not(&self, name: &LoginName) -> Result<()> {
        rules::check_is_not(&self.hashed, name)
    }

    /// Returns the bytes that a new hash is made of, for the hash alone.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.hashed.as_bytes()
    }

    /// Returns the bytes that a stored hash may be of, each with whether a new hash is made of others: one or two.
    pub(super) fn forms(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let typed = self.typed.as_ref().map(|typed| (typed.as_bytes(), true));
        iter::once((self.as_bytes(), false)).chain(typed)
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_password() {
        let password = Password::given("correct horse".into(), None).unwrap();
        assert_eq!(format!("{password:?}"), "Password");
    }
}
