//! Logs, and places in them.

use crate::id::{Gene, Uid};
use std::fmt;

/// One log of events: gapless, in the order of its commits. Events of two logs have no order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogId(pub u8);

/// How users are spread over logs; it never changes in the life of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Logs {
    /// One log for everybody: one machine.
    #[default]
    One,
    /// A log for each gene.
    PerGene,
}

impl Logs {
    /// The log of a user: the one that tells all that changed about that user.
    pub const fn of(self, uid: Uid) -> LogId {
        self.of_gene(uid.gene())
    }

    /// The log of a gene.
    pub const fn of_gene(self, gene: Gene) -> LogId {
        match self {
            Self::One => LogId(0),
            Self::PerGene => LogId(gene.0),
        }
    }

    /// Every log, in order.
    pub fn all(self) -> impl Iterator<Item = LogId> {
        let last = match self {
            Self::One => 0,
            Self::PerGene => u8::MAX,
        };
        (0..=last).map(LogId)
    }
}

/// The place of one event: in which log, and the how-manieth there, from 1; 0 is the beginning of that log, where no
/// event is.
///
/// Opaque outside the model and the backends, which alone may take it apart: a number without its log means nothing,
/// and places of different logs have no order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct EventAt(u64);

/// Bits of the number: more events than any log will ever have. The log is above them, so that a place is one word and
/// places of one log compare as words.
const SEQ_BITS: u32 = 56;

/// The last number of a log.
const SEQ_MAX: u64 = (1 << SEQ_BITS) - 1;

impl EventAt {
    /// The place of an event. A number beyond 2^56 - 1, which no log reaches, is taken for that.
    pub const fn new(log: LogId, seq: u64) -> Self {
        let seq = if seq > SEQ_MAX { SEQ_MAX } else { seq };
        Self((log.0 as u64) << SEQ_BITS | seq)
    }

    /// Before the first event of a log.
    pub const fn beginning(log: LogId) -> Self {
        Self::new(log, 0)
    }

    /// In which log.
    pub const fn log(self) -> LogId {
        LogId((self.0 >> SEQ_BITS) as u8)
    }

    /// The number in its log: for backends, and for showing it to people.
    pub const fn seq(self) -> u64 {
        self.0 & SEQ_MAX
    }

    /// Returns whether this event came later than another one of the same log. Of another log nothing is known, so it
    /// is taken for later: readers then look at what they need not, and never miss anything.
    pub fn is_after(self, other: Self) -> bool {
        debug_assert!(self.log() == other.log(), "{self:?} and {other:?} have no order");
        self.0 > other.0 || self.log() != other.log()
    }

    /// The place before this one; the beginning is its own.
    #[must_use]
    pub const fn before(self) -> Self {
        if self.seq() == 0 { self } else { Self(self.0 - 1) }
    }

    /// The later of two places of one log; this one if they are of two.
    #[must_use]
    pub fn later(self, other: Self) -> Self {
        if self.log() == other.log() && other.0 > self.0 { other } else { self }
    }
}

impl fmt::Debug for EventAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.log().0, self.seq())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_spread_over_the_logs_of_their_store() {
        let uid = Uid::new(0x1234).unwrap();
        assert_eq!((Logs::One.of(uid), Logs::PerGene.of(uid)), (LogId(0), LogId(0x34)));
        assert_eq!((Logs::One.all().count(), Logs::PerGene.all().count()), (1, 256));
    }

    #[test]
    fn places_of_one_log_are_ordered() {
        let at = |seq| EventAt::new(LogId(3), seq);
        assert!(at(2).is_after(at(1)) && !at(2).is_after(at(2)) && !at(1).is_after(at(2)));
        assert_eq!((at(2).before(), at(0).before()), (at(1), EventAt::beginning(LogId(3))));
        assert_eq!((at(2).later(at(5)), at(5).later(at(2))), (at(5), at(5)));
        assert_eq!(at(2).later(EventAt::new(LogId(4), 9)), at(2));
        assert_eq!((at(u64::MAX).log(), at(u64::MAX).seq()), (LogId(3), (1 << 56) - 1));
    }
}
