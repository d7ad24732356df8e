//! Phone numbers and mail addresses.

use guanxi_model::limits::{EMAIL_LEN_MAX, EMAIL_LOCAL_LEN_MAX, PHONE_LEN_MAX};
use guanxi_model::user::{Contact, ContactKind};
use guanxi_model::{Error, Reason, Result};

/// Returns the stored form of a contact of a kind, which [`Contact`] describes. The stored form of a stored form is
/// itself.
///
/// # Errors
/// `MISSING_FIELD`, `TOO_LONG` or `INVALID_FIELD` with the field of its kind.
pub fn contact(kind: ContactKind, given: &str) -> Result<Contact> {
    let field = kind.field();
    if given.is_empty() {
        return Err(Error::new(Reason::MissingField { field }));
    }
    let limit = match kind {
        ContactKind::Phone => PHONE_LEN_MAX,
        ContactKind::Email => EMAIL_LEN_MAX,
    };
    if given.len() > limit as usize {
        return Err(Error::new(Reason::TooLong { field, limit }));
    }
    let (is_valid, form) = match kind {
        ContactKind::Phone => (is_phone(given), "a phone number is + and 2 to 15 digits, as in +14155550100"),
        ContactKind::Email => (is_email(given), "a mail address is as in ann@example.org"),
    };
    // The detail says the form and not what was given, which is nobody's to read in a log.
    let invalid = || Error::with_detail(Reason::InvalidField { field }, form);
    is_valid.then(|| Contact::stored(kind, given.to_ascii_lowercase())).ok_or_else(invalid)
}

fn is_phone(given: &str) -> bool {
    let Some(digits) = given.strip_prefix('+') else { return false };
    digits.len() >= 2 && !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_email(given: &str) -> bool {
    let Some((local, domain)) = given.split_once('@') else { return false };
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    (1..=EMAIL_LOCAL_LEN_MAX as usize).contains(&local.len())
        && local.bytes().all(|byte| byte.is_ascii_graphic())
        && domain.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts with their stored form. These never change: rows on disk hold them.
    #[test]
    fn stored_forms_are_frozen() {
        for (kind, given, stored) in [
            (ContactKind::Phone, "+14155550100", "+14155550100"),
            (ContactKind::Phone, "+8613800138000", "+8613800138000"),
            (ContactKind::Phone, "+12", "+12"),
            (ContactKind::Email, "Ann@Example.ORG", "ann@example.org"),
            (ContactKind::Email, "a.b+c@xn--fsqu00a.example", "a.b+c@xn--fsqu00a.example"),
            (ContactKind::Email, "o'hara!#$%@localhost", "o'hara!#$%@localhost"),
        ] {
            let found = contact(kind, given).unwrap();
            assert_eq!(found.expose(), stored);
            assert_eq!(contact(kind, stored).unwrap(), found, "{given} is its own stored form");
        }
    }

    #[test]
    fn what_is_no_contact_is_refused_with_the_field() {
        let refused = |kind, given: &str| contact(kind, given).unwrap_err();
        for kind in ContactKind::ALL {
            let field = kind.field();
            assert_eq!(refused(kind, "").reason, Reason::MissingField { field });
        }
        for given in
            ["13800138000", "+", "+1", "+0123", "+1 415", "+1-415", "+１２３", "1+23", "+12a", "++12"]
        {
            let error = refused(ContactKind::Phone, given);
            assert_eq!(error.reason, Reason::InvalidField { field: "phone" }, "{given}");
            assert!(!format!("{error:?}").contains(given) || given.len() < 3, "{error:?}");
        }
        for given in [
            "ann",
            "@example.org",
            "ann@",
            "a@b@c",
            "a b@c",
            "ann@ex ample",
            "ann@.org",
            "ann@a..b",
            "ann@-a.b",
            "ann@a_b",
            "张@例子.cn",
            "a\n@b",
        ] {
            let reason = refused(ContactKind::Email, given).reason;
            assert_eq!(reason, Reason::InvalidField { field: "email" }, "{given}");
        }
        let long = |field, limit| Reason::TooLong { field, limit };
        let phone = format!("+{}", "1".repeat(PHONE_LEN_MAX as usize));
        assert_eq!(refused(ContactKind::Phone, &phone).reason, long("phone", PHONE_LEN_MAX));
        assert!(contact(ContactKind::Phone, &phone[..PHONE_LEN_MAX as usize]).is_ok());
        let email = format!("a@{}", "b".repeat(EMAIL_LEN_MAX as usize));
        assert_eq!(refused(ContactKind::Email, &email).reason, long("email", EMAIL_LEN_MAX));
        let local = format!("{}@b", "a".repeat(EMAIL_LOCAL_LEN_MAX as usize + 1));
        assert_eq!(refused(ContactKind::Email, &local).reason, Reason::InvalidField { field: "email" });
        assert!(contact(ContactKind::Email, &local[1..]).is_ok());
    }
}
