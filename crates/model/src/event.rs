//! What the log holds.

use crate::id::Uid;
use crate::pair::Op;
use crate::stamp::Stamp;

/// One change of state, in the order of commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The place in the log: gapless, from 1.
    pub seq: u64,
    /// The version of the changed fact, and the time of the change.
    pub version: Stamp,
    /// Whose fact changed.
    pub subject: Uid,
    /// What changed.
    pub change: Change,
}

/// The change itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A fact about a pair changed.
    Pair {
        /// The other user.
        object: Uid,
        /// What the pair's fact became.
        kind: PairChange,
        /// Which operation caused it: a block, for example, also unfollows.
        cause: Op,
    },
    /// The subject's own follow limit was set, or went back to the default.
    FollowLimit(Option<u32>),
}

/// What became of the fact subject -> object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairChange {
    /// The subject follows the object.
    Followed {
        /// The edge's place in lists; differs from the version for imported edges.
        at: Stamp,
        /// The object follows back, so that the two are friends now.
        mutual: bool,
    },
    /// The subject no longer follows the object.
    Unfollowed,
    /// The subject blocks the object.
    Blocked,
    /// The subject no longer blocks the object.
    Unblocked,
    /// The subject mutes the object.
    Muted,
    /// The subject no longer mutes the object.
    Unmuted,
}
