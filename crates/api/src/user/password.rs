//! Passwords as requests give them, with their normal forms.

use guanxi_centers::user::passwords::{PASSWORD_GIVEN_LEN_MAX, PASSWORD_LEN_MAX, Password};
use guanxi_model::{Error, Reason, Result};
use guanxi_texts::normal_password;

const FIELD: &str = "password";

/// Returns a password that its user chooses.
///
/// # Errors
/// `INVALID_FIELD` for characters that no password has; those of [`Password::chosen`].
pub(super) fn chosen(typed: &str) -> Result<Password> {
    // Normalising costs what is given, and shortens some of it.
    if typed.len() > PASSWORD_GIVEN_LEN_MAX as usize {
        return Err(Error::new(Reason::TooLong { field: FIELD, limit: PASSWORD_LEN_MAX }));
    }
    let normal = normal_password(typed).ok_or(Error::new(Reason::InvalidField { field: FIELD }))?;
    Password::chosen(normal)
}

/// Returns a password that a user gives to authenticate itself: also one that could not be chosen now.
///
/// # Errors
/// Those of [`Password::given`].
pub(super) fn given_password(typed: &str) -> Result<Password> {
    let is_bounded = typed.len() <= PASSWORD_GIVEN_LEN_MAX as usize;
    let normal = is_bounded.then(|| normal_password(typed)).flatten();
    Password::given(typed.to_owned(), normal)
}
