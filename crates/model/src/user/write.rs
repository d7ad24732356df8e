//! What can be asked of users, and what it answers.

use super::{
    ContactCommand, Contacts, ExternalId, LoginName, Privacy, PrivacyPatch, Profile, ProfilePatch, UserStatus,
};
use crate::error::{Error, Reason, Result};
use crate::id::Uid;
use crate::limits::PASSWORD_HASH_LEN_MAX;
use crate::stamp::Stamp;
use std::fmt;

/// A hash of a password with its algorithm and parameters (a PHC string). Only a call by name shows it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Takes a hash.
    ///
    /// # Errors
    /// `TOO_LONG` beyond [`PASSWORD_HASH_LEN_MAX`] bytes.
    pub fn new(phc: String) -> Result<Self> {
        if phc.len() > PASSWORD_HASH_LEN_MAX as usize {
            let limit = PASSWORD_HASH_LEN_MAX;
            return Err(Error::new(Reason::TooLong { field: "password_hash", limit }));
        }
        Ok(Self(phc))
    }

    /// Returns the hash, for code that verifies or stores it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

/// An account to register.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Registration {
    /// Its uid, which must be unused. Its gene is that of the name.
    pub uid: Uid,
    /// The name to log in with, which no other user may have.
    pub login_name: LoginName,
    /// The password, if the account has one.
    pub password: Option<PasswordHash>,
    /// What others see at first.
    pub profile: Profile,
}

/// A user that comes from elsewhere, whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportUser {
    /// Its uid. With a login name its gene is that of the name.
    pub uid: Uid,
    /// The uid was made of the login name ([`LoginName::imported_uid`]).
    pub is_minted: bool,
    /// The name to log in with; without one it is a profile alone.
    pub login_name: Option<LoginName>,
    /// The password, as its hash, of an account.
    pub password: Option<PasswordHash>,
    /// What others see.
    pub profile: Profile,
    /// When the account was registered, in Unix milliseconds; now if not given. Without an account there is none.
    pub registered_ms: Option<u64>,
    /// What others may know.
    pub privacy: Privacy,
    /// Whether it is deactivated.
    pub is_deactivated: bool,
    /// The phone number and mail address that were verified elsewhere.
    pub contacts: Contacts,
    /// The id that it has elsewhere, of one without a login name. Its gene is that of the uid.
    pub external_id: Option<ExternalId>,
}

impl ImportUser {
    /// Returns a uid of which nothing is known.
    pub fn unknown(uid: Uid) -> Self {
        Self {
            uid,
            is_minted: false,
            login_name: None,
            password: None,
            profile: Profile::default(),
            registered_ms: None,
            privacy: Privacy::default(),
            is_deactivated: false,
            contacts: Contacts::default(),
            external_id: None,
        }
    }
}

/// One operation on a user.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum UserCommand {
    /// Makes an account. Of a uid that has an account, edges or posts it is refused with `UID_IN_USE`, so that the
    /// caller proposes another; of a taken name with `LOGIN_NAME_TAKEN`.
    Register(Registration),
    /// Keeps a user from elsewhere, whole, in one step: account or profile, privacy, status, contacts and external id. An
    /// account is refused as [`Self::Register`] is; a user without a login name of whom anything is kept stays as it is, which
    /// is a no-op. A contact is refused with `DEADLINE_EXCEEDED` if it was reserved too long ago, an external id that leads
    /// elsewhere with `INVALID_FIELD`, and one that led to a user who is erased with `USER_DELETED`.
    Import {
        /// The user, and what is known of it.
        user: Box<ImportUser>,
        /// As which versions the claims of its contacts were reserved, its phone number first.
        reserved: [Option<Stamp>; 2],
    },
    /// Changes a profile, also of a user without an account. Nothing changed is a no-op.
    Update {
        /// The user.
        uid: Uid,
        /// How.
        patch: ProfilePatch,
        /// The revision that the caller has seen; another one is refused with its number.
        expected_revision: Option<u32>,
    },
    /// Sets what others may know of a user, also of one without an account. Nothing changed is a no-op.
    SetPrivacy {
        /// The user.
        uid: Uid,
        /// How.
        patch: PrivacyPatch,
    },
    /// Deactivates a user, lets it be there again, deletes it or, when its job has removed the rest, erases it; also one without an
    /// account. [`UserStatus::towards`] names the status that follows; no change is a no-op. A taken-down user does not become active:
    /// that is refused with `USER_TAKEN_DOWN`. Unless the user becomes active, all its sessions end. A user that is erased has no
    /// contacts any more: until they are unbound, that is refused with `INVALID_FIELD`. It loses login name, password, profile, privacy,
    /// external id, follow limit and read marker in the same commit.
    SetStatus {
        /// The user.
        uid: Uid,
        /// What it becomes.
        status: UserStatus,
    },
    /// Sets the password of an account, and ends all sessions of its user.
    SetPassword {
        /// The user.
        uid: Uid,
        /// The new one.
        password: PasswordHash,
        /// Only if this is still the old one; else it is a no-op.
        replaces: Option<PasswordHash>,
    },
    /// Takes a user down, for an operator: it is as deactivated, and all its sessions end, until it is reinstated. Its status stays
    /// what it is below, and may be set meanwhile, but for being active again. A user that is taken down already keeps the first
    /// reason, which is a no-op. A deleted user is refused with `USER_DELETED`.
    TakeDown {
        /// The user.
        uid: Uid,
        /// Why: see [`check_takedown_reason`](crate::post::check_takedown_reason).
        reason: String,
    },
    /// Ends that a user is taken down: it has its status again. One that is not taken down is a no-op; a deleted user is
    /// refused with `USER_DELETED`.
    Reinstate {
        /// The user.
        uid: Uid,
    },
    /// One step of binding a phone number or mail address, or of unbinding it.
    Contact(ContactCommand),
    /// Gives a uid to an external id, for ever. One that has a uid keeps it, which is answered as unchanged; a proposed uid
    /// that is used already is refused with `UID_IN_USE`, so that the caller proposes another. Where the id led to a user
    /// who is erased, the new one is signed out as of now: what was issued for the other is not good for it.
    AssignExternalId {
        /// The proposed uid. Its gene is that of the external id.
        uid: Uid,
        /// The id that the user has elsewhere.
        external_id: ExternalId,
        /// A list names it, and not the user itself: an id that led to a user who is erased is refused with `USER_DELETED`,
        /// so that a list that is imported again brings no user back.
        listed: bool,
    },
}

impl From<ContactCommand> for UserCommand {
    fn from(command: ContactCommand) -> Self {
        Self::Contact(command)
    }
}

impl UserCommand {
    /// Returns whom it is about.
    pub const fn uid(&self) -> Uid {
        match self {
            Self::Import { user, .. } => user.uid,
            Self::Register(Registration { uid, .. })
            | Self::Update { uid, .. }
            | Self::SetPrivacy { uid, .. }
            | Self::SetStatus { uid, .. }
            | Self::SetPassword { uid, .. }
            | Self::TakeDown { uid, .. }
            | Self::Reinstate { uid }
            | Self::AssignExternalId { uid, .. } => *uid,
            Self::Contact(command) => command.uid(),
        }
    }

    /// Returns whether it ends all sessions of the user, if it is done. A status that becomes active counts, too.
    pub const fn ends_sessions(&self) -> bool {
        match self {
            Self::SetPassword { .. } | Self::SetStatus { .. } | Self::TakeDown { .. } => true,
            Self::Import { user, .. } => user.is_deactivated,
            _ => false,
        }
    }
}

/// The outcome of an operation on a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserOutcome {
    /// Whether state changed; a refusal is a reason.
    pub result: Result<bool, Reason>,
    /// The user: of a registration the uid that the account has, of an external id the uid that it has.
    pub uid: Uid,
    /// The user's revision afterwards; 0 of what changes another shard than the user's, and of an external id.
    pub revision: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_does_not_show_itself() {
        let hash = PasswordHash::new("$argon2id$secret".into()).unwrap();
        assert!(!format!("{hash:?}").contains("secret"));
        assert_eq!(hash.expose(), "$argon2id$secret");
        assert!(PasswordHash::new("x".repeat(PASSWORD_HASH_LEN_MAX as usize + 1)).is_err());
    }
}
