//! What users have noted of suggestions, and with whom they have most to do.

use crate::BoxFuture;
use guanxi_model::affinity::Affinities;
use guanxi_model::{Edge, Result, Uid};

/// Whom users do not want suggested, and with whom they have most to do.
pub trait SuggestionView: Send + Sync {
    /// Whom a user has dismissed, each since when, newest first; at most
    /// [`DISMISSED_MAX`](guanxi_model::limits::DISMISSED_MAX).
    fn dismissed(&self, viewer: Uid) -> BoxFuture<'_, Result<Vec<Edge>>>;

    /// Who has dismissed a user, in the order of their uids, after one; at most `max`. Fewer than `max` means the end. It
    /// costs what it finds.
    fn dismissed_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>>;

    /// The scores of a user, the highest first.
    fn affinities(&self, actor: Uid) -> BoxFuture<'_, Result<Affinities>>;

    /// Who has a score with a user, in the order of their uids, after one; at most `max`. Fewer than `max` means the end. It
    /// costs what it finds.
    fn scored_by(&self, uid: Uid, after: Option<Uid>, max: usize) -> BoxFuture<'_, Result<Vec<Uid>>>;
}
