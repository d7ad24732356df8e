//! Counts and times every write, question and view of a store: a wrapper, so that no backend has to.
//!
//! Writes and questions are counted by family: graph, post, user, group. Each family has three metrics, labelled by `op`: calls,
//! seconds until the answer was ready, and calls that failed as a whole. The refusal of a command is an outcome, and no failure.

mod writes;

use crate::meter::{GRAPH, GROUP, POST, USER, meters};
use crate::view::{MeteredView, ViewMeters};
use crate::{BoxFuture, ListAnswer, ListAsk, Store, StoreView};
use guanxi_model::{EventAt, Position, Relation, Result, Uid};
use metrics::{Unit, describe_counter, describe_histogram};
use std::sync::Arc;
use writes::{PairMeters, WriteMeters};

meters! {
    /// Calls of the store beside writes.
    pub(crate) struct StoreMeters { graph { view } post { is_applied } }
}

/// The handles of every call.
struct Meters {
    store: StoreMeters,
    pairs: PairMeters,
    writes: WriteMeters,
    view: Arc<ViewMeters>,
}

/// Returns the family and the label of every call: graph, post, user or group, and the value of `op`.
pub fn ops() -> Vec<(&'static str, &'static str)> {
    let all = [StoreMeters::OPS, WriteMeters::OPS].into_iter().chain(ViewMeters::ops());
    all.flatten().copied().chain(PairMeters::labels().map(|label| ("graph", label))).collect()
}

impl Meters {
    fn register() -> Self {
        for ([calls, seconds, errors], of) in
            [(GRAPH, "the graph"), (POST, "posts"), (USER, "users"), (GROUP, "groups")]
        {
            describe_counter!(calls, Unit::Count, format!("Calls of {of}"));
            describe_histogram!(
                seconds,
                Unit::Seconds,
                format!("Time of a call of {of} until its answer was ready")
            );
            describe_counter!(errors, Unit::Count, format!("Calls of {of} that failed as a whole"));
        }
        Self {
            store: StoreMeters::register(),
            pairs: PairMeters::register(),
            writes: WriteMeters::register(),
            view: Arc::new(ViewMeters::register()),
        }
    }
}

/// A store whose calls are counted and timed.
pub struct Metered<S> {
    inner: S,
    meters: Arc<Meters>,
}

impl<S> Metered<S> {
    /// Wraps a store. The exporter must be installed by now: the handles are registered here.
    pub fn new(inner: S) -> Self {
        Self { inner, meters: Arc::new(Meters::register()) }
    }

    /// A view whose questions are counted and timed, as its opening is.
    fn opened<'a>(
        &'a self,
        view: BoxFuture<'a, Result<Box<dyn StoreView>>>,
    ) -> BoxFuture<'a, Result<Box<dyn StoreView>>>
    where
        S: Sync,
    {
        Box::pin(async move {
            let inner = self.meters.store.view.time(view).await?;
            let meters = self.meters.view.clone();
            Ok(Box::new(MeteredView { inner, meters }) as Box<dyn StoreView>)
        })
    }
}

impl<S: Store> Store for Metered<S> {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.opened(self.inner.view(at_least))
    }

    /// It counts as a view.
    fn page_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.opened(self.inner.page_view(at_least))
    }

    /// It counts as the question of a view, in whichever way it is answered.
    fn relations<'a>(
        &'a self,
        subject: Uid,
        objects: &'a [Uid],
        at_least: Option<&'a Position>,
    ) -> BoxFuture<'a, Result<(Vec<Relation>, Position)>> {
        Box::pin(self.meters.view.of_relations().time(self.inner.relations(subject, objects, at_least)))
    }

    /// It counts as the question of a view for the list, in whichever way it is answered.
    fn list<'a>(&'a self, ask: ListAsk, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<ListAnswer>> {
        Box::pin(self.meters.view.of_list(ask.list).time(self.inner.list(ask, at_least)))
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        Box::pin(self.meters.store.is_applied.time(self.inner.is_applied(uid, at)))
    }
}
