//! RESP2, the protocol of Redis.
//!
//! A client crate would bring its own buffers, tasks and futures into the measurement; commands in and replies out
//! are a hundred lines, and run in the same loop as the other systems.

use super::{Part, Request, WireError};

/// A reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// A word such as OK or QUEUED.
    Simple(String),
    /// What went wrong.
    Error(String),
    /// A number.
    Integer(i64),
    /// Bytes; `None` is nil.
    Bulk(Option<Vec<u8>>),
    /// Replies in order.
    Array(Vec<Self>),
}

/// Appends a command to a request.
pub(crate) fn command(request: &mut Request, parts: &[&[u8]]) {
    let out = &mut request.bytes;
    out.extend_from_slice(format!("*{}\r\n", parts.len()).as_bytes());
    for part in parts {
        out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        out.extend_from_slice(part);
        out.extend_from_slice(b"\r\n");
    }
    request.replies += 1;
}

/// The length of the reply at the start of `bytes`; `None` when it is not complete yet.
///
/// # Errors
/// When the reply is an error, or the bytes are not RESP2.
pub(crate) fn reply_len(bytes: &[u8]) -> Result<Option<usize>, WireError> {
    let mut left = 1_usize;
    let mut at = 0;
    while left > 0 {
        let Some((kind, value, next)) = line(bytes, at)? else { return Ok(None) };
        at = next;
        left -= 1;
        match kind {
            b'$' => at += bulk_len(value)?.map_or(0, |len| len + 2),
            b'*' => left += usize::try_from(integer(value)?).unwrap_or(0),
            _ => {}
        }
        if at > bytes.len() {
            return Ok(None);
        }
    }
    match &bytes[..at] {
        error @ [b'-', ..] => Err(String::from_utf8_lossy(error).into_owned()),
        _ => Ok(Some(at)),
    }
}

/// The ids in a reply that is a list of them.
///
/// # Errors
/// When it is not.
pub(crate) fn ids(reply: &Reply) -> Result<Vec<u64>, WireError> {
    let id = |item: &Reply| match item {
        Reply::Bulk(Some(digits)) => std::str::from_utf8(digits).ok()?.parse().ok(),
        _ => None,
    };
    let ids = if let Reply::Array(items) = reply { items.iter().map(id).collect() } else { None };
    ids.ok_or_else(|| format!("not a list of ids: {reply:?}"))
}

/// The last of the replies in `bytes`, which must be complete.
///
/// # Errors
/// When there is none, or the bytes are not RESP2.
pub(crate) fn last(bytes: &[u8]) -> Result<Reply, WireError> {
    parse_all(bytes)?.pop().ok_or_else(|| "no reply".to_owned())
}

/// All replies in `bytes`, which must be complete.
///
/// # Errors
/// When the bytes are not RESP2.
pub(crate) fn parse_all(bytes: &[u8]) -> Result<Vec<Reply>, WireError> {
    let mut at = 0;
    let mut replies = Vec::new();
    while at < bytes.len() {
        replies.push(parse(bytes, &mut at)?);
    }
    Ok(replies)
}

fn parse(bytes: &[u8], at: &mut usize) -> Result<Reply, WireError> {
    let (kind, value, next) = line(bytes, *at)?.ok_or("the reply is not complete")?;
    *at = next;
    let text = || String::from_utf8_lossy(value).into_owned();
    Ok(match kind {
        b'+' => Reply::Simple(text()),
        b'-' => Reply::Error(text()),
        b':' => Reply::Integer(integer(value)?),
        b'*' => {
            let items = integer(value)?.max(0);
            Reply::Array((0..items).map(|_| parse(bytes, at)).collect::<Result<_, _>>()?)
        }
        _ => match bulk_len(value)? {
            None => Reply::Bulk(None),
            Some(len) => {
                let data = bytes.get(next..next + len).ok_or("the reply is not complete")?;
                *at = next + len + 2;
                Reply::Bulk(Some(data.to_vec()))
            }
        },
    })
}

/// The kind and value of the line at `at`, and where the next begins.
fn line(bytes: &[u8], at: usize) -> Result<Option<Part<'_>>, WireError> {
    let Some(rest) = bytes.get(at..) else { return Ok(None) };
    let Some(end) = rest.iter().position(|&byte| byte == b'\n') else { return Ok(None) };
    match rest[..end].strip_suffix(b"\r").and_then(<[u8]>::split_first) {
        Some((&kind, value)) if b"+-:$*".contains(&kind) => Ok(Some((kind, value, at + end + 1))),
        _ => Err("not a RESP2 reply".to_owned()),
    }
}

fn bulk_len(value: &[u8]) -> Result<Option<usize>, WireError> {
    Ok(usize::try_from(integer(value)?).ok())
}

fn integer(value: &[u8]) -> Result<i64, WireError> {
    let text = std::str::from_utf8(value).map_err(|error| error.to_string())?;
    text.parse().map_err(|error| format!("{text:?}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NESTED: &[u8] = b"*3\r\n:1\r\n$-1\r\n*2\r\n$5\r\nab\r\nc\r\n+OK\r\n";

    #[test]
    fn a_reply_is_complete_at_its_last_byte_and_not_before() {
        for reply in [NESTED, b"+OK\r\n", b"$0\r\n\r\n", b"*0\r\n"] {
            for end in 0..reply.len() {
                assert_eq!(reply_len(&reply[..end]), Ok(None), "{end}");
            }
            assert_eq!(reply_len(&[reply, b":7\r\n"].concat()), Ok(Some(reply.len())));
        }
        assert_eq!(reply_len(b"-ERR no\r"), Ok(None));
        assert_eq!(reply_len(b"-ERR no\r\n"), Err("-ERR no\r\n".to_owned()));
    }

    #[test]
    fn replies_are_parsed() {
        let inner =
            Reply::Array(vec![Reply::Bulk(Some(b"ab\r\nc".to_vec())), Reply::Simple("OK".to_owned())]);
        let nested = Reply::Array(vec![Reply::Integer(1), Reply::Bulk(None), inner]);
        assert_eq!(
            parse_all(&[NESTED, b"-ERR no\r\n"].concat()).unwrap(),
            [nested, Reply::Error("ERR no".to_owned())]
        );
        assert!(parse_all(&NESTED[..NESTED.len() - 2]).is_err());
        assert!(reply_len(b"HTTP/1.1 200 OK\r\n").is_err());
    }

    #[test]
    fn commands_count_their_parts() {
        let mut request = Request::default();
        command(&mut request, &[b"GET", b"a b"]);
        assert_eq!(request, Request::one(b"*2\r\n$3\r\nGET\r\n$3\r\na b\r\n".to_vec()));
    }
}
