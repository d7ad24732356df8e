//! Rows of suggestions.

use super::EventRows;
use crate::affinity::Affinities;
use crate::error::Result;
use crate::id::Uid;
use crate::page::Edge;
use crate::stamp::Stamp;

/// The users that a user has dismissed from its suggestions, and the users with whom it has the highest scores.
pub trait SuggestionRows: EventRows {
    /// Returns whom a user has dismissed, each since when, in any order; at most
    /// [`DISMISSED_MAX`](crate::limits::DISMISSED_MAX).
    ///
    /// # Errors
    /// When a row cannot be read.
    fn dismissed(&mut self, viewer: Uid) -> Result<Vec<Edge>, Self::Error>;

    /// Adds, changes or removes a dismissal.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_dismissed(&mut self, viewer: Uid, uid: Uid, at: Option<Stamp>) -> Result<(), Self::Error>;

    /// Returns the scores of a user, in any order.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn affinities(&mut self, actor: Uid) -> Result<Affinities, Self::Error>;

    /// Sets all scores of a user; without any, its half-life is forgotten, too.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn put_affinities(&mut self, actor: Uid, affinities: Affinities) -> Result<(), Self::Error>;
}
