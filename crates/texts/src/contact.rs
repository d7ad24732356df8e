//! Phone numbers and mail addresses.

use guanxi_model::limits::{EMAIL_LEN_MAX, EMAIL_LOCAL_LEN_MAX, PHONE_LEN_MAX};
use guanxi_model::user::{Contact, ContactKind};
use guanxi_model::{Error, Reason, Result};

use crate::phone::is_phone;

/// Bytes of a label of a DNS name (RFC 1035 section 2.3.4).
const LABEL_LEN_MAX: usize = 63;

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
    let is_valid = match kind {
        ContactKind::Phone => is_phone(given),
        ContactKind::Email => is_email(given),
    };
    // The error repeats nothing of the given text: no reader of a log may see it.
    let invalid = Error::new(Reason::InvalidField { field });
    is_valid.then(|| Contact::stored(kind, given.to_ascii_lowercase())).ok_or(invalid)
}

/// Returns whether a text is a dot-atom at a DNS name (RFC 5322 section 3.2.3, RFC 5321 section 2.3.5). Quoted local parts,
/// address literals and comments are addresses, too, but no user logs in with one, and programs that send mail read them
/// differently.
fn is_email(given: &str) -> bool {
    let Some((local, domain)) = given.split_once('@') else { return false };
    local.len() <= EMAIL_LOCAL_LEN_MAX as usize && local.split('.').all(is_atom) && is_dns_name(domain)
}

fn is_atom(text: &str) -> bool {
    let is_atext = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_atext)
}

fn is_dns_name(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_LEN_MAX).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    // The last label has a letter, or it is an IPv4 address.
    domain.split('.').all(is_label) && !domain.rsplit('.').next().is_some_and(is_number)
}

fn is_number(label: &str) -> bool {
    label.bytes().all(|byte| byte.is_ascii_digit())
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
            (ContactKind::Phone, "+390612345678", "+390612345678"),
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
        for given in [
            "14155550100",
            "+",
            "+1",
            "+0123",
            "+1 4155550100",
            "+1-415-555-0100",
            "+１4155550100",
            "1+23",
            "++12",
        ] {
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
            "x,victim@example.org",
            "a<b@example.org",
            "a\"b@example.org",
            "\"a b\"@example.org",
            "mailto:z@example.org",
            "a(b)@example.org",
            "a;b@example.org",
            "a\\b@example.org",
            "a[b]@example.org",
            ".a@example.org",
            "a.@example.org",
            "a..b@example.org",
            "ann@127.0.0.1",
            "ann@[127.0.0.1]",
            "ann@example.org.",
        ] {
            let reason = refused(ContactKind::Email, given).reason;
            assert_eq!(reason, Reason::InvalidField { field: "email" }, "{given}");
        }
        let long = |field, limit| Reason::TooLong { field, limit };
        let phone = format!("+{}", "1".repeat(PHONE_LEN_MAX as usize));
        assert_eq!(refused(ContactKind::Phone, &phone).reason, long("phone", PHONE_LEN_MAX));
        let email = format!("a@{}", "b".repeat(EMAIL_LEN_MAX as usize));
        assert_eq!(refused(ContactKind::Email, &email).reason, long("email", EMAIL_LEN_MAX));
        let local = format!("{}@b", "a".repeat(EMAIL_LOCAL_LEN_MAX as usize + 1));
        assert_eq!(refused(ContactKind::Email, &local).reason, Reason::InvalidField { field: "email" });
        assert!(contact(ContactKind::Email, &local[1..]).is_ok());
        let label = format!("a@{}.org", "b".repeat(LABEL_LEN_MAX + 1));
        assert_eq!(refused(ContactKind::Email, &label).reason, Reason::InvalidField { field: "email" });
        assert!(contact(ContactKind::Email, &label.replacen('b', "", 1)).is_ok());
    }
}
