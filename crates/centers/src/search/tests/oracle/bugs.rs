//! Bugs put in on purpose, one at a time, as wrappers of ports that are wrong in one way.

use crate::search::SearchCenter;
use crate::search::tests::world::World;
use guanxi_model::{EventAt, Position, PostId, Result, Uid, Write};
use guanxi_ports::Layer;
use guanxi_ports::{
    Applied, BoxFuture, Facts, FoundPosts, IndexChange, IndexDoc, IndexStage, Indexing, PostAsk, PostLayer,
    PostSearch, RelationLayer, ScanLayer, SearchIndex, Store, StoreView, UserLayer,
};
use guanxi_search::PostIndexStore;
use guanxi_spec::memory::MemoryStore;
use std::collections::HashMap;
use std::mem::replace;
use std::sync::{Arc, Mutex};

/// One bug, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search::tests) enum Bug {
    /// What the product does.
    None,
    /// Rules and texts are those of the moment that the index stands at, in place of those that stand now.
    OldFacts,
    /// What was read before an event is written over what was written for it.
    OldOverNew,
    /// A position is kept before the documents that belong to it.
    PositionFirst,
    /// Nothing is noted of counters that are owed.
    MarksForgotten,
    /// A page goes on behind so many hits, and not behind the last one.
    PlacesCounted,
}

impl Bug {
    /// What keeps an index, with the bug.
    pub(in crate::search::tests) fn keeping<D: IndexDoc + Clone>(
        self,
        inner: Box<dyn Indexing<D>>,
    ) -> Box<dyn Indexing<D>> {
        match self {
            Self::OldOverNew | Self::PositionFirst | Self::MarksForgotten => {
                Box::new(Wrong { inner, bug: self, held: Vec::new(), read: HashMap::new() })
            }
            Self::None | Self::OldFacts | Self::PlacesCounted => inner,
        }
    }
}

/// Keeps an index with a bug.
struct Wrong<D: IndexDoc> {
    inner: Box<dyn Indexing<D>>,
    bug: Bug,
    /// The changes of the time before.
    held: Vec<IndexChange<D>>,
    /// The documents that were written last.
    read: HashMap<D::Id, D>,
}

impl<D: IndexDoc + Clone> Indexing<D> for Wrong<D> {
    fn position(&self) -> &Position {
        self.inner.position()
    }

    fn counters(&self) -> Option<&Position> {
        self.inner.counters()
    }

    fn stage(&self) -> IndexStage<D::Id> {
        self.inner.stage()
    }

    fn apply(
        &mut self,
        changes: Vec<IndexChange<D>>,
        position: Position,
        counters: Option<Position>,
    ) -> BoxFuture<'_, Result<()>> {
        if !matches!(self.inner.stage(), IndexStage::Whole) {
            // Documents come by rising ids.
            return self.inner.apply(changes, position, counters);
        }
        match self.bug {
            Bug::OldOverNew => {
                let mut all = changes.clone();
                for change in changes {
                    let IndexChange::Put(doc) = change else { continue };
                    let before = self.read.insert(doc.id(), doc);
                    all.extend(before.map(IndexChange::Put));
                }
                self.inner.apply(all, position, counters)
            }
            Bug::PositionFirst => {
                let before = replace(&mut self.held, changes);
                self.inner.apply(before, position, counters)
            }
            _ => self.inner.apply(changes, position, None),
        }
    }

    fn keep(&mut self) -> BoxFuture<'_, Result<()>> {
        self.inner.keep()
    }

    fn begin_anew(&mut self, head: Position) -> BoxFuture<'_, Result<()>> {
        self.held.clear();
        self.read.clear();
        self.inner.begin_anew(head)
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<()>> {
        self.inner.finish()
    }
}

/// A moment of the facts, and the position of the index then.
pub(super) type Moment = Arc<Mutex<Option<(Position, Arc<dyn StoreView>)>>>;

/// The center of searches for posts, with the bug. `moment` is of the whole history.
pub(super) fn center(world: &World, index: &Arc<PostIndexStore>, bug: Bug, moment: &Moment) -> SearchCenter {
    let (inner, index) = (world.store.clone(), index.clone());
    match bug {
        Bug::OldFacts => {
            let facts = OldFacts { inner, index: index.clone(), moment: moment.clone() };
            SearchCenter::new(Arc::new(facts), index, world.store.clone(), &world.any_clock())
        }
        Bug::PlacesCounted => world.center(Arc::new(Counting { inner: index, places: Mutex::default() })),
        _ => world.center(index),
    }
}

/// Facts as they were when the index moved last.
struct OldFacts {
    inner: Arc<MemoryStore>,
    index: Arc<PostIndexStore>,
    moment: Moment,
}

impl Facts for OldFacts {
    fn apply(&self, write: Write) -> BoxFuture<'_, Result<Applied>> {
        self.inner.apply(write)
    }
}

impl Store for OldFacts {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        Box::pin(async move {
            let as_of = self.index.as_of()?;
            let now: Arc<dyn StoreView> = self.inner.view(at_least).await?.into();
            let mut moment = self.moment.lock().unwrap();
            let (_, view) = match moment.take() {
                Some(moment) if moment.0 == as_of => moment,
                _ => (as_of.clone(), now),
            };
            *moment = Some((as_of, view.clone()));
            Ok(Box::new(Old(view)) as Box<dyn StoreView>)
        })
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        self.inner.is_applied(uid, at)
    }
}

/// A view that is asked once more.
struct Old(Arc<dyn StoreView>);

impl Layer for Old {
    fn below(&self) -> &dyn StoreView {
        &*self.0
    }
}

impl RelationLayer for Old {}

impl PostLayer for Old {}

impl UserLayer for Old {}

impl ScanLayer for Old {}

/// An index whose walks go on behind so many posts.
struct Counting {
    inner: Arc<PostIndexStore>,
    /// How many posts were told up to one, and what the walk began below.
    places: Mutex<HashMap<PostId, (usize, Option<PostId>)>>,
}

impl PostSearch for Counting {
    fn search<'a>(&'a self, ask: PostAsk<'a>) -> BoxFuture<'a, Result<FoundPosts>> {
        Box::pin(async move {
            let known = ask.below.and_then(|below| self.places.lock().unwrap().get(&below).copied());
            let (told, top) = known.unwrap_or((0, ask.below));
            let ask = PostAsk { below: top, max: told + ask.max, ..ask };
            let mut found = self.inner.search(ask).await?;
            found.ids.drain(..told.min(found.ids.len()));
            let places = found.ids.iter().zip(told + 1..).map(|(id, place)| (*id, (place, top)));
            self.places.lock().unwrap().extend(places);
            Ok(found)
        })
    }
}

impl SearchIndex for Counting {
    fn as_of(&self) -> Result<Position> {
        self.inner.as_of()
    }

    fn wait<'a>(&'a self, at_least: &'a Position) -> BoxFuture<'a, Result<()>> {
        SearchIndex::wait(&*self.inner, at_least)
    }
}
