//! A view of everything, and the ports that pin one.

use crate::BoxFuture;
use crate::external_ids::ExternalIdView;
use crate::facts::Facts;
use crate::graph::GraphView;
use crate::groups::GroupView;
use crate::outboxes::OutboxView;
use crate::posts::PostView;
use crate::requests::RequestView;
use crate::settings::SettingsView;
use crate::suggestions::SuggestionView;
use crate::users::UserView;
use guanxi_model::{EventAt, Position, Result, Uid};
use std::sync::Arc;

/// Everything that a store says, as of one moment of each user: what a store pins. Readers take the part that they read.
pub trait StoreView:
    GraphView
    + RequestView
    + OutboxView
    + PostView
    + UserView
    + ExternalIdView
    + SettingsView
    + SuggestionView
    + GroupView
{
}

impl<V> StoreView for V where
    V: GraphView
        + RequestView
        + OutboxView
        + PostView
        + UserView
        + ExternalIdView
        + SettingsView
        + SuggestionView
        + GroupView
        + ?Sized
{
}

/// The facts of users about each other, and what is derived from them.
pub trait Graph: Facts {
    /// Pins a view that includes every event that `at_least` has seen, and what follows from those that its holder did
    /// (reverse edges, counters, marks), wherever it is asked; waiting for it if need be.
    ///
    /// # Errors
    /// `TokenFromOtherHistory`, or `TokenAhead` when the store does not reach the position within a second.
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>>;
}

/// The posts of users, their likes, and what readers have noted of their feeds: facts beside the graph's, in the
/// same log.
pub trait Posts: Facts {
    /// Pins a view that includes every event that `at_least` has seen, and what follows from those that its holder
    /// did, wherever it is asked; waiting for it if need be.
    ///
    /// # Errors
    /// `TokenFromOtherHistory`, or `TokenAhead` when the store does not reach the position within a second.
    fn post_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>>;

    /// Whether everything that follows from a user's acts up to an event of that user's log stands wherever it belongs:
    /// each follow in the followers list of the other, which the fan-out reads. Always so on one machine.
    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>>;
}

/// A shared graph is a graph, so that wrappers can hold one.
impl<G: Graph + ?Sized> Graph for Arc<G> {
    fn view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        (**self).view(at_least)
    }
}

/// Shared posts are posts, so that wrappers can hold them.
impl<P: Posts + ?Sized> Posts for Arc<P> {
    fn post_view<'a>(&'a self, at_least: Option<&'a Position>) -> BoxFuture<'a, Result<Box<dyn StoreView>>> {
        (**self).post_view(at_least)
    }

    fn is_applied(&self, uid: Uid, at: EventAt) -> BoxFuture<'_, Result<bool>> {
        (**self).is_applied(uid, at)
    }
}
