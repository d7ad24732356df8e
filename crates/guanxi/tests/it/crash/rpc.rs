//! The API as curl sees it: JSON over HTTP/1.1 on one kept connection. Written out here, so that the crash tests
//! share no code with the server they judge.

use super::server::pause;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long a call may take before the test calls it lost.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// The longest deadline that the API takes: these tests run beside others, on machines that are busy.
const DEADLINE: &str = "connect-timeout-ms: 10000\r\n";

/// How often a call is asked again that was refused since the server was overloaded, and how long after.
const OVERLOADED_MAX: usize = 50;
const OVERLOADED_PAUSE: Duration = Duration::from_millis(100);

/// One connection.
pub(crate) struct Rpc {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

/// What a call came to.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The call succeeded.
    Good(Value),
    /// The server refused it, with this reason.
    Refused(String),
}

impl Rpc {
    pub(crate) fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, CALL_TIMEOUT)?;
        stream.set_read_timeout(Some(CALL_TIMEOUT))?;
        stream.set_write_timeout(Some(CALL_TIMEOUT))?;
        stream.set_nodelay(true)?;
        Ok(Self { address, stream: BufReader::new(stream) })
    }

    /// Calls a method that answers with a stream.
    pub(crate) fn stream(mut self, method: &str, request: &Value) -> io::Result<Stream> {
        let body = request.to_string();
        let length = u32::try_from(body.len()).map_err(io::Error::other)?;
        let envelope = [&[0], &length.to_be_bytes()[..], body.as_bytes()].concat();
        self.send(method, "application/connect+json", &envelope)?;
        let Head { status, chunked, .. } = self.head()?;
        if status != 200 || !chunked {
            return Err(io::Error::other(format!("{method} answered {status}, which is no stream")));
        }
        Ok(Stream { rpc: self, left: 0, started: false })
    }

    /// Calls a method: of the relation service, or with a slash of the service before it. An error means that no answer came: the
    /// call may or may not have taken effect. What a server refuses because its machine is busy, which is before it does anything,
    /// is asked again.
    pub(crate) fn call(&mut self, method: &str, request: &Value) -> io::Result<Answer> {
        for _ in 0..OVERLOADED_MAX {
            match self.call_once(method, request)? {
                Answer::Refused(reason) if reason.starts_with("OVERLOADED") => {
                    pause(OVERLOADED_PAUSE);
                }
                answer => return Ok(answer),
            }
        }
        self.call_once(method, request)
    }

    fn call_once(&mut self, method: &str, request: &Value) -> io::Result<Answer> {
        let body = request.to_string();
        self.send(method, "application/json", body.as_bytes())?;
        let head = self.head()?;
        let status = head.status;
        let body = if head.chunked { self.chunks()? } else { self.bytes(head.length)? };
        let body: Value = serde_json::from_slice(&body).map_err(io::Error::other)?;
        Ok(if status == 200 { Answer::Good(body) } else { Answer::Refused(reason(&body)) })
    }

    fn send(&mut self, method: &str, content: &str, body: &[u8]) -> io::Result<()> {
        let service = if method.contains('/') { "" } else { "RelationService/" };
        // Connect's streams have no deadline.
        let deadline = if content == "application/json" { DEADLINE } else { "" };
        let head = format!(
            "POST /guanxi.v1.{service}{method} HTTP/1.1\r\nhost: {}\r\ncontent-type: {content}\r\n\
             {deadline}content-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(&[head.as_bytes(), body].concat())
    }

    fn head(&mut self) -> io::Result<Head> {
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| io::Error::other("no HTTP status"))?;
        let mut head = Head { status, length: 0, chunked: false };
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                return Ok(head);
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                head.length = value.trim().parse().map_err(io::Error::other)?;
            }
            head.chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
        }
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let length = usize::from_str_radix(&self.line()?, 16).map_err(io::Error::other)?;
            body.extend(self.bytes(length)?);
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

/// What an answer's head says of its body.
struct Head {
    status: u16,
    length: usize,
    chunked: bool,
}

/// The messages of a streaming call.
pub(crate) struct Stream {
    rpc: Rpc,
    /// Bytes left of the chunk being read.
    left: usize,
    started: bool,
}

impl Stream {
    /// The next message; the last one says how the stream ended. None when the server closed it.
    pub(crate) fn message(&mut self) -> io::Result<Option<Value>> {
        let Some(head) = self.read(5)? else { return Ok(None) };
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let Some(body) = self.read(length)? else { return Ok(None) };
        serde_json::from_slice(&body).map(Some).map_err(io::Error::other)
    }

    /// So many bytes, across chunks; none at the end of the body.
    fn read(&mut self, length: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            if self.left == 0 {
                if std::mem::replace(&mut self.started, true) {
                    self.rpc.line()?;
                }
                self.left = usize::from_str_radix(&self.rpc.line()?, 16).map_err(io::Error::other)?;
                if self.left == 0 {
                    return Ok(None);
                }
            }
            let part = self.left.min(length - bytes.len());
            bytes.extend(self.rpc.bytes(part)?);
            self.left -= part;
        }
        Ok(Some(bytes))
    }
}

/// What is wrong, for programs: the reason of the `google.rpc.ErrorInfo` in an error of the Connect protocol, with
/// the message for people behind it.
fn reason(error: &Value) -> String {
    let info = error["details"][0]["value"].as_str().and_then(|value| STANDARD_NO_PAD.decode(value).ok());
    // A protobuf message whose first field is the reason: its tag, its length, its bytes.
    let reason = info.as_deref().and_then(|info| match info {
        [0x0a, length, rest @ ..] => rest.get(..usize::from(*length)),
        _ => None,
    });
    let reason = reason.map_or_else(|| error["code"].to_string().into(), String::from_utf8_lossy);
    format!("{reason}: {}", error["message"])
}
