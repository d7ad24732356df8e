//! Posts that count what is read of them.

use guanxi_model::post::{PostHeader, PostStats};
use guanxi_model::{GroupId, PostId, Result, Uid};
use guanxi_ports::{BoxFuture, Layer, PostLayer, RelationLayer, ScanLayer, Store, StoreView, UserLayer};
use guanxi_spec::viewed::Viewed;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts the headers that are asked for, the posts whose counters are, and the groups.
#[derive(Clone)]
pub(super) struct Counting {
    pub headers: Arc<AtomicUsize>,
    pub stats: Arc<AtomicUsize>,
    pub groups: Arc<AtomicUsize>,
}

impl Counting {
    /// The posts of a store, of which it counts what is read.
    pub(super) fn of(self, store: Arc<dyn Store>) -> Viewed<dyn Store> {
        Viewed::new(store, move |inner| CountingView { inner, counting: self.clone() })
    }
}

struct CountingView {
    inner: Box<dyn StoreView>,
    counting: Counting,
}

impl Layer for CountingView {
    fn below(&self) -> &dyn StoreView {
        &*self.inner
    }
}

impl RelationLayer for CountingView {}

impl PostLayer for CountingView {
    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        self.counting.headers.fetch_add(ids.len(), Relaxed);
        self.inner.headers(ids)
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        self.counting.groups.fetch_add(groups.len(), Relaxed);
        self.inner.in_groups(uid, groups)
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        self.counting.stats.fetch_add(ids.len(), Relaxed);
        self.inner.stats(ids)
    }
}

impl UserLayer for CountingView {}

impl ScanLayer for CountingView {}
