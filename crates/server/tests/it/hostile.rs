//! Clients that mean harm, or are broken in the same way: each takes little, and for a time that has a name.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use guanxi_api::limits::REQUEST_BYTES_MAX;
use guanxi_testkit::{Server, Setup};
use std::io::Write as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::PATIENCE;
use crate::framed;
use crate::http::send;

/// How long a client may take nothing, or take for a head, in these tests.
const SHORT: Duration = Duration::from_secs(1);

const COUNTS: &str = "/guanxi.v1.RelationService/GetCounts";

async fn hurried() -> Server {
    Server::start(Setup { send: SHORT, head: SHORT, idle: SHORT, ..Setup::default() }).await
}

/// Waits until the server has let go of all connections.
async fn all_ended(server: &Server) {
    let ended = async {
        while server.load.connections() > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let open = || server.load.connections();
    timeout(PATIENCE, ended).await.unwrap_or_else(|_| panic!("{} connections are still open", open()));
}

/// The server answers others as if nothing were.
async fn still_answers(server: &Server) {
    let headers = [("content-type", "application/json")];
    let answer = timeout(PATIENCE, send(server.main, "POST", COUNTS, &headers, br#"{"uid":"1"}"#)).await;
    assert_eq!(answer.unwrap().status, 200);
}

/// How much more memory the process may have taken meanwhile. Other tests run in it, too, so it is well above what a
/// server takes for one client, and well below what is sent.
const GROWN_MAX: u64 = 192 << 20;

/// Memory that this process has taken at most so far, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    kib.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// A connection of HTTP/2, frame by frame.
struct Frames(TcpStream);

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// A head of a GET, in literals and the static table.
fn get(path: &str) -> Vec<u8> {
    let mut block = vec![0x82, 0x86, 0x04, u8::try_from(path.len()).unwrap()];
    block.extend(path.as_bytes());
    block.extend(b"\x01\x01x");
    block
}

impl Frames {
    /// Connects with a setting: how many bytes of each answer the client takes before it says more.
    async fn open(to: SocketAddr, window: u32) -> Self {
        let mut stream = TcpStream::connect(to).await.unwrap();
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        let setting = [&[0, 4][..], &window.to_be_bytes()].concat();
        bytes.extend(frame(SETTINGS, 0, 0, &setting));
        stream.write_all(&bytes).await.unwrap();
        Self(stream)
    }

    async fn next(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).await.ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        self.0.read_exact(&mut payload).await.ok()?;
        Some((head[3], payload))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_reads_no_answers_is_let_go() {
    let server = hurried().await;
    let mut stream = TcpStream::connect(server.main).await.unwrap();
    let request = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let asked = async {
        // Until the server reads no more, since it cannot write.
        while let Ok(Ok(())) = timeout(SHORT, stream.write_all(&request.repeat(100))).await {}
    };
    timeout(PATIENCE, asked).await.expect("the server stops reading");
    all_ended(&server).await;
    still_answers(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_takes_no_answers_of_http2_is_let_go() {
    // Its pings are answered, and calls are in flight, so it is neither dead nor idle.
    let server = hurried().await;
    let mut frames = Frames::open(server.main, 0).await;
    for stream in 0..50 {
        let head = frame(HEADERS, END_STREAM | END_HEADERS, 2 * stream + 1, &get("/openapi.json"));
        frames.0.write_all(&head).await.unwrap();
    }
    let begun = Instant::now();
    let mut bytes_taken = 0;
    while let Some((kind, payload)) = timeout(PATIENCE, frames.next()).await.expect("the server ends it") {
        bytes_taken += if kind == DATA { payload.len() } else { 0 };
    }
    assert!(bytes_taken == 0 && begun.elapsed() >= SHORT, "{bytes_taken} bytes in {:?}", begun.elapsed());
    all_ended(&server).await;
    still_answers(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_begun_and_not_finished_ends() {
    let server = hurried().await;
    let head = format!("POST {COUNTS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n");
    let mut clients = Vec::new();
    for begun in ["", "P", "PRI", "PRI * HTTP/2.0\r\n\r\nSM", "POST", &head] {
        let mut stream = TcpStream::connect(server.main).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        clients.push(stream);
    }
    all_ended(&server).await;
    still_answers(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_resets_ends_the_connection() {
    let server = Server::open().await;
    let mut frames = Frames::open(server.main, 65_535).await;
    let mut flood = Vec::new();
    for stream in 0..10_000 {
        flood.extend(frame(HEADERS, END_STREAM | END_HEADERS, 2 * stream + 1, &get("/openapi.json")));
        flood.extend(frame(RST_STREAM, 0, 2 * stream + 1, &8_u32.to_be_bytes()));
    }
    let (mut read, mut write) = frames.0.split();
    // It fails once the server has had enough.
    let (_, said) = tokio::join!(write.write_all(&flood), async {
        let mut said = Vec::new();
        let _ = timeout(PATIENCE, read.read_to_end(&mut said)).await.expect("the server ends it");
        said
    });
    let enhance_your_calm = 11_u32.to_be_bytes();
    let mut at = 0;
    let mut errors = Vec::new();
    while let Some(head) = said.get(at..at + 9) {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        if head[3] == GOAWAY {
            errors.push(said[at + 13..at + 17].to_vec());
        }
        at += 9 + length;
    }
    assert!(errors.iter().any(|error| *error == enhance_your_calm), "{errors:?}");
    all_ended(&server).await;
    still_answers(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_without_an_end_ends_the_connection() {
    let server = Server::open().await;
    let mut frames = Frames::open(server.main, 65_535).await;
    frames.0.write_all(&frame(HEADERS, END_STREAM, 1, &get(COUNTS))).await.unwrap();
    // A field that is not indexed, with a name and a value of 60 bytes each.
    let field = [&[0, 60][..], &[b'a'; 60], &[60], &[b'b'; 60]].concat();
    let more = frame(CONTINUATION, 0, 1, &field.repeat(100));
    let mut sent = 0;
    let flood = async {
        while frames.0.write_all(&more).await.is_ok() {
            sent += more.len();
        }
    };
    timeout(PATIENCE, flood).await.expect("the server ends it");
    assert!(sent < 16 << 20, "{sent} bytes of a head were taken");
    all_ended(&server).await;
    still_answers(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_floods_with_pings_and_settings_and_reads_nothing_is_let_go() {
    let server = hurried().await;
    let ping = frame(PING, 0, 0, &[7; 8]);
    let settings = frame(SETTINGS, 0, 0, &[]);
    let before = peak_memory();
    for flood in [ping, settings] {
        let mut frames = Frames::open(server.main, 65_535).await;
        let flood = flood.repeat(10_000);
        let begun = Instant::now();
        while let Ok(Ok(())) = timeout(PATIENCE, frames.0.write_all(&flood)).await {
            assert!(begun.elapsed() < PATIENCE, "it goes on and on");
        }
        all_ended(&server).await;
    }
    let grown = peak_memory() - before;
    assert!(grown < GROWN_MAX, "{grown} bytes");
    still_answers(&server).await;
}

/// Zeros, compressed a thousandfold.
fn bomb(bytes: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![b' '; 1 << 20];
    (0..bytes >> 20).for_each(|_| encoder.write_all(&zeros).unwrap());
    encoder.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_grows_when_it_is_unpacked_is_refused_before_it_has_grown() {
    let server = Server::open().await;
    let bomb = bomb(512 << 20);
    assert!(bomb.len() < REQUEST_BYTES_MAX);
    let before = peak_memory();
    let begun = Instant::now();
    let headers = [("content-type", "application/json"), ("content-encoding", "gzip")];
    let answer = send(server.main, "POST", COUNTS, &headers, &bomb).await;
    assert!((400..500).contains(&answer.status), "{answer:?}");
    let message = framed::enveloped(1, &bomb);
    let headers = [("grpc-encoding", "gzip"), ("te", "trailers")];
    // A message of one request, and one of a stream of requests.
    let reflect = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    for path in [COUNTS, reflect] {
        let (_, trailers) =
            framed::grpc_trailers(server.main, path, "application/grpc", &headers, &message).await;
        let code = trailers["grpc-status"].to_str().unwrap();
        // INVALID_ARGUMENT or RESOURCE_EXHAUSTED.
        assert!(["3", "8"].contains(&code), "{path}: {trailers:?}");
    }
    let grown = peak_memory() - before;
    assert!(grown < GROWN_MAX, "{grown} bytes for bombs of {}", bomb.len());
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    still_answers(&server).await;
}
