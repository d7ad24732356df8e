//! The people around a user: friends of friends, suggestions, groups and affinity, on guanxi and on PostgreSQL doing the same,
//! in one run.

mod calls;

pub(crate) use calls::{PeopleCall, RANKED_PAGE};
