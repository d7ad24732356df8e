//! Random calls of inboxes against [`MemoryInbox`]: every answer must be equal.

use super::inboxes::{BUCKET_MS, INBOX_HISTORY, all_active, at, p, policy, position};
use super::{Rng, START_MS, u};
use crate::memory::MemoryInbox;
use guanxi_model::{FanoutMode, Logs, Position, PostId, Uid};
use guanxi_ports::{FillTicket, Inbox, InboxFill, InboxRead, InboxStats, Offer, RelationsVersion};
use std::collections::BTreeSet;

/// Viewers of a run: few, so that something happens to each.
const VIEWERS: u64 = 12;
/// Calls of a run, each with a comparison.
const STEPS: usize = 4_000;
/// Ids lie below this one, so that they meet.
const IDS: u64 = 60;

macro_rules! seeds {
    ($($name:ident = $seed:literal;)+) => {$(
        #[doc = concat!("[`lockstep`] with seed ", stringify!($seed), ".")]
        pub async fn $name(inbox: &dyn Inbox) {
            lockstep(inbox, $seed).await;
        }
    )+};
}

seeds! {
    random_visits_1 = 1;
    random_visits_2 = 2;
    random_visits_3 = 3;
}

/// Random calls, one at a time, to the inboxes and to the model.
pub async fn lockstep(inbox: &dyn Inbox, seed: u64) {
    let model = MemoryInbox::new(INBOX_HISTORY, Logs::One);
    let mut play = Play { rng: Rng::new(seed), now_ms: START_MS, tickets: Vec::new(), seq: 0 };
    for step in 0..STEPS {
        let context = format!("seed {seed}, step {step}");
        play.step(inbox, &model, &context).await;
        play.compare(inbox, &model, &context).await;
    }
}

struct Play {
    rng: Rng,
    now_ms: u64,
    /// Tickets of both for the same registration.
    tickets: Vec<(FillTicket, FillTicket)>,
    seq: u64,
}

impl Play {
    fn viewer(&mut self) -> Uid {
        u(1 + self.rng.below(VIEWERS))
    }

    fn id(&mut self) -> PostId {
        // Not the lowest of all: a floor there is none.
        p(2 + self.rng.below(IDS))
    }

    async fn step(&mut self, ours: &dyn Inbox, theirs: &MemoryInbox, context: &str) {
        match self.rng.below(400) {
            0..60 => self.begin(ours, theirs, context).await,
            60..120 => self.fill(ours, theirs, context).await,
            120..280 => {
                let (id, readers) = (self.id(), self.readers());
                let offers = [Offer { id, readers: &readers }];
                let asked = (ours.offer(&offers).await, theirs.offer(&offers).await);
                assert_eq!(asked.0, asked.1, "{context}: offer {id} to {readers:?}");
            }
            280..330 => self.note(ours, theirs).await,
            330..370 => {
                let viewer = self.viewer();
                ours.evict(viewer).await.unwrap();
                theirs.evict(viewer).await.unwrap();
            }
            370..380 => {
                let swept = (ours.sweep(self.now_ms).await, theirs.sweep(self.now_ms).await);
                assert_eq!(swept.0, swept.1, "{context}: sweep");
            }
            380..396 => {
                // Mostly forward; a jump back must not bring anybody back.
                let jump = self.rng.below(3 * BUCKET_MS);
                let back = self.rng.below(4) == 0;
                self.now_ms = if back { self.now_ms - jump } else { self.now_ms + jump };
            }
            _ => {
                let modes = [FanoutMode::Push, FanoutMode::Push, FanoutMode::Hybrid, FanoutMode::Pull];
                // A backend may drop many at once beyond a large cap, to move its ids less often.
                let policy = policy(*self.rng.pick(&modes), *self.rng.pick(&[1, 3, 7, 100]));
                ours.configure(&policy).await.unwrap();
                theirs.configure(&policy).await.unwrap();
            }
        }
    }

    fn readers(&mut self) -> Vec<Uid> {
        let mut readers: Vec<Uid> = (1..=VIEWERS + 2).map(u).collect();
        self.rng.shuffle(&mut readers);
        readers.truncate(self.rng.below(VIEWERS + 3) as usize);
        readers
    }

    async fn begin(&mut self, ours: &dyn Inbox, theirs: &MemoryInbox, context: &str) {
        let viewer = self.viewer();
        let begun = ours.begin(viewer, self.now_ms).await.unwrap();
        let wanted = theirs.begin(viewer, self.now_ms).await.unwrap();
        assert_eq!(begun.is_some(), wanted.is_some(), "{context}: begin {viewer}");
        self.tickets.extend(begun.zip(wanted));
    }

    async fn fill(&mut self, ours: &dyn Inbox, theirs: &MemoryInbox, context: &str) {
        if self.tickets.is_empty() {
            return;
        }
        // The last ones mostly; sometimes one that was overtaken or used.
        let recent = self.tickets.len() - self.rng.below(self.tickets.len().min(4) as u64) as usize - 1;
        let at = if self.rng.below(8) == 0 { self.rng.below(recent as u64 + 1) as usize } else { recent };
        let (our_ticket, their_ticket) = self.tickets[at].clone();
        let floor = (self.rng.below(2) == 0).then(|| self.id());
        let mut ids: Vec<PostId> = (0..self.rng.below(15)).map(|_| self.id()).collect();
        ids.retain(|id| floor.is_none_or(|floor| *id >= floor));
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids.dedup();
        self.seq += 1;
        let fill = InboxFill {
            ids,
            floor,
            built: position(self.seq),
            relations_version: RelationsVersion(self.rng.below(9)),
        };
        let asked =
            (ours.fill(our_ticket, fill.clone()).await, theirs.fill(their_ticket, fill.clone()).await);
        assert_eq!(asked.0, asked.1, "{context}: fill {fill:?}");
    }

    async fn note(&mut self, ours: &dyn Inbox, theirs: &MemoryInbox) {
        let (author, seq) = (self.viewer(), self.rng.below(20));
        for inbox in [ours, theirs] {
            let noted = match seq % 4 {
                0 => inbox.advance(at(seq)).await,
                1 => inbox.unskip(author, at(seq), None).await,
                2 => inbox.unskip(author, at(seq), Some(at(seq / 2))).await,
                _ => inbox.skip(author, at(seq / 2)).await,
            };
            noted.unwrap();
        }
    }

    async fn compare(&mut self, ours: &dyn Inbox, theirs: &MemoryInbox, context: &str) {
        let (viewer, max) = (self.viewer(), self.rng.below(12) as usize);
        let below = (self.rng.below(2) == 0).then(|| self.id());
        let mut visits = vec![(viewer, below, max)];
        if self.rng.below(50) == 0 {
            visits.extend((1..=VIEWERS).map(|viewer| (u(viewer), None, usize::MAX)));
        }
        // Not at each step, or no viewer would ever be away.
        if self.rng.below(3) == 0 {
            for (viewer, below, max) in visits {
                let read = ours.read(viewer, below, max, self.now_ms).await.unwrap();
                let wanted = theirs.read(viewer, below, max, self.now_ms).await.unwrap();
                assert_eq!(read.slice, wanted.slice, "{context}: {viewer} below {below:?}");
                assert_eq!(coverage(&read), coverage(&wanted), "{context}");
            }
        }
        let stats = InboxStats { bytes: 0, ..ours.stats(self.now_ms).await.unwrap() };
        assert_eq!(stats, InboxStats { bytes: 0, ..theirs.stats(self.now_ms).await.unwrap() }, "{context}");
        assert_eq!(ours.covered().await, theirs.covered().await, "{context}");
        if self.rng.below(10) == 0 {
            let mut active = [all_active(ours, self.now_ms).await, all_active(theirs, self.now_ms).await];
            active.iter_mut().for_each(|uids| uids.sort_unstable());
            assert_eq!(active[0], active[1], "{context}: active");
        }
    }
}

/// How far the fan-out is, and whom it has skipped since the beginning.
fn coverage(read: &InboxRead) -> (&Position, BTreeSet<Uid>) {
    let origin = position(0);
    (read.coverage.covered(), read.coverage.skipped_since(&origin).collect())
}
