//! Users in memory: packed facts and counters, filled on demand, within a byte budget.
//!
//! Three parties touch an entry: readers with a pinned view, fills, and the writer. The rules that keep answers
//! exact:
//!
//! - An entry carries `as_of`: it is right for every view from that seq on. The writer replaces an entry between
//!   the commit that changes it and the publication of that commit, so an entry is never older than a view that
//!   may use it. A reader whose view is older than the entry reads its own snapshot instead.
//! - A fill takes its place in the cache first and its snapshot second. A writer that changes the user after
//!   that replaces the place, and the fill's value is not kept.
//! - A fill labels its entry with the seq of the latest commit that may be in its snapshot.

use crate::engine::{Engine, EngineError, Snapshot, Table};
use crate::facts::{Facts, Follow, Image, User};
use crate::layout::{
    BLOCK, COUNTERS, CountersValue, ForwardValue, MUTE, decode_stamp, parse_forward_key, parse_pair_key,
    user_key,
};
use crate::view::View;
use guanxi_model::{Edge, Uid};
use quick_cache::Weighter;
use quick_cache::sync::{Cache, GuardResult};
use std::sync::atomic::{AtomicU64, Ordering};

/// About how many bytes an entry takes besides its image: slot, index and allocation.
const ENTRY_OVERHEAD: u64 = 72;

/// About how many users to expect when sizing the cache's tables.
const EXPECTED_ENTRY: u64 = 192;

#[derive(Clone)]
struct Entry {
    as_of: u64,
    user: User,
}

#[derive(Clone)]
struct Weigh;

impl Weighter<u64, Entry> for Weigh {
    fn weight(&self, _: &u64, entry: &Entry) -> u64 {
        ENTRY_OVERHEAD + entry.user.image.len() as u64
    }
}

/// The cache of users.
pub(crate) struct Users {
    cache: Cache<u64, Entry, Weigh>,
    /// The seq of the newest commit that a fresh snapshot may hold.
    committing: AtomicU64,
    hits: metrics::Counter,
    misses: metrics::Counter,
    conflicts: metrics::Counter,
}

impl Users {
    /// An empty cache with a byte budget; `seq` is the last commit.
    pub fn new(bytes: u64, seq: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_user_cache_total", "outcome" => outcome);
        Self {
            cache: Cache::with_weighter((bytes / EXPECTED_ENTRY).max(16) as usize, bytes, Weigh),
            committing: AtomicU64::new(seq),
            hits: outcome("hit"),
            misses: outcome("miss"),
            conflicts: outcome("newer_than_view"),
        }
    }

    /// A user as of a view.
    pub fn at(&self, uid: Uid, view: &View, engine: &Engine) -> Result<User, EngineError> {
        let entry = self.entry(uid, engine)?;
        if entry.as_of <= view.seq {
            return Ok(entry.user);
        }
        self.conflicts.increment(1);
        load(&view.snapshot, uid)
    }

    /// A user as of the last commit; only the writer may ask.
    pub fn latest(&self, uid: Uid, engine: &Engine) -> Result<User, EngineError> {
        Ok(self.entry(uid, engine)?.user)
    }

    /// Says, before a commit, that snapshots may hold it from now on.
    pub fn announce(&self, seq: u64) {
        self.committing.store(seq, Ordering::SeqCst);
    }

    /// Replaces a user after the commit `seq` changed it, before that commit is published.
    pub fn replace(&self, uid: Uid, seq: u64, user: User) {
        self.cache.insert(uid.get(), Entry { as_of: seq, user });
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        self.cache.weight()
    }

    /// Users held.
    pub fn len(&self) -> usize {
        self.cache.len()
    }

    fn entry(&self, uid: Uid, engine: &Engine) -> Result<Entry, EngineError> {
        if let Some(entry) = self.cache.get(&uid.get()) {
            self.hits.increment(1);
            return Ok(entry);
        }
        match self.cache.get_value_or_guard(&uid.get(), None) {
            GuardResult::Value(entry) => {
                self.hits.increment(1);
                Ok(entry)
            }
            GuardResult::Guard(place) => {
                self.misses.increment(1);
                let snapshot = engine.snapshot();
                let as_of = self.committing.load(Ordering::SeqCst);
                let entry = Entry { as_of, user: load(&snapshot, uid)? };
                // Refused when the writer replaced the user meanwhile: then the value serves this caller only.
                let _ = place.insert(entry.clone());
                Ok(entry)
            }
            GuardResult::Timeout => Err(EngineError::Damaged("a cache fill timed out".into())),
        }
    }
}

/// Reads a user from the tables. The counters say which scans are needed: they are exact, since they change in
/// the same commit as what they count.
pub(crate) fn load(snapshot: &Snapshot, uid: Uid) -> Result<User, EngineError> {
    let Some(bytes) = snapshot.get(Table::Records, &user_key(COUNTERS, uid))? else {
        return Ok(User::default());
    };
    let counters = CountersValue::decode(&bytes).ok_or_else(|| damaged("counters", uid))?;
    let mut facts = Facts { limit: counters.limit, ..Facts::default() };
    if counters.counts.following > 0 {
        facts.following = follows(snapshot, uid)?;
    }
    if counters.counts.blocks > 0 {
        facts.blocks = pairs(snapshot, BLOCK, uid)?;
    }
    if counters.counts.mutes > 0 {
        facts.mutes = pairs(snapshot, MUTE, uid)?;
    }
    Ok(User { image: Image::pack(&facts), followers: counters.counts.followers })
}

fn follows(snapshot: &Snapshot, uid: Uid) -> Result<Vec<Follow>, EngineError> {
    snapshot
        .prefix(Table::Forward, &uid.get().to_be_bytes())
        .map(|row| {
            let (key, value) = row?;
            let parsed = parse_forward_key(&key).zip(ForwardValue::decode(&value));
            let ((_, object), value) = parsed.ok_or_else(|| damaged("a follow", uid))?;
            Ok(Follow { uid: object, at: value.at, friends_since: value.friends_since })
        })
        .collect()
}

fn pairs(snapshot: &Snapshot, prefix: u8, uid: Uid) -> Result<Vec<Edge>, EngineError> {
    snapshot
        .prefix(Table::Records, &user_key(prefix, uid))
        .map(|row| {
            let (key, value) = row?;
            let parsed = parse_pair_key(&key).zip(decode_stamp(&value));
            let ((_, object), at) = parsed.ok_or_else(|| damaged("a block or mute", uid))?;
            Ok(Edge { at, uid: object })
        })
        .collect()
}

fn damaged(what: &str, uid: Uid) -> EngineError {
    EngineError::Damaged(format!("{what} of user {uid} cannot be decoded"))
}
