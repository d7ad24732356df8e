//! Posts without their content in memory, under the rules of [`cache`](crate::memory::cache): 48 bytes each.

mod packed;

use crate::engine::{Engine, EngineResult, Snapshot};
use crate::memory::cache::{Cache, CacheEntries};
use crate::rows;
use crate::view::View;
use guanxi_model::{PostHeader, PostId};
use packed::PackedHeader;

/// Why memory cannot tell what a post is.
enum Miss {
    /// It changed after the view.
    Newer,
    /// It is not in memory.
    Unknown,
}

/// The headers in memory.
pub(crate) struct HeaderCache {
    cache: Cache<PackedHeader>,
    hits: metrics::Counter,
    misses: metrics::Counter,
}

impl HeaderCache {
    /// An empty cache with a byte budget.
    pub(crate) fn new(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_item_cache_total", "outcome" => outcome);
        Self { cache: Cache::new(bytes), hits: outcome("hit"), misses: outcome("miss") }
    }

    /// Each post as of a view, in order; `None` for one that does not exist there. All are probed under one lock, and
    /// only what memory cannot tell is read from the table.
    pub(crate) fn at(
        &self,
        ids: &[PostId],
        view: &View,
        engine: &Engine,
    ) -> EngineResult<Vec<Option<PostHeader>>> {
        let mut headers = Vec::with_capacity(ids.len());
        let (mut unknown, mut newer) = (Vec::new(), Vec::new());
        {
            let held = self.cache.read();
            held.warm(ids.iter().copied());
            headers.extend(ids.iter().enumerate().map(|(index, id)| {
                known(&held, *id, view).unwrap_or_else(|miss| {
                    match miss {
                        Miss::Newer => newer.push(index),
                        Miss::Unknown => unknown.push(index),
                    }
                    None
                })
            }));
        }
        self.hits.increment((ids.len() - unknown.len() - newer.len()) as u64);
        if !unknown.is_empty() {
            let asked: Vec<PostId> = unknown.iter().map(|index| ids[*index]).collect();
            for (index, loaded) in unknown.into_iter().zip(self.fill(&asked, engine, rows::posts::header)?) {
                match loaded {
                    Some((header, changed)) if changed <= view.seq => headers[index] = Some(header),
                    Some(_) => newer.push(index),
                    // Posts are never removed, so an older view has it as little.
                    None => {}
                }
            }
        }
        for index in newer {
            headers[index] = rows::posts::header(&view.snapshot, ids[index])?.map(|(header, _)| header);
        }
        Ok(headers)
    }

    /// Reads headers at one fresh snapshot, with the event that last changed each, and keeps them: a later change would
    /// strike the fill out, so each is right from that event on.
    fn fill(
        &self,
        ids: &[PostId],
        engine: &Engine,
        load: impl Fn(&Snapshot, PostId) -> EngineResult<Option<(PostHeader, u64)>>,
    ) -> EngineResult<Vec<Option<(PostHeader, u64)>>> {
        self.misses.increment(ids.len() as u64);
        let fills = self.cache.begin_fills(ids.iter().copied());
        let snapshot = engine.snapshot();
        let loaded: EngineResult<Vec<Option<(PostHeader, u64)>>> =
            ids.iter().map(|id| load(&snapshot, *id)).collect();
        let values = loaded.as_deref().unwrap_or_default().iter();
        let values = values
            .map(|header| header.as_ref().and_then(|(header, changed)| PackedHeader::new(header, *changed)));
        let values = values.chain(std::iter::repeat_with(|| None));
        self.cache.end_fills(fills.into_iter().zip(values));
        loaded
    }

    /// Takes over what the commit `seq` changed, before it is published. A new post is about to be read; an imported
    /// one is old, so that of those only what is held is replaced.
    pub(crate) fn apply(&self, seq: u64, headers: &[PostHeader]) {
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

    /// Bytes held, about, and headers held.
    pub(crate) fn size(&self) -> (usize, usize) {
        let held = self.cache.read();
        (held.bytes(), held.len())
    }
}

/// A post as of a view; `None` if it is newer.
fn known(held: &CacheEntries<PackedHeader>, id: PostId, view: &View) -> Result<Option<PostHeader>, Miss> {
    if id.get() > view.ids_high {
        return Ok(None);
    }
    let packed = held.get(id).ok_or(Miss::Unknown)?;
    if packed.as_of() > view.seq {
        return Err(Miss::Newer);
    }
    packed.touch();
    Ok(packed.unpack(id))
}

#[cfg(test)]
mod tests;
