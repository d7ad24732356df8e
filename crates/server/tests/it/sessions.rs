//! Sessions of logins through the API: refreshed, listed, ended.

use std::sync::Arc;

use crate::http::{Answer, post, post_as};
use guanxi_centers::user::sessions::{IssuedSession, SESSION_ACCESS_MS_DEFAULT};
use guanxi_model::limits::{REFRESH_REPEAT_MS, SESSION_USE_EVERY_MS, SESSIONS_PER_USER_MAX};
use guanxi_model::{ManualClock, Scope, Uid};
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};

struct World {
    clock: Arc<ManualClock>,
    server: Server,
}

impl World {
    async fn start() -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let setup = Setup { auth: true, clock: clock.clone(), ..Setup::default() };
        Self { clock, server: Server::start(setup).await }
    }

    async fn login(&self, uid: u64, device: &str) -> IssuedSession {
        self.server.logins.begin(Uid::new(uid).unwrap(), Some(device)).await.unwrap()
    }

    async fn refresh(&self, token: &str) -> Answer {
        let request = json!({ "refreshToken": token }).to_string();
        post(self.server.main, "UserService/RefreshSession", &request).await
    }

    async fn call(&self, token: &str, method: &str, request: &Value) -> Answer {
        let path = format!("/guanxi.v1.UserService/{method}");
        post_as(self.server.main, token, &path, &request.to_string()).await
    }

    async fn status(&self, token: &str) -> u16 {
        let path = "/guanxi.v1.RelationService/GetCounts";
        post_as(self.server.main, token, path, r#"{"uid":"1"}"#).await.status
    }

    /// The devices of a user's sessions, the one of the call in brackets.
    async fn devices(&self, token: &str, uid: &str) -> Vec<String> {
        let listed = self.call(token, "ListSessions", &json!({ "uid": uid })).await.json();
        let sessions = listed["sessions"].as_array().unwrap().clone();
        let shown = sessions.iter().map(|one| {
            let device = one["device"].as_str().unwrap_or_default();
            if one["current"] == json!(true) { format!("[{device}]") } else { device.to_owned() }
        });
        shown.collect()
    }
}

fn text<'a>(answer: &'a Value, field: &str) -> &'a str {
    answer[field].as_str().unwrap()
}

#[tokio::test]
async fn a_refresh_needs_no_token_but_its_own() {
    let world = World::start().await;
    let first = world.login(7, "phone").await;
    assert_eq!(world.status(first.access.as_str()).await, 200);
    assert_eq!(world.status(first.refresh.as_str()).await, 401, "calls cannot carry it");
    world.clock.advance(SESSION_ACCESS_MS_DEFAULT);
    assert_eq!(world.status(first.access.as_str()).await, 401);
    let answer = world.refresh(first.refresh.as_str()).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let second = answer.json();
    assert_eq!(text(&second, "uid"), "7");
    assert_eq!(text(&second, "accessExpireTime"), "2025-06-15T17:06:40.123Z");
    assert_eq!(world.status(text(&second, "accessToken")).await, 200);
    world.clock.advance(REFRESH_REPEAT_MS - 1);
    assert_eq!(world.refresh(first.refresh.as_str()).await.json(), second, "a lost answer");
    world.clock.advance(1);
    let stolen = world.refresh(first.refresh.as_str()).await;
    assert_eq!((stolen.status, stolen.reason().as_str()), (401, "REFRESH_REUSED"));
    assert!(!stolen.text().contains(first.refresh.as_str()));
    assert_eq!(world.status(text(&second, "accessToken")).await, 401);
    let ended = world.refresh(text(&second, "refreshToken")).await;
    assert_eq!((ended.status, ended.reason().as_str()), (401, "UNAUTHENTICATED"));
    assert_eq!(world.refresh("").await.reason(), "MISSING_FIELD");
    for bad in ["gxr_", "gx_nothing", &"x".repeat(1_000)] {
        assert_eq!(world.refresh(bad).await.reason(), "UNAUTHENTICATED");
    }
}

#[tokio::test]
async fn a_user_sees_its_devices_and_ends_them() {
    let world = World::start().await;
    let (phone, laptop) = (world.login(7, "phone").await, world.login(7, "laptop").await);
    world.clock.advance(1);
    let (tablet, other) = (world.login(7, "tablet").await, world.login(8, "other").await);
    let own = phone.access.as_str();
    let mut devices = world.devices(own, "7").await;
    assert_eq!(devices[0], "tablet", "newest first");
    devices.sort();
    assert_eq!(devices, ["[phone]", "laptop", "tablet"]);
    let listed = world.call(own, "ListSessions", &json!({ "uid": "7" })).await;
    for secret in [&phone, &laptop, &tablet].map(|one| [one.access.as_str(), one.refresh.as_str()]).concat() {
        assert!(!listed.text().contains(&secret[28..]), "no secret is shown");
    }
    let id = listed.json()["sessions"][0]["sessionId"].clone();
    let revoke = |token: &str, uid: &str| {
        let (token, request) = (token.to_owned(), json!({ "uid": uid, "sessionId": id }));
        let world = &world;
        async move { world.call(&token, "RevokeSession", &request).await }
    };
    assert_eq!(revoke(other.access.as_str(), "7").await.reason(), "PERMISSION_DENIED");
    assert_eq!(
        revoke(other.access.as_str(), "8").await.json(),
        json!({ "revoked": false }),
        "of another user"
    );
    assert_eq!(revoke(own, "7").await.json(), json!({ "revoked": true }));
    assert_eq!(world.status(tablet.access.as_str()).await, 401);
    assert_eq!(revoke(own, "7").await.json(), json!({ "revoked": false }));
    let service = world.server.service(&[Scope::UserRead, Scope::UserWrite]).await;
    assert_eq!(world.devices(&service, "7").await.len(), 2);
    for (name, reason) in [("", "MISSING_FIELD"), ("short", "INVALID_FIELD")] {
        let request = json!({ "uid": "7", "sessionId": name });
        assert_eq!(world.call(own, "RevokeSession", &request).await.reason(), reason);
    }
}

/// A user that logs in without end has at most the allowed number of sessions, and one answer lists them all.
#[tokio::test]
async fn one_login_too_many_ends_the_one_used_least_recently() {
    let world = World::start().await;
    let first = world.login(7, "first").await;
    let mut last = world.login(7, "second").await;
    for n in 2..SESSIONS_PER_USER_MAX {
        world.clock.advance(1);
        last = world.login(7, &format!("device {n}")).await;
    }
    assert_eq!(world.devices(last.access.as_str(), "7").await.len(), SESSIONS_PER_USER_MAX as usize);
    // The first was used since; a use is noted once in a while.
    world.clock.advance(SESSION_USE_EVERY_MS);
    assert_eq!(world.refresh(first.refresh.as_str()).await.status, 200);
    world.clock.advance(1);
    let more = world.login(7, "one more").await;
    let devices = world.devices(more.access.as_str(), "7").await;
    assert_eq!(devices.len(), SESSIONS_PER_USER_MAX as usize);
    let has = |device: &str| devices.iter().any(|one| one == device);
    assert!(has("first") && !has("second") && has("[one more]"), "{devices:?}");
}

#[tokio::test]
async fn whoever_logs_out_is_nobody_here_or_everywhere() {
    let world = World::start().await;
    let (one, two, three) = (world.login(7, "a").await, world.login(7, "b").await, world.login(7, "c").await);
    let ended = world.call(one.access.as_str(), "Logout", &json!({})).await;
    assert_eq!(ended.json(), json!({ "ended": 1 }));
    let status = async |one: &IssuedSession| world.status(one.access.as_str()).await;
    assert_eq!((status(&one).await, status(&two).await), (401, 200));
    assert_eq!(world.refresh(one.refresh.as_str()).await.reason(), "UNAUTHENTICATED");
    let everywhere = world.call(two.access.as_str(), "Logout", &json!({ "everywhere": true })).await;
    assert_eq!(everywhere.json(), json!({ "ended": 2 }));
    assert_eq!((status(&two).await, status(&three).await), (401, 401));
    let service = world.server.service(&[Scope::UserWrite]).await;
    assert_eq!(world.call(&service, "Logout", &json!({})).await.json(), json!({ "ended": 0 }));
    assert_eq!(world.status(&service).await, 403, "it has not ended, and may not read relations");
}
