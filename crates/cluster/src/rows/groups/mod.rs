//! Fetching and writing groups and their members.

mod fetch;
mod put;

pub(super) use fetch::GroupFetch;
pub(crate) use fetch::{group_number, read_group};
pub(super) use put::put_groups;
