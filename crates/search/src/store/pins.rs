//! The moments of walks: documents that stay as they are while a walk goes over them.

use crate::engine::Pinned;
use guanxi_model::{Error, Reason, Result};
use guanxi_ports::search::{WALK_MS, WALKS_MAX};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Moments that are kept, the oldest first; they end with their process.
pub(super) struct Pins(Mutex<Kept>);

struct Kept {
    /// The next number.
    next: u64,
    walks: VecDeque<(u64, Instant, Pinned)>,
}

impl Pins {
    /// None yet; the first one gets this number.
    pub(super) const fn new(first: u64) -> Self {
        Self(Mutex::new(Kept { next: first, walks: VecDeque::new() }))
    }

    /// Keeps a moment, and forgets the oldest one beyond [`WALKS_MAX`]. Returns its number.
    pub(super) fn keep(&self, pinned: Pinned) -> u64 {
        let mut kept = self.lock();
        let number = kept.next;
        kept.next += 1;
        kept.walks.push_back((number, Instant::now(), pinned));
        if kept.walks.len() > WALKS_MAX {
            kept.walks.pop_front();
        }
        number
    }

    /// The moment of a walk.
    ///
    /// # Errors
    /// `STALE_CURSOR` when it is kept no more.
    pub(super) fn get(&self, walk: u64) -> Result<Pinned> {
        let kept = self.lock();
        let found = kept.walks.iter().find(|(number, ..)| *number == walk);
        found.map(|(.., pinned)| pinned.clone()).ok_or_else(|| Error::new(Reason::StaleCursor))
    }

    /// Ends all walks.
    pub(super) fn end_all(&self) {
        self.lock().walks.clear();
    }

    /// What is kept, without what has been kept for long enough.
    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while kept
            .walks
            .front()
            .is_some_and(|(_, since, _)| since.elapsed() >= Duration::from_millis(WALK_MS))
        {
            kept.walks.pop_front();
        }
        kept
    }
}
