//! Hybrid logical time: the version of an edge and its place in lists.

use crate::error::Reason;
use crate::limits::FACT_AHEAD_MAX_MS;
use std::fmt;

/// Bits of the counter below the milliseconds.
const COUNTER_BITS: u32 = 16;

/// A hybrid logical clock value: 48 bits of Unix milliseconds above a 16-bit counter.
///
/// Stamps that one [`Hlc`] mints are strictly increasing, so an order by stamp has no ties; imported edges carry
/// a given time with counter 0, and lists break their ties by uid.
///
/// Source: Kulkarni et al., "Logical Physical Clocks", 2014.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(u64);

impl Stamp {
    /// Before everything.
    pub const ZERO: Self = Self(0);
    /// After everything.
    pub const MAX: Self = Self(u64::MAX);
    /// The largest time that fits, in Unix milliseconds (year 10889).
    pub const MAX_MS: u64 = (1 << 48) - 1;

    /// A stamp from its raw bits.
    pub const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    /// The first stamp of a millisecond. Times above [`Stamp::MAX_MS`] saturate.
    pub const fn from_ms(ms: u64) -> Self {
        let ms = if ms > Self::MAX_MS { Self::MAX_MS } else { ms };
        Self(ms << COUNTER_BITS)
    }

    /// The raw bits, in order of time.
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// Unix milliseconds.
    pub const fn ms(self) -> u64 {
        self.0 >> COUNTER_BITS
    }

    /// Returns the time from which a fact counts that came with a time of its own; `None` if that is now. `now_ms` is the
    /// planner's clock, in Unix milliseconds.
    ///
    /// # Errors
    /// `TIME_OUT_OF_RANGE` for a time that is more than [`FACT_AHEAD_MAX_MS`] ahead: such a fact would stay on top of lists
    /// until then.
    pub fn of_fact(given: Option<Self>, now_ms: u64) -> Result<Option<Self>, Reason> {
        let Some(at) = given else { return Ok(None) };
        if at.ms() > now_ms.saturating_add(FACT_AHEAD_MAX_MS) {
            return Err(Reason::TimeOutOfRange);
        }
        Ok(Some(at).filter(|at| at.ms() <= now_ms))
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.ms(), self.0 & 0xffff)
    }
}

/// A hybrid logical clock: mints strictly increasing stamps, also when the wall clock jumps.
///
/// Its owner stores [`Hlc::last`] with each commit and starts again from it, so that stamps also increase across
/// restarts.
#[derive(Debug, Clone, Default)]
pub struct Hlc {
    last: Stamp,
}

impl Hlc {
    /// A clock that will only mint stamps after `last`.
    pub const fn after(last: Stamp) -> Self {
        Self { last }
    }

    /// The last stamp minted or observed.
    pub const fn last(&self) -> Stamp {
        self.last
    }

    /// Mints the next stamp: the wall clock's millisecond if it moved on, else one above the last.
    pub fn tick(&mut self, now_ms: u64) -> Stamp {
        let wall = Stamp::from_ms(now_ms);
        self.last = if wall > self.last { wall } else { Stamp(self.last.0.saturating_add(1)) };
        self.last
    }

    /// Moves past a stamp seen elsewhere.
    pub fn observe(&mut self, seen: Stamp) {
        self.last = self.last.max(seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_increase_when_the_clock_stands_still_or_jumps_back() {
        let mut hlc = Hlc::default();
        let first = hlc.tick(1_000);
        let same_ms = hlc.tick(1_000);
        let back = hlc.tick(10);
        let on = hlc.tick(1_001);
        assert!(first < same_ms && same_ms < back && back < on);
        assert_eq!(on.ms(), 1_001);
    }

    #[test]
    fn a_full_counter_carries_into_the_milliseconds() {
        let mut hlc = Hlc::after(Stamp::from_raw((5 << 16) | 0xffff));
        assert_eq!(hlc.tick(5).ms(), 6);
    }
}
