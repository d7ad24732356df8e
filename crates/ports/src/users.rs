//! Users beside their relations and posts.

use crate::BoxFuture;
use guanxi_model::user::{Contact, ContactClaim, PasswordHash};
use guanxi_model::{LoginName, Result, Uid, User};

/// Accounts, profiles, passwords and contacts.
pub trait UserView: Send + Sync {
    /// What is kept of users, in the order of the question; `None` of whom nothing is. At most
    /// [`USERS_MAX`](guanxi_model::limits::USERS_MAX).
    fn users<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<User>>>>;

    /// Whose a login name is.
    fn uid_of<'a>(&'a self, name: &'a LoginName) -> BoxFuture<'a, Result<Option<Uid>>>;

    /// A user's password, for whoever verifies one.
    fn password(&self, uid: Uid) -> BoxFuture<'_, Result<Option<PasswordHash>>>;

    /// Who has claimed a contact. It is the user's if the user has it, too.
    fn claim_of<'a>(&'a self, contact: &'a Contact) -> BoxFuture<'a, Result<Option<ContactClaim>>>;

    /// All claims, in the order of their contacts' kinds and texts, after one; at most `max`. Fewer than `max` means the end.
    fn claims<'a>(
        &'a self,
        after: Option<&'a Contact>,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<(Contact, ContactClaim)>>>;

    /// All that is kept of users, erased ones too, in the order of their uids, after one; at most `max`, which is at most
    /// [`USERS_MAX`](guanxi_model::limits::USERS_MAX). Fewer than `max` means the end.
    fn all_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<User>>>;

    /// Users who are deleted and not erased yet, each with the time to erase it at, in the order of both, after one; at
    /// most `max`. Fewer than `max` means the end.
    fn deleted_users(&self, after: Option<(u64, Uid)>, max: usize) -> BoxFuture<'_, Result<Vec<(u64, Uid)>>>;

    /// Users who are erased, each with the time since when, in the order of their uids, after one; at most `max`. Fewer than
    /// `max` means the end.
    fn erased_users(&self, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<(Uid, u64)>>>;
}

/// Whose credentials have ended, known in memory: asked for each call of an end user. It is as of now: what is acknowledged
/// is known.
pub trait EndedUsers: Send + Sync {
    /// Whether a user is not there: then nothing that it holds is good.
    fn is_gone(&self, uid: Uid) -> bool;

    /// From when on what others issue to a user, such as a JWT, must have been issued to be good, in Unix milliseconds: 0
    /// when all of it is, `u64::MAX` when nothing is.
    ///
    /// It is later than the time at which the user signed out everywhere. A backend may forget that time once nothing that
    /// was issued before it can be good any more by itself; whatever it has forgotten, it never answers less than it would
    /// have.
    fn not_before_ms(&self, uid: Uid) -> u64;
}
