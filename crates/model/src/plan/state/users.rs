//! Rows of users and their sessions.

use super::EventRows;
use crate::error::Result;
use crate::id::{Gene, Uid};
use crate::session::Session;
use crate::stamp::Stamp;
use crate::user::{Contact, ContactClaim, LoginName, PasswordHash, Standing, User};

/// Accounts, profiles, passwords and contacts.
pub trait UserRows: EventRows {
    /// Returns what is kept of a user.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn user(&mut self, uid: Uid) -> Result<Option<User>, Self::Error>;

    /// Returns whether a user is there, and what others may know of it, as far as the acting user's shard knows.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn standing(&mut self, uid: Uid) -> Result<Standing, Self::Error> {
        Ok(self.user(uid)?.as_ref().map(User::standing).unwrap_or_default())
    }

    /// Returns whether a uid has an account, edges, posts, groups or an external id.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn is_used(&mut self, uid: Uid) -> Result<bool, Self::Error>;

    /// Changes what is kept of a user.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_user(&mut self, user: User) -> Result<(), Self::Error>;

    /// Returns whose a login name is.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn login_name(&mut self, name: &LoginName) -> Result<Option<Uid>, Self::Error>;

    /// Gives a login name to a user.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_login_name(&mut self, name: &LoginName, uid: Uid) -> Result<(), Self::Error>;

    /// Returns a user's password.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn password(&mut self, uid: Uid) -> Result<Option<PasswordHash>, Self::Error>;

    /// Sets a user's password.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_password(&mut self, uid: Uid, password: &PasswordHash) -> Result<(), Self::Error>;

    /// Takes a login name away from its user.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_login_name(&mut self, name: &LoginName) -> Result<(), Self::Error>;

    /// Removes a user's password, if it has one.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_password(&mut self, uid: Uid) -> Result<(), Self::Error>;

    /// Returns when a user signed out everywhere, in Unix milliseconds, if that is still known.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn signed_out(&mut self, uid: Uid) -> Result<Option<u64>, Self::Error>;

    /// Keeps when a user signed out everywhere.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_signed_out(&mut self, uid: Uid, at_ms: u64) -> Result<(), Self::Error>;

    /// Returns who has claimed a contact.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn claim(&mut self, contact: &Contact) -> Result<Option<ContactClaim>, Self::Error>;

    /// Mints the version of a user's reservation of a contact: above every one before in the shard of the contact, which need
    /// not be the user's.
    fn claim_version(&mut self, uid: Uid, now_ms: u64) -> Stamp {
        self.stamp(uid, now_ms)
    }

    /// Sets or removes the claim of a contact.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_claim(&mut self, contact: &Contact, claim: Option<ContactClaim>) -> Result<(), Self::Error>;
}

/// Sessions of end users, in the shards of their users.
pub trait SessionRows: EventRows {
    /// Returns the session of an id in a shard, expired or not.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn session(&mut self, gene: Gene, id: [u8; 32]) -> Result<Option<Session>, Self::Error>;

    /// Returns the sessions of a user, expired ones too, in any order.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn sessions(&mut self, uid: Uid) -> Result<Vec<Session>, Self::Error>;

    /// Adds a session, or changes the one of its id.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_session(&mut self, session: Session) -> Result<(), Self::Error>;

    /// Removes a session that stands.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn remove_session(&mut self, session: &Session) -> Result<(), Self::Error>;
}
