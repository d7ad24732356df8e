//! Strings that are nearly right, over real sockets: HTTP/1.1, HTTP/2 with gRPC, JSON, tokens and ids. Each is answered
//! or its connection closed within a bound, nothing panics, and memory stays.

use super::run::{Scratch, Server, pause, run};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use guanxi_fuzz::InputDice;
use serde_json::json;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Strings of the test; `cargo xtask malformed` sends more.
const COUNT: u64 = 20_000;

/// How long an answer or the end of a connection may take; the server's own bounds are shorter.
const BOUND: Duration = Duration::from_secs(40);

/// Connections at once.
const THREADS: u64 = 4;

/// What the process may grow after a tenth of the strings: the memory that it sets aside for calls and follows.
const GROWN_MAX: u64 = 96 << 20;

/// Calls of one connection of HTTP/2.
const STREAMS: u32 = 16;

const METHODS: [&str; 9] = [
    "RelationService/GetCounts",
    "RelationService/Follow",
    "RelationService/BatchCheckPairs",
    "RelationService/ListFollowers",
    "PostService/BatchGetPosts",
    "FeedService/GetHomeTimeline",
    "UserService/GetUser",
    "UserService/Login",
    "UserService/RefreshSession",
];

const BODIES: [&str; 5] = [
    r#"{"uid":"1"}"#,
    r#"{"subject":"1","object":"2","requestId":"a"}"#,
    r#"{"pairs":[{"subject":"1","object":"2"},{"subject":3,"object":4}]}"#,
    r#"{"uid":"1","viewer":"1","pageSize":20,"pageToken":"AQIDBA","token":"AQEAAAAAAAAABwAAAAAAAAAAAQ"}"#,
    r#"{"loginName":"alice","password":"correct horse battery","refreshToken":"gxr_2aAAAA","postIds":["100"]}"#,
];

/// What the strings are made of.
struct Source {
    dice: InputDice,
    tokens: Vec<String>,
}

impl Source {
    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.dice.roll(of.len())]
    }

    fn changed(&mut self, text: &str, other: &str) -> Vec<u8> {
        self.dice.changed(text.as_bytes(), other.as_bytes(), 4_096)
    }

    fn token(&mut self) -> Vec<u8> {
        let [one, other] = [0, 1].map(|_| self.dice.roll(self.tokens.len()));
        let (one, other) = (self.tokens[one].clone(), self.tokens[other].clone());
        let mut token = if self.dice.roll(3) == 0 { one.into_bytes() } else { self.changed(&one, &other) };
        // What would end the header is another string: those are made of whole requests.
        token.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
        token
    }

    /// A request that HTTP has nothing against: what is wrong is in its body or its credentials.
    fn request(&mut self) -> Vec<u8> {
        let (method, body, other) = (self.one(&METHODS), self.one(&BODIES), self.one(&BODIES));
        let body = self.changed(body, other);
        let kind = self.one(&[
            "application/json",
            "application/proto",
            "application/connect+json",
            "application/grpc-web+proto",
        ]);
        let token = self.token();
        let head = format!(
            "POST /guanxi.v1.{method} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nauthorization: Bearer ",
            body.len()
        );
        [head.as_bytes(), &token, b"\r\n\r\n", &body].concat()
    }

    /// Bytes that may be no HTTP at all.
    fn bytes(&mut self) -> Vec<u8> {
        let (one, other) = (self.request(), self.request());
        let events = b"GET /guanxi.v1.FeedService/StreamHomeTimeline?viewer=1&ticket=gxt_AAAA HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
        let one = if self.dice.roll(4) == 0 { events.to_vec() } else { one };
        self.dice.changed(&one, &other, 8_192)
    }

    /// A call over gRPC with bytes for a message, and which length it says.
    fn grpc(&mut self, stream: u32) -> Vec<u8> {
        let path = format!("/guanxi.v1.{}", self.one(&METHODS));
        let token = self.token();
        let message =
            self.dice.changed(b"\x09\x01\0\0\0\0\0\0\0\x11\x02\0\0\0\0\0\0\0\x1a\x03abc", &token, 512);
        let length = if self.dice.roll(4) == 0 { self.dice.roll(1 << 20) } else { message.len() };
        let data = [&[self.dice.roll(8) as u8 / 6][..], &(length as u32).to_be_bytes(), &message].concat();
        let bearer = [b"Bearer ", token.as_slice()].concat();
        let mut block = vec![0x83, 0x86];
        for (name, value) in [
            (&b":path"[..], path.as_bytes()),
            (b":authority", b"x"),
            (b"content-type", b"application/grpc"),
            (b"te", b"trailers"),
            (b"authorization", &bearer[..bearer.len().min(120)]),
        ] {
            block.push(0);
            for text in [name, value] {
                block.push(text.len().min(126) as u8);
                block.extend(&text[..text.len().min(126)]);
            }
        }
        [frame(1, 4, stream, &block), frame(0, 1, stream, &data)].concat()
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32).to_be_bytes()[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A connection of HTTP/1.1 that is kept while the server keeps it.
struct Connection {
    to: SocketAddr,
    kept: Option<TcpStream>,
}

fn connect(to: SocketAddr) -> TcpStream {
    loop {
        match TcpStream::connect(to) {
            Ok(stream) => {
                stream.set_read_timeout(Some(BOUND)).unwrap();
                stream.set_write_timeout(Some(BOUND)).unwrap();
                stream.set_nodelay(true).unwrap();
                return stream;
            }
            // Ports of connections that were just closed are not free yet.
            Err(error) if error.kind() == ErrorKind::AddrNotAvailable => pause(Duration::from_millis(50)),
            Err(error) => panic!("{to}: {error}"),
        }
    }
}

/// Whether an error of a connection says that the other side did nothing for too long.
fn is_hang(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

impl Connection {
    /// Sends a request and reads its answer, or the end.
    fn ask(&mut self, request: &[u8]) {
        let mut stream = self.kept.take().unwrap_or_else(|| connect(self.to));
        // The server may have closed it before.
        if stream.write_all(request).is_err() {
            return;
        }
        let mut answer = Vec::new();
        let mut buffer = [0; 4_096];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return,
                Ok(read) => answer.extend(&buffer[..read]),
                Err(error) => {
                    assert!(!is_hang(&error), "no answer in {BOUND:?} to {}", request.escape_ascii());
                    return;
                }
            }
            if is_complete(&answer) {
                self.kept = Some(stream);
                return;
            }
        }
    }
}

/// Whether an answer has come whole.
fn is_complete(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    assert!(head.starts_with("http/1.1 "), "{head}");
    let body = &answer[end + 4..];
    match head.lines().find_map(|line| line.strip_prefix("content-length: ")) {
        Some(length) => body.len() >= length.parse::<usize>().unwrap(),
        None => body.ends_with(b"0\r\n\r\n"),
    }
}

/// Sends bytes, and reads until an answer is enough or the server closes. With `no_more` it is told that no more comes.
fn send_all(to: SocketAddr, bytes: &[u8], no_more: bool, is_enough: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut stream = connect(to);
    let _ = stream.write_all(bytes);
    if no_more {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let (mut said, mut buffer) = (Vec::new(), [0; 4_096]);
    while !is_enough(&said) {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => said.extend(&buffer[..read]),
            Err(error) => {
                assert!(!is_hang(&error), "not answered in {BOUND:?}: {}", bytes.escape_ascii());
                break;
            }
        }
    }
    said
}

/// Whether so many streams have ended, by a last frame or a reset, or the whole connection is given up.
fn have_ended(said: &[u8], streams: u32) -> bool {
    let (mut at, mut ended) = (0, 0);
    while let Some(head) = said.get(at..at + 9) {
        ended += u32::from((head[3] <= 1 && head[4] & 1 == 1) || head[3] == 3);
        if head[3] == 7 {
            return true;
        }
        at += 9 + u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
    }
    ended >= streams && at <= said.len()
}

/// Sends calls over one connection of HTTP/2, the last frames of which may be no frames. Returns how many.
fn send_frames(to: SocketAddr, source: &mut Source) -> u64 {
    let mut calls = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    calls.extend(frame(4, 0, 0, &[]));
    for call in 0..STREAMS {
        calls.extend(source.grpc(2 * call + 1));
    }
    let broken = source.dice.roll(2) == 0;
    if broken {
        let kind = source.dice.roll(12) as u8;
        let odd = frame(kind, source.dice.roll(64) as u8, source.dice.roll(64) as u32, &[1, 2, 3, 4, 5, 6]);
        let other = source.grpc(2 * STREAMS + 1);
        calls.extend(source.dice.changed(&odd, &other, 256));
    }
    // What is broken may end nothing but the connection.
    let said = send_all(to, &calls, broken, |said| !broken && have_ended(said, STREAMS));
    assert!(broken || have_ended(&said, STREAMS), "not all calls were answered: {}", calls.escape_ascii());
    u64::from(STREAMS) + u64::from(broken)
}

/// Memory of a process that is in use, in bytes.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    kib.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// Tokens that others are made of: one that is right, and the forms of all the others.
fn tokens(right: &str) -> Vec<String> {
    let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = json!({ "iss": "https://issuer.example", "aud": "guanxi", "sub": "7", "iat": 1, "exp": 4_000_000_000_u64 });
    let jwt = |alg: &str| {
        format!("{}.{}.{}", part(json!({ "alg": alg, "typ": "JWT" })), part(claims.clone()), "A".repeat(43))
    };
    let secret = |prefix: &str| format!("{prefix}_2a{}", "Ab1_-".repeat(13));
    [
        right.to_owned(),
        right.to_owned(),
        jwt("HS256"),
        jwt("none"),
        jwt("ES256"),
        secret("gxs"),
        secret("gxr"),
        secret("gxt"),
    ]
    .into()
}

fn send_some(to: SocketAddr, count: u64, seed: u64, tokens: &[String], sent: &AtomicU64) {
    let mut source = Source { dice: InputDice::new(seed), tokens: tokens.to_vec() };
    let mut connection = Connection { to, kept: None };
    let mut done = 0;
    while done < count {
        let strings = match source.dice.roll(16) {
            0 => {
                let bytes = source.bytes();
                send_all(to, &bytes, true, |_| false);
                1
            }
            1 => send_frames(to, &mut source),
            _ => {
                let request = source.request();
                connection.ask(&request);
                1
            }
        };
        done += strings;
        sent.fetch_add(strings, Ordering::Relaxed);
    }
}

#[test]
fn malformed_strings_are_answered_or_closed_and_change_nothing_of_the_server() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let count = number("GUANXI_MALFORMED_COUNT").unwrap_or(COUNT);
    let seed = number("GUANXI_MALFORMED_SEED").unwrap_or(1);
    let scratch = Scratch::new();
    let dir = scratch.arg("data");
    let secret = scratch.file("jwt.secret", "a-secret-that-nobody-will-ever-guess");
    let settings = [
        ["--jwt-secret-file", &secret],
        ["--jwt-issuer", "https://issuer.example"],
        ["--jwt-audience", "guanxi"],
        ["--jwt-subject", "uid"],
        // All strings come from one address.
        ["--rate-unknown-per-minute", "0"],
        ["--rate-logins-per-minute", "0"],
    ];
    let server = Server::start(&dir, &settings.concat());
    let admin = ["--server", &server.admin, "--token-file", &format!("{dir}/admin-token")];
    let made = run(&[&["token", "create", "web", "--service", "read,write"], &admin[..]].concat());
    assert_eq!(made.code, 0, "{made:?}");
    let tokens = tokens(made.stdout.trim());
    let to: SocketAddr = server.api.strip_prefix("http://").unwrap().parse().unwrap();
    let sent = AtomicU64::new(0);
    let wave = |count: u64, seed: u64| {
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (tokens, sent) = (&tokens, &sent);
                scope.spawn(move || send_some(to, count / THREADS, seed * 1_000 + thread, tokens, sent));
            }
        });
    };
    wave(count / 10, seed);
    let warm = resident(server.pid());
    wave(count - count / 10, seed + 1);
    let grown = resident(server.pid()).saturating_sub(warm);
    let counts = server.call_as(Some(&tokens[0]), "GetCounts", &json!({ "uid": "1" }));
    assert!(counts["counts"].is_object(), "{counts}");
    let log = server.log();
    let panics: Vec<&str> = log.lines().filter(|line| line.contains("panicked")).collect();
    assert!(panics.is_empty(), "{panics:?}");
    assert!(grown < GROWN_MAX, "{} MiB more after {count} strings", grown >> 20);
    println!("{} strings, {} MiB more", sent.into_inner(), grown >> 20);
    server.stop();
}
