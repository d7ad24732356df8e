//! Calls in logs and traces: what names them, and that slow ones are told.

use crate::cli::run::{Scratch, Server, pause, run};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

const TRACE: [u8; 16] = *b"a trace of 16 by";
const PARENT: [u8; 8] = *b"a parent";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn traceparent() -> String {
    format!("00-{}-{}-01", hex(&TRACE), hex(&PARENT))
}

/// Posts a call whose body comes after a while; answers the head of the answer.
fn call(server: &Server, method: &str, headers: &str, body: &str, wait: Duration) -> String {
    let mut stream = TcpStream::connect(server.api.strip_prefix("http://").unwrap()).unwrap();
    let head = format!(
        "POST /guanxi.v1.{method} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n{headers}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    pause(wait);
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split("\r\n\r\n").next().unwrap().to_ascii_lowercase()
}

/// The events of a log with this message.
fn events(server: &Server, message: &str) -> Vec<Value> {
    let log = server.log();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("the log is JSON"));
    lines.filter(|event| event["message"] == message).collect()
}

#[test]
fn logs_name_the_request_and_its_trace_and_slow_calls_are_told() {
    let scratch = Scratch::new();
    let level = ["--log-level", "info,guanxi_rim=debug", "--log-format", "json", "--slow-call-ms", "150"];
    let server = Server::start(&scratch.arg("data"), &level);
    let admin = std::fs::read_to_string(scratch.path("data").join("admin-token")).unwrap();
    let token_file = scratch.file("token", &admin);
    let create =
        ["token", "create", "b", "--service", "read,write", "--server", &server.admin, "--token-file"];
    let secret = run(&[&create[..], &[&token_file]].concat()).stdout.trim().to_owned();

    let headers = |id: &str| {
        format!("authorization: Bearer {secret}\r\nx-request-id: {id}\r\ntraceparent: {}\r\n", traceparent())
    };
    let ask = "{\"uid\":\"1\"}";
    let quick = call(&server, "RelationService/GetCounts", &headers("quick"), ask, Duration::ZERO);
    assert!(quick.contains("x-request-id: quick"), "{quick}");
    call(&server, "RelationService/GetCounts", &headers("slow"), ask, Duration::from_millis(300));
    let refused = "x-request-id: refused\r\n";
    call(&server, "RelationService/GetCounts", refused, ask, Duration::ZERO);

    let told = events(&server, "a slow call");
    assert!(told.iter().all(|event| event["ms"].as_f64().is_some_and(|ms| ms >= 150.0)), "{told:?}");
    let slow = told.iter().find(|event| event["request_id"] == "slow").expect("it is told");
    assert_eq!(slow["trace_id"], hex(&TRACE));
    assert_eq!(slow["method"], "guanxi.v1.RelationService/GetCounts");
    assert_eq!((&slow["caller"], &slow["status"]), (&"service".into(), &200.into()));
    assert!(slow["ms"].as_f64().is_some_and(|ms| (250.0..20_000.0).contains(&ms)), "{slow}");
    let answered = events(&server, "answered");
    let ids: Vec<&str> = answered.iter().filter_map(|event| event["request_id"].as_str()).collect();
    assert!(["quick", "slow", "refused"].iter().all(|id| ids.contains(id)), "{ids:?}");
    let reasons = events(&server, "a call was refused");
    assert!(reasons.iter().any(|event| event["request_id"] == "refused"), "{reasons:?}");
    let log = server.log();
    assert!(
        secret.len() > 40 && !log.contains(&secret) && !log.contains(admin.trim()),
        "a secret is in the log"
    );
    server.stop();
}

/// What a collector was sent.
struct Sent {
    head: String,
    body: Vec<u8>,
}

/// A collector that takes every request.
fn collector() -> (String, mpsc::Receiver<Sent>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, sent) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut head, mut length) = (String::new(), 0);
            while !head.ends_with("\r\n\r\n") {
                let begin = head.len();
                if stream.read_line(&mut head).unwrap() == 0 {
                    break;
                }
                let line = head[begin..].to_ascii_lowercase();
                if let Some(value) = line.strip_prefix("content-length: ") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            stream
                .get_mut()
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                .unwrap();
            if sender.send(Sent { head, body }).is_err() {
                return;
            }
        }
    });
    (address, sent)
}

#[test]
fn spans_are_sent_to_a_collector_below_the_callers() {
    let (address, sent) = collector();
    let scratch = Scratch::new();
    let server = Server::start(
        &scratch.arg("data"),
        &["--no-auth", "--trace-endpoint", &address, "--trace-sample-percent", "0"],
    );
    let traced = format!("traceparent: {}\r\nx-request-id: traced-1\r\n", traceparent());
    let ask = "{\"uid\":\"1\"}";
    call(&server, "RelationService/GetCounts", &traced, ask, Duration::ZERO);
    call(&server, "RelationService/GetRelation", "x-request-id: untraced-1\r\n", ask, Duration::ZERO);
    server.stop();
    let sent = sent
        .recv_timeout(Duration::from_secs(20))
        .expect("spans are sent at the latest when the server ends");
    assert!(sent.head.starts_with("POST /v1/traces HTTP/1.1"), "{}", sent.head);
    assert!(sent.head.contains("application/x-protobuf"), "{}", sent.head);
    let holds = |bytes: &[u8]| sent.body.windows(bytes.len()).any(|window| window == bytes);
    assert!(holds(&TRACE) && holds(&PARENT), "it is below the caller's");
    for text in ["guanxi.v1.RelationService/GetCounts", "traced-1", "service.name"] {
        assert!(holds(text.as_bytes()), "{text}");
    }
    assert!(!holds(b"untraced-1"), "a trace that nobody keeps");
}
