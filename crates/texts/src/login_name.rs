//! Names to log in with.

use guanxi_model::limits::LOGIN_NAME_LEN_MAX;
use guanxi_model::{Error, LoginName, Reason, Result};
use precis_profiles::UsernameCaseMapped;
use precis_profiles::precis_core::profile::Profile as _;

/// Returns the stored form of a login name: widths and case are mapped, and what looks the same is written the same
/// (PRECIS profile UsernameCaseMapped, RFC 8265 section 3.3). The stored form of a stored form is itself.
///
/// # Errors
/// `MISSING_FIELD` for an empty name; `TOO_LONG` beyond [`LOGIN_NAME_LEN_MAX`] bytes, given or normalised;
/// `INVALID_FIELD` with what is wrong, such as a space or a character that names may not have.
pub fn login_name(given: &str) -> Result<LoginName> {
    const FIELD: &str = "login_name";
    if given.is_empty() {
        return Err(Error::new(Reason::MissingField { field: FIELD }));
    }
    let too_long = || Error::new(Reason::TooLong { field: FIELD, limit: LOGIN_NAME_LEN_MAX });
    // Normalising costs what is given, so that is bounded first.
    if given.len() > LOGIN_NAME_LEN_MAX as usize {
        return Err(too_long());
    }
    let invalid = || {
        let detail = "letters, digits and most signs make a name; spaces and compatibility characters do not";
        Error::with_detail(Reason::InvalidField { field: FIELD }, detail)
    };
    let profile = UsernameCaseMapped::new();
    let name = profile.enforce(given).map_err(|_| invalid())?;
    if name.len() > LOGIN_NAME_LEN_MAX as usize {
        return Err(too_long());
    }
    // Some letters become others that are none of a name, such as those of Cherokee, whose small ones are newer than
    // the profile's tables. A user who types the form that is shown could not log in.
    if profile.enforce(&*name).map_err(|_| invalid())? != name {
        return Err(invalid());
    }
    Ok(LoginName::stored(name.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names with their stored form. These never change: rows on disk hold them.
    #[test]
    fn stored_forms_are_frozen() {
        for (given, stored) in [
            ("alice", "alice"),
            ("Alice", "alice"),
            ("ＡＬＩＣＥ", "alice"),
            ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
            ("e\u{301}mile", "émile"),
            ("张三", "张三"),
            ("user@example.org", "user@example.org"),
            ("foo.bar-baz_1", "foo.bar-baz_1"),
        ] {
            assert_eq!(login_name(given).unwrap().as_str(), stored, "{given}");
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
