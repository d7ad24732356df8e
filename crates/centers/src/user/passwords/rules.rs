//! The rules of a new password: long enough, bounded, and none of the passwords that attackers try first. Nothing is cut off,
//! and no password must ever be changed for its age.

use guanxi_model::{Error, LoginName, Reason, Result};
use std::sync::LazyLock;
use zeroize::Zeroizing;

/// Characters of a new password at least (ASVS 6.2.1), in its normal form.
pub const PASSWORD_CHARS_MIN: u32 = 8;

/// Bytes of a new password at most, in its normal form: a passphrase of twenty words, or forty characters of four bytes.
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
    if COMMON_PASSWORDS.binary_search(&lower.as_str()).is_ok() || is_run(&lower) {
        return Err(Error::new(Reason::PasswordTooCommon));
    }
    Ok(())
}

/// Returns whether each character is the same step from the one before, as in `aaaaaaaa`, `abcdefgh` and `98765432`. A 0
/// follows a 9, too.
fn is_run(text: &str) -> bool {
    let step = |(from, to): (char, char)| match (from, to) {
        ('9', '0') => 1,
        ('0', '9') => -1,
        _ => i64::from(u32::from(to)) - i64::from(u32::from(from)),
    };
    let mut steps = text.chars().zip(text.chars().skip(1)).map(step);
    let first = steps.next().unwrap_or_default();
    (-1..=1).contains(&first) && steps.all(|step| step == first)
}

/// Checks a password that is chosen now against the login name of its user, without regard to case.
pub(super) fn check_is_not(text: &str, name: &LoginName) -> Result<()> {
    let lower = Zeroizing::new(text.to_lowercase());
    // In the key of a name a final sigma is any other.
    let mapped = lower.chars().map(|char| if char == 'ς' { 'σ' } else { char });
    if mapped.eq(name.as_str().chars()) {
        return Err(Error::new(Reason::PasswordTooCommon));
    }
    Ok(())
}

/// Checks a password that a user gives to authenticate itself.
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
            ("any \u{1f511} key", Ok(())),
            ("password", Err(Reason::PasswordTooCommon)),
            ("Password", Err(Reason::PasswordTooCommon)),
            ("QWERTYUIOP", Err(Reason::PasswordTooCommon)),
            ("!qaz2wsx", Err(Reason::PasswordTooCommon)),
            ("password of mine", Ok(())),
            ("        ", Err(Reason::PasswordTooCommon)),
            ("zzzzzzzzzzzz", Err(Reason::PasswordTooCommon)),
            ("密密密密密密密密", Err(Reason::PasswordTooCommon)),
            ("AbCdEfGhI", Err(Reason::PasswordTooCommon)),
            ("zyxwvuts", Err(Reason::PasswordTooCommon)),
            ("12345678901234567", Err(Reason::PasswordTooCommon)),
            ("2109876543210", Err(Reason::PasswordTooCommon)),
            ("абвгдежз", Err(Reason::PasswordTooCommon)),
            ("abcdefgi", Ok(())),
            ("aaaaaaab", Ok(())),
            ("acegikmo", Ok(())),
        ] {
            assert_eq!(reason(text), expected, "{text:?}");
        }
        assert_eq!(reason(&"xy".repeat(64)), Ok(()));
        assert_eq!(reason(&"x".repeat(129)), too_long);
    }

    #[test]
    fn a_new_password_is_not_the_login_name() {
        let name = LoginName::stored("zhang.san".into());
        assert_eq!(check_is_not("Zhang.San", &name).unwrap_err().reason, Reason::PasswordTooCommon);
        assert_eq!(check_is_not("zhang.san2", &name), Ok(()));
        assert_eq!(check_is_not("zhang.sa", &name), Ok(()));
        let greek = LoginName::stored("αλεξανδροσ".into());
        assert!(check_is_not("ΑΛΕΞΑΝΔΡΟΣ", &greek).is_err() && check_is_not("αλεξανδρος", &greek).is_err());
    }

    #[test]
    fn a_password_that_is_given_is_bounded_and_nothing_else() {
        assert_eq!(check_given("short"), Ok(()));
        assert_eq!(check_given("password"), Ok(()));
        assert_eq!(check_given(&"x".repeat(1_024)), Ok(()));
        assert!(check_given(&"x".repeat(1_025)).is_err() && check_given("").is_err());
    }
}
