//! Where a user was found last: hints, which spare the question to the index and are never believed.

use guanxi_model::Uid;
use guanxi_model::user::Identifier;
use metrics::{Counter, describe_counter};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names and contacts of which a hint is kept: 512 KiB, for users that log in and are looked up again and again.
const HINTS_MAX: usize = 65_536;

/// The owner of a login name, phone number or mail address when it was last looked up.
///
/// Two of them with the same hash overwrite each other, and nothing is ever taken out. That is safe: a caller reads the
/// user's row anyway, and goes on to the index unless the row names what the caller asked for.
pub(super) struct Hints {
    /// By hash; 0 is none.
    uids: Box<[AtomicU64]>,
    hits: Counter,
    misses: Counter,
}

impl Default for Hints {
    fn default() -> Self {
        describe_counter!(
            "guanxi_user_hints_total",
            "Users that were looked for by login name, phone or email, by outcome: found where they were last (hit), or \
             asked for in the index (miss)."
        );
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_user_hints_total", "outcome" => outcome);
        Self {
            uids: (0..HINTS_MAX).map(|_| AtomicU64::new(0)).collect(),
            hits: outcome("hit"),
            misses: outcome("miss"),
        }
    }
}

impl Hints {
    fn place(&self, who: &Identifier) -> &AtomicU64 {
        let mut hasher = DefaultHasher::new();
        who.hash(&mut hasher);
        &self.uids[hasher.finish() as usize % HINTS_MAX]
    }

    /// Returns the user that it may be.
    pub(super) fn get(&self, who: &Identifier) -> Option<Uid> {
        Uid::new(self.place(who).load(Ordering::Relaxed)).ok()
    }

    /// Notes the present owner.
    pub(super) fn put(&self, who: &Identifier, uid: Uid) {
        self.place(who).store(uid.get(), Ordering::Relaxed);
    }

    /// Counts a question.
    pub(super) fn count(&self, hit: bool) {
        if hit { &self.hits } else { &self.misses }.increment(1);
    }
}
