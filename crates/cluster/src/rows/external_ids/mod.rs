//! Fetching and writing the dictionary of external ids.

mod fetch;
mod put;

pub(super) use fetch::ExternalFetch;
pub(crate) use fetch::{read_erased_id, read_id};
pub(super) use put::put_external_ids;
