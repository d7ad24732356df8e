//! The people around a user: friends of friends, suggestions, groups and affinity, on guanxi and on PostgreSQL doing the same,
//! in one run.

mod calls;
mod circles;
mod follows;
mod groups;
mod in_process;
pub(crate) mod postgres;
mod right;

pub(crate) use calls::{PeopleCall, RANKED_PAGE};
