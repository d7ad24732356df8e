//! Users beside their relations and posts.

use guanxi_model::Uid;

/// The users whose credentials have ended, in memory: it is asked for each call of an end user. It is as of now: an
/// acknowledged end is known.
pub trait EndedUsers: Send + Sync {
    /// Returns whether a user is not there: then nothing that it holds is good.
    fn is_gone(&self, uid: Uid) -> bool;

    /// Returns from when on what others issue to a user, such as a JWT, must have been issued to be good, in Unix
    /// milliseconds: 0 when all of it is, `u64::MAX` when nothing is.
    ///
    /// It is later than the time at which the user signed out everywhere. A backend may forget that time once nothing that
    /// was issued before it can be good any more by itself. Even then it never answers an earlier time than it would have.
    fn not_before_ms(&self, uid: Uid) -> u64;

    /// Returns whether both are known of a user. In a cluster they are not while its database is away since the process began:
    /// nothing that others issued to it can be told to be good then.
    fn is_known(&self, _uid: Uid) -> bool {
        true
    }
}
