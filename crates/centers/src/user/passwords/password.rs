//! What a user types. `Debug` never shows it.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_password() {
        let password = Password::given("correct horse".into()).unwrap();
        assert_eq!(format!("{password:?}"), "Password");
    }
}
