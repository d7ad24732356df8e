//! Users: what they are beside their relations and posts.

mod contact;
mod external_id;
mod login_name;
mod profile;
mod standing;
mod uid_policy;
mod write;

pub use contact::{Contact, ContactClaim, ContactCommand, ContactKind, Contacts, MetClaim};
pub use external_id::ExternalId;
pub use login_name::LoginName;
pub use profile::{Profile, ProfilePatch, Sex};
pub use standing::{Privacy, PrivacyPatch, Standing, UserStatus, hides_edge};
pub use uid_policy::{UID_RANGE_MIN, UidPolicy, UidRange};
pub use write::{ImportUser, PasswordHash, Registration, UserCommand, UserOutcome};

use crate::id::Uid;

/// What is kept of a user beside relations and posts, but for the password.
///
/// Every uid may have it: a profile needs no account. A user of whom nothing is kept has none of these rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The user.
    pub uid: Uid,
    /// The name to log in with, which an account has and keeps.
    pub login_name: Option<LoginName>,
    /// When the account was registered, in Unix milliseconds; `None` without an account.
    pub registered_ms: Option<u64>,
    /// What others see.
    pub profile: Profile,
    /// What others may know.
    pub privacy: Privacy,
    /// Whether the user is there.
    pub status: UserStatus,
    /// How often profile, privacy, status or contacts were written: 1 for the first time.
    pub revision: u32,
    /// The last day of a login, in days since 1970-01-01 UTC; days, since more exact times say more than anybody needs.
    pub login_day: Option<u32>,
    /// The phone number and mail address that a service has verified.
    pub contacts: Contacts,
    /// Why an operator has taken the user down, for as long as that holds:
    /// [`check_takedown_reason`](crate::post::check_takedown_reason) says what it may be. The status stays below it, and may
    /// change meanwhile. A deleted user is not taken down.
    pub takedown: Option<String>,
}

impl User {
    /// Returns a user of whom nothing is kept yet.
    pub fn unknown(uid: Uid) -> Self {
        Self {
            uid,
            login_name: None,
            registered_ms: None,
            profile: Profile::default(),
            privacy: Privacy::default(),
            status: UserStatus::Active,
            revision: 0,
            login_day: None,
            contacts: Contacts::default(),
            takedown: None,
        }
    }

    /// Returns whether it is what the user is asked for by.
    pub fn is_called(&self, who: &Identifier) -> bool {
        match who {
            Identifier::LoginName(name) => self.login_name.as_ref() == Some(name),
            Identifier::Contact(contact) => self.contacts.has(contact),
        }
    }

    /// Returns what readers ask of everybody.
    pub const fn standing(&self) -> Standing {
        Standing { status: self.status, privacy: self.privacy, taken_down: self.takedown.is_some() }
    }
}

/// An identifier of a user beside its uid.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identifier {
    /// Its login name.
    LoginName(LoginName),
    /// A contact of it.
    Contact(Contact),
}
