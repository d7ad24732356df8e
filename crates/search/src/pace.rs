//! How fast an index is written, so that it leaves the disk and the processor to those that answer calls.

use guanxi_ports::search::CallsWait;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What an index may write ahead of its pace.
const AHEAD: Duration = Duration::from_millis(100);

/// The longest pause that one piece of work makes: what follows it pauses again.
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// How many times slower everything is while calls wait.
const SLOWER: u32 = 4;

/// The paces of what an index writes, which pause the threads that write it. Clones share them.
#[derive(Clone)]
pub struct Pace(Arc<Paces>);

struct Paces {
    documents: Rate,
    merged_bytes: Rate,
    calls_wait: OnceLock<CallsWait>,
}

impl fmt::Debug for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pace").finish_non_exhaustive()
    }
}

impl Pace {
    /// At most so many documents and so many bytes of merged segments in a second, both at least 1.
    pub fn new(documents_per_s: u64, merged_bytes_per_s: u64) -> Self {
        let (documents, merged_bytes) = (Rate::new(documents_per_s), Rate::new(merged_bytes_per_s));
        Self(Arc::new(Paces { documents, merged_bytes, calls_wait: OnceLock::new() }))
    }

    /// No bounds.
    pub fn unbounded() -> Self {
        Self::new(u64::MAX, u64::MAX)
    }

    /// From now on everything is four times slower while calls wait. Only the first word counts.
    pub fn give_way_to(&self, calls_wait: CallsWait) {
        let _ = self.0.calls_wait.set(calls_wait);
    }

    /// Pauses for documents that were written.
    pub(crate) fn documents(&self, written: usize) {
        self.pause(&self.0.documents, written as u64);
    }

    /// Pauses for bytes of a merged segment that were written.
    pub(crate) fn merged_bytes(&self, written: usize) {
        self.pause(&self.0.merged_bytes, written as u64);
    }

    fn pause(&self, rate: &Rate, done: u64) {
        let slower = if self.0.calls_wait.get().is_some_and(|wait| wait()) { SLOWER } else { 1 };
        let pause = rate.pause(done, slower, Instant::now());
        if !pause.is_zero() {
            // One that wakes earlier pauses longer next time.
            std::thread::park_timeout(pause);
        }
    }
}

/// A bound on what is done in a second.
struct Rate {
    per_s: u64,
    /// Until when what was done takes at this pace.
    until: Mutex<Option<Instant>>,
}

impl Rate {
    const fn new(per_s: u64) -> Self {
        Self { per_s, until: Mutex::new(None) }
    }

    /// Returns how long to pause after something was done.
    fn pause(&self, done: u64, slower: u32, now: Instant) -> Duration {
        let takes = Duration::from_secs_f64(done as f64 / self.per_s.max(1) as f64) * slower;
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        let end = until.map_or(now, |until| until.max(now)) + takes.min(PAUSE_MAX);
        *until = Some(end);
        end.saturating_duration_since(now).saturating_sub(AHEAD).min(PAUSE_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_takes_its_time_and_four_times_as_long_while_calls_wait() {
        for (slower, wanted_ms) in [(1, 900), (SLOWER, 3_900)] {
            let (rate, begin) = (Rate::new(1_000), Instant::now());
            let mut now = begin;
            for _ in 0..100 {
                now += rate.pause(10, slower, now);
            }
            assert_eq!((now - begin).as_millis(), wanted_ms, "1,000 at 1,000 a second, 100 ms ahead");
            // What was not done in a long time is not made up for.
            now += Duration::from_hours(1);
            assert_eq!(rate.pause(10, 1, now), Duration::ZERO);
            assert!(rate.pause(1_000, 1, now) > Duration::from_millis(800));
        }
        assert_eq!(Rate::new(u64::MAX).pause(u64::MAX / 2, 1, Instant::now()), Duration::from_millis(400));
    }

    #[test]
    fn all_clones_are_told_to_give_way() {
        let pace = Pace::new(1_000_000, 1_000_000);
        pace.clone().give_way_to(Arc::new(|| true));
        assert!(pace.0.calls_wait.get().is_some_and(|wait| wait()));
    }
}
