//! Sessions of a cluster, whose calls and streams are of different processes.

use super::run::{Scratch, Server, guanxi, run, wait_for};
use guanxi_servers::Postgres;
use serde_json::{Value, json};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a stream may stay open after its session has ended elsewhere. Without a word of that it would be noticed when the token
/// is looked at the next time, which is later.
const ENDS_WITHIN: Duration = Duration::from_secs(6);

/// A stream of a user's home, which writes what it is told to a file.
struct Stream(Child);

impl Stream {
    fn open(server: &Server, token: &str, file: &str) -> Self {
        let url = format!("{}/guanxi.v1.FeedService/StreamHomeTimeline", server.api);
        let bearer = format!("authorization: Bearer {token}");
        let mut curl = Command::new("curl");
        curl.args(["-sSN", "-H", "accept: text/event-stream", "-H", &bearer, "-o", file, &url]);
        Self(curl.stdin(Stdio::null()).spawn().expect("curl is installed"))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_stream_of_one_process_ends_with_its_session_at_another() {
    let (scratch, dir) = (Scratch::new(), tempfile::tempdir().unwrap());
    let postgres = Postgres::start(dir.path(), &[("max_connections", "200")], false).unwrap();
    let file = scratch.file("cluster.toml", format!("databases = ['d1={}']\n", postgres.url("postgres")));
    assert!(guanxi().args(["--config", &file, "cluster", "init"]).status().unwrap().success());
    let serve = |name: &str| Server::start(&scratch.arg(name), &["--config", &file]);
    let (one, other) = (serve("one"), serve("other"));
    let admin = scratch.arg("one") + "/admin-token";
    let create = ["token", "create", "backend", "--service", "user.*", "--json", "--server", &one.admin];
    let made = run(&[&create[..], &["--token-file", &admin]].concat());
    assert_eq!(made.code, 0, "{made:?}");
    let service = made.json()["secret"].as_str().unwrap().to_owned();
    let call = |server: &Server, token: &str, method: &str, request: Value| {
        let answer = server.call_as(Some(token), method, &request);
        assert!(answer["code"].is_null(), "{method}: {answer}");
        answer
    };
    let account = json!({ "loginName": "ann", "password": "correct horse battery" });
    let uid = call(&one, &service, "UserService/Register", account.clone())["uid"].clone();
    let login = || call(&one, &service, "UserService/Login", account.clone());
    let token_of = |session: &Value| session["accessToken"].as_str().unwrap().to_owned();
    let (kept, ended) = (login(), login());
    let streams = [&kept, &ended].map(token_of);
    let said = |nth: usize| fs::read_to_string(scratch.path(&format!("stream{nth}"))).unwrap_or_default();
    let mut streams: Vec<Stream> = (0..)
        .zip(&streams)
        .map(|(nth, token)| Stream::open(&other, token, &scratch.arg(&format!("stream{nth}"))))
        .collect();
    wait_for(|| said(0).contains("token") && said(1).contains("token"));
    let began = Instant::now();
    call(&one, &token_of(&ended), "UserService/Logout", json!({}));
    wait_for(|| streams[1].0.try_wait().unwrap().is_some());
    let took = began.elapsed();
    assert!(took < ENDS_WITHIN, "{took:?}");
    assert!(said(1).contains("UNAUTHENTICATED"), "{}", said(1));
    assert!(streams[0].0.try_wait().unwrap().is_none(), "the other session of the user goes on: {}", said(0));
    call(&one, &service, "UserService/RevokeSession", json!({ "uid": uid, "everywhere": true }));
    wait_for(|| streams[0].0.try_wait().unwrap().is_some());
    one.stop();
    other.stop();
}
