//! Callers with tokens of another issuer: end users like any other.

use std::fs;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::http::{post_as, send};
use guanxi_api::{Jwt, JwtRules, JwtSources, SubjectUids};
use guanxi_certs::{AUDIENCE, ISSUER, Signer, jwks};
use guanxi_model::{Clock, ManualClock, Principal, Scope, Uid};
use guanxi_ports::EndedUsers;
use guanxi_proto::{ErrorCode, Wire, v1};
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::json;

/// The keys of the issuer of all tests here, each named after its algorithm.
static SIGNERS: LazyLock<[Signer; 4]> = LazyLock::new(Signer::all);

/// The key that it signs with, unless a test says otherwise.
fn signer() -> &'static Signer {
    &SIGNERS[1]
}

/// Verifies the tokens of [`SIGNERS`], which live for two hours at most.
pub(crate) fn verifier(clock: Arc<dyn Clock>, ended: Arc<dyn EndedUsers>) -> Arc<Jwt> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("jwks.json");
    fs::write(&path, jwks(&SIGNERS.each_ref().map(|signer| signer.jwk(signer.alg())))).unwrap();
    let rules = JwtRules {
        issuer: ISSUER.into(),
        audience: AUDIENCE.into(),
        subjects: Arc::new(SubjectUids),
        leeway: Duration::from_secs(30),
        life_max: Duration::from_hours(2),
    };
    let sources = JwtSources { files: vec![path], ..JwtSources::default() };
    Arc::new(Jwt::read(sources, rules, clock, ended).unwrap())
}

/// A right token of a user, for an hour.
pub(crate) fn token(uid: u64) -> String {
    token_from(uid, START_MS)
}

/// A token of a user that no issuer has signed.
pub(crate) fn unsigned(uid: u64) -> String {
    let signed = signer().sign(&json!({ "alg": "none" }), &guanxi_certs::claims(uid, START_MS));
    format!("{}.", signed.rsplit_once('.').unwrap().0)
}

/// A token of a user, for an hour from a time on.
pub(crate) fn token_from(uid: u64, now_ms: u64) -> String {
    signer().token(signer().alg(), uid, now_ms)
}

async fn start(clock: Arc<ManualClock>) -> Server {
    Server::start(Setup { auth: true, jwt: Some(verifier), clock, ..Setup::default() }).await
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(START_MS))
}

/// Signs a user out everywhere, as a service does.
async fn sign_out(server: &Server, raw: u64) {
    let service = server.service(&[Scope::UserWrite]).await;
    let everywhere = json!({ "uid": raw.to_string(), "everywhere": true }).to_string();
    let answer = post_as(server.main, &service, "/guanxi.v1.UserService/RevokeSession", &everywhere).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

const FOLLOW: &str = "/guanxi.v1.RelationService/Follow";
const HOME: &str = "/guanxi.v1.FeedService/StreamHomeTimeline";

#[tokio::test]
async fn a_user_with_a_jwt_acts_only_as_itself() {
    let server = start(clock()).await;
    for signer in &*SIGNERS {
        let token = signer.token(signer.alg(), 7, START_MS);
        let own = post_as(server.main, &token, FOLLOW, r#"{"subject":"7","object":"2"}"#).await;
        assert_eq!(own.status, 200, "{}", own.text());
    }
    let other = post_as(server.main, &token(7), FOLLOW, r#"{"subject":"8","object":"2"}"#).await;
    assert_eq!(other.reason(), "PERMISSION_DENIED");
    let user = server.user(9).await;
    let session = post_as(server.main, &user, FOLLOW, r#"{"subject":"9","object":"2"}"#).await;
    assert_eq!(session.status, 200, "sessions are as before");
    let service = server.service(&[Scope::RelationWrite]).await;
    assert_eq!(post_as(server.main, &service, FOLLOW, r#"{"subject":"8","object":"2"}"#).await.status, 200);
    let watch = "/guanxi.v1.RelationService/Watch";
    let bearer = format!("Bearer {}", token(7));
    let headers = [("content-type", "application/connect+json"), ("authorization", bearer.as_str())];
    let answer = send(server.main, "POST", watch, &headers, b"\0\0\0\0\x02{}").await;
    assert!(String::from_utf8_lossy(&answer.body).contains("permission_denied"));
}

#[tokio::test]
async fn a_refused_token_is_told_what_is_wrong_and_nothing_of_itself() {
    let server = start(clock()).await;
    let stranger = Signer::p256();
    let rsa_as_secret = Signer::secret(include_bytes!("../../../../tests-data/jwt/rsa.pem"));
    let long = format!("{}{}", token(7), "A".repeat(8_192));
    let cases = [
        (token_from(7, START_MS - 3_700_000), "expired"),
        (token_from(7, START_MS + 60_000), "not_yet_valid"),
        (signer().token("b", 7, START_MS), "key"),
        (stranger.token("ES256", 7, START_MS), "signature"),
        (rsa_as_secret.token("RS256", 7, START_MS), "algorithm"),
        (rsa_as_secret.token("", 7, START_MS), "signature"),
        (unsigned(7), "algorithm"),
        (long, "too_long"),
        ("a.b.c".into(), "malformed"),
    ];
    for (token, problem) in cases {
        let answer = post_as(server.main, &token, FOLLOW, r#"{"subject":"7","object":"2"}"#).await;
        let (code, info) = answer.error();
        assert_eq!((answer.status, code.as_str()), (401, "unauthenticated"));
        assert_eq!((info.reason.as_str(), info.metadata["problem"].as_str()), ("TOKEN_REFUSED", problem));
        assert_eq!(answer.headers["www-authenticate"], "Bearer error=\"invalid_token\"");
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.len() > 40 && message.starts_with("the token is refused: it"), "{message}");
        assert!(!token.split('.').any(|part| part.len() > 8 && answer.text().contains(part)));
        let client = server.client_as(Wire::Grpc, &token);
        let request = v1::FollowRequest { subject: 7, object: 2, ..Default::default() };
        let error = client.relation().follow(request).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::Unauthenticated, "{problem}");
    }
    let without = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let answer = post_as(without.main, &token(7), FOLLOW, r#"{"subject":"7","object":"2"}"#).await;
    assert_eq!(answer.reason(), "UNAUTHENTICATED", "where no issuer is set up");
}

#[tokio::test]
async fn the_operators_door_knows_no_jwt_and_a_query_holds_none() {
    let server = start(clock()).await;
    let stats = post_as(server.admin, &token(7), "/guanxi.v1.AdminService/Stats", "{}").await;
    assert_eq!((stats.status, stats.reason().as_str()), (401, "UNAUTHENTICATED"));
    let events = [("accept", "text/event-stream")];
    for key in ["token", "viewer", "access_token", "authorization"] {
        let path = format!("{HOME}?viewer=7&{key}={}", token(7));
        let answer = send(server.main, "GET", &path, &events, b"").await;
        assert_eq!((answer.status, answer.reason().as_str()), (400, "MALFORMED"), "{key}");
        assert!(answer.text().contains("log queries, so send no credential there"), "{}", answer.text());
    }
    let path = format!("{HOME}?viewer=7&ticket={}", token(7));
    assert_eq!(send(server.main, "GET", &path, &events, b"").await.reason(), "UNAUTHENTICATED");
}

#[tokio::test]
async fn a_user_who_is_ended_is_refused_and_others_are_not() {
    let server = start(clock()).await;
    let status = async |token: &str, raw: u64| {
        let body = json!({ "subject": raw.to_string(), "object": "2" }).to_string();
        post_as(server.main, token, FOLLOW, &body).await.status
    };
    assert_eq!(status(&token(7), 7).await, 200);
    sign_out(&server, 7).await;
    let refused = post_as(server.main, &token(7), FOLLOW, r#"{"subject":"7","object":"2"}"#).await;
    assert_eq!(refused.error().1.metadata["problem"], "ended");
    assert_eq!(status(&token(8), 8).await, 200);
    assert_eq!(status(&token_from(7, START_MS + 1_000), 7).await, 200, "a newer one");
}

#[tokio::test]
async fn whoever_signs_out_everywhere_has_no_token_of_before() {
    let clock = clock();
    let server = start(clock.clone()).await;
    let call = async |token: &str, method: &str, body: serde_json::Value| {
        let path = format!("/guanxi.v1.UserService/{method}");
        post_as(server.main, token, &path, &body.to_string()).await
    };
    let lists = async |token: &str| call(token, "ListSessions", json!({})).await.status;
    let of = |raw: u64| token_from(raw, clock.now_ms());
    // With a token, with a session, and by a service; of one that is given it ends nothing but that session.
    let (token, session) = (of(7), server.user(7).await);
    assert_eq!(call(&token, "Logout", json!({})).await.json(), json!({ "ended": 0 }));
    assert_eq!(lists(&token).await, 200, "a JWT does not end by itself");
    assert_eq!(call(&token, "Logout", json!({ "everywhere": true })).await.json(), json!({ "ended": 1 }));
    assert_eq!((lists(&token).await, lists(&session).await), (401, 401));
    clock.advance(1_000);
    let (token, session) = (of(7), server.logins.begin(Uid::new(7).unwrap(), None).await.unwrap());
    let session = session.access.as_str();
    let everywhere = json!({ "everywhere": true });
    assert_eq!(call(session, "RevokeSession", everywhere).await.json()["revoked"], json!(true));
    assert_eq!((lists(&token).await, lists(session).await), (401, 401));
    clock.advance(1_000);
    let (token, other) = (of(7), of(8));
    assert_eq!(lists(&token).await, 200, "it signs in again");
    let foreign = json!({ "uid": "7", "everywhere": true });
    assert_eq!(call(&other, "RevokeSession", foreign.clone()).await.reason(), "PERMISSION_DENIED");
    let service = server.service(&[Scope::UserWrite]).await;
    let told = call(&service, "RevokeSession", foreign).await.json();
    assert!(told["revoked"] == json!(false) && !told["token"].as_str().unwrap().is_empty(), "{told}");
    assert_eq!((lists(&token).await, lists(&other).await), (401, 200));
    // Who comes back after a deactivation needs a newer one, too.
    let token = of(8);
    assert_eq!(call(&service, "Deactivate", json!({ "uid": "8" })).await.status, 200);
    assert_eq!(call(&service, "Reactivate", json!({ "uid": "8" })).await.status, 200);
    assert_eq!(lists(&token).await, 401);
    clock.advance(1_000);
    assert_eq!(lists(&of(8)).await, 200);
    // A new password ends them, set by any caller.
    let account = json!({ "loginName": "alice", "password": "correct horse battery" });
    let uid = call(&service, "Register", account).await.json()["uid"].as_str().unwrap().parse().unwrap();
    let token = of(uid);
    let set = json!({ "uid": uid.to_string(), "newPassword": "battery horse correct" });
    assert_eq!(call(&service, "SetPassword", set).await.status, 200);
    assert_eq!(lists(&token).await, 401);
    clock.advance(1_000);
    let token = of(uid);
    let change = json!({ "oldPassword": "battery horse correct", "newPassword": "correct horse battery" });
    let session = call(&token, "ChangePassword", change).await;
    assert_eq!(session.status, 200, "{}", session.text());
    assert_eq!(lists(&token).await, 401);
    assert_eq!(lists(session.json()["accessToken"].as_str().unwrap()).await, 200, "the new session stands");
}

/// Opens a home with a token over HTTP/2 and reads its first answer; the rest is why it ended.
async fn home(server: &Server, token: &str, viewer: u64) -> impl Future<Output = ErrorCode> + use<> {
    let client = server.client_as(Wire::Http2, token);
    let request = v1::StreamHomeTimelineRequest { viewer, ..Default::default() };
    let mut stream = client.feed_streams().stream_home_timeline(request).await.unwrap();
    stream.message::<v1::HomeNews>().await.unwrap().unwrap();
    async move {
        loop {
            match stream.message::<v1::HomeNews>().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it ended without a reason"),
                Err(error) => break error.code,
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_with_its_token_and_with_its_user() {
    let clock = clock();
    let server = start(clock.clone()).await;
    let stream = home(&server, &token(7), 7).await;
    let mut longer = Box::pin(home(&server, &token_from(7, START_MS + 20_000), 7).await);
    clock.set(START_MS + 3_600_000 + 30_000);
    assert_eq!(stream.await, ErrorCode::Unauthenticated, "at `exp`, with leeway");
    assert!(tokio::time::timeout(Duration::from_secs(11), &mut longer).await.is_err(), "its token lives");
    sign_out(&server, 7).await;
    let ended = tokio::time::timeout(Duration::from_secs(2), longer).await.expect("at once");
    assert_eq!(ended, ErrorCode::Unauthenticated);
}

#[tokio::test]
async fn a_ticket_is_worth_no_more_than_its_token() {
    let clock = clock();
    let server = start(clock.clone()).await;
    let path = "/guanxi.v1.UserService/CreateStreamTicket";
    let ticket = async |token: &str, raw: u64| {
        let body = json!({ "uid": raw.to_string(), "stream": "HOME_TIMELINE" }).to_string();
        post_as(server.main, token, path, &body).await
    };
    assert_eq!(ticket(&token(7), 8).await.reason(), "PERMISSION_DENIED");
    let made = ticket(&token_from(7, START_MS - 3_000_000), 7).await.json();
    let opens = async |ticket: &str| {
        let path = format!("{HOME}?viewer=8&ticket={ticket}");
        send(server.main, "GET", &path, &[("accept", "text/event-stream")], b"").await
    };
    let text = made["ticket"].as_str().unwrap();
    // It is let in, as its user alone: the stream of another is refused by its handler.
    let denied = opens(text).await;
    assert!(denied.text().contains("PERMISSION_DENIED"), "{}", denied.text());
    sign_out(&server, 7).await;
    assert_eq!(opens(text).await.reason(), "UNAUTHENTICATED");
    let made = ticket(&token_from(6, START_MS - 3_000_000), 6).await.json();
    clock.set(START_MS + 600_000 + 30_000);
    assert_eq!(opens(made["ticket"].as_str().unwrap()).await.reason(), "UNAUTHENTICATED", "with its token");
    let admin = server.token("operator", Principal::Admin).await;
    assert_eq!(post_as(server.admin, &admin, "/guanxi.v1.AdminService/Stats", "{}").await.status, 200);
}
