//! The dictionary of external ids.

use crate::BoxFuture;
use guanxi_model::{ExternalId, Result, Uid};

/// Which uids the ids from elsewhere have, and the way back. What was said of one stays so until its user is erased.
pub trait ExternalIdView: Send + Sync {
    /// The uids of external ids, in the order of the question; `None` of those that nobody has. At most
    /// [`RESOLVE_IDS_MAX`](guanxi_model::limits::RESOLVE_IDS_MAX).
    fn uids_of<'a>(&'a self, ids: &'a [ExternalId]) -> BoxFuture<'a, Result<Vec<Option<Uid>>>>;

    /// The external ids of users, in the order of the question; `None` of those who have none. At most
    /// [`RESOLVE_IDS_MAX`](guanxi_model::limits::RESOLVE_IDS_MAX).
    fn external_ids<'a>(&'a self, uids: &'a [Uid]) -> BoxFuture<'a, Result<Vec<Option<ExternalId>>>>;
}
