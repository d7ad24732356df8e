//! Logins, refreshes and their repeats, over the sessions of the specification.

use super::*;
use guanxi_model::ManualClock;
use guanxi_model::limits::REFRESH_REPEAT_MS;
use guanxi_ports::CachedSessions;
use guanxi_spec::memory::{MemoryStore, Options};
use std::sync::atomic::{AtomicU8, Ordering};

const START_MS: u64 = 1_000_000;

fn uid() -> Uid {
    Uid::new(0x0107).unwrap()
}

struct World {
    clock: Arc<ManualClock>,
    sessions: Arc<dyn Sessions>,
    center: SessionCenter,
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let store = Arc::new(MemoryStore::new(clock.clone(), Options::default()));
        let sessions: Arc<dyn Sessions> = Arc::new(CachedSessions::new(store.clone(), store, clock.clone()));
        let calls = AtomicU8::new(1);
        let random: Random = Arc::new(move || [calls.fetch_add(1, Ordering::Relaxed); 32]);
        let center = SessionCenter::new(sessions.clone(), clock.clone(), random, SessionTerms::default());
        Self { clock, sessions, center }
    }

    async fn lets_in(&self, issued: &IssuedSession) -> bool {
        let key = session_key(issued.access.as_str()).unwrap();
        self.sessions.find(key).await.unwrap().is_some()
    }

    async fn refresh(&self, issued: &IssuedSession) -> Result<IssuedSession, Reason> {
        self.center.refresh(issued.refresh.as_str()).await.map_err(|error| error.reason)
    }
}

#[tokio::test]
async fn a_login_lets_in_until_its_access_secret_expires() {
    let world = World::new();
    let first = world.center.begin(uid(), Some("phone")).await.unwrap();
    assert_eq!(first.session.device.as_deref(), Some("phone"));
    assert_eq!(first.session.expires_ms, Some(START_MS + SESSION_IDLE_MS_DEFAULT));
    assert_eq!(first.access_expires_ms, START_MS + SESSION_ACCESS_MS_DEFAULT);
    world.clock.set(first.access_expires_ms - 1);
    assert!(world.lets_in(&first).await);
    world.clock.set(first.access_expires_ms);
    assert!(!world.lets_in(&first).await);
    let second = world.refresh(&first).await.unwrap();
    assert!(world.lets_in(&second).await);
    assert_eq!(second.session.id, first.session.id);
    let listed = world.center.list(uid(), None, 9).await.unwrap().sessions;
    assert_eq!(listed, [second.session]);
}

#[tokio::test]
async fn a_lost_answer_and_a_second_tab_are_answered_the_same() {
    let world = World::new();
    let first = world.center.begin(uid(), None).await.unwrap();
    let (one, other) = tokio::join!(world.refresh(&first), world.refresh(&first));
    let second = one.unwrap();
    assert_eq!(other, Ok(second.clone()));
    world.clock.advance(REFRESH_REPEAT_MS - 1);
    assert_eq!(world.refresh(&first).await, Ok(second.clone()));
    // The tab that lost its answer still calls with the secret that it has.
    assert!(world.lets_in(&first).await && world.lets_in(&second).await);
    world.clock.advance(1);
    assert!(!world.lets_in(&first).await && world.lets_in(&second).await);
    let third = world.refresh(&second).await.unwrap();
    assert!(world.lets_in(&third).await);
}

#[tokio::test]
async fn a_stolen_refresh_secret_ends_the_session_of_both() {
    let world = World::new();
    let first = world.center.begin(uid(), None).await.unwrap();
    let other = world.center.begin(uid(), None).await.unwrap();
    let thief = world.refresh(&first).await.unwrap();
    world.clock.advance(REFRESH_REPEAT_MS);
    assert_eq!(world.refresh(&first).await, Err(Reason::RefreshReused));
    assert!(!world.lets_in(&thief).await && !world.lets_in(&first).await);
    assert_eq!(world.refresh(&thief).await, Err(Reason::Unauthenticated));
    assert_eq!(world.refresh(&first).await, Err(Reason::Unauthenticated), "it has ended already");
    assert!(world.lets_in(&other).await);
}

#[tokio::test]
async fn what_is_no_refresh_secret_is_unknown_and_ends_nothing() {
    let world = World::new();
    let first = world.center.begin(uid(), None).await.unwrap();
    let of_another_shard = first.refresh.as_str().replace("gxr_07", "gxr_08");
    for bad in ["", "gxr_", first.access.as_str(), &of_another_shard] {
        assert_eq!(world.center.refresh(bad).await.unwrap_err().reason, Reason::Unauthenticated, "{bad}");
    }
    assert!(world.lets_in(&first).await);
    assert!(world.refresh(&first).await.is_ok());
}

#[tokio::test]
async fn a_session_ends_by_its_id_and_all_of_them_at_once() {
    let world = World::new();
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(world.center.begin(uid(), None).await.unwrap());
    }
    assert_eq!(world.center.revoke(uid(), sessions[0].session.id).await, Ok(true));
    assert_eq!(world.center.revoke(uid(), sessions[0].session.id).await, Ok(false));
    assert!(!world.lets_in(&sessions[0]).await && world.lets_in(&sessions[1]).await);
    assert_eq!(world.refresh(&sessions[0]).await, Err(Reason::Unauthenticated));
    assert_eq!(world.sessions.revoke_all(uid()).await, Ok(2));
    assert!(!world.lets_in(&sessions[2]).await);
}

#[tokio::test]
async fn a_device_has_a_short_name_or_none() {
    let world = World::new();
    let long = "x".repeat(200);
    let refused = world.center.begin(uid(), Some(&long)).await.unwrap_err();
    assert!(matches!(refused.reason, Reason::TooLong { field: "device", .. }));
    assert_eq!(world.center.begin(uid(), Some("")).await.unwrap().session.device, None);
    assert_eq!(world.center.list(uid(), None, 9).await.unwrap().sessions.len(), 1);
}
