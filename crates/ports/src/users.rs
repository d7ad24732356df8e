//! Users beside their relations and posts.

use guanxi_model::Uid;
use std::sync::Arc;

/// For at least so many milliseconds a backend remembers the number of an end of access that it has heard of.
pub const ENDS_REMEMBERED_MS: u64 = 10_000;

/// An end of access that another process may have brought about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndOfAccess {
    /// Some of what a user holds: one session, all of them, or JWTs.
    OfUser(Uid),
    /// The credential of a service or an operator, by its name.
    OfName(String),
    /// This process may have missed some.
    OfAny,
}

/// Is told of ends of access. It is called from a task that reads the logs, so it only wakes others.
pub type EndHearer = Arc<dyn Fn(&EndOfAccess) + Send + Sync>;

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

    /// Returns how many ends of access this process has heard of from others: 0 for ever where no other process writes.
    fn ends(&self) -> u64 {
        0
    }

    /// Returns the number of the last of them that may concern the sessions of a user, for at least [`ENDS_REMEMBERED_MS`]; 0 when
    /// none is remembered. What was read of the user's sessions when [`Self::ends`] was less may be from before that end.
    fn last_end(&self, _uid: Uid) -> u64 {
        0
    }

    /// Has a function told of each of them, once [`Self::last_end`] and the others tell of it.
    fn hear_ends(&self, _hearer: EndHearer) {}
}
