//! How users stand, in memory under the rules of [`cache`](crate::cache): answers that hold until an event tells of the user.
//!
//! Most users stand as the default says, and that is kept of them, too: it spares the question.

use crate::cache::{Cache, Entry, Fills};
use crate::cut::Cut;
use guanxi_model::user::Standing;
use guanxi_model::{LogId, Logs, Uid};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bit of `as_of` that readers set; lets eviction spare whom pages show.
const REFERENCED: u64 = 1 << 63;

/// How a user stands.
#[derive(Debug, Default)]
pub struct StandingEntry {
    standing: Standing,
    /// The event of the user's log as of which it was read, and [`REFERENCED`].
    as_of: AtomicU64,
}

impl StandingEntry {
    /// How a user stands as its rows tell it, as of an event of its log.
    pub const fn new(as_of: u64, standing: Standing) -> Self {
        Self { standing, as_of: AtomicU64::new(as_of) }
    }

    fn touch(&self) {
        if self.as_of.load(Ordering::Relaxed) & REFERENCED == 0 {
            self.as_of.fetch_or(REFERENCED, Ordering::Relaxed);
        }
    }
}

impl Clone for StandingEntry {
    fn clone(&self) -> Self {
        Self::new(self.as_of.load(Ordering::Relaxed), self.standing)
    }
}

impl Entry for StandingEntry {
    /// An event has told something of the user.
    type Change = ();
    const INLINE: bool = true;

    fn heap_bytes(&self) -> usize {
        0
    }

    fn untouch(&self) -> bool {
        self.as_of.fetch_and(!REFERENCED, Ordering::Relaxed) & REFERENCED != 0
    }

    fn as_of(&self) -> u64 {
        self.as_of.load(Ordering::Relaxed) & !REFERENCED
    }

    fn after(&self, seq: u64, (): &()) -> Option<Self> {
        (self.as_of() >= seq).then(|| self.clone())
    }
}

/// How the users stand that memory holds.
pub struct StandingsCache(Cache<StandingEntry>);

impl StandingsCache {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        Self(Cache::new(bytes))
    }

    /// How each of some users stands as of a cut, in order; `None` of a user that memory cannot tell.
    pub fn at(&self, uids: &[Uid], cut: &impl Cut) -> Vec<Option<Standing>> {
        let held = self.0.read();
        held.warm(uids.iter().copied());
        let told = |uid: &Uid| {
            let entry = held.get(*uid).filter(|entry| entry.as_of() <= cut.seq_of(*uid))?;
            entry.touch();
            Some(entry.standing)
        };
        uids.iter().map(told).collect()
    }

    /// Registers fills of users whom memory does not have; the snapshot that is read for them comes after.
    pub fn begin_fills(&self, uids: impl IntoIterator<Item = Uid>) -> Fills<'_, StandingEntry> {
        self.0.begin_fills(uids)
    }

    /// Forgets users of whom an event of their log tells something, before the event is in a published cut.
    pub fn follow(&self, events: &[(u64, Uid)]) {
        if events.is_empty() {
            return;
        }
        let mut held = self.0.write();
        events.iter().for_each(|(seq, uid)| held.change(*uid, *seq, &()));
    }

    /// Forgets all users of some logs. It looks at all users that are held.
    pub fn forget_logs(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        self.0.forget_logs::<Uid>(logs, gone);
    }

    /// Bytes held, about, and users held.
    pub fn size(&self) -> (usize, usize) {
        let held = self.0.read();
        (held.bytes(), held.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::At;
    use guanxi_model::user::UserStatus;

    fn uid(n: u64) -> Uid {
        Uid::new(n).unwrap()
    }

    fn gone() -> Standing {
        Standing { status: UserStatus::Deactivated, ..Standing::default() }
    }

    #[test]
    fn a_standing_holds_from_its_event_until_the_next_one() {
        let users = StandingsCache::new(1 << 20);
        let read = [Some(StandingEntry::new(5, gone())), Some(StandingEntry::new(5, Standing::default()))];
        users.begin_fills([uid(1), uid(2)]).keep(read);
        assert_eq!(
            users.at(&[uid(2), uid(3), uid(1)], &At(5, 0)),
            [Some(Standing::default()), None, Some(gone())]
        );
        assert_eq!(users.at(&[uid(1)], &At(4, 0)), [None], "an older cut asks its tables");
        users.follow(&[(5, uid(1)), (6, uid(2))]);
        assert_eq!(users.at(&[uid(1), uid(2)], &At(6, 0)), [Some(gone()), None], "it has event 5 already");
    }

    #[test]
    fn what_is_being_read_is_not_kept_if_an_event_beyond_it_has_come() {
        let users = StandingsCache::new(1 << 20);
        let fill = users.begin_fills([uid(1), uid(2)]);
        users.follow(&[(5, uid(1)), (6, uid(2))]);
        fill.keep([5, 5].map(|as_of| Some(StandingEntry::new(as_of, gone()))));
        assert_eq!(users.at(&[uid(1), uid(2)], &At(9, 0)), [Some(gone()), None]);
    }
}
