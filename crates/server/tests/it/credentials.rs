//! A stream lives as long as the credential that opened it.

use std::sync::Arc;
use std::time::Duration;

use crate::http::post_as;
use guanxi_api::limits::CREDENTIAL_RECHECK;
use guanxi_model::limits::REFRESH_REPEAT_MS;
use guanxi_model::{Clock as _, ManualClock, Principal, Scope, Session, Uid};
use guanxi_ports::session_cache::SESSION_CACHE_TTL_MS;
use guanxi_ports::{CredentialWrites as _, SessionWrites};
use guanxi_proto::{Client, ConnectError, ErrorCode, Wire, v1};
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

/// Who is told of a revocation ends its stream long before it would look by itself.
const TOLD: Duration = CREDENTIAL_RECHECK.checked_div(2).unwrap();

const WIRES: [Wire; 3] = [Wire::Http1, Wire::Http2, Wire::Grpc];

async fn guarded(clock: Arc<ManualClock>) -> Server {
    Server::start(Setup { auth: true, clock, ..Setup::default() }).await
}

fn start() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(START_MS))
}

fn uid(raw: u64) -> Uid {
    Uid::new(raw).unwrap()
}

async fn write(server: &Server, token: &str, method: &str, body: Value) -> Value {
    post_as(server.main, token, &format!("/guanxi.v1.{method}"), &body.to_string()).await.json()
}

async fn follow(server: &Server, token: &str) {
    write(server, token, "RelationService/Follow", json!({ "subject": "1", "object": "2" })).await;
}

async fn user(server: &Server, name: &str, raw: u64) -> String {
    server.token(name, Principal::EndUser(uid(raw))).await
}

/// Reads until the stream ends, and returns why; what comes before is handed over.
macro_rules! end_of {
    ($stream:expr, $message:ty, $each:expr) => {
        loop {
            match $stream.message::<$message>().await {
                Ok(Some(message)) => $each(message.to_owned_message()),
                Ok(None) => panic!("it ended without a reason"),
                Err(error) => break error,
            }
        }
    };
}

async fn home(client: &Client, viewer: u64) -> impl Future<Output = (ConnectError, Vec<u64>)> + use<> {
    let request = v1::StreamHomeTimelineRequest { viewer, ..Default::default() };
    let mut stream = client.feed_streams().stream_home_timeline(request).await.unwrap();
    stream.message::<v1::HomeNews>().await.unwrap().unwrap();
    async move {
        let mut seen = Vec::new();
        let error = end_of!(stream, v1::HomeNews, |news: v1::HomeNews| seen.extend(news.post_ids));
        (error, seen)
    }
}

async fn watch(client: &Client) -> impl Future<Output = (ConnectError, usize)> + use<> {
    let mut stream = client.relation_streams().watch(v1::WatchRequest::default()).await.unwrap();
    stream.message::<v1::WatchResponse>().await.unwrap().unwrap();
    async move {
        let mut seen = 0;
        let error =
            end_of!(stream, v1::WatchResponse, |answer: v1::WatchResponse| seen += answer.events.len());
        (error, seen)
    }
}

fn ended_for_its_credential(error: &ConnectError) {
    assert_eq!(error.code, ErrorCode::Unauthenticated, "{error:?}");
    assert!(!error.details.is_empty(), "it has a reason: {error:?}");
}

#[tokio::test]
async fn a_home_stream_ends_with_its_session_and_says_nothing_after() {
    let server = guarded(start()).await;
    let writer = server.service(&[Scope::RelationWrite, Scope::PostWrite]).await;
    follow(&server, &writer).await;
    for (wire, all) in WIRES.into_iter().zip([false, true, false]) {
        let (name, second) = (format!("own-{wire:?}"), format!("other-{wire:?}"));
        let (own, other) = (user(&server, &name, 1).await, user(&server, &second, 1).await);
        let theirs = home(&server.client_as(wire, &own), 1).await;
        let mut stays = Box::pin(home(&server.client_as(wire, &other), 1).await);
        if all {
            assert_eq!(server.sessions.revoke_all(uid(1)).await, Ok(2));
        } else {
            assert_eq!(server.tokens.revoke(&name).await, Ok(true));
        }
        let post = json!({ "author": "2", "text": "a" });
        write(&server, &writer, "PostService/CreatePost", post).await;
        let (error, seen) = timeout(TOLD, theirs).await.expect("it ends");
        ended_for_its_credential(&error);
        assert!(seen.is_empty(), "{wire:?}: {seen:?}");
        if !all {
            let ended = timeout(Duration::from_millis(200), &mut stays).await;
            assert!(ended.is_err(), "a user's other session ends only with all");
            server.tokens.revoke(&second).await.unwrap();
        }
        ended_for_its_credential(&timeout(TOLD, stays).await.expect("it ends").0);
    }
    assert_eq!(server.load.calls_in_flight(), 0);
}

#[tokio::test]
async fn watch_ends_with_its_token() {
    let server = guarded(start()).await;
    let writer = server.service(&[Scope::RelationWrite]).await;
    for wire in WIRES {
        let token = server.service(&[Scope::Watch]).await;
        let watching = watch(&server.client_as(wire, &token)).await;
        assert_eq!(server.tokens.revoke(&token).await, Ok(true));
        follow(&server, &writer).await;
        let (error, seen) = timeout(TOLD, watching).await.expect("it ends");
        ended_for_its_credential(&error);
        assert_eq!(seen, 0, "{wire:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_expires_or_goes_elsewhere_ends_streams_too() {
    let clock = start();
    let server = guarded(clock.clone()).await;
    // Another process revokes: only asking again shows it.
    let token = user(&server, "own", 1).await;
    let stream = home(&server.client_as(Wire::Http1, &token), 1).await;
    let hash = guanxi_api::hash_token(&token);
    assert_eq!(SessionWrites::revoke(&*server.store, uid(1), hash).await, Ok(true));
    clock.advance(SESSION_CACHE_TTL_MS);
    let began = Instant::now();
    let (error, _) = stream.await;
    ended_for_its_credential(&error);
    assert!(began.elapsed() <= CREDENTIAL_RECHECK + TOLD, "{:?}", began.elapsed());
    // A session with an end.
    let secret = "gxs_02expires";
    let now_ms = clock.now_ms();
    let session = Session {
        expires_ms: Some(now_ms + 500),
        ..Session::lone(uid(2), guanxi_api::hash_token(secret), now_ms)
    };
    server.sessions.put(session).await.unwrap();
    let stream = home(&server.client_as(Wire::Http1, secret), 2).await;
    let began = Instant::now();
    clock.advance(500);
    let (error, _) = stream.await;
    ended_for_its_credential(&error);
    assert!(began.elapsed() <= Duration::from_secs(1), "{:?}", began.elapsed());
}

/// What a refresh replaces ends a little later, by itself; what is stolen or logged out of ends at once.
#[tokio::test]
async fn streams_of_a_login_end_with_their_secrets() {
    let clock = start();
    let server = guarded(clock.clone()).await;
    let first = server.logins.begin(uid(1), None).await.unwrap();
    let old = home(&server.client_as(Wire::Http1, first.access.as_str()), 1).await;
    let second = server.logins.refresh(first.refresh.as_str()).await.unwrap();
    let new = home(&server.client_as(Wire::Http1, second.access.as_str()), 1).await;
    clock.advance(REFRESH_REPEAT_MS);
    let began = Instant::now();
    let (error, _) = old.await;
    ended_for_its_credential(&error);
    assert!(began.elapsed() <= CREDENTIAL_RECHECK + TOLD, "{:?}", began.elapsed());
    assert!(server.logins.refresh(first.refresh.as_str()).await.is_err(), "it is in two hands");
    let (error, _) = timeout(TOLD, new).await.expect("it ends at once");
    ended_for_its_credential(&error);
    let third = server.logins.begin(uid(1), None).await.unwrap();
    let stream = home(&server.client_as(Wire::Http2, third.access.as_str()), 1).await;
    write(&server, third.access.as_str(), "UserService/Logout", json!({})).await;
    let (error, _) = timeout(TOLD, stream).await.expect("it ends at once");
    ended_for_its_credential(&error);
}
