//! Who may occupy the server: what a client without a token can hold open, and what that takes from others.

use std::time::Duration;

use crate::PATIENCE;
use crate::http::{post, post_as};
use guanxi_api::LoadBounds;
use guanxi_api::limits::{BODY_TIMEOUT, OPEN_CALLS_MAX, OPEN_STREAMS_MAX};
use guanxi_model::Scope;
use guanxi_proto::{ConnectError, ErrorCode, Wire, v1};
use guanxi_testkit::{Server, Setup};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

/// Much less than a body may stand still.
const A_WHILE: Duration = BODY_TIMEOUT.checked_div(5).unwrap();

/// The deadline of calls that hold something.
const DEADLINE: Duration = Duration::from_secs(30);

async fn guarded() -> Server {
    Server::start(Setup { auth: true, ..Setup::default() }).await
}

/// Sends the head of a call, and as much of its body as given; the rest never comes.
async fn begin(server: &Server, path: &str, headers: &str, body: &[u8], length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(server.main).await.unwrap();
    let head = format!(
        "POST /{path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\nconnect-timeout-ms: {}\r\n\
         connect-protocol-version: 1\r\n{headers}\r\n",
        DEADLINE.as_millis()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    stream
}

/// The status of the answer.
async fn status(stream: &mut TcpStream) -> String {
    let mut answer = [0; 12];
    timeout(PATIENCE, stream.read_exact(&mut answer)).await.expect("it is answered").unwrap();
    String::from_utf8_lossy(&answer[9..]).into_owned()
}

const JSON: &str = "content-type: application/json\r\n";

#[tokio::test]
async fn a_body_of_nobody_is_not_waited_for() {
    let server = guarded().await;
    for token in ["", "authorization: Bearer gx_wrong\r\n"] {
        for path in ["guanxi.v1.RelationService/Follow", "guanxi.v1.FeedService/GetHomeTimeline"] {
            let headers = format!("{JSON}{token}");
            let mut stream = begin(&server, path, &headers, b"{", 100).await;
            assert_eq!(status(&mut stream).await, "401", "{path} {token}");
            assert_eq!(server.load.calls_in_flight(), 0);
        }
    }
    let reader = server.service(&[Scope::RelationRead]).await;
    let headers = format!("{JSON}authorization: Bearer {reader}\r\n");
    let mut stream = begin(&server, "guanxi.v1.RelationService/Follow", &headers, b"{", 100).await;
    assert_eq!(status(&mut stream).await, "403", "its scopes do not allow it");
}

#[tokio::test]
async fn a_body_that_does_not_come_gives_its_slot_back_before_the_deadline() {
    let server = guarded().await;
    let reader = server.service(&[Scope::RelationRead]).await;
    let headers = format!("{JSON}authorization: Bearer {reader}\r\n");
    let began = Instant::now();
    let path = "guanxi.v1.RelationService/GetCounts";
    let mut streams = [
        begin(&server, path, &headers, b"{", 100).await,
        begin(&server, "grpc.health.v1.Health/Check", JSON, b"{", 100).await,
    ];
    for stream in &mut streams {
        assert_ne!(status(stream).await, "200");
        assert!(began.elapsed() + A_WHILE > BODY_TIMEOUT, "it has its time");
        assert!(began.elapsed() < DEADLINE / 2, "{:?}", began.elapsed());
    }
    assert_eq!(server.load.calls_in_flight(), 0);
}

#[tokio::test]
async fn streams_of_nobody_take_no_slot_of_others() {
    let server = guarded().await;
    let streaming = "content-type: application/connect+json\r\n";
    let message = [&[0, 0, 0, 0, 2][..], b"{}"].concat();
    let mut held = Vec::new();
    for _ in 0..OPEN_STREAMS_MAX + 8 {
        let mut stream =
            begin(&server, "grpc.health.v1.Health/Watch", streaming, &message, message.len()).await;
        status(&mut stream).await;
        held.push(stream);
    }
    assert_eq!(server.load.calls_in_flight(), OPEN_STREAMS_MAX);
    let watcher = server.service(&[Scope::Watch, Scope::RelationRead]).await;
    let headers = format!("{streaming}authorization: Bearer {watcher}\r\n");
    let path = "guanxi.v1.RelationService/Watch";
    let mut stream = begin(&server, path, &headers, &message, message.len()).await;
    assert_eq!(status(&mut stream).await, "200");
    let counts =
        post_as(server.main, &watcher, "/guanxi.v1.RelationService/GetCounts", r#"{"uid":"1"}"#).await;
    assert_eq!(counts.status, 200);
    assert_eq!(server.load.calls_in_flight(), OPEN_STREAMS_MAX + 1);
    drop((held, stream));
    // Slots are given back.
    until_in_flight(&server, 0).await;
}

#[tokio::test]
async fn an_idle_connection_ends_although_it_answers_pings_and_a_stream_keeps_it() {
    let idle = Duration::from_millis(300);
    let server = Server::start(Setup { idle, ..Setup::default() }).await;
    let client = server.client(Wire::Grpc);
    let ask = || v1::GetCountsRequest { uid: 1, ..Default::default() };
    client.relation().get_counts(ask()).await.unwrap();
    assert_eq!(server.load.connections(), 1);
    let mut watched = client.relation_streams().watch(v1::WatchRequest::default()).await.unwrap();
    watched.message::<v1::WatchResponse>().await.unwrap().unwrap();
    tokio::time::sleep(4 * idle).await;
    assert!(server.load.connections() > 0, "a stream is a call in flight");
    let pair = json!({ "subject": "1", "object": "2" }).to_string();
    post(server.main, "RelationService/Follow", &pair).await;
    let told = watched.message::<v1::WatchResponse>().await.unwrap().unwrap().to_owned_message();
    assert_eq!(told.events.len(), 1);
    drop(watched);
    let began = Instant::now();
    while server.load.connections() > 0 {
        assert!(began.elapsed() < PATIENCE, "a connection stays");
        tokio::time::sleep(idle / 10).await;
    }
    client.relation().get_counts(ask()).await.unwrap();
}

#[tokio::test]
async fn nobody_can_hold_the_places_of_those_who_need_no_token() {
    let server = guarded().await;
    let mut held = Vec::new();
    for _ in 0..=OPEN_CALLS_MAX {
        held.push(begin(&server, "grpc.health.v1.Health/Check", JSON, b"{", 100).await);
    }
    until_in_flight(&server, OPEN_CALLS_MAX).await;
    let check = post_as(server.main, "", "/grpc.health.v1.Health/Check", "{}").await;
    assert_eq!(check.status, 200, "a newcomer is answered");
    assert_ne!(status(&mut held[0]).await, "200", "whoever is slowest leaves");
    // If a call had waited until the first one's time was up, that of the others would be up by now.
    let last = timeout(A_WHILE, status(held.last_mut().unwrap())).await;
    assert!(last.is_err(), "others stay: {last:?}");
}

/// A call of the bearer of a token that holds its slot until its body comes.
async fn hold_call(server: &Server, token: &str) -> TcpStream {
    let headers = format!("{JSON}authorization: Bearer {token}\r\n");
    begin(server, "guanxi.v1.RelationService/GetCounts", &headers, b"{", 100).await
}

async fn until_in_flight(server: &Server, calls: usize) {
    let began = Instant::now();
    while server.load.calls_in_flight() != calls {
        assert!(began.elapsed() < PATIENCE, "{} in flight, not {calls}", server.load.calls_in_flight());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_caller_has_only_so_many_calls_at_once_and_takes_nobody_elses() {
    let load = LoadBounds { calls_per_user: 2, calls_per_service: 3, ..LoadBounds::default() };
    let server = Server::start(Setup { auth: true, load, ..Setup::default() }).await;
    let service = server.service(&[Scope::RelationRead]).await;
    let (user, other) = (server.user(1).await, server.user(2).await);
    let ask = async |token: &str| {
        post_as(server.main, token, "/guanxi.v1.RelationService/GetCounts", r#"{"uid":"1"}"#).await
    };
    for (token, limit) in [(&user, 2), (&service, 3)] {
        let mut held = Vec::new();
        for n in 1..=limit {
            held.push(hold_call(&server, token).await);
            until_in_flight(&server, n).await;
        }
        let refused = ask(token).await;
        let (code, info) = refused.error();
        assert_eq!((refused.status, code.as_str()), (429, "resource_exhausted"));
        assert_eq!(
            (info.reason.as_str(), info.metadata["limit"].as_str()),
            ("TOO_MANY_CALLS", &*limit.to_string())
        );
        assert_eq!(ask(&other).await.status, 200, "nobody else is refused");
        drop(held);
        until_in_flight(&server, 0).await;
        assert_eq!(ask(token).await.status, 200);
    }
}

#[tokio::test]
async fn a_caller_has_only_so_many_streams_at_once_and_all_have_their_bound() {
    let load =
        LoadBounds { streams: 4, streams_per_user: 2, streams_per_service: 3, ..LoadBounds::default() };
    let server = Server::start(Setup { auth: true, load, ..Setup::default() }).await;
    let service = server.service(&[Scope::FeedRead]).await;
    let open = async |token: &str, viewer| {
        let client = server.client_as(Wire::Http1, token);
        let request = v1::StreamHomeTimelineRequest { viewer, ..Default::default() };
        let mut stream = client.feed_streams().stream_home_timeline(request).await?;
        stream.message::<v1::HomeNews>().await?;
        Ok::<_, ConnectError>(stream)
    };
    let refused = |error: ConnectError, limit: &str| {
        let text = error.message.unwrap();
        assert_eq!(error.code, ErrorCode::ResourceExhausted);
        assert!(text.starts_with(&format!("{limit} streams are open")), "{text}");
    };
    let user = server.user(1).await;
    let users = [open(&user, 1).await.unwrap(), open(&user, 1).await.unwrap()];
    refused(open(&user, 1).await.err().unwrap(), "2");
    let _services = [open(&service, 7).await.unwrap(), open(&service, 8).await.unwrap()];
    refused(open(&service, 9).await.err().unwrap(), "4");
    drop(users);
    until_in_flight(&server, 2).await;
    let _third = open(&service, 9).await.unwrap();
    refused(open(&service, 10).await.err().unwrap(), "3");
    open(&user, 1).await.unwrap();
}
