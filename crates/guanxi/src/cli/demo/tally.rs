//! The tally of the demo: counts, and how long reads took.

use super::grouped;
use guanxi_centers::Centers;
use guanxi_model::{Result, Uid};
use guanxi_server::Outcome;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Reads that the shown quantile is of.
const READS_KEPT: usize = 1_000;

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ActKind {
    /// A page of home.
    Read,
    /// A post, reply or repost.
    Post,
    /// A like.
    Like,
    /// A follow or unfollow.
    Follow,
    /// A friend request, or the answer to one.
    Request,
    /// Suggestions read, and the best of them followed or dismissed.
    Suggestion,
    /// A refused operation of any kind, such as a reply to a post that was deleted meanwhile.
    Refused,
}

/// Counts of operations since the start, one for each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ActCounts([u64; 7]);

impl ActCounts {
    /// The count of a kind.
    pub(super) const fn of(&self, kind: ActKind) -> u64 {
        self.0[kind as usize]
    }
}

/// The operations so far.
pub(super) struct Tally {
    start: Instant,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    counts: ActCounts,
    /// The newest reads, oldest first.
    reads: VecDeque<Duration>,
    /// The users who read.
    readers: BTreeSet<Uid>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { start: Instant::now(), noted: Mutex::default() }
    }
}

impl Tally {
    /// Notes an operation.
    pub(super) fn note(&self, kind: ActKind, done: &Result<()>) {
        let kind = if done.is_ok() { kind } else { ActKind::Refused };
        self.noted().counts.0[kind as usize] += 1;
    }

    /// Notes who read and how long it took.
    pub(super) fn note_read(&self, reader: Uid, took: Duration) {
        let mut noted = self.noted();
        if noted.reads.len() == READS_KEPT {
            noted.reads.pop_front();
        }
        noted.reads.push_back(took);
        noted.readers.insert(reader);
    }

    /// The counts so far.
    pub(super) fn counts(&self) -> ActCounts {
        self.noted().counts
    }

    /// How long it goes on.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns the time that 99 of 100 of the newest reads did not exceed, in milliseconds.
    pub(super) fn read_p99_ms(&self) -> f64 {
        let mut reads: Vec<Duration> = self.noted().reads.iter().copied().collect();
        reads.sort_unstable();
        let place = (reads.len() * 99).div_ceil(100).saturating_sub(1);
        reads.get(place).map_or(0.0, |read| read.as_secs_f64() * 1_000.0)
    }

    /// Returns a summary, with the proof that some of the homes that were read are exact.
    pub(super) async fn summary(&self, centers: &Centers, homes: usize) -> Outcome<String> {
        let (seconds, counts, p99) = (self.elapsed().as_secs_f64(), self.counts(), self.read_p99_ms());
        let readers: Vec<Uid> = self.noted().readers.iter().copied().take(homes).collect();
        let inboxes = centers.feed.fanout_status().await?.inboxes;
        let count = |kind| grouped(counts.of(kind));
        let mut text = format!(
            "{seconds:.1} s: {} posts, {} deliveries, {} likes, {} follows, {} friend requests, \
             {} suggestions, {} home pages (p99 {p99:.1} ms), {} refused; {} inboxes",
            count(ActKind::Post),
            grouped(inboxes.delivered),
            count(ActKind::Like),
            count(ActKind::Follow),
            count(ActKind::Request),
            count(ActKind::Suggestion),
            count(ActKind::Read),
            count(ActKind::Refused),
            grouped(inboxes.resident),
        );
        let (mut items, mut differing) = (0, 0);
        for reader in &readers {
            let report = centers.feed.verify(*reader, usize::MAX).await?;
            items += report.items;
            differing += u64::from(!report.clean());
        }
        let _ = write!(
            text,
            "\nverified {} homes with {} items against their definition: {differing} differ",
            readers.len(),
            grouped(items)
        );
        Ok(text)
    }

    fn noted(&self) -> std::sync::MutexGuard<'_, Noted> {
        self.noted.lock().expect("nobody panics while holding the tally")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::{Error, Reason};

    #[test]
    fn each_operation_is_counted_once_and_the_slowest_of_a_hundred_reads_is_left_out() {
        let tally = Tally::default();
        assert!(tally.read_p99_ms().abs() < f64::EPSILON);
        let kinds = [
            ActKind::Read,
            ActKind::Post,
            ActKind::Like,
            ActKind::Follow,
            ActKind::Request,
            ActKind::Suggestion,
        ];
        for kind in kinds {
            tally.note(kind, &Ok(()));
            tally.note(kind, &Err(Error::new(Reason::PostDeleted)));
        }
        for kind in kinds {
            assert_eq!(tally.counts().of(kind), 1, "{kind:?}");
        }
        assert_eq!(tally.counts().of(ActKind::Refused), 6);
        for ms in 1..=100 {
            tally.note_read(Uid::MIN, Duration::from_millis(ms));
        }
        assert!((tally.read_p99_ms() - 99.0).abs() < 1e-9);
        for _ in 0..READS_KEPT {
            tally.note_read(Uid::MIN, Duration::from_millis(5));
        }
        assert!((tally.read_p99_ms() - 5.0).abs() < 1e-9, "old reads are forgotten");
    }
}
