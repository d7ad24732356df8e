//! Inboxes of Redis as seed 003 designs them: a sorted set per reader, capped at 800; and the same as a list.

use super::{Home, Ids, only};
use crate::wire::resp::{self, Reply, command};
use crate::wire::{Protocol, Request, WireError};

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
    pub(crate) fn deliver(self, out: &mut Vec<u8>, reader: u64, id: u64, at_ms: u64) {
        let (key, member) = (key(reader), id.to_string());
        match self.0 {
            InboxLayout::SortedSets => {
                command(out, &[b"ZADD", &key, at_ms.to_string().as_bytes(), member.as_bytes()]);
                let last = format!("-{}", INBOX_CAP + 1);
                command(out, &[b"ZREMRANGEBYRANK", &key, b"0", last.as_bytes()]);
            }
            InboxLayout::Lists => {
                command(out, &[b"LPUSH", &key, member.as_bytes()]);
                command(out, &[b"LTRIM", &key, b"0", (INBOX_CAP - 1).to_string().as_bytes()]);
            }
        }
    }

    /// Appends the command that fills an inbox with ids and times, newest first.
    pub(crate) fn fill(self, out: &mut Vec<u8>, reader: u64, items: &[(u64, u64)]) {
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
        command(out, &parts);
    }
}

fn key(reader: u64) -> Vec<u8> {
    format!("inbox:{reader}").into_bytes()
}

impl Protocol<Home, Ids> for RedisInboxes {
    fn request(&self, call: &Home) -> Request {
        let mut bytes = Vec::new();
        let name: &[u8] = if self.0 == InboxLayout::SortedSets { b"ZREVRANGE" } else { b"LRANGE" };
        command(&mut bytes, &[name, &key(call.0), b"0", b"19"]);
        Request::one(bytes)
    }

    fn reply_len(&self, bytes: &[u8]) -> Result<Option<usize>, WireError> {
        resp::reply_len(bytes)
    }

    fn check(&self, reply: &[u8]) -> Result<(), WireError> {
        match reply {
            [b'-', ..] => Err(String::from_utf8_lossy(reply).into_owned()),
            _ => Ok(()),
        }
    }

    fn decode(&self, _call: &Home, steps: &[Vec<u8>]) -> Result<Ids, WireError> {
        let reply = resp::parse_all(only(steps)?)?.pop();
        let Some(Reply::Array(items)) = reply else { return Err(format!("not a list: {reply:?}")) };
        let id = |item: &Reply| match item {
            Reply::Bulk(Some(digits)) => std::str::from_utf8(digits).ok()?.parse().ok(),
            _ => None,
        };
        items.iter().map(id).collect::<Option<Ids>>().ok_or_else(|| format!("not ids: {items:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_two_commands_and_a_page_is_ids() {
        let sets = RedisInboxes(InboxLayout::SortedSets);
        let mut out = Vec::new();
        sets.deliver(&mut out, 7, 11, 5);
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("ZADD\r\n$7\r\ninbox:7\r\n$1\r\n5\r\n$2\r\n11\r\n"), "{text}");
        assert!(text.ends_with("$1\r\n0\r\n$4\r\n-801\r\n"), "{text}");
        let page = b"*2\r\n$2\r\n11\r\n$1\r\n9\r\n".to_vec();
        assert_eq!(sets.decode(&Home(7), &[page]).unwrap(), [11, 9]);
    }
}
