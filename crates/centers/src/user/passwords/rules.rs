//! What a new password must be: long enough, bounded, and not what everybody tries first. Any characters do, nothing
//! is cut off, and nothing ever has to be changed for its age.

use guanxi_model::{Error, Reason, Result};
use std::sync::LazyLock;
use zeroize::Zeroizing;

/// Characters of a new password at least (ASVS 6.2.1). They are counted as they come, without normalising: what looks
/// like one character may count as two, which refuses nobody who typed eight.
pub const PASSWORD_CHARS_MIN: u32 = 8;

/// Bytes of a new password at most: a passphrase of twenty words, or forty characters of four bytes.
pub const PASSWORD_LEN_MAX: u32 = 128;

/// Bytes of a password that is given to log in: imported users may have longer ones than are chosen here. Its length
/// adds nothing to what a hash costs.
pub const PASSWORD_GIVEN_LEN_MAX: u32 = 1_024;

/// Lines of comments, then one password a line, sorted by bytes.
const COMMON: &str = include_str!("common.txt");

/// The most common passwords, in lower case.
static COMMON_PASSWORDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| COMMON.lines().filter(|line| !line.starts_with('#')).collect());

/// Checks a password that is chosen now.
pub(super) fn check_chosen(text: &str) -> Result<()> {
    check_len(text, PASSWORD_LEN_MAX)?;
    if text.chars().count() < PASSWORD_CHARS_MIN as usize {
        return Err(Error::new(Reason::PasswordTooShort { limit: PASSWORD_CHARS_MIN }));
    }
    let lower = Zeroizing::new(text.to_lowercase());
    match COMMON_PASSWORDS.binary_search(&lower.as_str()) {
        Ok(_) => Err(Error::new(Reason::PasswordTooCommon)),
        Err(_) => Ok(()),
    }
}

/// Checks a password that is given to prove who somebody is.
pub(super) fn check_given(text: &str) -> Result<()> {
    check_len(text, PASSWORD_GIVEN_LEN_MAX)
}

fn check_len(text: &str, limit: u32) -> Result<()> {
    if text.is_empty() {
        return Err(Error::new(Reason::MissingField { field: "password" }));
    }
    if text.len() > limit as usize {
        return Err(Error::new(Reason::TooLong { field: "password", limit }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_holds_what_the_length_lets_through() {
        assert_eq!(COMMON_PASSWORDS.len(), 3_000);
        assert!(COMMON_PASSWORDS.is_sorted());
        assert!(COMMON_PASSWORDS.iter().all(|one| one.len() >= PASSWORD_CHARS_MIN as usize));
        assert!(COMMON_PASSWORDS.iter().all(|one| *one == one.to_lowercase()));
    }

    #[test]
    fn a_new_password_is_long_enough_bounded_and_uncommon() {
        let reason = |text: &str| check_chosen(text).map_err(|error| error.reason);
        let too_short = Err(Reason::PasswordTooShort { limit: 8 });
        let too_long = Err(Reason::TooLong { field: "password", limit: 128 });
        for (text, expected) in [
            ("", Err(Reason::MissingField { field: "password" })),
            ("7 chars", too_short.clone()),
            ("eight ch", Ok(())),
            // Characters are counted, not bytes.
            ("密码密码密码密", too_short),
            ("密码密码密码密码", Ok(())),
            ("\u{0} \n\t any \u{1f511}", Ok(())),
            ("password", Err(Reason::PasswordTooCommon)),
            ("Password", Err(Reason::PasswordTooCommon)),
            ("QWERTYUIOP", Err(Reason::PasswordTooCommon)),
            ("!qaz2wsx", Err(Reason::PasswordTooCommon)),
            ("password of mine", Ok(())),
        ] {
            assert_eq!(reason(text), expected, "{text:?}");
        }
        assert_eq!(reason(&"x".repeat(128)), Ok(()));
        assert_eq!(reason(&"x".repeat(129)), too_long);
    }

    #[test]
    fn a_password_that_is_given_is_bounded_and_nothing_else() {
        assert_eq!(check_given("short"), Ok(()));
        assert_eq!(check_given("password"), Ok(()));
        assert_eq!(check_given(&"x".repeat(1_024)), Ok(()));
        assert!(check_given(&"x".repeat(1_025)).is_err() && check_given("").is_err());
    }
}
