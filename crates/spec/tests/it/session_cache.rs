//! What the cache in front of sessions keeps, for how long, and what it forgets at once.

use guanxi_model::limits::{REFRESH_REPEAT_MS, SESSIONS_PER_USER_MAX};
use guanxi_model::{
    ManualClock, Refresh, Refreshed, Result, Rotation, Session, SessionCursor, SessionKey, SessionPage,
    SessionSecrets, Uid, Write,
};
use guanxi_ports::session_cache::{SESSION_CACHE_MAX, SESSION_CACHE_TTL_MS, UNKNOWN_CACHE_MAX};
use guanxi_ports::{Applied, BoxFuture, CachedSessions, EndedUsers, Facts, SessionWrites as _, Sessions};
use guanxi_spec::memory::{MemoryStore, Options};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// Sessions that count what they are asked for, and answer when the test allows it.
struct Watched {
    store: MemoryStore,
    asked: AtomicUsize,
    answers: Semaphore,
    /// Every secret is somebody's.
    all_valid: AtomicBool,
    /// How many ends of sessions were heard of, and the user of the last one.
    ends: Mutex<(u64, Option<Uid>)>,
}

impl Facts for Watched {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        self.store.apply(write)
    }
}

impl EndedUsers for Watched {
    fn is_gone(&self, uid: Uid) -> bool {
        self.store.is_gone(uid)
    }

    fn not_before_ms(&self, uid: Uid) -> u64 {
        self.store.not_before_ms(uid)
    }

    fn ends(&self) -> u64 {
        self.ends.lock().unwrap().0
    }

    fn last_end(&self, uid: Uid) -> u64 {
        let (count, last) = *self.ends.lock().unwrap();
        if last == Some(uid) { count } else { 0 }
    }
}

impl Sessions for Watched {
    fn find(&self, key: SessionKey) -> BoxFuture<'_, Result<Option<Session>>> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::Relaxed);
            let found = if self.all_valid.load(Ordering::Relaxed) {
                Ok(Some(Session { id: key.id, ..session(256 + u64::from(key.gene.0), 0) }))
            } else {
                self.store.find(key).await
            };
            self.answers.acquire().await.expect("it is never closed").forget();
            found
        })
    }

    fn list(&self, uid: Uid, after: Option<SessionCursor>, max: usize) -> BoxFuture<'_, Result<SessionPage>> {
        self.store.list(uid, after, max)
    }

    fn note_use(&self, key: SessionKey, at_ms: u64) -> BoxFuture<'_, Result<()>> {
        self.store.note_use(key, at_ms)
    }

    fn sweep(&self, max: usize) -> BoxFuture<'_, Result<usize>> {
        self.store.sweep(max)
    }
}

/// Secrets from this number on were never asked for as unknown.
const OTHERS: u32 = 1_000_000;

struct World {
    clock: Arc<ManualClock>,
    inner: Arc<Watched>,
    cached: Arc<CachedSessions>,
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(1_000));
        let store = MemoryStore::new(clock.clone(), Options::default());
        let answers = Semaphore::new(Semaphore::MAX_PERMITS);
        let inner = Arc::new(Watched {
            store,
            asked: AtomicUsize::new(0),
            answers,
            all_valid: AtomicBool::new(false),
            ends: Mutex::default(),
        });
        let cached = Arc::new(CachedSessions::new(inner.clone(), inner.clone(), clock.clone()));
        Self { clock, inner, cached }
    }

    async fn is_valid(&self, session: &Session) -> bool {
        self.cached.find(session.key(session.id)).await.expect("an answer").is_some()
    }

    fn hear_of_end(&self, uid: Uid) {
        let mut ends = self.inner.ends.lock().unwrap();
        *ends = (ends.0 + 1, Some(uid));
    }

    fn asked(&self) -> usize {
        self.inner.asked.swap(0, Ordering::Relaxed)
    }
}

fn session(uid: u64, n: u32) -> Session {
    let mut id = [0; 32];
    id[..4].copy_from_slice(&n.to_le_bytes());
    Session::lone(Uid::new(uid).expect("a uid"), id, 1)
}

#[tokio::test]
async fn what_is_known_is_asked_for_once_until_its_time_is_up() {
    let world = World::new();
    let (known, unknown) = (session(1, 1), session(1, 2));
    world.cached.put(known.clone()).await.unwrap();
    for _ in 0..3 {
        assert!(world.is_valid(&known).await && !world.is_valid(&unknown).await);
    }
    assert_eq!(world.asked(), 2);
    // Another process ends it: seen after the time for which an entry is believed.
    assert_eq!(world.inner.store.revoke(known.uid, known.id).await, Ok(true));
    world.inner.store.put(unknown.clone()).await.unwrap();
    world.clock.advance(SESSION_CACHE_TTL_MS - 1);
    assert!(world.is_valid(&known).await && !world.is_valid(&unknown).await);
    assert_eq!(world.asked(), 0);
    world.clock.advance(1);
    assert!(!world.is_valid(&known).await && world.is_valid(&unknown).await);
    assert_eq!(world.asked(), 2);
}

/// Another process ends a session, or all of a user. This one asks anew once it hears of that, also what it asked before it heard
/// and was told after; what others hold is believed.
#[tokio::test]
async fn an_end_elsewhere_is_not_waited_for() {
    let mut world = World::new();
    let cached = CachedSessions::new(world.inner.clone(), world.inner.clone(), world.clock.clone());
    world.cached = Arc::new(cached.ended_by(world.inner.clone()));
    let (ends, stays, next) = (session(1, 1), session(2, 2), session(1, 3));
    for one in [&ends, &stays, &next] {
        world.cached.put(one.clone()).await.unwrap();
        assert!(world.is_valid(one).await);
    }
    assert_eq!(world.asked(), 3);
    assert_eq!(world.inner.store.revoke(ends.uid, ends.id).await, Ok(true));
    assert!(world.is_valid(&ends).await, "nothing is heard of it");
    world.hear_of_end(ends.uid);
    for _ in 0..3 {
        assert!(!world.is_valid(&ends).await && world.is_valid(&stays).await && world.is_valid(&next).await);
    }
    assert_eq!(world.asked(), 2, "each session of the user is asked for once");
    // The store answers, the session ends, that is heard of, and then the answer comes.
    world.clock.advance(SESSION_CACHE_TTL_MS);
    world.inner.answers.forget_permits(Semaphore::MAX_PERMITS);
    let early = tokio::spawn({
        let (cached, key) = (world.cached.clone(), next.key(next.id));
        async move { cached.find(key).await.unwrap() }
    });
    while world.inner.asked.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.inner.store.revoke_all(next.uid).await, Ok(1));
    world.hear_of_end(next.uid);
    world.inner.answers.add_permits(9);
    assert!(early.await.unwrap().is_some(), "it was asked before");
    assert!(!world.is_valid(&next).await);
}

#[tokio::test]
async fn what_changes_here_shows_at_once() {
    let world = World::new();
    let sessions = [session(1, 1), session(1, 2), session(1, 3), session(2, 4)];
    for session in &sessions {
        assert!(!world.is_valid(session).await);
        world.cached.put(session.clone()).await.unwrap();
        assert!(world.is_valid(session).await, "it was kept as unknown");
    }
    world.cached.revoke(sessions[0].uid, sessions[0].id).await.unwrap();
    assert!(!world.is_valid(&sessions[0]).await && world.is_valid(&sessions[1]).await);
    world.cached.revoke_all(sessions[1].uid).await.unwrap();
    for session in &sessions[..3] {
        assert!(!world.is_valid(session).await);
    }
    assert!(world.is_valid(&sessions[3]).await);
}

#[tokio::test]
async fn a_session_that_expires_in_the_cache_is_gone() {
    let world = World::new();
    let session = Session { expires_ms: Some(1_010), ..session(1, 1) };
    world.cached.put(session.clone()).await.unwrap();
    assert!(world.is_valid(&session).await);
    world.clock.set(1_010);
    assert!(!world.is_valid(&session).await);
}

/// The store has found a session, and it is revoked before its answer arrives: the answer must not be kept.
#[tokio::test]
async fn an_answer_from_before_a_revocation_is_not_kept() {
    for all in [false, true] {
        let world = World::new();
        let session = session(1, 1);
        world.cached.put(session.clone()).await.unwrap();
        world.inner.answers.forget_permits(Semaphore::MAX_PERMITS);
        let early = tokio::spawn({
            let (cached, key) = (world.cached.clone(), session.key(session.id));
            async move { cached.find(key).await.unwrap() }
        });
        while world.inner.asked.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        if all {
            assert_eq!(world.cached.revoke_all(session.uid).await, Ok(1));
        } else {
            assert_eq!(world.cached.revoke(session.uid, session.id).await, Ok(true));
        }
        world.inner.answers.add_permits(9);
        assert!(early.await.unwrap().is_some(), "it was asked before");
        assert!(!world.is_valid(&session).await);
    }
}

/// A session of a login, whose secrets are of generation `n`.
fn login(n: u8) -> Session {
    let secrets = SessionSecrets { access: [n; 32], access_expires_ms: u64::MAX, refresh: [n + 100; 32] };
    let rotation = Rotation { ends_ms: u64::MAX, secrets, since_ms: 1_000, replaced: None };
    Session { expires_ms: Some(u64::MAX), rotation: Some(Box::new(rotation)), ..session(1, 9) }
}

fn refresh(from: u8, to: u8) -> Refresh {
    let key = login(0).key([from + 100; 32]);
    let (access, refresh) = ([to; 32], [to + 100; 32]);
    Refresh { key, nonce: [to; 32], access, refresh, access_ms: 1 << 40, idle_ms: 1 << 40 }
}

impl World {
    /// Which access secrets let in, of the first four generations.
    async fn accepted(&self) -> Vec<u8> {
        let mut accepted = Vec::new();
        for n in 0..4 {
            if self.cached.find(login(0).key([n; 32])).await.expect("an answer").is_some() {
                accepted.push(n);
            }
        }
        accepted
    }
}

/// What was replaced lets in as long as the store says, and no longer for being kept here.
#[tokio::test]
async fn what_a_refresh_has_replaced_ends_in_the_cache_as_in_the_store() {
    for elsewhere in [false, true] {
        let world = World::new();
        world.cached.put(login(0)).await.unwrap();
        assert_eq!(world.accepted().await, [0], "1 is kept as unknown");
        let refresher: &dyn Sessions = if elsewhere { &world.inner.store } else { &*world.cached };
        refresher.refresh(refresh(0, 1)).await.unwrap();
        // An unknown secret is believed for a while, but not in the process that makes it known.
        let known: &[u8] = if elsewhere { &[0] } else { &[0, 1] };
        assert_eq!(world.accepted().await, known);
        world.clock.advance(SESSION_CACHE_TTL_MS);
        assert_eq!(world.accepted().await, [0, 1]);
        world.clock.set(1_000 + REFRESH_REPEAT_MS - 1);
        assert_eq!(world.accepted().await, [0, 1]);
        world.clock.set(1_000 + REFRESH_REPEAT_MS);
        assert_eq!(world.accepted().await, [1]);
    }
}

/// A session that is refreshed in another process is asked for by a secret that is not known here: the store is asked.
#[tokio::test]
async fn a_secret_that_is_newer_than_what_is_kept_is_asked_for() {
    let world = World::new();
    world.cached.put(login(0)).await.unwrap();
    assert!(world.cached.find(login(0).key([0; 32])).await.unwrap().is_some());
    world.inner.store.refresh(refresh(0, 1)).await.unwrap();
    assert!(world.cached.find(login(0).key([1; 32])).await.unwrap().is_some());
    assert!(world.cached.find(login(0).key([0; 32])).await.unwrap().is_some());
    assert_eq!(world.asked(), 2, "what is kept lets both in now");
}

#[tokio::test]
async fn a_session_that_was_stolen_or_had_to_go_is_gone_at_once() {
    let world = World::new();
    world.cached.put(login(0)).await.unwrap();
    for (from, to) in [(0, 1), (1, 2)] {
        world.cached.refresh(refresh(from, to)).await.unwrap();
    }
    assert_eq!(world.accepted().await, [1, 2]);
    assert_eq!(world.cached.refresh(refresh(0, 3)).await, Ok(Some(Refreshed::Reused(login(0).uid))));
    assert_eq!(world.accepted().await, []);
    let own = |n: u8| Session { id: [n; 32], created_ms: 1_000 + u64::from(n), ..login(0) };
    for n in 0..SESSIONS_PER_USER_MAX as u8 {
        world.cached.put(own(n)).await.unwrap();
    }
    let oldest = own(0).key([0; 32]);
    assert!(world.cached.find(oldest).await.unwrap().is_some());
    assert_eq!(world.cached.put(own(200)).await.unwrap().map(|gone| gone.id), Some([0; 32]));
    assert!(world.cached.find(oldest).await.unwrap().is_none());
}

#[tokio::test]
async fn both_kinds_of_entries_are_bounded_and_do_not_push_each_other_out() {
    let world = World::new();
    let own = session(1, u32::MAX);
    world.cached.put(own.clone()).await.unwrap();
    assert!(world.is_valid(&own).await);
    for n in 0..3 * UNKNOWN_CACHE_MAX {
        assert!(!world.is_valid(&session(9, n as u32)).await);
        assert!(world.cached.kept() <= UNKNOWN_CACHE_MAX + 1, "{n}");
    }
    world.asked();
    assert!(world.is_valid(&own).await);
    assert_eq!(world.asked(), 0, "a flood of made-up tokens pushes no session out");
    world.inner.all_valid.store(true, Ordering::Relaxed);
    for n in 0..(SESSION_CACHE_MAX + SESSION_CACHE_MAX / 4) as u32 {
        assert!(world.is_valid(&session(u64::from(n) + 1, OTHERS + n)).await);
        assert!(world.is_valid(&own).await);
    }
    assert!(world.cached.kept() <= SESSION_CACHE_MAX + UNKNOWN_CACHE_MAX);
    world.asked();
    assert!(world.is_valid(&own).await);
    assert_eq!(world.asked(), 0, "what is asked for again and again stays");
}

#[tokio::test]
async fn a_noted_use_is_known_before_it_is_stored() {
    let world = World::new();
    let session = session(1, 1);
    world.cached.put(session.clone()).await.unwrap();
    assert!(world.is_valid(&session).await);
    world.cached.note_use(session.key(session.id), 70).await.unwrap();
    assert_eq!(world.cached.find(session.key(session.id)).await.unwrap().unwrap().used_ms, 70);
    assert_eq!(world.inner.store.find(session.key(session.id)).await.unwrap().unwrap().used_ms, 70);
    assert_eq!(world.asked(), 1);
}
