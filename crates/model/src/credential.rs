//! Callers, and what they may do.

use std::num::NonZeroU32;

use crate::error::{Error, Reason, Result};
use crate::id::Uid;
use crate::limits::CREDENTIAL_NAME_LEN_MAX;
use crate::scope::Scopes;

/// The caller that a token stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Principal {
    /// An end user: acts only as itself, and never sees blocks against it.
    EndUser(Uid),
    /// A back end of the community: acts for users within its scopes.
    Service(Scopes),
    /// The operator; accepted on the admin listener only.
    Admin,
}

/// A stored token: never the token itself, only its SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Credential {
    /// SHA-256 of the token.
    pub hash: [u8; 32],
    /// What the operator calls it; at most
    /// [`CREDENTIAL_NAME_LEN_MAX`] bytes. Unique, so that it can be revoked by name.
    pub name: String,
    /// The caller that it stands for.
    pub principal: Principal,
    /// When it was made, in Unix milliseconds.
    pub created_ms: u64,
    /// What a service may ask for in a minute; `None` for any number.
    pub rate_per_minute: Option<NonZeroU32>,
}

impl Credential {
    /// Checks the name of a new credential.
    ///
    /// # Errors
    /// `MISSING_FIELD`, `TOO_LONG`; `INVALID_FIELD` for control characters and line separators, with which a name could
    /// pass for several in a list or a log.
    pub fn check_name(name: &str) -> Result<()> {
        if name.is_empty() {
            return Err(Error::new(Reason::MissingField { field: "name" }));
        }
        if name.len() > CREDENTIAL_NAME_LEN_MAX as usize {
            return Err(Error::new(Reason::TooLong { field: "name", limit: CREDENTIAL_NAME_LEN_MAX }));
        }
        if name.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
            let detail = "a name has no line breaks or other control characters";
            return Err(Error::with_detail(Reason::InvalidField { field: "name" }, detail));
        }
        Ok(())
    }
}

/// One operation on the tokens that operators made. There is no event of a credential, and what is
/// remembered under a request id holds no token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CredentialCommand {
    /// Stores a credential. It is refused with `ALREADY_EXISTS` when its name is taken, and with `LIMIT_REACHED` beside
    /// [`CREDENTIALS_MAX`](crate::limits::CREDENTIALS_MAX) others.
    Add(Credential),
    /// Removes a credential; a no-op when there is none of this name.
    Revoke {
        /// What the operator calls it.
        name: String,
    },
}

impl CredentialCommand {
    /// Returns the name that it is about.
    pub const fn name(&self) -> &String {
        match self {
            Self::Add(Credential { name, .. }) | Self::Revoke { name } => name,
        }
    }

    /// Returns the end user who gets a token, if one does.
    pub const fn new_holder(&self) -> Option<Uid> {
        match self {
            Self::Add(Credential { principal: Principal::EndUser(uid), .. }) => Some(*uid),
            Self::Add(_) | Self::Revoke { .. } => None,
        }
    }

    /// Checks what it may be by itself: a name that no credential can have is revoked in vain, and not added.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Add(credential) => Credential::check_name(&credential.name),
            Self::Revoke { .. } => Ok(()),
        }
    }
}
