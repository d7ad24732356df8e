//! Posts without their content in memory, under the rules of [`cache`](crate::cache): 48 bytes each.

use crate::cache::{Cache, Entry, Held};
use crate::engine::{Engine, EngineError};
use crate::posts::load;
use crate::view::View;
use guanxi_model::post::Kind;
use guanxi_model::{Item, PostId, Uid, Visibility};
use std::sync::atomic::{AtomicU64, Ordering};

/// The bit of `as_of` that readers set; lets eviction spare what is read.
const REFERENCED: u64 = 1 << 63;

/// Bits of `seq_and_flags` below the seq.
const FLAGS: u32 = 8;
const DELETED: u64 = 1;
const FOLLOWERS: u64 = 2;
const FRIENDS: u64 = 4;
const REPLY: u64 = 8;
const REPOST: u64 = 16;

/// An item, all in its slot.
#[derive(Default)]
struct Packed {
    author: u64,
    /// The post that it answers or reposts, and whose that is; 0 without.
    other: u64,
    other_author: u64,
    /// The seq of the event that made it. It fits: 56 bits last for two thousand years of a million events a second.
    seq_and_flags: u64,
    /// The commit from which on it is right, and [`REFERENCED`].
    as_of: AtomicU64,
}

impl Clone for Packed {
    fn clone(&self) -> Self {
        Self { as_of: AtomicU64::new(self.as_of.load(Ordering::Relaxed)), ..*self }
    }
}

impl Packed {
    fn new(item: &Item, as_of: u64) -> Self {
        let (kind, other, other_author) = match item.kind {
            Kind::Post => (0, 0, 0),
            Kind::Reply { to, author } => (REPLY, to.get(), author.get()),
            Kind::Repost { of, author } => (REPOST, of.get(), author.get()),
        };
        let visibility = match item.visibility {
            Visibility::Public => 0,
            Visibility::Followers => FOLLOWERS,
            Visibility::Friends => FRIENDS,
        };
        let flags = kind | visibility | if item.deleted { DELETED } else { 0 };
        let seq_and_flags = item.seq << FLAGS | flags;
        Self { author: item.author.get(), other, other_author, seq_and_flags, as_of: AtomicU64::new(as_of) }
    }

    fn as_of(&self) -> u64 {
        self.as_of.load(Ordering::Relaxed) & !REFERENCED
    }

    fn touch(&self) {
        // A write only when needed keeps the cache line shared between readers.
        if self.as_of.load(Ordering::Relaxed) & REFERENCED == 0 {
            self.as_of.fetch_or(REFERENCED, Ordering::Relaxed);
        }
    }

    /// `None` never comes: what was packed was an item.
    fn unpack(&self, id: PostId) -> Option<Item> {
        let has = |flag: u64| self.seq_and_flags & flag != 0;
        let other = || Some((PostId::new(self.other).ok()?, Uid::new(self.other_author).ok()?));
        let kind = if has(REPLY) {
            let (to, author) = other()?;
            Kind::Reply { to, author }
        } else if has(REPOST) {
            let (of, author) = other()?;
            Kind::Repost { of, author }
        } else {
            Kind::Post
        };
        let visibility = if has(FOLLOWERS) {
            Visibility::Followers
        } else if has(FRIENDS) {
            Visibility::Friends
        } else {
            Visibility::Public
        };
        let author = Uid::new(self.author).ok()?;
        Some(Item { id, author, kind, visibility, deleted: has(DELETED), seq: self.seq_and_flags >> FLAGS })
    }
}

impl Entry for Packed {
    const INLINE: bool = true;

    fn heap_bytes(&self) -> usize {
        0
    }

    fn untouch(&self) -> bool {
        self.as_of.fetch_and(!REFERENCED, Ordering::Relaxed) & REFERENCED != 0
    }
}

/// Why memory cannot tell what a post is.
enum Miss {
    /// It changed after the view.
    Newer,
    /// It is not in memory.
    Unknown,
}

/// The items in memory.
pub(crate) struct Items {
    cache: Cache<Packed>,
    hits: metrics::Counter,
    misses: metrics::Counter,
}

impl Items {
    /// An empty cache with a byte budget.
    pub fn new(bytes: u64) -> Self {
        let outcome =
            |outcome: &'static str| metrics::counter!("guanxi_item_cache_total", "outcome" => outcome);
        Self { cache: Cache::new(bytes), hits: outcome("hit"), misses: outcome("miss") }
    }

    /// Each post as of a view, in order; `None` for one that does not exist there. All are probed under one lock, and
    /// only what memory cannot tell is read from the table.
    pub fn at(&self, ids: &[PostId], view: &View, engine: &Engine) -> Result<Vec<Option<Item>>, EngineError> {
        let mut items = Vec::with_capacity(ids.len());
        let (mut unknown, mut newer) = (Vec::new(), Vec::new());
        {
            let held = self.cache.read();
            items.extend(ids.iter().enumerate().map(|(index, id)| {
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
            for (index, loaded) in unknown.into_iter().zip(self.fill(&asked, engine)?) {
                match loaded {
                    Some((item, changed)) if changed <= view.seq => items[index] = Some(item),
                    Some(_) => newer.push(index),
                    // Posts are never removed, so an older view has it as little.
                    None => {}
                }
            }
        }
        for index in newer {
            items[index] = load::item(&view.snapshot, ids[index])?.map(|(item, _)| item);
        }
        Ok(items)
    }

    /// Reads items at one fresh snapshot, with the event that last changed each, and keeps them: a later change would
    /// strike the fill out, so each is right from that event on.
    fn fill(&self, ids: &[PostId], engine: &Engine) -> Result<Vec<Option<(Item, u64)>>, EngineError> {
        self.misses.increment(ids.len() as u64);
        let fills = self.cache.begin_fills(ids.iter().copied());
        let snapshot = engine.snapshot();
        let loaded: Result<Vec<Option<(Item, u64)>>, EngineError> =
            ids.iter().map(|id| load::item(&snapshot, *id)).collect();
        let values = loaded.as_deref().unwrap_or_default().iter();
        let values = values.map(|item| item.as_ref().map(|(item, changed)| Packed::new(item, *changed)));
        let values = values.chain(std::iter::repeat_with(|| None));
        self.cache.end_fills(fills.into_iter().zip(values));
        loaded
    }

    /// Takes over what the commit `seq` changed, before it is published. A new post is about to be read; an imported
    /// one is old, so that of those only what is held is replaced.
    pub fn apply(&self, seq: u64, items: &[Item]) {
        if items.is_empty() {
            return;
        }
        let mut held = self.cache.write();
        for item in items {
            if item.seq > 0 || held.get(item.id).is_some() {
                held.replace(item.id, Packed::new(item, seq));
            } else {
                held.forget(item.id);
            }
        }
    }

    /// Bytes held, about, and items held.
    pub fn size(&self) -> (usize, usize) {
        let held = self.cache.read();
        (held.bytes(), held.len())
    }
}

/// A post as of a view; `None` if it is newer.
fn known(held: &Held<Packed>, id: PostId, view: &View) -> Result<Option<Item>, Miss> {
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
