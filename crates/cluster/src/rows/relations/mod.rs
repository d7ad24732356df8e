//! Fetching and writing counters, and writing what users have said about each other.

mod digests;
mod fetch;
mod put;

pub(crate) use digests::put_deltas;
pub(super) use fetch::RelationFetch;
pub(super) use put::put_relations;
