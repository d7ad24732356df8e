//! Which external ids were given uids lately.
//!
//! A caller that makes uids for external ids has looked them up before, in the view of that time. Assignments since
//! then are here, so that the writer need not look up untouched ids again.

use guanxi_model::ExternalId;
use std::collections::HashSet;
use xxhash_rust::xxh3::xxh3_64;

/// Ids of one half of what is kept, at about 10 bytes each: as many as thirty batches make.
const HALF: usize = 32_768;

/// The ids that were given uids after an event, as hashes: of two with one hash both are looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecentIds {
    /// What was given after this event is known.
    since: u64,
    older: HashSet<u64>,
    /// The last event before those of `newer`.
    turned: u64,
    newer: HashSet<u64>,
}

/// A hash of an id; it is nowhere on disk.
pub(crate) fn hash_of(id: &ExternalId) -> u64 {
    xxh3_64(id.as_str().as_bytes())
}

impl RecentIds {
    /// Knows what is given after an event, and nothing of before.
    pub(crate) fn after(seq: u64) -> Self {
        Self { since: seq, turned: seq, ..Self::default() }
    }

    /// Returns whether an id that had no uid as of an event has none now, for all that is known.
    pub(crate) fn is_still_unknown(&self, id: &ExternalId, seq: u64) -> bool {
        let hash = hash_of(id);
        seq >= self.since && !self.newer.contains(&hash) && !self.older.contains(&hash)
    }

    /// Notes what a commit gives uids to, whose first event comes after one.
    pub(crate) fn note(&mut self, after: u64, hashes: Vec<u64>) {
        if self.newer.len() + hashes.len() > HALF {
            self.since = self.turned;
            self.older = std::mem::take(&mut self.newer);
            self.turned = after;
        }
        self.newer.extend(hashes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u64) -> ExternalId {
        ExternalId::new(format!("user {n}"), "external_id").unwrap()
    }

    #[test]
    fn whatever_was_given_after_a_look_is_known_or_the_look_is_too_old() {
        let mut recent = RecentIds::after(10);
        assert!(recent.is_still_unknown(&id(1), 10) && !recent.is_still_unknown(&id(1), 9));
        let per_commit = HALF as u64 / 8;
        for commit in 0..40 {
            let (seq, first) = (10 + commit * per_commit, commit * per_commit);
            recent.note(seq, (first..first + per_commit).map(|n| hash_of(&id(n))).collect());
            let last = seq + per_commit;
            assert!(recent.is_still_unknown(&id(u64::MAX), last), "who has looked just now is right");
            // Of what was given since a look, all is known, or the look does not count.
            for looked in (10..last).step_by(per_commit as usize) {
                for n in [looked - 10, last - 10 - 1] {
                    assert!(!recent.is_still_unknown(&id(n), looked), "{n} at {looked}");
                }
            }
            assert!(recent.newer.len() + recent.older.len() <= 2 * HALF);
        }
        assert!(recent.since > 10);
    }
}
