//! The moments of walks: documents that stay as they are while a walk goes over them.

use crate::engine::Pinned;
use guanxi_model::{Error, Reason, Result};
use guanxi_ports::search::{WALK_MS, WALKS_HELD_MAX, WALKS_MAX, WalkEndHook};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// When who holds too many walks may try again.
const RETRY_AFTER_MS: u32 = 1_000;

/// Moments that are kept, the oldest first; they end with their process.
pub(super) struct Pins {
    kept: Mutex<Kept>,
    /// What is done when all end.
    hooks: RwLock<Vec<WalkEndHook>>,
}

struct Kept {
    /// The next number.
    next: u64,
    walks: VecDeque<Walk>,
}

struct Walk {
    number: u64,
    since: Instant,
    /// Whether it is kept beyond its time.
    is_held: bool,
    pinned: Pinned,
}

impl Pins {
    /// None yet; the first one gets this number.
    pub(super) const fn new(first: u64) -> Self {
        let kept = Kept { next: first, walks: VecDeque::new() };
        Self { kept: Mutex::new(kept), hooks: RwLock::new(Vec::new()) }
    }

    /// Keeps a moment, and forgets the oldest one beyond [`WALKS_MAX`]. Returns its number.
    pub(super) fn keep(&self, pinned: Pinned) -> u64 {
        let mut kept = self.lock();
        let number = kept.next;
        kept.next += 1;
        kept.walks.push_back(Walk { number, since: Instant::now(), is_held: false, pinned });
        if kept.walks.iter().filter(|walk| !walk.is_held).count() > WALKS_MAX
            && let Some(oldest) = kept.walks.iter().position(|walk| !walk.is_held)
        {
            kept.walks.remove(oldest);
        }
        number
    }

    /// The moment of a walk.
    ///
    /// # Errors
    /// `STALE_CURSOR` when it is kept no more.
    pub(super) fn get(&self, walk: u64) -> Result<Pinned> {
        let kept = self.lock();
        let found = kept.walks.iter().find(|kept| kept.number == walk);
        found.map(|walk| walk.pinned.clone()).ok_or_else(|| Error::new(Reason::StaleCursor))
    }

    /// Keeps a walk beyond its time.
    pub(super) fn hold(&self, walk: u64) -> Result<()> {
        let mut kept = self.lock();
        let held = kept.walks.iter().filter(|kept| kept.is_held && kept.number != walk).count();
        let found = kept.walks.iter_mut().find(|kept| kept.number == walk);
        let found = found.ok_or_else(|| Error::new(Reason::StaleCursor))?;
        if held >= WALKS_HELD_MAX {
            return Err(Error::new(Reason::Overloaded { retry_after_ms: RETRY_AFTER_MS }));
        }
        found.is_held = true;
        Ok(())
    }

    /// Ends a walk.
    pub(super) fn end(&self, walk: u64) {
        self.lock().walks.retain(|kept| kept.number != walk);
    }

    /// Has something done each time that all walks end.
    pub(super) fn at_end(&self, hook: WalkEndHook) {
        self.hooks.write().unwrap_or_else(PoisonError::into_inner).push(hook);
    }

    /// Ends all walks, held or not, and has what was made of them ended.
    pub(super) fn end_all(&self) {
        self.lock().walks.clear();
        for hook in &*self.hooks.read().unwrap_or_else(PoisonError::into_inner) {
            hook();
        }
    }

    /// Returns what is kept, without what has been kept for long enough.
    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let max = Duration::from_millis(WALK_MS);
        kept.walks.retain(|walk| walk.is_held || walk.since.elapsed() < max);
        kept
    }
}
