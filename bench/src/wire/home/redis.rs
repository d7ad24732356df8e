//! Inboxes of Redis as seed 003 designs them: a sorted set per reader, capped at 800; and the same as a list.

use super::{Home, Ids};
use crate::wire::resp::{self, command};
use crate::wire::{Protocol, Request, WireError, first};

/// Items of an inbox (seed 003 and the field's custom).
pub(crate) const INBOX_CAP: usize = 800;

/// What holds an inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InboxLayout {
    /// A sorted set by time.
    SortedSets,
    /// A list, newest first.
    Lists,
}

/// The protocol of a Redis that holds inboxes. It answers what is stored: no rule runs, deleted posts and muted
/// authors included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RedisInboxes(pub(crate) InboxLayout);

impl RedisInboxes {
    /// Appends one delivery: the id goes in, and what is beyond the cap goes out. Two commands, two replies, the first
    /// of which tells whether the id was inserted.
    pub(crate) fn deliver(self, request: &mut Request, reader: u64, id: u64, at_ms: u64) {
        let (key, member) = (key(reader), id.to_string());
        match self.0 {
            InboxLayout::SortedSets => {
                command(request, &[b"ZADD", &key, at_ms.to_string().as_bytes(), member.as_bytes()]);
                let last = format!("-{}", INBOX_CAP + 1);
                command(request, &[b"ZREMRANGEBYRANK", &key, b"0", last.as_bytes()]);
            }
            InboxLayout::Lists => {
                command(request, &[b"LPUSH", &key, member.as_bytes()]);
                command(request, &[b"LTRIM", &key, b"0", (INBOX_CAP - 1).to_string().as_bytes()]);
            }
        }
    }

    /// Appends the command that fills an inbox with ids and times, newest first.
    pub(crate) fn fill(self, request: &mut Request, reader: u64, items: &[(u64, u64)]) {
        let key = key(reader);
        let mut words = Vec::with_capacity(items.len() * 2);
        for (id, at_ms) in items {
            if self.0 == InboxLayout::SortedSets {
                words.push(at_ms.to_string());
            }
            words.push(id.to_string());
        }
        let name: &[u8] = if self.0 == InboxLayout::SortedSets { b"ZADD" } else { b"RPUSH" };
        let mut parts = vec![name, &key];
        parts.extend(words.iter().map(String::as_bytes));
        command(request, &parts);
    }
}

fn key(reader: u64) -> Vec<u8> {
    format!("inbox:{reader}").into_bytes()
}

impl Protocol<Home, Ids> for RedisInboxes {
    fn request(&self, call: &Home) -> Request {
        let mut request = Request::default();
        let name: &[u8] = if self.0 == InboxLayout::SortedSets { b"ZREVRANGE" } else { b"LRANGE" };
        command(&mut request, &[name, &key(call.0), b"0", b"19"]);
        request
    }

    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError> {
        resp::reply_len(bytes)
    }

    fn decode(&self, _call: &Home, steps: &[Vec<u8>]) -> Result<Ids, WireError> {
        resp::ids(&resp::last(first(steps)?)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_two_commands_and_a_page_is_ids() {
        let sets = RedisInboxes(InboxLayout::SortedSets);
        let mut request = Request::default();
        sets.deliver(&mut request, 7, 11, 5);
        assert_eq!(request.replies, 2);
        let text = String::from_utf8(request.bytes).unwrap();
        assert!(text.contains("ZADD\r\n$7\r\ninbox:7\r\n$1\r\n5\r\n$2\r\n11\r\n"), "{text}");
        assert!(text.ends_with("$1\r\n0\r\n$4\r\n-801\r\n"), "{text}");
        let page = b"*2\r\n$2\r\n11\r\n$1\r\n9\r\n".to_vec();
        assert_eq!(sets.decode(&Home(7), &[page]).unwrap(), [11, 9]);
    }
}
