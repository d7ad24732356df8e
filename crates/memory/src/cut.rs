//! How far an answer knows the logs.

use super::cache::CacheKey;
use guanxi_model::{LogId, Logs};

/// For each log the last event that an answer includes. An entry of a user is right for a cut if it is as of no later event of
/// the user's log. One machine has one log, so that its cut is a number.
pub trait Cut {
    /// How users are spread over the logs.
    const LOGS: Logs;

    /// The last event of a log that is included.
    fn seq(&self, log: LogId) -> u64;

    /// No post by a user of a log has a higher id.
    fn ids_high(&self, log: LogId) -> u64;

    /// The last included event of the log of a user, or of the author of a post.
    #[inline]
    fn seq_of(&self, key: impl CacheKey) -> u64 {
        self.seq(Self::LOGS.of_gene(key.gene()))
    }
}

/// A cut of one log, for tests: its last event, and the highest id of a post.
#[cfg(test)]
pub(crate) struct At(pub u64, pub u64);

#[cfg(test)]
impl Cut for At {
    const LOGS: Logs = Logs::One;

    fn seq(&self, _: LogId) -> u64 {
        self.0
    }

    fn ids_high(&self, _: LogId) -> u64 {
        self.1
    }
}
