//! Names to log in with.

use guanxi_model::limits::LOGIN_NAME_LEN_MAX;
use guanxi_model::user::ContactKind;
use guanxi_model::{Error, LoginName, Reason, Result};
use precis_profiles::UsernameCaseMapped;
use precis_profiles::precis_core::profile::Profile as _;
use unicode_normalization::UnicodeNormalization as _;
use unicode_security::{RestrictionLevel, RestrictionLevelDetection as _};

use crate::contact;

const FIELD: &str = "login_name";

/// The caller that gives a name to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// A service or an import, which knows whose mail address or phone number it gives as a name.
    Service,
    /// The user itself, who might take the address of somebody else.
    Itself,
}

/// Returns a login name by which an account is looked for. Its key has widths and case mapped, and what looks the same is
/// written the same (PRECIS profile UsernameCaseMapped, RFC 8265 section 3.3); a final sigma is any other sigma, since the
/// capital letter is one. It is shown as given, composed (NFC). The key of a key is itself.
///
/// # Errors
/// `MISSING_FIELD` for an empty name; `TOO_LONG` beyond [`LOGIN_NAME_LEN_MAX`] bytes, given or normalised;
/// `INVALID_FIELD` for what no name ever had, such as a space.
pub fn login_name(given: &str) -> Result<LoginName> {
    if given.is_empty() {
        return Err(Error::new(Reason::MissingField { field: FIELD }));
    }
    let too_long = || Error::new(Reason::TooLong { field: FIELD, limit: LOGIN_NAME_LEN_MAX });
    // Normalising costs what is given, so that is bounded first.
    if given.len() > LOGIN_NAME_LEN_MAX as usize {
        return Err(too_long());
    }
    let key = key_of(given)?;
    let shown: String = given.nfc().collect();
    if key.len().max(shown.len()) > LOGIN_NAME_LEN_MAX as usize {
        return Err(too_long());
    }
    // Some letters become others that are none of a name, such as those of Cherokee, whose small ones are newer than
    // the profile's tables. A user who types the form that is shown could not log in.
    if [&key, &shown].into_iter().any(|form| key_of(form).as_ref() != Ok(&key)) {
        return Err(invalid());
    }
    Ok(LoginName::new(key, shown))
}

/// Returns a login name for a new account: one that [`login_name`] takes, with two further rules. It is of the level
/// Highly Restrictive (UTS 39 section 5.2), so that no letter is one of another script that looks the same. And it is
/// without `@` in front, which programs write before a name.
///
/// # Errors
/// Those of [`login_name`]; `INVALID_FIELD` for a name that is not of that level or begins with `@`, and for a mail address
/// or phone number that a user would give itself.
pub fn new_login_name(given: &str, by: NamedBy) -> Result<LoginName> {
    let name = login_name(given)?;
    let key = name.as_str();
    // Signs of ASCII belong to every script; UTS 39 has most of them for no identifiers.
    let letters: String = key.chars().filter(|char| !char.is_ascii_punctuation()).collect();
    let is_contact = || ContactKind::ALL.into_iter().any(|kind| contact(kind, key).is_ok());
    if key.starts_with('@')
        || !letters.check_restriction_level(RestrictionLevel::HighlyRestrictive)
        || by == NamedBy::Itself && is_contact()
    {
        return Err(invalid());
    }
    Ok(name)
}

fn key_of(given: &str) -> Result<String> {
    let mapped = UsernameCaseMapped::new().enforce(given).map_err(|_| invalid())?;
    Ok(mapped.replace('ς', "σ"))
}

const fn invalid() -> Error {
    Error::new(Reason::InvalidField { field: FIELD })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names with their keys, and how they are shown. These never change: rows on disk hold them.
    #[test]
    fn stored_forms_are_frozen() {
        for (given, key, shown) in [
            ("alice", "alice", "alice"),
            ("Alice", "alice", "Alice"),
            ("ＡＬＩＣＥ", "alice", "ＡＬＩＣＥ"),
            ("ΣΊΣΥΦΟΣ", "σίσυφοσ", "ΣΊΣΥΦΟΣ"),
            ("Σίσυφος", "σίσυφοσ", "Σίσυφος"),
            ("ΝΙΚΟΣ", "νικοσ", "ΝΙΚΟΣ"),
            ("νικος", "νικοσ", "νικος"),
            ("E\u{301}mile", "émile", "Émile"),
            ("张三", "张三", "张三"),
            ("user@example.org", "user@example.org", "user@example.org"),
            ("foo.bar-baz_1", "foo.bar-baz_1", "foo.bar-baz_1"),
        ] {
            let name = login_name(given).unwrap();
            assert_eq!((name.as_str(), name.shown()), (key, shown), "{given}");
        }
    }

    #[test]
    fn a_new_name_is_of_one_script_and_no_contact_of_somebody_else() {
        for given in [
            "alice",
            "foo.bar-baz_1!",
            "張三",
            "王Ming",
            "さくらサクラ桜sakura",
            "김철수kim",
            "Νίκος1",
            "иван",
            "محمد٣",
            "राम",
            "émile",
            "a@b",
        ] {
            let name = new_login_name(given, NamedBy::Service).map_err(|_| given).unwrap();
            assert_eq!(name.shown(), given);
        }
        for given in ["pаypal", "αlice", "иvan", "さкура", "@alice", "＠alice", "張Νικ"] {
            let refused = new_login_name(given, NamedBy::Service).unwrap_err();
            assert_eq!(refused.reason, Reason::InvalidField { field: "login_name" }, "{given}");
            assert!(login_name(given).is_ok(), "{given} may exist");
        }
        for given in ["Ann@Example.org", "+4930123456", "＋4930123456"] {
            assert!(new_login_name(given, NamedBy::Service).is_ok(), "{given}");
            assert!(new_login_name(given, NamedBy::Itself).is_err(), "{given}");
        }
    }

    #[test]
    fn a_stored_form_is_its_own() {
        for given in ["Alice", "ＡＬＩＣＥ", "ΣΊΣΥΦΟΣ", "e\u{301}mile", "İstanbul", "ﾃｽﾄ"]
        {
            let name = login_name(given).unwrap();
            assert_eq!(login_name(name.as_str()).unwrap(), name, "{given}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused_with_the_field() {
        let refused = |given: &str| login_name(given).unwrap_err().reason;
        assert_eq!(refused(""), Reason::MissingField { field: "login_name" });
        for given in ["\u{13ef}", "a b", " ", "a\0", "a\u{200d}b", "ﬁn", "\u{202e}a", "a\n", "אa"] {
            assert_eq!(refused(given), Reason::InvalidField { field: "login_name" }, "{given:?}");
        }
        let too_long = Reason::TooLong { field: "login_name", limit: LOGIN_NAME_LEN_MAX };
        assert_eq!(refused(&"a".repeat(LOGIN_NAME_LEN_MAX as usize + 1)), too_long);
        assert!(login_name(&"a".repeat(LOGIN_NAME_LEN_MAX as usize)).is_ok());
    }
}
