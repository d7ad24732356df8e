//! A browser of an operator, as far as a server knows: a kept connection with the cookie of a session.

use guanxi_load::http1;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// How long an answer may take.
const ANSWER_MAX: Duration = Duration::from_mins(1);

/// How often a stream is asked whether its time is over.
const STREAM_LOOK: Duration = Duration::from_millis(200);

/// A page, as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// From the request to the first byte.
    pub(super) first_byte: Duration,
    /// Bytes of the page without its head.
    pub(super) bytes: usize,
}

/// A connection with a session.
pub(super) struct Browser {
    at: SocketAddr,
    stream: TcpStream,
    cookie: String,
}

impl Browser {
    /// Connects, and begins a session at a server that asks for no credential.
    pub(super) fn open(at: SocketAddr) -> Result<Self, String> {
        let mut browser = Self { at, stream: connect(at)?, cookie: String::new() };
        let (_, answer) = browser.ask("/")?;
        let head = String::from_utf8_lossy(&answer);
        let line = head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = line.and_then(|line| line.split(';').next()).ok_or("the console begins no session")?;
        cookie.clone_into(&mut browser.cookie);
        Ok(browser)
    }

    /// Asks for a page, which must be shown.
    pub(super) fn page(&mut self, path: &str) -> Result<Shown, String> {
        let (first_byte, answer) = self.ask(path)?;
        match http1::status(&answer)? {
            200 => Ok(Shown { first_byte, bytes: http1::body(&answer)?.len() }),
            status => Err(format!("{path} answers {status}")),
        }
    }

    fn ask(&mut self, path: &str) -> Result<(Duration, Vec<u8>), String> {
        let request = self.request(path, "text/html");
        exchange(&mut self.stream, &request).map_err(|error| format!("{path}: {error}"))
    }

    fn request(&self, path: &str, accept: &str) -> Vec<u8> {
        let (at, cookie) = (self.at, &self.cookie);
        format!("GET {path} HTTP/1.1\r\nhost: {at}\r\naccept: {accept}\r\ncookie: {cookie}\r\n\r\n")
            .into_bytes()
    }

    /// Reads a stream of events for a time, and returns how many came.
    pub(super) fn listen(&self, path: &str, time: Duration) -> Result<usize, String> {
        let mut stream = connect(self.at)?;
        let begun = Instant::now();
        let sent = stream.write_all(&self.request(path, "text/event-stream"));
        sent.and_then(|()| stream.set_read_timeout(Some(STREAM_LOOK))).map_err(|error| error.to_string())?;
        let (mut events, mut tail, mut buffer) = (0, Vec::new(), vec![0; 1 << 16]);
        while begun.elapsed() < time {
            match stream.read(&mut buffer) {
                Ok(0) => return Err(format!("{path} has ended after {:?}", begun.elapsed())),
                Ok(len) => {
                    tail.extend_from_slice(&buffer[..len]);
                    events += tail.windows(MARK.len()).filter(|window| *window == MARK).count();
                    // A mark may be cut in two.
                    let kept = tail.len().saturating_sub(MARK.len() - 1);
                    tail.drain(..kept);
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => return Err(format!("{path}: {error}")),
            }
        }
        Ok(events)
    }
}

/// The beginning of each event.
const MARK: &[u8] = b"event: fragment";

/// Opens a connection to a listener.
pub(super) fn connect(at: SocketAddr) -> Result<TcpStream, String> {
    let stream = TcpStream::connect(at).map_err(|error| format!("{at}: {error}"))?;
    let set = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(ANSWER_MAX)));
    set.map(|()| stream).map_err(|error| error.to_string())
}

/// Sends a request, and returns its answer with the time of the first byte.
pub(super) fn exchange(stream: &mut TcpStream, request: &[u8]) -> Result<(Duration, Vec<u8>), String> {
    let begun = Instant::now();
    stream.write_all(request).map_err(|error| error.to_string())?;
    let (mut first_byte, mut answer, mut buffer) = (None, Vec::new(), vec![0; 1 << 16]);
    loop {
        match stream.read(&mut buffer).map_err(|error| error.to_string())? {
            0 => return Err("the connection has ended".to_owned()),
            len => answer.extend_from_slice(&buffer[..len]),
        }
        let first_byte = *first_byte.get_or_insert_with(|| begun.elapsed());
        if http1::response_len(&answer)?.is_some() {
            return Ok((first_byte, answer));
        }
    }
}
