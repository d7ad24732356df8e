//! Sessions that are refreshed: their secrets change, their id stays, and a secret that comes twice ends them.

use super::sessions::{port, walk};
use super::{START_MS, World, u};
use guanxi_model::limits::{REFRESH_REPEAT_MS, SESSIONS_PER_USER_MAX};
use guanxi_model::{Reason, Refresh, Refreshed, Rotation, Session, SessionKey, SessionSecrets, Uid};
use guanxi_ports::{SessionWrites as _, Sessions};

/// How long calls may carry an access secret here.
const ACCESS_MS: u64 = 3_600_000;
/// How long a session stands without a refresh.
const IDLE_MS: u64 = 30 * ACCESS_MS;
/// How long at most.
const WHOLE_MS: u64 = 100 * ACCESS_MS;

/// Hashes that differ for each user, generation and kind.
fn hash(uid: u64, generation: u8, kind: u8) -> [u8; 32] {
    let mut hash = [kind; 32];
    hash[..8].copy_from_slice(&uid.to_le_bytes());
    hash[8] = generation;
    hash
}

fn access(uid: u64, generation: u8) -> [u8; 32] {
    hash(uid, generation, b'a')
}

fn refresh_secret(uid: u64, generation: u8) -> [u8; 32] {
    hash(uid, generation, b'r')
}

/// What a user has by logging in at the beginning of the case.
fn login(uid: u64) -> Session {
    let secrets = SessionSecrets {
        access: access(uid, 0),
        access_expires_ms: START_MS + ACCESS_MS,
        refresh: refresh_secret(uid, 0),
    };
    let rotation = Rotation { ends_ms: START_MS + WHOLE_MS, secrets, since_ms: START_MS, replaced: None };
    Session {
        expires_ms: Some(START_MS + IDLE_MS),
        device: Some("phone".into()),
        rotation: Some(Box::new(rotation)),
        ..Session::lone(u(uid), hash(uid, 0, b'i'), START_MS)
    }
}

/// Changes the secrets of one generation of a user for those of another.
fn refresh(uid: u64, from: u8, to: u8) -> Refresh {
    Refresh {
        key: login(uid).key(refresh_secret(uid, from)),
        nonce: hash(uid, to, b'n'),
        access: access(uid, to),
        refresh: refresh_secret(uid, to),
        access_ms: ACCESS_MS,
        idle_ms: IDLE_MS,
    }
}

async fn lets_in(store: &dyn Sessions, uid: u64, secret: [u8; 32]) -> bool {
    store.find(login(uid).key(secret)).await.unwrap().is_some()
}

/// Which generations of access secrets let in, of the first four.
async fn accepted(store: &dyn Sessions, uid: u64) -> Vec<u8> {
    let mut accepted = Vec::new();
    for generation in 0..4 {
        if lets_in(store, uid, access(uid, generation)).await {
            accepted.push(generation);
        }
    }
    accepted
}

async fn renewed(store: &dyn Sessions, uid: u64, from: u8, to: u8) -> Session {
    let refreshed = store.refresh(refresh(uid, from, to)).await.unwrap();
    let Some(Refreshed::New(session)) = refreshed else { panic!("{refreshed:?}") };
    session
}

/// A refresh changes both secrets and nothing that names the session; what was replaced lets in for a while.
pub async fn a_refresh_changes_both_secrets(world: &World) {
    let Some(store) = port(world) else { return };
    let (store, clock) = (&*store, &world.settings.clock);
    let first = login(1);
    assert_eq!(store.put(first.clone()).await, Ok(None));
    // Asked before, so that a cache would have it.
    assert_eq!(accepted(store, 1).await, [0]);
    assert!(!lets_in(store, 1, refresh_secret(1, 0)).await, "a refresh secret lets nobody in");
    assert!(!lets_in(store, 1, first.id).await, "nor does the name of the session");
    clock.set(START_MS + 1_000);
    let second = renewed(store, 1, 0, 1).await;
    assert_eq!((second.id, second.uid, second.created_ms), (first.id, first.uid, first.created_ms));
    assert_eq!((second.device.as_deref(), second.used_ms), (Some("phone"), START_MS + 1_000));
    assert_eq!(accepted(store, 1).await, [0, 1]);
    assert_eq!(store.find(second.key(access(1, 1))).await, Ok(Some(second.clone())));
    assert_eq!(walk(store, u(1), 9).await, [second]);
    clock.set(START_MS + 1_000 + REFRESH_REPEAT_MS - 1);
    assert_eq!(accepted(store, 1).await, [0, 1]);
    clock.set(START_MS + 1_000 + REFRESH_REPEAT_MS);
    assert_eq!(accepted(store, 1).await, [1]);
    clock.set(START_MS + 1_000 + ACCESS_MS);
    assert_eq!(accepted(store, 1).await, []);
    assert_eq!(walk(store, u(1), 9).await.len(), 1, "the session stands and may be refreshed");
    renewed(store, 1, 1, 2).await;
    assert_eq!(accepted(store, 1).await, [2]);
    assert_eq!(world.events_since(&world.origin).await, [], "sessions are not in the log");
}

/// The last refresh may be repeated for a while, and tells from what the secrets in force were made; then it is theft.
pub async fn a_refresh_may_be_repeated_for_a_while(world: &World) {
    let Some(store) = port(world) else { return };
    let (store, clock) = (&*store, &world.settings.clock);
    store.put(login(1)).await.unwrap();
    let second = renewed(store, 1, 0, 1).await;
    clock.set(START_MS + REFRESH_REPEAT_MS - 1);
    for other in [2, 3] {
        let again = store.refresh(refresh(1, 0, other)).await;
        assert_eq!(again, Ok(Some(Refreshed::Again(second.clone()))));
        assert_eq!(accepted(store, 1).await, [0, 1], "what the repeat brought is not in force");
    }
    assert_eq!(second.rotation.as_ref().unwrap().replaced.unwrap().nonce, hash(1, 1, b'n'));
    clock.set(START_MS + REFRESH_REPEAT_MS);
    assert_eq!(store.refresh(refresh(1, 0, 3)).await, Ok(Some(Refreshed::Reused(u(1)))));
    assert_eq!(accepted(store, 1).await, []);
    assert_eq!(walk(store, u(1), 9).await, []);
    assert_eq!(store.refresh(refresh(1, 1, 2)).await, Ok(None), "the thief's secret has gone, too");
}

/// A refresh secret from before the last ends the session, at any time, and no other.
pub async fn an_old_refresh_secret_ends_the_session(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    store.put(login(1)).await.unwrap();
    store.put(login(257)).await.unwrap();
    let lone = Session::lone(u(1), [7; 32], START_MS);
    store.put(lone.clone()).await.unwrap();
    renewed(store, 1, 0, 1).await;
    renewed(store, 1, 1, 2).await;
    assert_eq!(accepted(store, 1).await, [1, 2]);
    assert_eq!(store.refresh(refresh(1, 0, 3)).await, Ok(Some(Refreshed::Reused(u(1)))));
    assert_eq!(accepted(store, 1).await, []);
    assert_eq!(walk(store, u(1), 9).await, [lone]);
    assert_eq!(accepted(store, 257).await, [0]);
    renewed(store, 257, 0, 1).await;
    // Once it has ended, its id is free.
    assert_eq!(store.put(login(1)).await, Ok(None));
    assert_eq!(accepted(store, 1).await, [0]);
}

/// What is not there, is of another shard, has one secret for good, or has expired is not refreshed, and not ended.
pub async fn what_cannot_be_refreshed_is_left_alone(world: &World) {
    let Some(store) = port(world) else { return };
    let (store, clock) = (&*store, &world.settings.clock);
    assert_eq!(store.refresh(refresh(1, 0, 1)).await, Ok(None));
    let lone = Session::lone(u(1), [7; 32], START_MS);
    store.put(lone.clone()).await.unwrap();
    for hash in [lone.id, [8; 32]] {
        let of_lone = Refresh { key: lone.key(hash), ..refresh(1, 0, 1) };
        assert_eq!(store.refresh(of_lone).await, Ok(None));
    }
    store.put(login(1)).await.unwrap();
    let key = refresh(1, 0, 1).key;
    let elsewhere = Refresh { key: SessionKey { gene: u(2).gene(), ..key }, ..refresh(1, 0, 1) };
    assert_eq!(store.refresh(elsewhere).await, Ok(None));
    assert_eq!(accepted(store, 1).await, [0]);
    assert_eq!(store.find(lone.key(lone.id)).await, Ok(Some(lone)));
    clock.set(START_MS + IDLE_MS);
    for from in [0, 3] {
        assert_eq!(store.refresh(refresh(1, from, 1)).await, Ok(None), "expired");
    }
}

/// A session ends when it was not refreshed for long, and in the end however often it was.
pub async fn a_refresh_prolongs_a_session_up_to_its_end(world: &World) {
    let Some(store) = port(world) else { return };
    let (store, clock) = (&*store, &world.settings.clock);
    store.put(login(1)).await.unwrap();
    clock.set(START_MS + IDLE_MS - 1);
    let second = renewed(store, 1, 0, 1).await;
    assert_eq!(second.expires_ms, Some(START_MS + 2 * IDLE_MS - 1));
    clock.set(START_MS + IDLE_MS);
    assert_eq!(store.sweep(9).await, Ok(0), "it has another end now");
    let (mut now_ms, mut generation) = (START_MS + IDLE_MS - 1, 1);
    let last = loop {
        now_ms += IDLE_MS - 1;
        clock.set(now_ms);
        let session = renewed(store, 1, generation, generation + 1).await;
        generation += 1;
        if session.expires_ms == Some(START_MS + WHOLE_MS) {
            break session;
        }
    };
    assert_eq!(generation, 3, "thrice the idle time, and what was left");
    clock.set(START_MS + WHOLE_MS - 1);
    let session = renewed(store, 1, generation, generation + 1).await;
    let own_end = session.access_ends_ms(access(1, generation + 1));
    assert_eq!((session.expires_ms, own_end), (last.expires_ms, last.expires_ms));
    clock.set(START_MS + WHOLE_MS);
    assert!(!lets_in(store, 1, access(1, generation + 1)).await);
    assert_eq!(store.sweep(9).await, Ok(1));
    assert_eq!(store.sweep(9).await, Ok(0));
}

/// A login beyond the bound takes the place of the login that was used least recently, and of no operator's token.
pub async fn one_more_login_replaces_the_one_used_least_recently(world: &World) {
    let Some(store) = port(world) else { return };
    let store = &*store;
    // Logins of one user, each with an id of its own.
    let own = |n: u64| {
        let session = login(256 * n + 1);
        Session { uid: u(1), created_ms: START_MS + n, used_ms: START_MS + n, ..session }
    };
    let logins = u64::from(SESSIONS_PER_USER_MAX) - 1;
    let lone = Session::lone(u(1), [7; 32], START_MS);
    store.put(lone.clone()).await.unwrap();
    for n in 0..logins {
        assert_eq!(store.put(own(n)).await, Ok(None));
    }
    let secret = |session: &Session| session.rotation.as_ref().unwrap().secrets.access;
    let standing = async |n: u64| store.find(own(n).key(secret(&own(n)))).await.unwrap().is_some();
    assert!(standing(0).await && standing(1).await);
    store.note_use(own(0).key(secret(&own(0))), START_MS + 900).await.unwrap();
    let replaced = store.put(own(logins)).await.unwrap().expect("one has to go");
    assert_eq!(replaced.id, own(1).id);
    assert!(standing(0).await && !standing(1).await && standing(2).await && standing(logins).await);
    assert_eq!(walk(store, u(1), 30).await.len(), SESSIONS_PER_USER_MAX as usize);
    assert_eq!(store.put(own(logins)).await, Ok(None), "a repeat replaces nothing");
    // A token of an operator neither goes nor pushes anybody out.
    let full = Reason::LimitReached { limit: SESSIONS_PER_USER_MAX };
    let refused = store.put(Session::lone(u(1), [8; 32], START_MS + 5)).await.unwrap_err();
    assert_eq!(refused.reason, full);
    assert_eq!(store.find(lone.key(lone.id)).await, Ok(Some(lone)));
    // Where there are operators' tokens alone, nothing goes for a login either.
    for n in 0..SESSIONS_PER_USER_MAX {
        let mut id = [0x77; 32];
        id[..4].copy_from_slice(&n.to_le_bytes());
        store.put(Session::lone(u(2), id, START_MS)).await.unwrap();
    }
    assert_eq!(store.put(login(2)).await.unwrap_err().reason, full);
}

/// Two refreshes with one secret at once: one is made, and the others learn of it.
pub async fn racing_refreshes_come_to_the_same_secrets(world: &World) {
    let Some(store) = port(world) else { return };
    store.put(login(1)).await.unwrap();
    for generation in 0..20 {
        let mut tasks = Vec::new();
        for n in 1..=8 {
            let store = store.clone();
            let refresh = refresh(1, generation, generation + 1);
            // Each caller draws a nonce, and makes other secrets of it.
            let nonce = hash(1, n, b'm');
            tasks.push(tokio::spawn(async move { store.refresh(Refresh { nonce, ..refresh }).await }));
        }
        let (mut new, mut again) = (Vec::new(), Vec::new());
        for task in tasks {
            match task.await.unwrap().unwrap() {
                Some(Refreshed::New(session)) => new.push(session),
                Some(Refreshed::Again(session)) => again.push(session),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((new.len(), again.len()), (1, 7));
        assert!(again.iter().all(|session| *session == new[0]));
        assert!(lets_in(&*store, 1, access(1, generation + 1)).await);
    }
    assert_eq!(walk(&*store, u(1), 9).await.len(), 1);
}

/// A refresh that races with the end of its session brings nothing back.
pub async fn a_refresh_that_races_with_a_revocation_brings_nothing_back(world: &World) {
    let Some(store) = port(world) else { return };
    for round in 0..20 {
        let session = login(1);
        store.put(session.clone()).await.unwrap();
        let refreshing = tokio::spawn({
            let store = store.clone();
            async move { store.refresh(refresh(1, 0, 1)).await.unwrap() }
        });
        if round % 2 == 0 {
            assert_eq!(store.revoke(u(1), session.id).await, Ok(true));
        } else {
            assert_eq!(store.revoke_all(u(1)).await, Ok(1));
        }
        let refreshed = refreshing.await.unwrap();
        assert!(matches!(refreshed, None | Some(Refreshed::New(_))), "{refreshed:?}");
        assert_eq!(accepted(&*store, 1).await, []);
        assert_eq!(walk(&*store, u(1), 9).await, []);
        assert_eq!(store.refresh(refresh(1, 1, 2)).await, Ok(None));
    }
}

/// Refreshes of many users at once do not meet.
pub async fn refreshes_of_many_users_do_not_meet(world: &World) {
    let Some(store) = port(world) else { return };
    let uids: Vec<u64> = (1..=60).collect();
    for uid in &uids {
        store.put(login(*uid)).await.unwrap();
    }
    for generation in 0..3 {
        let mut tasks = Vec::new();
        for uid in uids.clone() {
            let store = store.clone();
            let refresh = refresh(uid, generation, generation + 1);
            tasks.push(tokio::spawn(async move { store.refresh(refresh).await.unwrap() }));
        }
        for (task, uid) in tasks.into_iter().zip(&uids) {
            let refreshed = task.await.unwrap();
            assert!(matches!(&refreshed, Some(Refreshed::New(session)) if session.uid == u(*uid)));
        }
    }
    for uid in uids {
        let own: Vec<Uid> = walk(&*store, u(uid), 9).await.into_iter().map(|session| session.uid).collect();
        assert_eq!(own, [u(uid)]);
        assert_eq!(accepted(&*store, uid).await, [2, 3]);
    }
}
