//! The people around a user: friends of friends, suggestions, groups and affinity, on guanxi and on PostgreSQL doing the same,
//! in one run.

mod calls;
mod circles;
mod contest;
mod follows;
mod groups;
mod in_process;
mod options;
mod postgres;
mod right;
mod side_by_side;
#[cfg(test)]
mod tests;

pub(crate) use calls::{PeopleCall, Question, RANKED_PAGE};
pub(crate) use options::Options;
#[cfg(test)]
pub(crate) use postgres::JOIN;
pub(crate) use side_by_side::main;
