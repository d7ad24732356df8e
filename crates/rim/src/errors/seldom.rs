//! Saying seldom what would be said for each of many calls.

use std::time::{Duration, Instant};

/// How often writes that a full disk refuses are told of: clients repeat them, and each line takes room of the disk.
const EVERY: Duration = Duration::from_mins(1);

/// When something was said last, and how often it came since.
#[derive(Debug)]
pub(super) struct Seldom {
    said: Option<Instant>,
    unsaid: u64,
}

impl Seldom {
    pub(super) const fn new() -> Self {
        Self { said: None, unsaid: 0 }
    }

    /// It comes once more. Returns how often it came without a word since it was said last, if it is to be said now.
    pub(super) fn comes(&mut self, now: Instant) -> Option<u64> {
        if self.said.is_some_and(|said| now.saturating_duration_since(said) < EVERY) {
            self.unsaid += 1;
            return None;
        }
        self.said = Some(now);
        Some(std::mem::take(&mut self.unsaid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_minute_is_said_with_the_number_of_those_before() {
        let (mut seldom, start) = (Seldom::new(), Instant::now());
        let mut comes = |seconds| seldom.comes(start + Duration::from_secs(seconds));
        assert_eq!((comes(0), comes(1), comes(59)), (Some(0), None, None));
        assert_eq!((comes(60), comes(61), comes(200)), (Some(2), None, Some(1)));
    }
}
