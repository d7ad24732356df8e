//! The ways in which a request names a user.

use guanxi_model::user::{ContactKind, Identifier};
use guanxi_model::{Error, Reason, Result};
use guanxi_texts::{contact, login_name};

/// The one of login name, phone and email that a request gives, as it was written.
#[derive(Clone, Copy)]
pub(super) enum Given<'a> {
    LoginName(&'a str),
    Contact(ContactKind, &'a str),
}

impl<'a> Given<'a> {
    /// Takes the one that is not empty.
    ///
    /// # Errors
    /// `ONE_NAME_NEEDED`.
    pub(super) fn one_of(login_name: &'a str, phone: &'a str, email: &'a str) -> Result<Self> {
        let all = [
            Self::LoginName(login_name),
            Self::Contact(ContactKind::Phone, phone),
            Self::Contact(ContactKind::Email, email),
        ];
        let mut given = all.into_iter().filter(|one| !one.text().is_empty());
        match (given.next(), given.next()) {
            (Some(one), None) => Ok(one),
            _ => Err(Error::new(Reason::OneNameNeeded)),
        }
    }

    /// Returns it as it was written.
    pub(super) const fn text(self) -> &'a str {
        match self {
            Self::LoginName(text) | Self::Contact(_, text) => text,
        }
    }

    /// Returns what it means.
    ///
    /// # Errors
    /// `TOO_LONG` or `INVALID_FIELD` with its field.
    pub(super) fn identifier(self) -> Result<Identifier> {
        match self {
            Self::LoginName(text) => login_name(text).map(Identifier::LoginName),
            Self::Contact(kind, text) => contact(kind, text).map(Identifier::Contact),
        }
    }
}
