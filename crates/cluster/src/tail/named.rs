//! Which relations events of a log may have changed.

use super::logged::LogEntry;
use guanxi_model::{Change, Gene, Uid};

/// The pairs whose first user is of a log and that its events name, each with the number of the event. None if an event
/// cannot be read: it is not known which it names.
pub(super) fn named_pairs(log: Gene, events: &[LogEntry]) -> Option<Vec<(u64, (Uid, Uid))>> {
    let mut named = Vec::new();
    for logged in events {
        let event = logged.said.ok()?;
        // An erased user has no relation by then: each was ended by an event of its own.
        if let Change::Pair { object, .. } = event.change {
            let both = [(event.subject, object), (object, event.subject)];
            let of_log = both.into_iter().filter(|pair| pair.0.gene() == log);
            named.extend(of_log.map(|pair| (event.at.seq(), pair)));
        }
    }
    Some(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::event::PairChange;
    use guanxi_model::{Event, EventAt, LogId, Op, Stamp};
    use guanxi_ports::UnreadableEvent;

    fn u(uid: u64) -> Uid {
        Uid::new(uid).unwrap()
    }

    fn logged(seq: u64, subject: u64, change: Change) -> LogEntry {
        let at = EventAt::new(LogId(1), seq);
        let event = Event { at, version: Stamp::from_ms(seq), subject: u(subject), change, echo: None };
        LogEntry { version: 1, said: Ok(event), carried: None }
    }

    fn follow(object: u64) -> Change {
        Change::Pair { object: u(object), kind: PairChange::Unfollowed, cause: Op::Unfollow }
    }

    #[test]
    fn a_pair_is_named_from_the_side_of_the_log() {
        let events =
            [logged(3, 0x101, follow(2)), logged(4, 2, follow(0x201)), logged(5, 0x101, follow(0x201))];
        let pair = |seq, a, b| (seq, (u(a), u(b)));
        let expected =
            vec![pair(3, 0x101, 2), pair(4, 0x201, 2), pair(5, 0x101, 0x201), pair(5, 0x201, 0x101)];
        assert_eq!(named_pairs(Gene(1), &events), Some(expected));
        assert_eq!(named_pairs(Gene(1), &[logged(3, 0x101, Change::Interacted)]), Some(Vec::new()));
    }

    #[test]
    fn an_event_that_cannot_be_read_may_name_any_pair() {
        let unreadable = UnreadableEvent { at: EventAt::new(LogId(1), 4), subject: None, object: None };
        let unreadable = LogEntry { version: 1, said: Err(unreadable), carried: None };
        assert_eq!(named_pairs(Gene(1), &[logged(3, 0x101, follow(2)), unreadable]), None);
    }
}
