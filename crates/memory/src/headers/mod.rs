//! Posts without their content in memory, under the rules of [`cache`](crate::cache): 48 bytes each.

mod packed;

use crate::cache::{Cache, CacheEntries, Fills};
use crate::cut::Cut;
use guanxi_model::{LogId, Logs, PostHeader, PostId};
use packed::PackedHeader;
use std::collections::BTreeSet;

/// Why memory cannot tell what a post is.
enum Miss {
    /// It changed after the cut.
    Newer,
    /// It is not in memory.
    Unknown,
}

/// What memory tells of some posts.
#[derive(Debug, Default)]
pub struct KnownHeaders {
    /// In the order of the posts; `None` for one that does not exist at the cut, and for one that memory cannot tell.
    pub headers: Vec<Option<PostHeader>>,
    /// The places of posts that are not in memory.
    pub unknown: Vec<usize>,
    /// The places of posts that changed after the cut.
    pub newer: Vec<usize>,
}

/// Registered fills of posts. They are given up when they are dropped without an end.
#[must_use]
pub struct HeaderFills<'c>(Fills<'c, PackedHeader>);

impl HeaderFills<'_> {
    /// Ends the fills with what one snapshot says of their posts, in order: the header of each, and the event that last changed
    /// it. A later change would strike the fill out, so each is right from that event on.
    pub fn keep(self, read: &[Option<(PostHeader, u64)>]) {
        let packed = |(header, changed): &(PostHeader, u64)| PackedHeader::new(header, *changed);
        self.0.keep(read.iter().map(|read| read.as_ref().and_then(packed)));
    }
}

/// The headers in memory.
pub struct HeaderCache {
    cache: Cache<PackedHeader>,
    hits: metrics::Counter,
    misses: metrics::Counter,
}

impl HeaderCache {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_item_cache_total", "outcome" => outcome);
        Self { cache: Cache::new(bytes), hits: outcome("hit"), misses: outcome("miss") }
    }

    /// What memory tells of posts as of a cut. All are probed under one lock.
    pub fn at(&self, ids: &[PostId], cut: &impl Cut) -> KnownHeaders {
        let mut known = KnownHeaders { headers: Vec::with_capacity(ids.len()), ..KnownHeaders::default() };
        let KnownHeaders { headers, unknown, newer } = &mut known;
        let held = self.cache.read();
        held.warm(ids.iter().copied());
        headers.extend(ids.iter().enumerate().map(|(index, id)| {
            header_at(&held, *id, cut).unwrap_or_else(|miss| {
                match miss {
                    Miss::Newer => newer.push(index),
                    Miss::Unknown => unknown.push(index),
                }
                None
            })
        }));
        drop(held);
        self.hits.increment((ids.len() - known.unknown.len() - known.newer.len()) as u64);
        known
    }

    /// Registers fills of posts that memory does not have; their snapshot comes after.
    pub fn begin_fills(&self, ids: &[PostId]) -> HeaderFills<'_> {
        self.misses.increment(ids.len() as u64);
        HeaderFills(self.cache.begin_fills(ids.iter().copied()))
    }

    /// Takes over what the commit `seq` changed, before it is published. A new post is about to be read; an imported
    /// one is old, so that of those only what is held is replaced.
    pub fn apply(&self, seq: u64, headers: &[PostHeader]) {
        if headers.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        for header in headers {
            let is_wanted = header.event.is_some() || held.get(header.id).is_some();
            match PackedHeader::new(header, seq).filter(|_| is_wanted) {
                Some(packed) => held.replace(header.id, packed),
                None => held.forget(header.id),
            }
        }
    }

    /// Forgets posts that a commit of a log names, before it is published.
    pub fn forget(&self, ids: &[PostId]) {
        self.cache.forget(ids);
    }

    /// Forgets all posts by users of some logs. It looks at all posts that are held.
    pub fn forget_logs(&self, logs: Logs, gone: &BTreeSet<LogId>) {
        self.cache.forget_logs::<PostId>(logs, gone);
    }

    /// Bytes held, about, and headers held.
    pub fn size(&self) -> (usize, usize) {
        let held = self.cache.read();
        (held.bytes(), held.count())
    }
}

/// A post as of a cut; `None` if it is newer.
fn header_at<C: Cut>(
    held: &CacheEntries<PackedHeader>,
    id: PostId,
    cut: &C,
) -> Result<Option<PostHeader>, Miss> {
    let log = C::LOGS.of_gene(id.gene());
    if id.get() > cut.ids_high(log) {
        return Ok(None);
    }
    let packed = held.get(id).ok_or(Miss::Unknown)?;
    if packed.as_of() > cut.seq(log) {
        return Err(Miss::Newer);
    }
    packed.touch();
    Ok(packed.unpack(id, log))
}

#[cfg(test)]
mod tests;
