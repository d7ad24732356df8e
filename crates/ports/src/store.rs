//! The port of a store: one way to write, and views to read.

use crate::{BoxFuture, Facts, ListAnswer, ListAsk, StoreView};
use guanxi_model::{EventAt, Position, Relation, Result, Uid};
use std::sync::Arc;

/// The facts of users, and what is derived from them.
pub trait Store: Facts {
    /// Pins a view that includes every event that `at_least` has seen, and what follows from the events that its holder caused
    /// (reverse edges, counters, marks), wherever it is asked. It waits for them if need be.
    ///
    /// # Errors
    /// `TokenFromOtherHistory`, or `TokenAhead` when the store does not reach the position within a second.
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>>;

    /// Pins a view as [`view`](Self::view) does, for one page with a viewer: answers to different questions may be of different
    /// moments, and are right together only if [`confirm`](crate::PostView::confirm) says so, which is asked last. A store may answer
    /// most of them from memory. Where many processes serve one store, a page without `at_least` may lack the newest writes of other
    /// processes.
    ///
    /// # Errors
    /// Those of [`view`](Self::view).
    fn page_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        self.view(at_least)
    }

    /// Returns the relation of `subject` to each of `objects`, in order, as a view that includes `at_least` tells it, and the position of
    /// the answer. It is for callers that ask nothing else: a store may answer it from memory without a view. Where many processes
    /// serve one store, an answer without `at_least` may lack the newest writes of other processes.
    ///
    /// # Errors
    /// Those of [`view`](Self::view).
    fn relations<'a>(
        &'a self,
        subject: Uid,
        objects: &'a [Uid],
        at_least: Option<&'a Position>,
    ) -> BoxFuture<'a, Result<(Vec<Relation>, Position)>> {
        Box::pin(async move {
            let view = self.view(at_least).await?;
            let relations = view.relations(subject, objects).await?;
            Ok((relations, view.position()))
        })
    }

    /// Returns a page of a list with what belongs to its users, all as a view that includes `at_least` tells it. It is for callers that
    /// ask nothing else, as [`relations`](Self::relations) is.
    ///
    /// # Errors
    /// Those of [`view`](Self::view), and of [`BaseView::list`](crate::BaseView::list).
    fn list<'a>(&'a self, ask: ListAsk, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<ListAnswer>> {
        Box::pin(async move { ask.in_view(&*self.view(at_least).await?).await })
    }

    /// Returns whether everything that follows from a user's acts, up to an event of that user's log, stands wherever it belongs:
    /// each follow in the followers list of the other, which the fan-out reads. It is always true on one machine.
    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>>;
}

/// A shared store is a store, so that wrappers can hold one.
impl<S: Store + ?Sized> Store for Arc<S> {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        (**self).view(at_least)
    }

    fn page_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        (**self).page_view(at_least)
    }

    fn relations<'a>(
        &'a self,
        subject: Uid,
        objects: &'a [Uid],
        at_least: Option<&'a Position>,
    ) -> BoxFuture<'a, Result<(Vec<Relation>, Position)>> {
        (**self).relations(subject, objects, at_least)
    }

    fn list<'a>(&'a self, ask: ListAsk, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<ListAnswer>> {
        (**self).list(ask, at_least)
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        (**self).is_applied(uid, at)
    }
}
