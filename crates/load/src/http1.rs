//! HTTP/1.1 over a kept connection: just enough to send unary calls and read their answers.

/// What goes wrong in a reply, in words.
pub type WireError = String;

/// A GET of `path`.
pub fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n").into_bytes()
}

/// A POST of protobuf bytes to `path`.
pub fn post(path: &str, body: &[u8]) -> Vec<u8> {
    post_as("proto", path, body)
}

/// A POST of JSON to `path`: its errors say their reasons in clear.
pub fn post_json(path: &str, body: &str) -> Vec<u8> {
    post_as("json", path, body.as_bytes())
}

fn post_as(kind: &str, path: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/{kind}\r\nconnect-protocol-version: \
         1\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// How a response tells where its body ends.
enum Framing {
    Length(usize),
    Chunked,
}

/// The length of the response at the start of `bytes`.
///
/// # Errors
/// When it is not an HTTP/1.1 response of known length.
pub fn response_len(bytes: &[u8]) -> Result<Option<usize>, WireError> {
    let Some((framing, start)) = head(bytes)? else { return Ok(None) };
    match framing {
        Framing::Length(len) => Ok((bytes.len() >= start + len).then_some(start + len)),
        Framing::Chunked => walk_chunks(bytes, start, |_| ()),
    }
}

/// The same of a response that must be a success; otherwise the error is what it says.
///
/// # Errors
/// See above.
pub fn success_len(bytes: &[u8]) -> Result<Option<usize>, WireError> {
    let Some(len) = response_len(bytes)? else { return Ok(None) };
    match status(bytes)? {
        200 => Ok(Some(len)),
        status => Err(format!("status {status}: {}", String::from_utf8_lossy(&body(&bytes[..len])?))),
    }
}

/// The status of a response.
///
/// # Errors
/// When it is not an HTTP/1.1 response.
pub fn status(bytes: &[u8]) -> Result<u16, WireError> {
    let digits = bytes.strip_prefix(b"HTTP/1.1 ").and_then(|rest| rest.get(..3));
    digits.and_then(number).map(|status| status as u16).ok_or_else(|| "not an HTTP/1.1 response".to_owned())
}

/// The body of a complete response.
///
/// # Errors
/// When the response is not complete or not HTTP/1.1.
pub fn body(bytes: &[u8]) -> Result<Vec<u8>, WireError> {
    let incomplete = || "the response is not complete".to_owned();
    let (framing, start) = head(bytes)?.ok_or_else(incomplete)?;
    match framing {
        Framing::Length(len) => bytes.get(start..start + len).map(<[u8]>::to_vec),
        Framing::Chunked => {
            let mut body = Vec::new();
            walk_chunks(bytes, start, |chunk| body.extend_from_slice(chunk))?.map(|_| body)
        }
    }
    .ok_or_else(incomplete)
}

/// Returns how a response is framed, and where its body begins; `None` when its head is not complete.
fn head(bytes: &[u8]) -> Result<Option<(Framing, usize)>, WireError> {
    let Some(end) = find(bytes, b"\r\n\r\n") else { return Ok(None) };
    status(bytes)?;
    let mut framing = None;
    for line in lines(&bytes[..end]).skip(1) {
        if let Some(value) = header(line, b"content-length") {
            framing = number(value).map(Framing::Length);
        } else if header(line, b"transfer-encoding")
            .is_some_and(|value| value.eq_ignore_ascii_case(b"chunked"))
        {
            framing = Some(Framing::Chunked);
        }
    }
    let framing = framing.ok_or("the response has neither a length nor chunks")?;
    Ok(Some((framing, end + 4)))
}

/// Gives each chunk to `take` and answers where the body ends; `None` when it is not complete.
fn walk_chunks(bytes: &[u8], start: usize, mut take: impl FnMut(&[u8])) -> Result<Option<usize>, WireError> {
    let mut at = start;
    loop {
        let Some(line_len) = find(&bytes[at.min(bytes.len())..], b"\r\n") else { return Ok(None) };
        let size = hex(&bytes[at..at + line_len])?;
        let data = at + line_len + 2;
        let end = data + size + 2;
        if bytes.len() < end {
            return Ok(None);
        }
        if &bytes[end - 2..end] != b"\r\n" {
            return Err("a chunk does not end where it says, or has trailers".to_owned());
        }
        take(&bytes[data..data + size]);
        at = end;
        if size == 0 {
            return Ok(Some(end));
        }
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end)
}

fn header<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = line.split_at_checked(name.len())?;
    if !start.eq_ignore_ascii_case(name) {
        return None;
    }
    rest.strip_prefix(b":").map(<[u8]>::trim_ascii)
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn hex(digits: &[u8]) -> Result<usize, WireError> {
    // A chunk's size may be followed by extensions.
    let digits = digits.split(|&byte| byte == b';').next().unwrap_or(digits).trim_ascii();
    let text = std::str::from_utf8(digits).map_err(|error| error.to_string())?;
    usize::from_str_radix(text, 16).map_err(|error| format!("chunk size {text:?}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nx: y\r\n\r\nhello";
    const CHUNKED: &[u8] =
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=1\r\n, world...\r\n0\r\n\r\n";

    #[test]
    fn a_response_is_complete_at_its_last_byte_and_not_before() {
        for response in [PLAIN, CHUNKED] {
            for end in 0..response.len() {
                assert_eq!(response_len(&response[..end]), Ok(None), "{end}");
            }
            let mut more = response.to_vec();
            more.extend_from_slice(PLAIN);
            assert_eq!(response_len(&more), Ok(Some(response.len())));
        }
    }

    #[test]
    fn bodies_are_put_together() {
        assert_eq!(body(PLAIN).unwrap(), b"hello");
        assert_eq!(body(CHUNKED).unwrap(), b"hello, world...");
        assert!(body(&CHUNKED[..CHUNKED.len() - 1]).is_err());
    }

    #[test]
    fn an_empty_body_is_a_body() {
        let empty = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(response_len(empty), Ok(Some(empty.len())));
        assert_eq!(status(empty), Ok(404));
    }

    #[test]
    fn what_is_not_http_is_an_error() {
        assert!(response_len(b"SSH-2.0-OpenSSH\r\n\r\n").is_err());
        assert!(response_len(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(response_len(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n").is_err());
    }

    #[test]
    fn a_request_says_its_length() {
        let request = String::from_utf8(post("/a.B/C", b"12345")).unwrap();
        assert!(request.starts_with("POST /a.B/C HTTP/1.1\r\n"));
        assert!(request.contains("\r\ncontent-length: 5\r\n"));
        assert!(request.ends_with("\r\n\r\n12345"));
    }
}
