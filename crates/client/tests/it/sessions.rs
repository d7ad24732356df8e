//! Logins that are kept alive.

use std::sync::Arc;

use guanxi_client::{ApiClient, ApiOptions, Surroundings, Wire, v1};
use guanxi_model::{Clock as _, ManualClock, Scope};
use guanxi_testkit::{START_MS, Server, Setup};

use crate::proxy::Proxy;
use crate::random;

const PASSWORD: &str = "correct horse battery";

/// A user who is logged in, over a proxy, with a clock that the test turns.
async fn logged_in(clock: &Arc<ManualClock>, of_client: &Arc<ManualClock>) -> (Server, Proxy, ApiClient) {
    let server = Server::start(Setup { auth: true, clock: clock.clone(), ..Setup::default() }).await;
    let proxy = Proxy::before(server.main).await;
    let mut options = ApiOptions::new(format!("http://{}", proxy.address));
    options.wire = Wire::Http1;
    let time = of_client.clone();
    let surroundings = Surroundings::new(move || time.now_ms(), random());
    let client = ApiClient::new(&options, surroundings).unwrap();
    let service = client.with_token(server.service(&[Scope::UserWrite]).await);
    let password = PASSWORD.to_owned();
    let account =
        v1::RegisterRequest { login_name: "alice".into(), password: password.clone(), ..Default::default() };
    service.call(account).await.unwrap();
    let login = v1::LoginRequest { login_name: "Alice".into(), password, ..Default::default() };
    let client = client.login(login).await.unwrap();
    (server, proxy, client)
}

fn own_sessions() -> v1::ListSessionsRequest {
    v1::ListSessionsRequest::default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_is_refreshed_before_it_ends_once_for_all_calls() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let (_server, proxy, client) = logged_in(&clock, &clock).await;
    client.call(own_sessions()).await.unwrap();
    let first = client.session().await.unwrap();
    assert_eq!(proxy.refreshes(), 0);
    clock.set(first.access_expires_ms - 1_000);
    let calls = (0..20).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { client.call(own_sessions()).await.map(|answer| answer.sessions.len()) })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap().unwrap(), 1);
    }
    assert_eq!(proxy.refreshes(), 1);
    let second = client.session().await.unwrap();
    assert!(second.access_expires_ms > first.access_expires_ms && second.refresh != first.refresh);
    assert!(!format!("{second:?} {client:?}").contains(&second.access));
    // A lost answer is asked for again.
    clock.set(second.access_expires_ms - 1_000);
    proxy.lose(1);
    assert_eq!(client.call(own_sessions()).await.unwrap().sessions.len(), 1);
    assert_eq!(proxy.refreshes(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ended_early_is_refreshed_and_a_session_that_ended_is_told() {
    let (clock, slow) = (Arc::new(ManualClock::new(START_MS)), Arc::new(ManualClock::new(START_MS)));
    let (_server, proxy, client) = logged_in(&clock, &slow).await;
    let tokens = client.session().await.unwrap();
    // The client's clock is behind.
    clock.set(tokens.access_expires_ms + 1_000);
    assert_eq!(client.call(own_sessions()).await.unwrap().sessions.len(), 1);
    assert_eq!(proxy.refreshes(), 1);
    client.call(v1::LogoutRequest::default()).await.unwrap();
    let error = client.call(own_sessions()).await.unwrap_err();
    assert_eq!(error.code.as_str(), "unauthenticated", "{error:?}");
    assert_eq!(proxy.refreshes(), 2, "it was tried once");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_kept_the_secrets_goes_on_with_them() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let (server, _proxy, client) = logged_in(&clock, &clock).await;
    let tokens = client.session().await.unwrap();
    let time = clock.clone();
    let surroundings = Surroundings::new(move || time.now_ms(), random());
    let fresh = ApiClient::new(&ApiOptions::new(format!("http://{}", server.main)), surroundings).unwrap();
    assert!(fresh.call(own_sessions()).await.is_err(), "it is nobody");
    let again = fresh.with_session(tokens.clone());
    assert_eq!(again.call(own_sessions()).await.unwrap().sessions.len(), 1);
    assert_eq!(again.session().await, Some(tokens));
}
