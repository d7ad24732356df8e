//! Redis 7 with an inbox per reader.

use super::Outboxes;
use crate::peers::Server;
#[cfg(test)]
use crate::peers::redis::ask;
use crate::peers::redis::{boot, fill, used_memory};
use crate::run::Place;
use crate::wire::Request;
use crate::wire::redis::{Layout, inbox_key};
use crate::wire::resp::{Reply, command, parse_all};
use guanxi_load::World;
use guanxi_model::random::Rng;
use std::time::{Duration, Instant};

/// Settings that differ from the defaults: nothing is written to disk, since an inbox can be built again. This favours
/// Redis.
const SETTINGS: [&str; 8] =
    ["--appendonly", "no", "--save", "", "--bind", "127.0.0.1", "--protected-mode", "yes"];
/// Deliveries of one pipeline: a post to so many readers, two commands each.
pub(crate) const PIPELINE: usize = 100;
/// Connections that deliver: Redis always has a pipeline to work on.
pub(crate) const DELIVERERS: usize = 4;

/// Items of an inbox (seed 003 and the field's custom).
pub(crate) const INBOX_CAP: usize = 800;

/// A Redis with inboxes.
pub(crate) struct Inboxes {
    /// The server.
    pub(crate) server: Server,
    /// The layout.
    pub(crate) layout: Layout,
    /// What the inboxes took in memory, in bytes.
    pub(crate) bytes: u64,
    /// Ids in them.
    pub(crate) entries: u64,
    readers: Vec<u64>,
}

/// Starts a Redis and fills an inbox for each reader of a class.
pub(crate) fn start(
    place: &Place,
    outboxes: &Outboxes<'_>,
    world: &World,
    class: usize,
    layout: Layout,
) -> Result<Inboxes, String> {
    let server = boot(place, layout, &SETTINGS)?;
    let mut line = server.line()?;
    let empty = used_memory(&mut line)?;
    let readers = || world.readers(class).map(|reader| (reader, world.uid(reader).get()));
    let inboxes = readers().map(|(reader, uid)| (inbox_key(uid), outboxes.newest(reader, INBOX_CAP, false)));
    let entries = fill(&mut line, layout, inboxes)?;
    let bytes = used_memory(&mut line)?.saturating_sub(empty);
    let readers = readers().map(|(_, uid)| uid).collect();
    drop(line);
    Ok(Inboxes { server, layout, bytes, entries, readers })
}

impl Inboxes {
    /// Delivers new posts to random readers for some time, and answers how many inserts were made, and the seconds.
    pub(crate) fn deliver(&self, first_id: u64, time: Duration) -> Result<(u64, f64), String> {
        let start = Instant::now();
        let inserted: Result<Vec<u64>, String> = std::thread::scope(|scope| {
            let deliverer =
                |number: usize| scope.spawn(move || self.deliver_on_one(first_id, number, start, time));
            let threads: Vec<_> = (0..DELIVERERS).map(deliverer).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err("a deliverer panicked".to_owned())))
                .collect()
        });
        Ok((inserted?.iter().sum(), start.elapsed().as_secs_f64()))
    }

    fn deliver_on_one(
        &self,
        first_id: u64,
        number: usize,
        start: Instant,
        time: Duration,
    ) -> Result<u64, String> {
        let mut line = self.server.line()?;
        let mut rng = Rng::new(first_id ^ number as u64);
        let (mut inserted, mut id) = (0, first_id + number as u64);
        while start.elapsed() < time {
            let mut request = Request { bytes: Vec::with_capacity(24 << 10), replies: 0 };
            for _ in 0..PIPELINE {
                let reader = self.readers[rng.below(self.readers.len())];
                // The time of the post stands in the high bits of its id.
                deliver(&mut request, self.layout, reader, id, 1_790_000_000_000 + ((id - first_id) >> 2));
            }
            let replies = parse_all(&line.exchange(&request)?)?;
            inserted += replies.iter().step_by(2).filter(|reply| self.is_insert(reply)).count() as u64;
            id += DELIVERERS as u64;
        }
        Ok(inserted)
    }

    /// The length of the longest inbox.
    #[cfg(test)]
    pub(crate) fn longest(&self) -> Result<usize, String> {
        let mut line = self.server.line()?;
        let name: &[u8] = if self.layout == Layout::SortedSets { b"ZCARD" } else { b"LLEN" };
        let mut longest = 0;
        for reader in &self.readers {
            match ask(&mut line, &[name, &inbox_key(*reader)])? {
                Reply::Integer(len) => longest = longest.max(len as usize),
                other => return Err(format!("no length: {other:?}")),
            }
        }
        Ok(longest)
    }

    /// Whether a reply says that an id is new in its inbox.
    fn is_insert(&self, reply: &Reply) -> bool {
        match (self.layout, reply) {
            (Layout::SortedSets, Reply::Integer(added)) => *added == 1,
            (Layout::Lists, Reply::Integer(_)) => true,
            _ => false,
        }
    }
}

/// Appends one delivery: the id goes in, and what is beyond the cap goes out. Two commands, two replies, the first
/// of which tells whether the id was inserted.
fn deliver(request: &mut Request, layout: Layout, reader: u64, id: u64, at_ms: u64) {
    let (key, member) = (inbox_key(reader), id.to_string());
    if layout == Layout::SortedSets {
        command(request, &[b"ZADD", &key, at_ms.to_string().as_bytes(), member.as_bytes()]);
        let last = format!("-{}", INBOX_CAP + 1);
        command(request, &[b"ZREMRANGEBYRANK", &key, b"0", last.as_bytes()]);
    } else {
        command(request, &[b"LPUSH", &key, member.as_bytes()]);
        command(request, &[b"LTRIM", &key, b"0", (INBOX_CAP - 1).to_string().as_bytes()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::{Answer, Call};
    use crate::wire::Protocol;
    use crate::wire::redis::Redis;

    #[test]
    fn a_delivery_is_two_commands_and_a_page_is_ids() {
        let mut request = Request::default();
        deliver(&mut request, Layout::SortedSets, 7, 11, 5);
        assert_eq!(request.replies, 2);
        let text = String::from_utf8(request.bytes).unwrap();
        assert!(text.contains("ZADD\r\n$7\r\ninbox:7\r\n$1\r\n5\r\n$2\r\n11\r\n"), "{text}");
        assert!(text.ends_with("$1\r\n0\r\n$4\r\n-801\r\n"), "{text}");
        let page = b"*2\r\n$2\r\n11\r\n$1\r\n9\r\n".to_vec();
        let answer = Redis(Layout::SortedSets).decode(&Call::Home { uid: 7, with_posts: false }, &[page]);
        assert_eq!(answer, Ok(Answer::Ids(vec![11, 9])));
    }
}
