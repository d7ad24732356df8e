//! Users in memory: packed facts and counters, filled on demand, within a byte budget.
//!
//! Three parties touch an entry: readers with a pinned view, fills, and the writer. The rules that keep answers
//! exact:
//!
//! - An entry carries `as_of`: it is right for every view from that seq on. The writer replaces an entry between
//!   the commit that changes it and the publication of that commit, so an entry is never older than a view that
//!   may use it. A reader whose view is older than the entry reads its own snapshot instead.
//! - A fill registers first and takes its snapshot second. A writer that changes the user after that strikes the
//!   registration, and the fill's value is not kept.
//! - A fill labels its entry with the seq of the latest commit that may be in its snapshot.

mod load;
mod table;

use crate::engine::{Engine, EngineError};
use crate::facts::User;
use crate::view::View;
use guanxi_model::Uid;
use load::load;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use table::Table;

/// The users in memory.
pub(crate) struct Users {
    held: RwLock<Held>,
    /// The seq of the newest commit that a fresh snapshot may hold.
    committing: AtomicU64,
    hits: metrics::Counter,
    misses: metrics::Counter,
    conflicts: metrics::Counter,
}

struct Held {
    table: Table,
    /// Fills under way: which one may keep its value.
    fills: HashMap<u64, u64>,
    next_fill: u64,
}

/// Users held still for the reads of one request.
pub(crate) struct Reading<'a> {
    held: RwLockReadGuard<'a, Held>,
    seq: u64,
}

impl Reading<'_> {
    /// A user as of the request's view; `None` if memory cannot tell.
    pub fn get(&self, uid: Uid) -> Option<&User> {
        let user = self.held.table.get(uid.get()).filter(|user| user.as_of() <= self.seq)?;
        user.touch();
        Some(user)
    }

    /// Users as of the request's view; `None` for one that memory cannot tell. Slots are read in one pass and
    /// what they point to in the next, so that the cache misses of a pass overlap.
    pub fn get_many(&self, uids: &[Uid]) -> Vec<Option<&User>> {
        let mut users: Vec<Option<&User>> = uids.iter().map(|uid| self.held.table.get(uid.get())).collect();
        for slot in &mut users {
            *slot = slot.filter(|user| user.as_of() <= self.seq);
        }
        users.iter().flatten().for_each(|user| user.touch());
        users
    }
}

impl Users {
    /// An empty cache with a byte budget; `seq` is the last commit.
    pub fn new(bytes: u64, seq: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_user_cache_total", "outcome" => outcome);
        let table = Table::new(usize::try_from(bytes).unwrap_or(usize::MAX));
        Self {
            held: RwLock::new(Held { table, fills: HashMap::new(), next_fill: 0 }),
            committing: AtomicU64::new(seq),
            hits: outcome("hit"),
            misses: outcome("miss"),
            conflicts: outcome("newer_than_view"),
        }
    }

    /// Holds users still for a few probes. The writer waits meanwhile, so no disk is read under it.
    pub fn read(&self, view: &View) -> Reading<'_> {
        Reading { held: self.held(), seq: view.seq }
    }

    /// Counts probes that memory answered.
    pub fn count_hits(&self, hits: usize) {
        self.hits.increment(hits as u64);
    }

    /// A user as of a view.
    pub fn at(&self, uid: Uid, view: &View, engine: &Engine) -> Result<User, EngineError> {
        let user = self.latest(uid, engine)?;
        if user.as_of() <= view.seq {
            return Ok(user);
        }
        self.conflicts.increment(1);
        load(&view.snapshot, uid, view.seq)
    }

    /// A user as of the last commit, or the one under way.
    pub fn latest(&self, uid: Uid, engine: &Engine) -> Result<User, EngineError> {
        let known = self.held().table.get(uid.get()).cloned();
        if let Some(user) = known {
            user.touch();
            self.hits.increment(1);
            return Ok(user);
        }
        self.misses.increment(1);
        self.fill(uid, engine)
    }

    /// Says, before a commit, that snapshots may hold it from now on.
    pub fn announce(&self, seq: u64) {
        self.committing.store(seq, Ordering::SeqCst);
    }

    /// Replaces the users that a commit changed, before that commit is published.
    pub fn replace(&self, users: Vec<(Uid, User)>) {
        let mut held = self.held_mut();
        for (uid, user) in users {
            held.fills.remove(&uid.get());
            held.table.insert(uid.get(), user);
        }
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> usize {
        self.held().table.bytes()
    }

    /// Users held.
    pub fn len(&self) -> usize {
        self.held().table.len()
    }

    fn fill(&self, uid: Uid, engine: &Engine) -> Result<User, EngineError> {
        let mine = {
            let mut held = self.held_mut();
            held.next_fill += 1;
            let mine = held.next_fill;
            held.fills.insert(uid.get(), mine);
            mine
        };
        let snapshot = engine.snapshot();
        let as_of = self.committing.load(Ordering::SeqCst);
        let loaded = load(&snapshot, uid, as_of);
        let mut held = self.held_mut();
        // Struck out by the writer, or taken over by a later fill: then the value serves this caller only.
        if held.fills.get(&uid.get()) == Some(&mine) {
            held.fills.remove(&uid.get());
            if let Ok(user) = &loaded {
                held.table.insert(uid.get(), user.clone());
            }
        }
        loaded
    }

    fn held(&self) -> RwLockReadGuard<'_, Held> {
        self.held.read().expect("nobody panics while holding the table")
    }

    fn held_mut(&self) -> RwLockWriteGuard<'_, Held> {
        self.held.write().expect("nobody panics while holding the table")
    }
}
