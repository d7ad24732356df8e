//! Lists of edges, posts and likes: one a line, read and written in the same form, plain or compressed.

pub(crate) mod batches;
#[cfg(test)]
mod cases;
pub(crate) mod edge;
mod fields;
pub(crate) mod form;
#[cfg(test)]
mod fuzz;
pub(crate) mod input;
pub(crate) mod like;
pub(crate) mod named;
pub(crate) mod not_carried;
pub(crate) mod output;
pub(crate) mod place;
pub(crate) mod post;
pub(crate) mod refusals;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod row;
pub(crate) mod time;
pub(crate) mod user;
