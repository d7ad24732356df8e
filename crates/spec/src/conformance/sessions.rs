//! Sessions of end users: found by their secret's hash, listed and ended by their user, gone when they expire.

use super::{Need, START_MS, World, u};
use guanxi_model::limits::{SESSION_SWEEP_MAX, SESSIONS_PER_USER_MAX};
use guanxi_model::{Reason, Session, SessionKey, Uid};
use guanxi_ports::{SessionWrites as _, Sessions};
use std::sync::Arc;

/// The sessions of a backend that has them.
pub(super) fn port(world: &World) -> Option<Arc<dyn Sessions>> {
    let sessions = || world.backend.sessions.clone().expect("a backend without sessions says so");
    (!world.lacks(Need::Sessions)).then(sessions)
}

/// The session of a user with the secret's hash `n`, that began `n` milliseconds after the case.
fn session(uid: u64, n: u32) -> Session {
    let mut hash = [0x5e; 32];
    hash[..4].copy_from_slice(&n.to_le_bytes());
    Session::lone(u(uid), hash, START_MS + u64::from(n))
}

fn expiring(uid: u64, n: u32, expires_ms: u64) -> Session {
    Session { expires_ms: Some(expires_ms), ..session(uid, n) }
}

async fn put(store: &dyn Sessions, sessions: &[Session]) {
    for session in sessions {
        store.put(session.clone()).await.unwrap();
    }
}

async fn find(store: &dyn Sessions, wanted: &Session) -> Option<Session> {
    store.find(wanted.key(wanted.id)).await.unwrap()
}

/// Walks the list of a user in pages of a size.
pub(super) async fn walk(store: &dyn Sessions, uid: Uid, size: usize) -> Vec<Session> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = store.list(uid, after, size).await.unwrap();
        assert!(page.sessions.len() <= size);
        all.extend(page.sessions);
        match page.next {
            Some(next) => after = Some(next),
            None => return all,
        }
    }
}

/// A session is found by its secret's hash in the shard of its user, and nowhere else.
pub async fn sessions_are_found_in_the_shard_of_their_user(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    let (own, other) = (session(0x0107, 1), session(0x0208, 2));
    assert_eq!(find(store, &own).await, None);
    put(store, &[own.clone(), other.clone()]).await;
    assert_eq!(find(store, &own).await.as_ref(), Some(&own));
    assert_eq!(find(store, &other).await.as_ref(), Some(&other));
    let elsewhere = SessionKey::lone(other.uid.gene(), own.id);
    assert_eq!(store.find(elsewhere).await, Ok(None), "its secret names another shard");
    assert_eq!(world.events_since(&world.origin).await, [], "sessions are not in the log");
}

/// A session that is put again stays as it is; a secret is of one user.
pub async fn a_repeated_session_changes_nothing(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    let first = expiring(1, 1, START_MS + 50);
    put(store, &[first.clone(), first.clone()]).await;
    put(store, &[Session { created_ms: 7, expires_ms: None, ..first.clone() }]).await;
    assert_eq!(walk(store, u(1), 9).await, std::slice::from_ref(&first));
    let stolen = store.put(Session { uid: u(257), ..first.clone() }).await;
    assert_eq!(stolen.unwrap_err().reason, Reason::AlreadyExists);
    assert_eq!(find(store, &first).await, Some(first));
    assert_eq!(walk(store, u(257), 9).await, []);
}

/// A user's sessions are listed newest first, in pages of any size; a place outlives its session.
pub async fn sessions_are_listed_by_user_newest_first(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    let mut sessions: Vec<Session> = (1..=7).map(|n| session(3, n)).collect();
    // Of one millisecond: by the id, from low to high.
    sessions[4].created_ms = sessions[3].created_ms;
    put(store, &sessions).await;
    put(store, &[session(2, 50), session(4, 51), session(259, 52)]).await;
    sessions.sort_by_key(|session| (std::cmp::Reverse(session.created_ms), session.id));
    for size in 1..=8 {
        assert_eq!(walk(store, u(3), size).await, sessions, "pages of {size}");
    }
    assert_eq!(walk(store, u(5), 3).await, []);
    let place = store.list(u(3), None, 2).await.unwrap().next.unwrap();
    assert_eq!(place, sessions[1].cursor());
    assert_eq!(store.revoke(u(3), place.id).await, Ok(true));
    let rest = store.list(u(3), Some(place), 9).await.unwrap();
    assert_eq!((&rest.sessions[..], rest.next), (&sessions[2..], None));
}

/// A revoked session is gone at its acknowledgement; only its user can name it.
pub async fn a_revoked_session_is_gone(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    let sessions = [session(1, 1), session(1, 2), session(257, 3)];
    put(store, &sessions).await;
    // Asked before, so that a cache would have it.
    assert!(find(store, &sessions[0]).await.is_some());
    assert_eq!(store.revoke(u(257), sessions[0].id).await, Ok(false), "another user's");
    assert_eq!(store.revoke(u(1), sessions[0].id).await, Ok(true));
    assert_eq!(find(store, &sessions[0]).await, None);
    assert_eq!(store.revoke(u(1), sessions[0].id).await, Ok(false));
    store.note_use(sessions[0].key(sessions[0].id), START_MS + 99).await.unwrap();
    assert_eq!(find(store, &sessions[0]).await, None, "its use brings nothing back");
    assert_eq!(walk(store, u(1), 9).await, sessions[1..2]);
    assert_eq!(find(store, &sessions[2]).await.as_ref(), Some(&sessions[2]));
    // The same secret may be stored again: a repeated login, whose first answer was lost.
    put(store, &sessions[..1]).await;
    assert_eq!(find(store, &sessions[0]).await.as_ref(), Some(&sessions[0]));
}

/// All sessions of a user end at once, and no sessions of others.
pub async fn all_sessions_of_a_user_end_at_once(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    let own: Vec<Session> = (1..=5).map(|n| session(1, n)).collect();
    let others = [session(2, 10), session(257, 11)];
    put(store, &own).await;
    put(store, &others).await;
    put(store, &[expiring(1, 20, START_MS + 1)]).await;
    assert!(find(store, &own[0]).await.is_some());
    world.settings.clock.set(START_MS + 1);
    assert_eq!(store.revoke_all(u(1)).await, Ok(5), "the expired one does not count");
    for session in &own {
        assert_eq!(find(store, session).await, None);
    }
    assert_eq!(walk(store, u(1), 9).await, []);
    assert_eq!(store.revoke_all(u(1)).await, Ok(0));
    for session in &others {
        assert_eq!(find(store, session).await.as_ref(), Some(session));
    }
}

/// A session ends by itself when its time has come, swept or not, and is swept in slices.
pub async fn expired_sessions_are_gone_and_swept_in_slices(world: &World) {
    let Some(store) = port(world) else { return };
    let (store, clock) = (&*store, &world.settings.clock);
    let early: Vec<Session> = (1..=5).map(|n| expiring(1, n, START_MS + 10)).collect();
    let late = [expiring(1, 6, START_MS + 20), session(1, 7)];
    put(store, &early).await;
    put(store, &late).await;
    assert_eq!(store.sweep(100).await, Ok(0));
    clock.set(START_MS + 9);
    assert!(find(store, &early[0]).await.is_some());
    clock.set(START_MS + 10);
    assert_eq!(find(store, &early[0]).await, None);
    store.note_use(early[0].key(early[0].id), START_MS + 10).await.unwrap();
    assert_eq!(find(store, &early[0]).await, None, "its use does not prolong it");
    let listed: Vec<_> = walk(store, u(1), 1).await.into_iter().map(|session| session.id).collect();
    assert_eq!(listed, [late[1].id, late[0].id]);
    assert_eq!(store.revoke(u(1), early[0].id).await, Ok(false));
    let swept = [store.sweep(0).await, store.sweep(2).await, store.sweep(2).await, store.sweep(2).await];
    assert_eq!(swept, [Ok(0), Ok(2), Ok(2), Ok(1)]);
    assert_eq!(store.sweep(2).await, Ok(0));
    assert_eq!(walk(store, u(1), 9).await.len(), 2, "what is valid stays");
    // Its secret is free again.
    put(store, &[session(1, 1)]).await;
    assert!(find(store, &session(1, 1)).await.is_some());
}

/// A sweep removes no more than its bound, however much is asked for.
pub async fn a_sweep_is_bounded(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    for n in 0..SESSION_SWEEP_MAX + 3 {
        store.put(expiring(u64::from(n) + 1, n, START_MS + 1)).await.unwrap();
    }
    world.settings.clock.set(START_MS + 1);
    assert_eq!(store.sweep(usize::MAX).await, Ok(SESSION_SWEEP_MAX as usize));
    assert_eq!(store.sweep(usize::MAX).await, Ok(3));
}

/// A user has so many sessions and no more; expired and revoked ones make room.
pub async fn sessions_of_a_user_are_bounded(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    put(store, &[expiring(1, 0, START_MS + 5)]).await;
    put(store, &(1..SESSIONS_PER_USER_MAX).map(|n| session(1, n)).collect::<Vec<_>>()).await;
    let more = session(1, 1_000);
    let full = Reason::LimitReached { limit: SESSIONS_PER_USER_MAX };
    assert_eq!(store.put(more.clone()).await.unwrap_err().reason, full);
    assert_eq!(find(store, &more).await, None);
    put(store, &[session(1, 7)]).await;
    put(store, &[session(2, 2_000)]).await;
    world.settings.clock.set(START_MS + 5);
    put(store, std::slice::from_ref(&more)).await;
    assert_eq!(store.put(session(1, 1_001)).await.unwrap_err().reason, full);
    assert_eq!(store.revoke(u(1), more.id).await, Ok(true));
    put(store, &[session(1, 1_001)]).await;
    assert_eq!(walk(store, u(1), 30).await.len(), SESSIONS_PER_USER_MAX as usize);
}

/// The last use of a session is noted, and only rises.
pub async fn the_last_use_of_a_session_only_rises(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    let session = session(1, 1);
    put(store, std::slice::from_ref(&session)).await;
    for (at_ms, noted) in [(50, 50), (40, 50), (60, 60)] {
        store.note_use(session.key(session.id), START_MS + at_ms).await.unwrap();
        assert_eq!(find(store, &session).await.unwrap().used_ms, START_MS + noted);
        assert_eq!(walk(store, u(1), 9).await[0].used_ms, START_MS + noted);
    }
    let wrong = SessionKey::lone(u(2).gene(), session.id);
    store.note_use(wrong, START_MS + 70).await.unwrap();
    assert_eq!(find(store, &session).await.unwrap().used_ms, START_MS + 60);
}

/// Callers race to store, use and end sessions: the session that was ended last is gone, and none comes back.
pub async fn racing_changes_bring_no_session_back(world: &World) {
    let Some(store) = port(world) else { return };
    for round in 0..20 {
        let own: Vec<Session> = (0..8).map(|n| session(1, round * 8 + n)).collect();
        put(&*store, &own).await;
        let mut tasks = Vec::new();
        for session in own.clone() {
            let store = store.clone();
            tasks.push(tokio::spawn(async move {
                store.note_use(session.key(session.id), session.used_ms + 1).await.unwrap();
                let _ = store.find(session.key(session.id)).await.unwrap();
            }));
        }
        assert_eq!(store.revoke_all(u(1)).await, Ok(8));
        for task in tasks {
            task.await.unwrap();
        }
        for session in &own {
            assert_eq!(find(&*store, session).await, None);
        }
    }
}

/// Many users' sessions, each found by its own secret.
pub async fn sessions_of_many_users_do_not_meet(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    let all: Vec<Session> = (0..600).map(|n| session(u64::from(n % 300) + 1, n)).collect();
    put(store, &all).await;
    for session in &all {
        assert_eq!(find(store, session).await.as_ref(), Some(session));
    }
    for uid in [1, 150, 300] {
        let listed = walk(store, u(uid), 1).await;
        assert_eq!(listed.len(), 2);
        assert!(listed.iter().all(|session| session.uid == u(uid)));
    }
}
