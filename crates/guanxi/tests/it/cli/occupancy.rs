//! Who may occupy the server: clients without a token that hold open what they can.

use super::run::{Scratch, Server, pause, run};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Open files that the server may have, as on many machines.
const FILES: u32 = 1_024;
/// Idle connections: more than that.
const IDLE: usize = 1_500;
/// How long a connection and an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn connect_within(api: &str, patience: Duration) -> io::Result<TcpStream> {
    let address: SocketAddr = api.strip_prefix("http://").unwrap().parse().unwrap();
    let stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

pub(super) fn connect(api: &str) -> TcpStream {
    connect_within(api, PATIENCE).unwrap()
}

/// The test itself holds as many.
fn raise_own_limit() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
}

/// A connection that is kept for many calls.
pub(super) struct Kept(BufReader<TcpStream>);

impl Kept {
    pub(super) fn new(api: &str) -> Self {
        Self(BufReader::new(connect(api)))
    }

    pub(super) fn call(&mut self, method: &str, request: &Value) -> Value {
        self.try_call(method, request).unwrap()
    }

    /// The same; an error when the server is gone.
    pub(super) fn try_call(&mut self, method: &str, request: &Value) -> io::Result<Value> {
        let body = request.to_string();
        let head = format!(
            "POST /guanxi.v1.{method} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        );
        self.0.get_mut().write_all((head + &body).as_bytes())?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer)?;
        Ok(serde_json::from_slice(&answer)?)
    }
}

#[test]
fn idle_connections_take_no_descriptor_of_the_store() {
    raise_own_limit();
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    // Small memtables, so that the store opens files all the while.
    let small = ["--memtable-mib", "1", "--journal-mib", "1", "--free-space-reserve-mib", "1"];
    let mut server = Server::start_limited(FILES, &dir, &[&["--no-auth"], &small[..]].concat());
    assert!(server.log().contains("the limit of open files leaves room for"), "{}", server.log());
    let mut kept = Kept::new(&server.api);
    let follow = |n: u64| json!({ "subject": n.to_string(), "object": "1" });
    assert_eq!(kept.call("RelationService/Follow", &follow(2))["changed"], true);
    // Those beyond the bound wait in the backlog, and beyond that cannot even connect.
    let attempt = |_| connect_within(&server.api, Duration::from_secs(2)).ok();
    let idle: Vec<TcpStream> = (0..IDLE).map_while(attempt).collect();
    assert!(idle.len() > FILES as usize / 2, "{} connections", idle.len());
    for batch in 1..=40_u64 {
        let objects: Vec<String> = (1..=900).map(|n| (batch * 1_000 + n).to_string()).collect();
        let request = json!({ "subject": (batch + 10).to_string(), "objects": objects });
        let answer = kept.call("RelationService/BatchFollow", &request);
        let written = answer["outcomes"].as_array().map(Vec::len);
        assert_eq!(written, Some(900), "{}, {}", answer["code"], server.log());
    }
    // No client on the main listener takes the operator's connections.
    let admin = Kept::new(&server.admin).call("AdminService/Stats", &json!({}));
    assert!(admin["code"].is_null(), "{admin}");
    drop(idle);
    assert_eq!(server.call("Follow", &follow(3))["changed"], true);
    server.signal("TERM");
    assert!(server.wait().success(), "{}", server.log());
    let report = run(&["verify", "--data", &dir, "--json"]).json();
    assert_eq!(report["differences_total"], 0, "{report}");
}

/// The CPU time that a process has used, in clock ticks.
fn ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
fn connections_that_have_begun_and_wait_cost_nothing() {
    const BEGUN: usize = 600;
    raise_own_limit();
    let scratch = Scratch::new();
    let server = Server::start(&scratch.arg("data"), &["--no-auth", "--free-space-reserve-mib", "1"]);
    let begun: Vec<TcpStream> = (0..BEGUN)
        .map(|_| {
            let mut stream = connect(&server.api);
            // Neither HTTP/1 nor HTTP/2 yet.
            stream.write_all(b"P").unwrap();
            stream
        })
        .collect();
    pause(Duration::from_millis(500));
    let before = ticks(server.pid());
    pause(Duration::from_secs(2));
    // A hundred ticks a second: looking again every few milliseconds takes some forty of two hundred.
    let used = ticks(server.pid()) - before;
    assert!(used <= 10, "{BEGUN} connections that wait take {used} ticks in two seconds");
    drop(begun);
    server.stop();
}
