//! Questions that a database has not answered yet. A caller that asks it while too many of them are late is refused at once: each
//! late question holds what callers of other databases need.

use crate::fault::Fault;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long an answer may take before it is late: much longer than one of a database that is well.
const LATE: Duration = Duration::from_millis(250);

/// The questions of views to one database that are not answered yet.
#[derive(Debug)]
pub struct Stalls {
    since: Mutex<(u64, BTreeMap<u64, Instant>)>,
    late_max: usize,
}

/// A question that waits for its answer.
pub struct StalledQuestion<'a>(&'a Stalls, u64);

impl Stalls {
    /// No questions; at most so many may be late while another one is asked.
    pub fn new(late_max: usize) -> Self {
        Self { since: Mutex::default(), late_max }
    }

    /// Asks one more.
    ///
    /// # Errors
    /// When too many are late.
    pub fn enter(&self) -> Result<StalledQuestion<'_>, Fault> {
        let mut since = self.since();
        // In the order in which they were asked.
        let late = since.1.values().take_while(|asked| asked.elapsed() > LATE).count();
        if late >= self.late_max {
            return Err(Fault::Again("too many wait for its answers".to_owned()));
        }
        since.0 += 1;
        let number = since.0;
        since.1.insert(number, Instant::now());
        Ok(StalledQuestion(self, number))
    }

    fn since(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Instant>)> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StalledQuestion<'_> {
    fn drop(&mut self) {
        self.0.since().1.remove(&self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_comes_while_too_many_are_late_is_told_at_once() {
        let stalls = Stalls::new(2);
        let mut waiting: Vec<_> = (0..5).map(|_| stalls.enter().unwrap()).collect();
        tokio::time::advance(LATE * 2).await;
        assert!(stalls.enter().is_err());
        waiting.truncate(1);
        let _another = stalls.enter().unwrap();
        waiting.clear();
        assert!(stalls.since().1.len() == 1);
    }
}
