//! Looking at all of something once a day, piece by piece.

/// How often a sweep begins: what it looks for has been there for days.
pub(crate) const SWEEP_EVERY_MS: u64 = 24 * 3_600 * 1_000;

/// When a sweep that failed goes on.
const SWEEP_RETRY_MS: u64 = 60_000;

/// Where a sweep is in a list, and when it goes on.
#[derive(Debug)]
pub(crate) struct Sweep<T> {
    after: Option<T>,
    /// When the last piece was begun, and how long after it the next one is due.
    begun_ms: u64,
    rest_ms: u64,
}

impl<T> Default for Sweep<T> {
    fn default() -> Self {
        Self { after: None, begun_ms: 0, rest_ms: 0 }
    }
}

impl<T: Clone> Sweep<T> {
    /// Returns whether a piece is due. If the caller does not report what it found in a piece, the piece is tried again after
    /// a while. A clock that was set back makes it due, since the age of the last piece is not known then.
    pub(crate) fn begin(&mut self, now_ms: u64) -> bool {
        let is_due = now_ms < self.begun_ms || now_ms - self.begun_ms >= self.rest_ms;
        if is_due {
            (self.begun_ms, self.rest_ms) = (now_ms, SWEEP_RETRY_MS);
        }
        is_due
    }

    /// The last that was found before.
    pub(crate) const fn after(&self) -> Option<&T> {
        self.after.as_ref()
    }

    /// Takes the last of what a piece found; `None` when it was the last piece.
    pub(crate) fn found(&mut self, last: Option<T>) {
        self.rest_ms = if last.is_some() { 0 } else { SWEEP_EVERY_MS };
        self.after = last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_goes_on_at_once_after_a_failure_in_a_minute_and_begins_once_a_day() {
        let mut sweep = Sweep::<u32>::default();
        assert!(sweep.begin(5));
        sweep.found(Some(7));
        assert!(sweep.begin(5));
        assert_eq!(sweep.after(), Some(&7));
        assert!(!sweep.begin(5 + SWEEP_RETRY_MS - 1), "the piece failed");
        assert!(sweep.begin(5 + SWEEP_RETRY_MS));
        assert_eq!(sweep.after(), Some(&7), "it goes on where it was");
        sweep.found(None);
        let begun = 5 + SWEEP_RETRY_MS;
        assert!(!sweep.begin(begun + SWEEP_EVERY_MS - 1));
        assert!(sweep.begin(begun + SWEEP_EVERY_MS));
        assert_eq!(sweep.after(), None);
        sweep.found(None);
        assert!(sweep.begin(3), "the clock was set back");
    }
}
