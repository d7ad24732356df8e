//! Stores of tests through whose views something else is seen: any store, wrapped where a view is pinned.

use guanxi_model::post::PostHeader;
use guanxi_model::{EdgePage, Error, EventAt, List, Page, Position, PostId, Reason, Result, Uid, Write};
use guanxi_ports::{
    Applied, BoxFuture, Facts, Layer, PostLayer, RelationLayer, ScanLayer, Store, StoreView, UserLayer,
};
use std::collections::BTreeSet;
use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes a view of the view that a store has pinned.
type Wrap = dyn Fn(Box<dyn StoreView>) -> Box<dyn StoreView> + Send + Sync;

/// A store whose views are wrapped as they are pinned. Writes go through as they are.
pub struct Viewed<S: ?Sized> {
    inner: Arc<S>,
    wrap: Box<Wrap>,
}

impl<S: Store + ?Sized> Viewed<S> {
    /// Wraps each view of a store.
    pub fn new<V: StoreView + 'static>(
        inner: Arc<S>,
        wrap: impl Fn(Box<dyn StoreView>) -> V + Send + Sync + 'static,
    ) -> Self {
        Self { inner, wrap: Box::new(move |view| Box::new(wrap(view))) }
    }
}

impl<S: Store + ?Sized> Facts for Viewed<S> {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        self.inner.apply(write)
    }
}

impl<S: Store + ?Sized> Store for Viewed<S> {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move { Ok((self.wrap)(self.inner.view(at_least).await?)) })
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        self.inner.is_applied(uid, at)
    }
}

/// Rows that cannot be read.
#[derive(Clone, Debug)]
pub struct BrokenRows {
    /// The users whose lists fail.
    pub lists: BTreeSet<Uid>,
    /// The posts whose headers fail.
    pub headers: BTreeSet<PostId>,
    /// The reason that is given.
    pub reason: Reason,
}

impl Default for BrokenRows {
    fn default() -> Self {
        Self { lists: BTreeSet::new(), headers: BTreeSet::new(), reason: Reason::Damaged }
    }
}

/// A store of which some rows cannot be read: those that are broken when a view is pinned.
pub fn faulty<S: Store + ?Sized>(store: Arc<S>, broken: Arc<Mutex<BrokenRows>>) -> Viewed<S> {
    Viewed::new(store, move |inner| {
        let broken = broken.lock().unwrap_or_else(PoisonError::into_inner).clone();
        FaultyView { inner, broken }
    })
}

struct FaultyView {
    inner: Box<dyn StoreView>,
    broken: BrokenRows,
}

impl FaultyView {
    fn refuse<T: Send + 'static>(&self) -> BoxFuture<'_, Result<T>> {
        Box::pin(ready(Err(Error::with_detail(self.broken.reason.clone(), "a row"))))
    }
}

impl Layer for FaultyView {
    fn below(&self) -> &dyn StoreView {
        &*self.inner
    }

    fn list(&self, of: Uid, list: List, page: Page) -> BoxFuture<'_, Result<EdgePage>> {
        if self.broken.lists.contains(&of) { self.refuse() } else { self.inner.list(of, list, page) }
    }
}

impl RelationLayer for FaultyView {}

impl PostLayer for FaultyView {
    fn headers<'a>(&'a self, ids: &'a [PostId]) -> BoxFuture<'a, Result<Vec<Option<PostHeader>>>> {
        if ids.iter().any(|id| self.broken.headers.contains(id)) {
            return self.refuse();
        }
        self.inner.headers(ids)
    }
}

impl UserLayer for FaultyView {}

impl ScanLayer for FaultyView {}
