//! What a plan reads and changes: a trait for the rows of each domain.

mod audit;
mod credentials;
mod events;
mod external_ids;
mod groups;
mod posts;
mod relations;
mod suggestions;
mod users;
mod waiting;

pub use audit::AuditRows;
pub use credentials::CredentialRows;
pub use events::{EventRows, Remembered, RequestRows};
pub use external_ids::ExternalRows;
pub use groups::GroupRows;
pub use posts::{FeedRows, PostRows};
pub use relations::{FactLimits, RelationRows, Said};
pub use suggestions::SuggestionRows;
pub use users::{SessionRows, UserRows};
pub use waiting::WaitingRows;

/// The rows that a batch needs, with the batch's own changes on top: what is put is what is read from then on.
///
/// It says nothing of where rows are. A backend of many shards plans for the shard of the actor. There `said` by another
/// user is what that shard mirrors. Rows that are put for another user are left to the shard that derives them from the
/// event.
///
/// Each domain has a part of it.
pub trait State:
    RequestRows
    + RelationRows
    + PostRows
    + UserRows
    + SessionRows
    + CredentialRows
    + AuditRows
    + ExternalRows
    + FeedRows
    + WaitingRows
    + SuggestionRows
    + GroupRows
{
}

impl<S> State for S where
    S: RequestRows
        + RelationRows
        + PostRows
        + UserRows
        + SessionRows
        + CredentialRows
        + AuditRows
        + ExternalRows
        + FeedRows
        + WaitingRows
        + SuggestionRows
        + GroupRows
{
}
