//! Users whose removal has failed: the job passes over them, and comes back later.
//!
//! Rows that cannot be read belong to one user. The users behind it in the list of the deleted have a right to be erased all
//! the same.

use guanxi_model::{Code, Error, Uid};
use std::collections::BTreeMap;

/// Users that the job goes past. When more fail, it is the store that fails and not its rows, so the job stands still until
/// one of them can be tried again.
pub(super) const STUCK_MAX: usize = 1_024;

/// The rest after a first failure; each further one doubles it.
pub(super) const STUCK_PAUSE_MS: u64 = 10_000;

/// The longest rest.
pub(super) const STUCK_PAUSE_MAX_MS: u64 = 3_600_000;

/// When a user is tried again.
#[derive(Clone, Copy)]
struct Rest {
    until_ms: u64,
    pause_ms: u64,
}

/// The stuck users. A process that dies forgets them, and the next one finds out again.
#[derive(Default)]
pub(super) struct Stuck {
    rests: BTreeMap<Uid, Rest>,
}

impl Stuck {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.rests.len()
    }

    /// Returns whether a user is among them.
    pub(super) fn has(&self, uid: Uid) -> bool {
        self.rests.contains_key(&uid)
    }

    /// Returns a user whose rest is over.
    pub(super) fn rested(&self, now_ms: u64) -> Option<Uid> {
        self.rests.iter().find(|(_, rest)| rest.until_ms <= now_ms).map(|(uid, _)| *uid)
    }

    /// The removal of a user has failed.
    pub(super) fn failed(&mut self, uid: Uid, error: &Error, now_ms: u64) {
        // An error that the store gives to every caller now says nothing of a user.
        let is_of_store = matches!(
            error.code(),
            Code::Unavailable | Code::ResourceExhausted | Code::DeadlineExceeded | Code::Aborted
        );
        if !self.has(uid) && (is_of_store || self.len() >= STUCK_MAX) {
            return;
        }
        let before = self.rests.get(&uid).map_or(0, |rest| rest.pause_ms);
        let doubled = before.saturating_mul(2).clamp(STUCK_PAUSE_MS, STUCK_PAUSE_MAX_MS);
        let pause_ms = if is_of_store { before.max(STUCK_PAUSE_MS) } else { doubled };
        self.rests.insert(uid, Rest { until_ms: now_ms.saturating_add(pause_ms), pause_ms });
    }

    /// Nothing more is to be done with a user.
    pub(super) fn done(&mut self, uid: Uid) {
        self.rests.remove(&uid);
    }
}
