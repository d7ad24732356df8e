//! What a user types, and what is kept of it. Neither is ever shown by `Debug`.

use super::rules;
use guanxi_model::Result;
use std::fmt;
use zeroize::Zeroizing;

/// A password in clear: never logged, and overwritten when it is dropped.
#[derive(Clone)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// Returns a password that its user chooses now, if it keeps the rules for new ones.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `PASSWORD_TOO_SHORT`, `TOO_LONG`, `PASSWORD_TOO_COMMON`.
    pub fn chosen(text: String) -> Result<Self> {
        let password = Self(Zeroizing::new(text));
        rules::check_chosen(&password.0)?;
        Ok(password)
    }

    /// Returns a password that is given to prove who somebody is. The rules may have been others when it was chosen,
    /// so it is bounded and nothing else.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `TOO_LONG`.
    pub fn given(text: String) -> Result<Self> {
        let password = Self(Zeroizing::new(text));
        rules::check_given(&password.0)?;
        Ok(password)
    }

    /// Returns its bytes, for the hash alone.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

/// The hash of a password as it is stored: a PHC string.
#[derive(Clone, PartialEq, Eq)]
pub struct HashedPassword(String);

impl HashedPassword {
    pub(super) const fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the text to store.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text to store.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Debug for HashedPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashedPassword")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_neither_a_password_nor_a_hash() {
        let password = Password::given("correct horse".into()).unwrap();
        let hashed = HashedPassword::new("$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA".into());
        assert_eq!(format!("{password:?} {hashed:?}"), "Password HashedPassword");
    }
}
