//! The newest events, for readers that follow the log closely: several readers take each event as soon as it is
//! committed, and each would look it up in the engine and decode it anew.

use guanxi_model::Event;
use std::collections::VecDeque;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Events that are kept, of a few hundred bytes each: more than two of the largest groups bring, so that a reader that
/// is a group behind still finds its own here.
pub const RECENT_EVENTS_MAX: usize = 8_192;

/// The newest events without a gap. The writer adds them before it publishes the view that has them.
#[derive(Debug, Default)]
pub struct RecentEvents(RwLock<Recent>);

#[derive(Debug, Default)]
struct Recent {
    /// The seq of the first.
    first: u64,
    events: VecDeque<Event>,
}

impl RecentEvents {
    /// Adds the events of a commit, of which `first` is the seq of the first.
    pub fn add(&self, first: u64, events: &[Event]) {
        let mut recent = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if first != recent.first + recent.events.len() as u64 {
            recent.events.clear();
            recent.first = first;
        }
        recent.events.extend(events);
        let over = recent.events.len().saturating_sub(RECENT_EVENTS_MAX);
        recent.events.drain(..over);
        recent.first += over as u64;
    }

    /// The events after a seq up to another; `None` unless all of them are here.
    pub fn read(&self, after: u64, last: u64) -> Option<Vec<Event>> {
        let recent = self.read_lock();
        let from = usize::try_from((after + 1).checked_sub(recent.first)?).ok()?;
        let to = from + usize::try_from(last.checked_sub(after)?).ok()?;
        (to <= recent.events.len()).then(|| recent.events.range(from..to).copied().collect())
    }

    fn read_lock(&self) -> RwLockReadGuard<'_, Recent> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::event::PairChange;
    use guanxi_model::{Change, EventAt, LogId, Op, Stamp, Uid};

    fn events(seqs: std::ops::Range<u64>) -> Vec<Event> {
        let event = |seq| Event {
            at: EventAt::new(LogId(0), seq),
            version: Stamp::default(),
            subject: Uid::MIN,
            change: Change::Pair { object: Uid::MIN, kind: PairChange::Unfollowed, cause: Op::Unfollow },
            echo: None,
        };
        seqs.map(event).collect()
    }

    #[test]
    fn what_is_kept_is_a_part_of_the_log_without_a_gap() {
        let recent = RecentEvents::default();
        assert_eq!(recent.read(0, 1), None, "nothing yet");
        recent.add(5, &events(5..8));
        recent.add(8, &events(8..10));
        assert_eq!(recent.read(4, 9), Some(events(5..10)));
        assert_eq!(recent.read(6, 8), Some(events(7..9)));
        assert_eq!(recent.read(9, 9), Some(Vec::new()));
        assert_eq!(recent.read(3, 9), None, "the first is not here");
        assert_eq!(recent.read(6, 10), None, "the last is not here");
        recent.add(20, &events(20..22));
        assert_eq!(recent.read(8, 9), None, "behind a gap everything is forgotten");
        assert_eq!(recent.read(19, 21), Some(events(20..22)));
    }

    #[test]
    fn only_so_many_are_kept() {
        let recent = RecentEvents::default();
        let max = RECENT_EVENTS_MAX as u64;
        recent.add(1, &events(1..max));
        recent.add(max, &events(max..max + 10));
        assert_eq!(recent.read(8, 9), None);
        assert_eq!(recent.read(9, max + 9).map(|events| events.len()), Some(RECENT_EVENTS_MAX));
    }
}
