//! Which replica is asked.

use std::time::Duration;

use guanxi_model::Position;
use guanxi_ports::IndexReplica;
use tokio::time::Instant;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::wire::IndexKind;

/// Replicas that one question is asked of at most.
pub(super) const ATTEMPTS: usize = 2;

/// How long a replica that did not answer is asked only after all others.
const FAILED_FOR: Duration = Duration::from_secs(5);

/// Events that a replica may be behind the best one before it is asked only after others: a minute of a busy cluster. A
/// smaller lag moves no caller from one replica to another.
const LATE_EVENTS: u64 = 10_000;

/// The replicas that are known.
#[derive(Debug)]
pub(super) struct Choice {
    replicas: Vec<Known>,
    /// Decides which of equally good replicas this process prefers, so that many processes ask all of them.
    seed: u64,
}

#[derive(Debug)]
struct Known {
    replica: IndexReplica,
    failed_at: Option<Instant>,
}

impl Known {
    const fn position(&self, kind: IndexKind) -> Option<&Position> {
        match kind {
            IndexKind::Posts => self.replica.posts.as_ref(),
            IndexKind::Users => self.replica.users.as_ref(),
        }
    }

    const fn position_mut(&mut self, kind: IndexKind) -> &mut Option<Position> {
        match kind {
            IndexKind::Posts => &mut self.replica.posts,
            IndexKind::Users => &mut self.replica.users,
        }
    }
}

impl Choice {
    pub(super) const fn new(seed: u64) -> Self {
        Self { replicas: Vec::new(), seed }
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.replicas.len()
    }

    /// Where they are.
    pub(super) fn addresses(&self) -> Vec<String> {
        self.replicas.iter().map(|known| known.replica.address.clone()).collect()
    }

    /// Takes over what was said of them. A replica that has answered since stands where its answer did.
    pub(super) fn renew(&mut self, replicas: Vec<IndexReplica>) {
        let mut before = std::mem::take(&mut self.replicas);
        for replica in replicas {
            let same = before.iter().position(|known| known.replica.address == replica.address);
            let known = same.map(|at| before.swap_remove(at));
            let failed_at = known.as_ref().and_then(|known| known.failed_at);
            let mut renewed = Known { replica, failed_at };
            for kind in [IndexKind::Posts, IndexKind::Users] {
                let answered = known.as_ref().and_then(|known| known.position(kind));
                if let (Some(answered), Some(said)) = (answered, renewed.position(kind))
                    && answered.history() == said.history()
                    && answered.covers(said)
                {
                    *renewed.position_mut(kind) = Some(answered.clone());
                }
            }
            self.replicas.push(renewed);
        }
    }

    /// Notes where an index stood when it answered.
    pub(super) fn note(&mut self, address: &str, kind: IndexKind, as_of: Position) {
        if let Some(known) = self.find(address) {
            known.failed_at = None;
            *known.position_mut(kind) = Some(as_of);
        }
    }

    /// Notes that a replica did not answer.
    pub(super) fn note_failed(&mut self, address: &str, now: Instant) {
        if let Some(known) = self.find(address) {
            known.failed_at = Some(now);
        }
    }

    fn find(&mut self, address: &str) -> Option<&mut Known> {
        self.replicas.iter_mut().find(|known| known.replica.address == address)
    }

    /// Returns the replicas to ask, the best one first, at most [`ATTEMPTS`].
    pub(super) fn pick(&self, kind: IndexKind, now: Instant) -> Vec<String> {
        let sorted = self.sorted(kind, now);
        sorted.into_iter().take(ATTEMPTS).map(|known| known.replica.address.clone()).collect()
    }

    /// Where the index of the first one of them stands.
    pub(super) fn as_of(&self, kind: IndexKind, now: Instant) -> Option<Position> {
        self.sorted(kind, now).first().and_then(|known| known.position(kind)).cloned()
    }

    fn sorted(&self, kind: IndexKind, now: Instant) -> Vec<&Known> {
        let count = |known: &Known| known.position(kind).map(Position::event_count);
        let best = self.replicas.iter().filter_map(count).max().unwrap_or_default();
        let mut usable: Vec<&Known> =
            self.replicas.iter().filter(|known| known.position(kind).is_some()).collect();
        usable.sort_by_cached_key(|known| {
            let failed = known.failed_at.is_some_and(|at| now.saturating_duration_since(at) < FAILED_FOR);
            let is_late = best - count(known).unwrap_or_default() > LATE_EVENTS;
            (failed, is_late, xxh3_64_with_seed(known.replica.address.as_bytes(), self.seed))
        });
        usable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::HistoryId;

    fn at(seq: u64) -> Position {
        Position::one(HistoryId(7), seq)
    }

    fn replica(address: &str, posts: u64) -> IndexReplica {
        IndexReplica { address: address.to_owned(), posts: Some(at(posts)), users: None }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_fails_or_is_late_is_asked_after_the_others() {
        let (now, mut choice) = (Instant::now(), Choice::new(1));
        choice.renew(vec![replica("a:1", 5), replica("b:1", 6), replica("c:1", 7)]);
        let first = choice.pick(IndexKind::Posts, now);
        assert_eq!(first.len(), ATTEMPTS);
        assert_eq!(choice.pick(IndexKind::Users, now), [""; 0], "no index of users is there");
        choice.note_failed(&first[0], now);
        let second = choice.pick(IndexKind::Posts, now);
        assert!(second[0] == first[1] && !second.contains(&first[0]), "{first:?} {second:?}");
        assert_eq!(choice.pick(IndexKind::Posts, now + FAILED_FOR), first);
        choice.note(&first[0], IndexKind::Posts, at(9));
        assert_eq!(choice.pick(IndexKind::Posts, now), first);

        // What it said before it answered is older.
        choice.renew(vec![replica("a:1", 5), replica("b:1", 6), replica("c:1", 7)]);
        assert_eq!(choice.as_of(IndexKind::Posts, now), Some(at(9)));
        let late = |address: &str| replica(address, if address == first[0] { 10 } else { LATE_EVENTS + 11 });
        choice.renew(["a:1", "b:1", "c:1"].map(late).into());
        assert!(!choice.pick(IndexKind::Posts, now).contains(&first[0]));
    }

    #[test]
    fn many_processes_ask_all_replicas() {
        let now = Instant::now();
        let firsts: std::collections::BTreeSet<String> = (0..40)
            .map(|seed| {
                let mut choice = Choice::new(seed);
                choice.renew(vec![replica("a:1", 1), replica("b:1", 1), replica("c:1", 1)]);
                choice.pick(IndexKind::Posts, now).remove(0)
            })
            .collect();
        assert_eq!(firsts.len(), 3, "{firsts:?}");
    }
}
