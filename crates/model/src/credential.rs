//! Who calls, and what they may do.

use crate::id::Uid;
use crate::scope::Scopes;

/// Who a token stands for.
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
    /// [`CREDENTIAL_NAME_LEN_MAX`](crate::limits::CREDENTIAL_NAME_LEN_MAX) bytes. Unique, so that it can be
    /// revoked by name.
    pub name: String,
    /// Who it stands for.
    pub principal: Principal,
    /// When it was made, in Unix milliseconds.
    pub created_ms: u64,
}
