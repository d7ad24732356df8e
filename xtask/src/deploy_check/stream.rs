//! What a client sees through a proxy: HTTP/2, gRPC, its own address, and a stream that stays open.

use super::work::{UNKNOWN_PER_MINUTE, Work};
use crate::steps::output;
use guanxi_servers::pause;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How soon an event has to arrive.
const EVENT_MAX: Duration = Duration::from_secs(2);
/// How long the stream has no news: longer than two heartbeats, and than the read timeout of a careless proxy.
const SILENCE: Duration = Duration::from_secs(35);
/// How long a stream may take to begin.
const BEGIN_MAX: Duration = Duration::from_secs(10);
/// Heartbeats that come in the silence, one every 15 s.
const HEARTBEATS: usize = 2;
/// A frame of gRPC with an empty message.
const EMPTY_FRAME: [u8; 5] = [0; 5];

/// A client of one proxy.
#[derive(Clone, Copy)]
pub(super) struct Through<'a> {
    pub work: &'a Work,
    /// The token of a service.
    pub token: &'a str,
    /// Where the proxy listens.
    pub listen: SocketAddr,
    /// Tells the users and addresses of this client from those of the others.
    pub nth: u64,
    /// The name of the proxy.
    pub name: &'a str,
}

impl Through<'_> {
    /// Checks everything.
    pub(super) fn check(self) -> Result<(), String> {
        self.speaks_http()?;
        self.speaks_grpc()?;
        self.tells_addresses()?;
        self.keeps_streams()
    }

    /// Says what was seen.
    fn say(self, what: impl std::fmt::Display) {
        eprintln!("{}: {what}", self.name);
    }

    fn url(self, path: &str) -> String {
        format!("https://localhost:{}/{path}", self.listen.port())
    }

    fn curl(self, words: &[&str]) -> Command {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--ipv4", "--cacert"])
            .arg(self.work.path("guanxi.crt"))
            .args(words);
        curl
    }

    fn path(self, what: &str) -> PathBuf {
        self.work.path(&format!("{}-{what}", self.name))
    }

    /// Clients get HTTP/2 if they speak it, and HTTP/1.1 otherwise.
    fn speaks_http(self) -> Result<(), String> {
        for (option, wanted) in [("--http2", "2 200"), ("--http1.1", "1.1 200")] {
            let mut curl =
                self.curl(&[option, "--output", "/dev/null", "--write-out", "%{http_version} %{http_code}"]);
            let got = output(curl.arg(self.url("healthz")))?;
            if got != wanted {
                return Err(format!("{option} is answered {got}, not {wanted}"));
            }
        }
        self.say("HTTP/2 and HTTP/1.1 are answered");
        Ok(())
    }

    /// gRPC needs HTTP/2 on both sides, and trailers.
    fn speaks_grpc(self) -> Result<(), String> {
        let (frame, head) = (self.path("frame"), self.path("grpc-head"));
        fs::write(&frame, EMPTY_FRAME).map_err(|error| format!("{}: {error}", frame.display()))?;
        let mut curl = self.curl(&[
            "--http2",
            "--output",
            "/dev/null",
            "-H",
            "content-type: application/grpc",
            "-H",
            "te: trailers",
        ]);
        curl.arg("--dump-header").arg(&head).arg("--data-binary").arg(format!("@{}", frame.display()));
        output(curl.arg(self.url("grpc.health.v1.Health/Check")))?;
        let head = fs::read_to_string(&head).unwrap_or_default();
        if !head.lines().any(|line| line.trim() == "grpc-status: 0") {
            return Err(format!("a call of gRPC is answered without success: {head:?}"));
        }
        self.say("a call of gRPC is answered");
        Ok(())
    }

    /// A call without a token from an address, with more headers; returns its status.
    fn unknown(self, from: &str, headers: &[&str]) -> Result<String, String> {
        let mut curl =
            self.curl(&["--interface", from, "--output", "/dev/null", "--write-out", "%{http_code}"]);
        headers.iter().for_each(|header| {
            curl.args(["-H", header]);
        });
        curl.args(["-H", "content-type: application/json", "-d", r#"{"subject":"1","object":"2"}"#]);
        output(curl.arg(self.url("guanxi.v1.RelationService/Follow")))
    }

    /// Addresses without tokens have budgets of their own, and no header of a client makes it another.
    fn tells_addresses(self) -> Result<(), String> {
        let [first, second] = [1, 2].map(|last| format!("127.0.{}.{last}", self.nth));
        let expect = |from: &str, headers: &[&str], wanted: &str| {
            let got = self.unknown(from, headers)?;
            if got == wanted {
                Ok(())
            } else {
                Err(format!("{from} with {headers:?} is answered {got}, not {wanted}"))
            }
        };
        for _ in 0..UNKNOWN_PER_MINUTE {
            expect(&first, &[], "401")?;
        }
        expect(&first, &[], "429")?;
        expect(&first, &["x-forwarded-for: 192.0.2.1"], "429")?;
        expect(&first, &["forwarded: for=192.0.2.2"], "429")?;
        expect(&second, &["x-forwarded-for: 192.0.2.3"], "401")?;
        self.say("callers are told apart by their addresses, and not by what they say themselves");
        Ok(())
    }

    /// Calls a method as the service.
    fn call(self, method: &str, request: &str) -> Result<(), String> {
        let bearer = format!("authorization: Bearer {}", self.token);
        let mut curl = self.curl(&[
            "--fail-with-body",
            "-H",
            &bearer,
            "-H",
            "content-type: application/json",
            "-d",
            request,
        ]);
        output(curl.arg(self.url(&format!("guanxi.v1.{method}")))).map(drop)
    }

    /// A stream tells a post at once, is silent, and tells the next one.
    fn keeps_streams(self) -> Result<(), String> {
        let (viewer, author) = (1_000 + self.nth, 2_000 + self.nth);
        self.call("RelationService/Follow", &format!(r#"{{"subject":"{viewer}","object":"{author}"}}"#))?;
        let stream = Stream::open(self, viewer)?;
        let post = format!(r#"{{"actor":"{author}","text":"through {}"}}"#, self.name);
        let tell = |when: &str| {
            let start = Instant::now();
            self.call("PostService/CreatePost", &post)?;
            stream.wait_for("event: news", start + EVENT_MAX)?;
            self.say(format_args!(
                "{when}, the event came {} ms after the post was sent",
                start.elapsed().as_millis()
            ));
            Ok::<_, String>(())
        };
        tell("at first")?;
        let heartbeats = stream.count("event: heartbeat", SILENCE)?;
        if heartbeats < HEARTBEATS {
            return Err(format!("{heartbeats} heartbeats came in {SILENCE:?}"));
        }
        self.say(format_args!("{heartbeats} heartbeats came in {SILENCE:?} without news"));
        tell("after that")
    }
}

/// An open stream of server-sent events; ended when dropped.
struct Stream {
    child: Child,
    lines: Receiver<String>,
}

impl Stream {
    /// Opens the home of a viewer, and waits until the answer begins.
    fn open(through: Through<'_>, viewer: u64) -> Result<Self, String> {
        let head = through.path("stream-head");
        let bearer = format!("authorization: Bearer {}", through.token);
        let mut curl =
            through.curl(&["--http2", "--no-buffer", "-H", "accept: text/event-stream", "-H", &bearer]);
        curl.arg("--dump-header").arg(&head);
        curl.arg(through.url(&format!("guanxi.v1.FeedService/StreamHomeTimeline?viewer={viewer}")));
        let mut child = curl.stdout(Stdio::piped()).spawn().map_err(|error| format!("curl: {error}"))?;
        let (tell, lines) = channel();
        let read = BufReader::new(child.stdout.take().expect("it is piped"));
        thread::spawn(move || read.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        let stream = Self { child, lines };
        let deadline = Instant::now() + BEGIN_MAX;
        loop {
            match fs::read_to_string(&head).unwrap_or_default().lines().next() {
                Some(line) if line.trim() == "HTTP/2 200" => return Ok(stream),
                Some(line) if line.trim().len() > "HTTP/2 ".len() => {
                    return Err(format!("the stream is answered {}", line.trim()));
                }
                _ if Instant::now() > deadline => return Err("the stream did not begin".to_owned()),
                _ => pause(Duration::from_millis(10)),
            }
        }
    }

    /// Waits for a line.
    fn wait_for(&self, wanted: &str, deadline: Instant) -> Result<(), String> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line == wanted => return Ok(()),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Err(format!("no {wanted:?} came in time")),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("the stream ended before {wanted:?}"));
                }
            }
        }
    }

    /// Counts lines for a time, in which the stream must not end.
    fn count(&self, wanted: &str, time: Duration) -> Result<usize, String> {
        let (deadline, mut count) = (Instant::now() + time, 0);
        loop {
            match self.wait_for(wanted, deadline) {
                Ok(()) => count += 1,
                Err(_) if Instant::now() >= deadline => return Ok(count),
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
