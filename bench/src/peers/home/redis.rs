//! Redis 7 with an inbox per reader.

use super::{HomeServer, Outboxes};
use crate::peers::Place;
#[cfg(test)]
use crate::peers::redis::ask;
use crate::peers::redis::{boot, used_memory};
use crate::wire::Request;
use crate::wire::home::{INBOX_CAP, InboxLayout, RedisInboxes};
use crate::wire::resp::{Reply, parse_all};
use guanxi_load::World;
use guanxi_model::random::Rng;
use std::time::{Duration, Instant};

/// Settings that differ from the defaults: nothing is written to disk, since an inbox can be built again. This favours
/// Redis.
const SETTINGS: [&str; 8] =
    ["--appendonly", "no", "--save", "", "--bind", "127.0.0.1", "--protected-mode", "yes"];
/// Bytes of commands that are sent in one write while loading.
const LOAD_BYTES: usize = 1 << 20;
/// Deliveries of one pipeline: a post to so many readers, two commands each.
pub(crate) const PIPELINE: usize = 100;
/// Connections that deliver: Redis always has a pipeline to work on.
pub(crate) const DELIVERERS: usize = 4;

/// What the report calls a layout.
pub(crate) const fn name(layout: InboxLayout) -> &'static str {
    match layout {
        InboxLayout::SortedSets => "Redis sorted sets",
        InboxLayout::Lists => "Redis lists",
    }
}

/// A Redis with inboxes.
pub(crate) struct Inboxes {
    /// The server.
    pub(crate) server: HomeServer,
    /// The layout.
    pub(crate) layout: InboxLayout,
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
    layout: InboxLayout,
) -> Result<Inboxes, String> {
    let label = match layout {
        InboxLayout::SortedSets => "redis-inbox-zset",
        InboxLayout::Lists => "redis-inbox-list",
    };
    let protocol = RedisInboxes(layout);
    let server = boot(&place.sub(label)?, place, &SETTINGS, name(layout), protocol)?;
    let mut line = server.line()?;
    let empty = used_memory(&mut line)?;
    let (mut request, mut entries, mut readers) = (Request::default(), 0, Vec::new());
    for reader in world.readers(class) {
        let items = outboxes.newest(reader, INBOX_CAP, false);
        let uid = world.uid(reader).get();
        entries += items.len() as u64;
        readers.push(uid);
        protocol.fill(&mut request, uid, &items);
        if request.bytes.len() > LOAD_BYTES {
            line.exchange(&std::mem::take(&mut request))?;
        }
    }
    line.exchange(&request)?;
    let bytes = used_memory(&mut line)?.saturating_sub(empty);
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
        let protocol = RedisInboxes(self.layout);
        let mut line = self.server.line()?;
        let mut rng = Rng::new(first_id ^ number as u64);
        let (mut inserted, mut id) = (0, first_id + number as u64);
        while start.elapsed() < time {
            let mut request = Request { bytes: Vec::with_capacity(24 << 10), replies: 0 };
            for _ in 0..PIPELINE {
                let reader = self.readers[rng.below(self.readers.len())];
                // The time of the post stands in the high bits of its id.
                protocol.deliver(&mut request, reader, id, 1_790_000_000_000 + ((id - first_id) >> 2));
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
        let name: &[u8] = if self.layout == InboxLayout::SortedSets { b"ZCARD" } else { b"LLEN" };
        let mut longest = 0;
        for reader in &self.readers {
            match ask(&mut line, &[name, format!("inbox:{reader}").as_bytes()])? {
                Reply::Integer(len) => longest = longest.max(len as usize),
                other => return Err(format!("no length: {other:?}")),
            }
        }
        Ok(longest)
    }

    /// Whether a reply says that an id is new in its inbox.
    fn is_insert(&self, reply: &Reply) -> bool {
        match (self.layout, reply) {
            (InboxLayout::SortedSets, Reply::Integer(added)) => *added == 1,
            (InboxLayout::Lists, Reply::Integer(_)) => true,
            _ => false,
        }
    }
}
