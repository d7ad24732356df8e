//! Streams as server-sent events: what browsers and `curl -N` see, and that the way is that of all calls.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crate::http::{Answer, post_as, send};
use guanxi_api::LoadBounds;
use guanxi_api::limits::STREAM_TICKET_LIFE;
use guanxi_model::{ManualClock, Scope};
use guanxi_ports::CredentialWrites as _;
use guanxi_testkit::{START_MS, Server, Setup};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

const HOME: &str = "/guanxi.v1.FeedService/StreamHomeTimeline";
const WATCH: &str = "/guanxi.v1.RelationService/Watch";
const EVENTS: (&str, &str) = ("accept", "text/event-stream");

/// One event, as a browser takes it apart.
#[derive(Debug, Default)]
struct Told {
    id: String,
    name: String,
    data: String,
}

impl Told {
    fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

/// An open stream of events.
struct Listener {
    lines: BufReader<TcpStream>,
    head: String,
}

impl Listener {
    async fn open(server: &Server, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut stream = TcpStream::connect(server.main).await.unwrap();
        let mut head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n");
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        stream.write_all((head + "\r\n").as_bytes()).await.unwrap();
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(lines.read_line(&mut head).await.unwrap(), 0, "{head}");
        }
        Self { lines, head }
    }

    /// The next event; `None` when the answer ended.
    async fn next(&mut self) -> Option<Told> {
        timeout(crate::PATIENCE, self.read()).await.expect("an event comes")
    }

    async fn read(&mut self) -> Option<Told> {
        let mut told = Told::default();
        loop {
            // Chunks are made of whole events here, so that their sizes are lines between events.
            let mut line = String::new();
            if self.lines.read_line(&mut line).await.unwrap() == 0 || line == "0\r\n" {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", id)) => id.clone_into(&mut told.id),
                Some(("event", name)) => name.clone_into(&mut told.name),
                Some(("data", data)) => data.clone_into(&mut told.data),
                _ if line == "\n" && !told.name.is_empty() => return Some(told),
                _ => {}
            }
        }
    }
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

async fn write(server: &Server, token: &str, method: &str, body: Value) -> Value {
    post_as(server.main, token, &format!("/guanxi.v1.{method}"), &body.to_string()).await.json()
}

async fn posted(server: &Server, token: &str, author: &str) -> String {
    let post =
        write(server, token, "PostService/CreatePost", json!({ "author": author, "text": "一" })).await;
    post["postId"].as_str().unwrap().to_owned()
}

async fn guarded() -> (Server, String) {
    let server = Server::start(Setup { auth: true, ..Setup::default() }).await;
    let writer =
        server.service(&[Scope::RelationWrite, Scope::PostWrite, Scope::FeedRead, Scope::Watch]).await;
    write(&server, &writer, "RelationService/Follow", json!({ "subject": "1", "object": "2" })).await;
    (server, writer)
}

#[tokio::test]
async fn a_home_is_told_as_events_that_are_resumed_by_their_ids() {
    let (server, writer) = guarded().await;
    let token = bearer(&server.user(1).await);
    let auth = ("authorization", token.as_str());
    let mut home = Listener::open(&server, &format!("{HOME}?viewer=1"), &[auth]).await;
    assert!(home.head.starts_with("HTTP/1.1 200"), "{}", home.head);
    assert!(home.head.contains("content-type: text/event-stream\r\n"), "{}", home.head);
    assert!(home.head.contains("cache-control: private, no-store\r\n"), "{}", home.head);
    let greeting = home.next().await.unwrap();
    assert_eq!(
        (greeting.name.as_str(), greeting.json()["token"].as_str().unwrap()),
        ("heartbeat", &*greeting.id)
    );
    assert_eq!(server.load.calls_in_flight(), 1, "it has the slot of a stream");
    let first = posted(&server, &writer, "2").await;
    let told = home.next().await.unwrap();
    assert_eq!((told.name.as_str(), &told.json()["postIds"]), ("news", &json!([first])));
    drop(home);
    let second = posted(&server, &writer, "2").await;
    let path = format!("{HOME}?viewer=1&token={}", greeting.id);
    let mut behind = Listener::open(&server, &path, &[auth]).await;
    assert_eq!(behind.next().await.unwrap().json()["postIds"], json!([second, first]));
    let mut resumed = Listener::open(&server, &path, &[auth, ("last-event-id", &told.id)]).await;
    assert_eq!(resumed.next().await.unwrap().json()["postIds"], json!([second]), "the last id wins");
    write(&server, &writer, "RelationService/Block", json!({ "subject": "2", "object": "1" })).await;
    let reset = resumed.next().await.unwrap();
    assert_eq!((reset.name.as_str(), &reset.json()["reset"]), ("reset", &json!(true)));
    server.load.close();
    let end = resumed.next().await.unwrap();
    assert_eq!((end.name.as_str(), end.json()["code"].as_str()), ("error", Some("unavailable")));
    assert!(end.id.is_empty(), "an error is no place to come back to");
    assert!(resumed.next().await.is_none(), "and the last word");
}

#[tokio::test]
async fn changes_are_told_as_events_for_several_users() {
    let (server, writer) = guarded().await;
    let token = bearer(&writer);
    let path = format!("{WATCH}?uids=1&uids=3");
    let mut watch = Listener::open(&server, &path, &[("authorization", &token)]).await;
    assert_eq!(watch.next().await.unwrap().name, "heartbeat");
    for (subject, object) in [("4", "5"), ("3", "4")] {
        let pair = json!({ "subject": subject, "object": object });
        write(&server, &writer, "RelationService/Follow", pair).await;
    }
    let told = watch.next().await.unwrap();
    let events = told.json();
    assert_eq!((told.name.as_str(), events["events"].as_array().map(Vec::len)), ("news", Some(1)));
    assert_eq!(events["events"][0]["subject"], "3");
}

async fn get(server: &Server, path: &str, headers: &[(&str, &str)]) -> Answer {
    let headers = [&[EVENTS][..], headers].concat();
    send(server.main, "GET", path, &headers, b"").await
}

#[tokio::test]
async fn whoever_may_not_listen_is_told_why_before_the_first_event() {
    let (server, service) = guarded().await;
    let (token, service) = (bearer(&server.user(1).await), bearer(&service));
    let (auth, of_service) = (("authorization", token.as_str()), ("authorization", service.as_str()));
    let refused = async |path: &str, headers: &[(&str, &str)]| {
        let answer = get(&server, path, headers).await;
        (answer.status, answer.reason(), answer.text().to_owned())
    };
    let cases = [
        (format!("{HOME}?viewer=1"), None, 401, "UNAUTHENTICATED", ""),
        (format!("{HOME}?viewer=2"), Some(auth), 403, "PERMISSION_DENIED", ""),
        (WATCH.to_owned(), Some(auth), 403, "PERMISSION_DENIED", ""),
        (HOME.to_owned(), Some(of_service), 400, "MISSING_FIELD", "viewer"),
        (
            format!("{HOME}?viewer=1&since=4"),
            Some(auth),
            400,
            "MALFORMED",
            "`viewer`, `token`, `ids`, `ticket`",
        ),
        (format!("{HOME}?viewer=1&viewer=1"), Some(auth), 400, "MALFORMED", "twice"),
        (format!("{HOME}?viewer=1&access_token=gx_secret"), None, 400, "MALFORMED", "no credential"),
        (format!("{HOME}?viewer=1&token=nonsense"), Some(auth), 400, "INVALID_TOKEN", ""),
        (
            "/guanxi.v1.RelationService/GetCounts?uid=1".to_owned(),
            Some(auth),
            406,
            "UNSUPPORTED_MEDIA_TYPE",
            "",
        ),
    ];
    for (path, auth, status, reason, says) in cases {
        let (found, why, text) = refused(&path, auth.as_slice()).await;
        assert_eq!((found, why.as_str()), (status, reason), "{path}: {text}");
        assert!(text.contains(says), "{path}: {text}");
    }
    assert_eq!(server.load.calls_in_flight(), 0);
}

#[tokio::test]
async fn a_stream_asked_for_as_a_call_says_how_to_listen() {
    let (server, writer) = guarded().await;
    for path in [HOME, WATCH] {
        let called = post_as(server.main, &writer, path, "{}").await;
        assert_eq!((called.status, called.reason().as_str()), (415, "UNSUPPORTED_MEDIA_TYPE"), "{path}");
        assert!(called.text().contains("curl -N -H 'accept: text/event-stream'"), "{}", called.text());
        let read = send(server.main, "GET", path, &[("accept", "*/*")], b"").await;
        assert_eq!(read.status, 415);
        assert!(read.text().contains(&format!("http://HOST{path}")), "{}", read.text());
    }
}

async fn ticket(server: &Server, token: &str, uid: &str) -> Answer {
    let body = json!({ "uid": uid, "stream": "HOME_TIMELINE" }).to_string();
    post_as(server.main, token, "/guanxi.v1.UserService/CreateStreamTicket", &body).await
}

#[tokio::test]
async fn a_ticket_opens_one_stream_of_one_user_and_ends_with_its_maker() {
    let (server, writer) = guarded().await;
    let user = server.user(1).await;
    assert_eq!(ticket(&server, &user, "2").await.reason(), "PERMISSION_DENIED");
    let watcher = server.service(&[Scope::Watch]).await;
    assert_eq!(ticket(&server, &watcher, "1").await.reason(), "PERMISSION_DENIED");
    let service = server.service(&[Scope::FeedRead]).await;
    for (maker, name) in [(&user, "user-1"), (&service, service.as_str())] {
        let made = ticket(&server, maker, "1").await.json();
        let secret = made["ticket"].as_str().unwrap();
        let open = format!("{HOME}?viewer=1&ticket={secret}");
        let mut home = Listener::open(&server, &open, &[]).await;
        assert_eq!(home.next().await.unwrap().name, "heartbeat");
        let post = posted(&server, &writer, "2").await;
        assert_eq!(home.next().await.unwrap().json()["postIds"], json!([post]));
        let other = get(&server, &format!("{HOME}?viewer=2&ticket={secret}"), &[]).await;
        assert_eq!((other.status, other.reason().as_str()), (403, "PERMISSION_DENIED"), "it is one user's");
        let watch = get(&server, &format!("{WATCH}?ticket={secret}"), &[]).await;
        assert_eq!((watch.status, watch.reason().as_str()), (400, "MALFORMED"), "and one stream's");
        let call = format!("/guanxi.v1.FeedService/GetHomeTimeline?ticket={secret}");
        assert_ne!(get(&server, &call, &[]).await.status, 200);
        assert_eq!(post_as(server.main, secret, HOME, "{}").await.status, 415);
        let token = bearer(secret);
        let as_token = get(&server, &format!("{HOME}?viewer=1"), &[("authorization", &token)]).await;
        assert_eq!(as_token.status, 401, "a ticket is no token");
        server.tokens.revoke(name).await.unwrap();
        let end = home.next().await.unwrap();
        assert_eq!((end.name.as_str(), end.json()["code"].as_str()), ("error", Some("unauthenticated")));
        let again = get(&server, &open, &[]).await;
        assert_eq!((again.status, again.reason().as_str()), (401, "UNAUTHENTICATED"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_ticket_ends_after_an_hour_and_its_streams_with_it() {
    let clock = Arc::new(ManualClock::new(START_MS));
    let server = Server::start(Setup { auth: true, clock: clock.clone(), ..Setup::default() }).await;
    let user = server.user(1).await;
    let made = ticket(&server, &user, "1").await.json();
    let open = format!("{HOME}?viewer=1&ticket={}", made["ticket"].as_str().unwrap());
    let mut home = Listener::open(&server, &open, &[]).await;
    assert_eq!(home.next().await.unwrap().name, "heartbeat");
    clock.advance(STREAM_TICKET_LIFE.as_millis() as u64);
    let end = loop {
        let told = home.next().await.unwrap();
        if told.name != "heartbeat" {
            break told;
        }
    };
    assert_eq!((end.name.as_str(), end.json()["code"].as_str()), ("error", Some("unauthenticated")));
    assert_eq!(get(&server, &open, &[]).await.status, 401);
}

#[tokio::test]
async fn events_take_the_slots_of_streams() {
    let load = LoadBounds { streams_per_user: 1, ..LoadBounds::default() };
    let server = Server::start(Setup { auth: true, load, ..Setup::default() }).await;
    let token = bearer(&server.user(1).await);
    let path = format!("{HOME}?viewer=1");
    let mut home = Listener::open(&server, &path, &[("authorization", &token)]).await;
    home.next().await.unwrap();
    let refused = get(&server, &path, &[("authorization", &token)]).await;
    assert_eq!((refused.status, refused.reason().as_str()), (429, "TOO_MANY_STREAMS"));
    let mut rest = Vec::new();
    drop(timeout(Duration::from_millis(1), home.lines.read_to_end(&mut rest)).await);
}

#[tokio::test]
async fn an_end_user_need_not_name_itself_to_listen_to_its_home() {
    let server = Server::start(Setup { auth: true, jwt: Some(crate::jwt::verifier), ..Setup::default() });
    let server = server.await;
    let writer = server.service(&[Scope::RelationWrite, Scope::PostWrite, Scope::FeedRead]).await;
    write(&server, &writer, "RelationService/Follow", json!({ "subject": "1", "object": "2" })).await;
    let (token, stream) = (crate::jwt::token(1), json!({ "stream": 1 }));
    let ticket = write(&server, &token, "UserService/CreateStreamTicket", stream).await["ticket"]
        .as_str()
        .unwrap()
        .to_owned();
    let (session, jwt) = (bearer(&server.user(1).await), bearer(&crate::jwt::token(1)));
    for (path, token) in [
        (HOME.to_owned(), Some(&session)),
        (HOME.to_owned(), Some(&jwt)),
        (format!("{HOME}?viewer=0"), Some(&jwt)),
        (format!("{HOME}?ticket={ticket}"), None),
    ] {
        let headers: Vec<_> = token.iter().map(|token| ("authorization", token.as_str())).collect();
        let mut home = Listener::open(&server, &path, &headers).await;
        assert_eq!(home.next().await.unwrap().name, "heartbeat", "{path}");
        let post = posted(&server, &writer, "2").await;
        assert_eq!(home.next().await.unwrap().json()["postIds"], json!([post]), "{path}");
    }
    let service = bearer(&writer);
    let answer = send(server.main, "GET", HOME, &[EVENTS, ("authorization", &service)], b"").await;
    assert!(answer.text().contains("MISSING_FIELD"), "{}", answer.text());
}
