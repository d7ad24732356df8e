//! Sessions, with those in use kept in memory: a wrapper, so that no backend has to.

use crate::{Applied, BoxFuture, ENDS_REMEMBERED_MS, EndedUsers, Facts, Sessions};
use guanxi_model::limits::REFRESH_REPEAT_MS;
use guanxi_model::{
    Clock, Command, Gene, Outcome, Result, Session, SessionCommand, SessionCursor, SessionKey, SessionPage,
    Uid, Write,
};
use metrics::{Counter, Unit, counter, describe_counter};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard};

/// Sessions that are kept, in two halves: those of about as many users as call one process within minutes, at about
/// 500 bytes each.
pub const SESSION_CACHE_MAX: usize = 1 << 16;

/// Secrets that are kept as unknown, in two halves apart from the sessions, so that a flood of made-up tokens costs
/// neither the store a question each time nor the cache its sessions.
pub const UNKNOWN_CACHE_MAX: usize = 1 << 12;

/// How long an entry is believed, in milliseconds. What this process ends shows at once, and what another one ends as soon as
/// [this process hears of it](CachedSessions::ended_by); this time bounds what it does not hear of. What another process refreshes is
/// unharmed: a secret that is not known here is asked of the store, and one that was replaced lets in for longer than an entry is
/// believed.
pub const SESSION_CACHE_TTL_MS: u64 = 5_000;

const _: () = assert!(SESSION_CACHE_TTL_MS < REFRESH_REPEAT_MS);
const _: () = assert!(SESSION_CACHE_TTL_MS < ENDS_REMEMBERED_MS);

/// Questions answered from memory.
pub const HITS_TOTAL: &str = "guanxi_session_cache_hits_total";

/// Questions that went to the store.
pub const MISSES_TOTAL: &str = "guanxi_session_cache_misses_total";

/// What was found, and when it was asked for.
struct Kept<T> {
    value: T,
    at: AskedAt,
}

/// A moment at which a store was asked.
#[derive(Clone, Copy)]
struct AskedAt {
    ms: u64,
    /// How many ends of access this process had heard of from others.
    ends: u64,
    /// How many changes it had made itself.
    changes: u64,
}

/// A bounded map that forgets in two generations: when the young one is full it becomes the old one, and what the old
/// one held is gone but for what was asked for meanwhile.
struct Generations<K, T> {
    young: HashMap<K, Kept<T>>,
    old: HashMap<K, Kept<T>>,
    half: usize,
}

impl<K: Copy + Eq + Hash, T> Generations<K, T> {
    fn new(max: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), half: max / 2 }
    }

    /// Returns what is kept and still believed, with the moment as of which it is.
    fn get(&mut self, key: K, now_ms: u64) -> Option<(&mut T, AskedAt)> {
        if let Some(kept) = self.old.remove(&key) {
            self.put(key, kept);
        }
        let kept = self.young.get_mut(&key)?;
        let age = now_ms.checked_sub(kept.at.ms)?;
        (age < SESSION_CACHE_TTL_MS).then_some((&mut kept.value, kept.at))
    }

    fn put(&mut self, key: K, kept: Kept<T>) {
        self.old.remove(&key);
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, kept);
    }

    fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    fn remove(&mut self, key: K) {
        self.young.remove(&key);
        self.old.remove(&key);
    }

    fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.young.retain(|_, kept| keep(&kept.value));
        self.old.retain(|_, kept| keep(&kept.value));
    }
}

/// A session, whichever of its secrets asks for it.
type Place = (Gene, [u8; 32]);

const fn place(key: SessionKey) -> Place {
    (key.gene, key.id)
}

struct Cache {
    known: Generations<Place, Session>,
    /// By secret: that one of them is not valid says nothing of the session.
    unknown: Generations<SessionKey, ()>,
    /// Rises with every change that this process makes: an answer from before one is not kept.
    changes: u64,
}

impl Cache {
    fn forget(&mut self, uid: Uid, id: [u8; 32]) {
        self.known.remove((uid.gene(), id));
    }
}

/// Sessions whose questions are answered from memory while they are believed.
///
/// A session is asked for with every call of its user, and lives in a table of millions. Changes go through to the
/// store and are told to the cache before they are acknowledged.
pub struct CachedSessions {
    inner: Arc<dyn Sessions>,
    facts: Arc<dyn Facts>,
    ended: Option<Arc<dyn EndedUsers>>,
    clock: Arc<dyn Clock>,
    cache: Mutex<Cache>,
    hits: Counter,
    misses: Counter,
}

impl CachedSessions {
    /// Wraps sessions, whose changes are written through facts: the same store, with the layers that wrap its writes. The
    /// exporter must be installed by now: the counters are registered here.
    pub fn new(inner: Arc<dyn Sessions>, facts: Arc<dyn Facts>, clock: Arc<dyn Clock>) -> Self {
        describe_counter!(HITS_TOTAL, Unit::Count, "Sessions answered from memory");
        describe_counter!(MISSES_TOTAL, Unit::Count, "Sessions asked of the store");
        let cache = Cache {
            known: Generations::new(SESSION_CACHE_MAX),
            unknown: Generations::new(UNKNOWN_CACHE_MAX),
            changes: 0,
        };
        Self {
            inner,
            facts,
            ended: None,
            clock,
            cache: Mutex::new(cache),
            hits: counter!(HITS_TOTAL),
            misses: counter!(MISSES_TOTAL),
        }
    }

    /// The same, which believes of a user's sessions nothing from before the last end of one that this process has heard of: for a
    /// store to which other processes write, too.
    #[must_use]
    pub fn ended_by(self, ended: Arc<dyn EndedUsers>) -> Self {
        Self { ended: Some(ended), ..self }
    }

    /// Returns whether what was asked then may be from before an end that another process brought about.
    fn has_ended_since(&self, uid: Uid, asked: AskedAt) -> bool {
        self.ended.as_ref().is_some_and(|ended| ended.last_end(uid) > asked.ends)
    }

    /// Returns how many entries are kept.
    pub fn kept(&self) -> usize {
        let cache = self.lock();
        cache.known.len() + cache.unknown.len()
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().expect("nobody panics while holding the cache")
    }

    /// Returns what is known of a key, or the moment at which it was not known.
    fn known(&self, key: SessionKey) -> Result<Option<Session>, AskedAt> {
        let now_ms = self.clock.now_ms();
        let mut cache = self.lock();
        // A secret that a known session does not let in may be newer than what is known of it.
        if let Some((session, asked)) = cache.known.get(place(key), now_ms)
            && !self.has_ended_since(session.uid, asked)
            && (session.lets_in(key.hash, now_ms) || !session.is_live(now_ms))
        {
            return Ok(session.is_live(now_ms).then(|| session.clone()));
        }
        if cache.unknown.get(key, now_ms).is_some() {
            return Ok(None);
        }
        // Before the store is asked: an end that is heard of meanwhile has a higher number.
        let ends = self.ended.as_ref().map_or(0, |ended| ended.ends());
        Err(AskedAt { ms: now_ms, ends, changes: cache.changes })
    }

    /// Keeps an answer, unless this process changed something since it was asked for.
    fn keep(&self, key: SessionKey, found: Option<&Session>, at: AskedAt) {
        let mut cache = self.lock();
        if cache.changes != at.changes {
            return;
        }
        match found {
            Some(session) => cache.known.put(place(key), Kept { value: session.clone(), at }),
            None => cache.unknown.put(key, Kept { value: (), at }),
        }
    }

    /// Tells the cache of a change, made or perhaps made.
    fn changed(&self, forget: impl FnOnce(&mut Cache)) {
        let mut cache = self.lock();
        cache.changes += 1;
        forget(&mut cache);
    }
}

/// What a write may do to sessions.
enum Touch {
    /// It begins one, of which this is the access secret.
    Begun(SessionKey),
    /// It changes the secrets of one for those of which this is the access secret.
    Refreshed(SessionKey),
    /// It ends one.
    Ended(Uid, [u8; 32]),
    /// It ends all of a user.
    AllEnded(Uid),
}

impl Touch {
    fn of(command: &Command) -> Option<Self> {
        match command {
            Command::Session(SessionCommand::Begin(new)) => {
                let session = &new.session;
                let access = session.rotation.as_ref().map_or(session.id, |rotation| rotation.secrets.access);
                Some(Self::Begun(session.key(access)))
            }
            Command::Session(SessionCommand::Refresh(refresh)) => {
                Some(Self::Refreshed(SessionKey { hash: refresh.access, ..refresh.key }))
            }
            Command::Session(SessionCommand::End { uid, id }) => Some(Self::Ended(*uid, *id)),
            command => command.ends_sessions_of().map(Self::AllEnded),
        }
    }

    fn forget(&self, cache: &mut Cache) {
        match self {
            Self::Begun(key) => cache.unknown.remove(*key),
            Self::Refreshed(key) => {
                cache.known.remove(place(*key));
                cache.unknown.remove(*key);
            }
            Self::Ended(uid, id) => cache.forget(*uid, *id),
            Self::AllEnded(uid) => cache.known.retain(|session| session.uid != *uid),
        }
    }
}

impl Facts for CachedSessions {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        let touches: Vec<Touch> = write.commands.iter().filter_map(Touch::of).collect();
        if touches.is_empty() {
            return self.facts.apply(write);
        }
        let begins = write.commands.iter().find_map(|command| match command {
            Command::Session(SessionCommand::Begin(new)) => Some(new.session.uid),
            _ => None,
        });
        Box::pin(async move {
            let applied = self.facts.apply(write).await;
            // Also after an error, which may hide that it was done.
            self.changed(|cache| {
                touches.iter().for_each(|touch| touch.forget(cache));
                match (&applied, begins) {
                    (Ok(applied), _) => {
                        let ended = applied.outcomes.iter().filter_map(|outcome| match outcome {
                            Outcome::Session(outcome) => Some(&outcome.ended),
                            _ => None,
                        });
                        ended.flatten().for_each(|ended| cache.forget(ended.uid, ended.id));
                    }
                    // Which one went, if one did, was not said.
                    (Err(_), Some(uid)) => cache.known.retain(|session| session.uid != uid),
                    (Err(_), None) => {}
                }
            });
            applied
        })
    }
}

impl Sessions for CachedSessions {
    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(async move {
            let asked = match self.known(key) {
                Ok(found) => {
                    self.hits.increment(1);
                    return Ok(found);
                }
                Err(asked) => asked,
            };
            self.misses.increment(1);
            let found = self.inner.find(key).await?;
            self.keep(key, found.as_ref(), asked);
            Ok(found)
        })
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>> {
        self.inner.list(uid, after, max)
    }

    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            // Before the store says so: another call need not note it again meanwhile.
            if let Some((session, _)) = self.lock().known.get(place(key), self.clock.now_ms()) {
                session.used_ms = session.used_ms.max(at_ms);
            }
            self.inner.note_use(key, at_ms).await
        })
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        self.inner.sweep(max)
    }
}
