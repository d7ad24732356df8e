//! The ring beside a model: it answers what they have or leaves the answer to the table.

use super::*;
use guanxi_model::event::PairChange;
use guanxi_model::{Change, EventAt, Op, Stamp, Uid};
use proptest::collection::vec;
use proptest::prelude::*;

const LOGS: u8 = 3;

/// An event as a table has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TableEvent {
    version: i64,
    said: Result<Event, UnreadableEvent>,
    peer: Option<i16>,
}

impl RingEntry for TableEvent {
    fn original(&self) -> Original {
        Original::Untold
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn said(&self) -> Result<Event, UnreadableEvent> {
        self.said
    }

    fn peer(&self) -> Option<i16> {
        self.peer
    }
}

/// When a look began.
type Began = u64;

/// The event at a place of a log, in a world in which some cannot be read.
fn event(gene: u8, seq: u64) -> TableEvent {
    let (at, subject) = (EventAt::new(LogId(gene), seq), Uid::MIN);
    let change = Change::Pair { object: Uid::MIN, kind: PairChange::Unfollowed, cause: Op::Unfollow };
    let said = Event { at, version: Stamp::default(), subject, change, echo: None };
    let unreadable = UnreadableEvent { at, subject: None, object: Some(seq) };
    let said = if seq.is_multiple_of(5) { Err(unreadable) } else { Ok(said) };
    let peer = (!seq.is_multiple_of(3)).then_some((seq % 4) as i16);
    TableEvent { version: version(gene, seq), said, peer }
}

fn version(gene: u8, seq: u64) -> i64 {
    (seq * 256 + u64::from(gene)).cast_signed()
}

#[derive(Clone, Debug)]
enum Step {
    /// Events are committed, and a look finds at most so many of them.
    Look {
        log: u8,
        came: u64,
        found_max: usize,
    },
    /// A look finds all but one of them.
    Gap {
        log: u8,
        came: u64,
        without: usize,
    },
    /// A log loses its oldest events.
    Trim {
        log: u8,
        by: u64,
    },
    /// A log goes elsewhere and comes back.
    Move {
        log: u8,
    },
    Forget {
        log: u8,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let log = || 0..LOGS;
    prop_oneof![
        6 => (log(), 0..9_u64, 0..9_usize).prop_map(|(log, came, found_max)| Step::Look { log, came, found_max }),
        1 => (log(), 2..9_u64, 0..9_usize).prop_map(|(log, came, without)| Step::Gap { log, came, without }),
        1 => (log(), 0..9_u64).prop_map(|(log, by)| Step::Trim { log, by }),
        1 => log().prop_map(|log| Step::Move { log }),
        1 => log().prop_map(|log| Step::Forget { log }),
    ]
}

/// A log, and from where to where a ring without bounds has it.
#[derive(Clone, Copy, Debug)]
struct Model {
    state: LogState,
    has: Option<(u64, u64)>,
}

impl Model {
    /// Plays a step for a log; returns what a look finds then.
    fn play(&mut self, gene: u8, step: &Step) -> Vec<TableEvent> {
        let (came, skipped, found_max) = match *step {
            Step::Look { came, found_max, .. } => (came, usize::MAX, found_max),
            Step::Gap { came, without, .. } => (came, without, usize::MAX),
            Step::Trim { by, .. } => {
                self.state.first = (self.state.first + by).min(self.state.seq + 1);
                (0, usize::MAX, usize::MAX)
            }
            Step::Move { .. } => {
                self.state.epoch += 1;
                self.has = None;
                (0, usize::MAX, usize::MAX)
            }
            Step::Forget { .. } => {
                self.has = None;
                (1, usize::MAX, usize::MAX)
            }
        };
        self.state.seq += came;
        let Some((begins, last)) = self.has else {
            self.has = Some((self.state.seq, self.state.seq));
            return Vec::new();
        };
        // The last known one is found first, unless it was removed.
        let found = (last.max(self.state.first)..=self.state.seq).map(|seq| event(gene, seq)).take(found_max);
        let mut found: Vec<TableEvent> = found.collect();
        if skipped < found.len() && found[skipped].seq() > 0 {
            found.remove(skipped);
        }
        let new: Vec<u64> = found.iter().map(RingEntry::seq).filter(|seq| *seq > last).collect();
        let is_whole = new.iter().zip(last + 1..).all(|(new, seq)| *new == seq);
        let goes_on = is_whole && (self.state.seq == last || !new.is_empty());
        let (begins, last) = if goes_on {
            (begins.max(self.state.first - 1), last + new.len() as u64)
        } else {
            (self.state.seq, self.state.seq)
        };
        self.has = Some(if begins > last { (self.state.seq, self.state.seq) } else { (begins, last) });
        found
    }
}

/// A part of a log has what concerns shards 1 and 2, and the versions of its ends.
fn check_part(ring: &Ring<TableEvent, Began>, of: (Gene, i64), (after, upto): (u64, u64), max: usize) {
    let Some(part) = ring.part(of, (after, upto), &[1, 2], max) else { return };
    let Gene(gene) = of.0;
    let concerns = |seq: &u64| !seq.is_multiple_of(3) && [1, 2].contains(&(seq % 4));
    let expected: Vec<_> =
        (after + 1..=upto).filter(concerns).take(max).map(|seq| event(gene, seq)).collect();
    let (before, last) = (Some(version(gene, after)), version(gene, upto));
    assert_eq!(part, RingPart { events: expected, before, last });
}

fn check(ring: &Ring<TableEvent, Began>, models: &[Model], is_bounded: bool) {
    for (gene, model) in (0..LOGS).zip(models) {
        let Some((begins, last)) = model.has else { continue };
        let of = (Gene(gene), model.state.epoch);
        assert_eq!(ring.known(Gene(gene)), Some(LogState { seq: last, ..model.state }));
        assert_eq!(ring.read((Gene(gene), model.state.epoch + 1), (last, last), 9), None, "of another epoch");
        for after in begins.saturating_sub(2)..=model.state.seq + 1 {
            for (upto, max) in [(after, 3), (last, 4), (model.state.seq, 2), (model.state.seq, 100)] {
                let expected: Vec<_> = (after + 1..=last).take(max).map(|seq| event(gene, seq)).collect();
                let has = (begins..=last).contains(&after) && (upto <= last || expected.len() == max);
                let read = ring.read(of, (after, upto), max);
                if !is_bounded || !has {
                    assert_eq!(read.is_some(), has, "{gene} {after} {upto} {max} {model:?}");
                }
                assert!(read.is_none_or(|read| read == expected), "{gene} {after} {upto} {max} {model:?}");
                check_part(ring, of, (after, upto), max);
            }
        }
    }
    assert!(ring.len <= ring.max && ring.order.len() <= 2 * ring.max);
    assert_eq!(ring.len, ring.logs.iter().map(|(_, log)| log.events.len()).sum::<usize>());
}

fn play(max: usize, steps: &[Step]) {
    let mut ring = Ring::<TableEvent, Began>::new(max);
    let state = LogState { epoch: 1, seq: 7, first: 1, post_high: 0 };
    let mut models = [Model { state, has: None }; LOGS as usize];
    for step in steps {
        let (Step::Look { log, .. }
        | Step::Gap { log, .. }
        | Step::Trim { log, .. }
        | Step::Move { log }
        | Step::Forget { log }) = *step;
        if matches!(step, Step::Forget { .. }) {
            ring.forget(Gene(log));
        }
        let model = &mut models[usize::from(log)];
        let found = model.play(log, step);
        ring.take_in(Gene(log), model.state, &found).unwrap();
        check(&ring, &models, max < 1_000);
    }
}

proptest! {
    #[test]
    fn a_ring_answers_what_the_logs_have(steps in vec(step(), 0..60)) {
        play(1_000, &steps);
    }

    #[test]
    fn a_ring_that_is_full_forgets_the_oldest(max in 0..20_usize, steps in vec(step(), 0..60)) {
        play(max, &steps);
    }
}

#[test]
fn the_last_known_event_must_still_be_that_one() {
    let mut ring = Ring::<TableEvent, Began>::new(100);
    let state = |seq| LogState { epoch: 1, seq, first: 1, post_high: 0 };
    let other = |seq| TableEvent { version: 1, ..event(0, seq) };
    ring.take_in(Gene(0), state(3), &[]).unwrap();
    // It is known by its version once it was found.
    ring.take_in(Gene(0), state(4), &[event(0, 3), event(0, 4)]).unwrap();
    assert_eq!(ring.take_in(Gene(0), state(5), &[other(4), event(0, 5)]), Err(Rewritten(4)));
    assert_eq!(ring.read((Gene(0), 1), (3, 4), 9), Some(vec![event(0, 4)]));
    ring.take_in(Gene(0), state(5), &[event(0, 4), event(0, 5)]).unwrap();
    assert_eq!(ring.read((Gene(0), 1), (3, 5), 9), Some(vec![event(0, 4), event(0, 5)]));
    // A log that became shorter begins anew.
    ring.take_in(Gene(0), state(2), &[]).unwrap();
    assert_eq!(ring.read((Gene(0), 1), (3, 4), 9), None);
}
