//! Posts that count what is read of them.

use guanxi_model::post::{PostHeader, PostStats};
use guanxi_model::{EventAt, GroupId, Position, PostId, Result, Uid, Write};
use guanxi_ports::{
    Applied, BoxFuture, Facts, Layer, PostLayer, RelationLayer, ScanLayer, Store, StoreView, UserLayer,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts the headers that are asked for, the posts whose counters are, and the groups.
pub(super) struct Counting {
    pub inner: Arc<dyn Store>,
    pub headers: Arc<AtomicUsize>,
    pub stats: Arc<AtomicUsize>,
    pub groups: Arc<AtomicUsize>,
}

struct CountingView {
    inner: Box<dyn StoreView>,
    headers: Arc<AtomicUsize>,
    stats: Arc<AtomicUsize>,
    groups: Arc<AtomicUsize>,
}

impl Facts for Counting {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        self.inner.apply(write)
    }
}

impl Store for Counting {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let inner = self.inner.view(at_least).await?;
            let (headers, stats, groups) = (self.headers.clone(), self.stats.clone(), self.groups.clone());
            Ok(Box::new(CountingView { inner, headers, stats, groups }) as Box<dyn StoreView>)
        })
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        self.inner.is_applied(uid, at)
    }
}

impl Layer for CountingView {
    fn below(&self) -> &dyn StoreView {
        &*self.inner
    }
}

impl RelationLayer for CountingView {}

impl PostLayer for CountingView {
    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        self.headers.fetch_add(ids.len(), Relaxed);
        self.inner.headers(ids)
    }

    fn in_groups<'a>(&'a self, uid: Uid, groups: &'a [(Uid, GroupId)]) -> BoxFuture<'a, Result<Vec<bool>>> {
        self.groups.fetch_add(groups.len(), Relaxed);
        self.inner.in_groups(uid, groups)
    }

    fn stats<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<PostStats>>> {
        self.stats.fetch_add(ids.len(), Relaxed);
        self.inner.stats(ids)
    }
}

impl UserLayer for CountingView {}

impl ScanLayer for CountingView {}
