//! Lists of edges, posts, likes, users and requests: one a line, read and written in the same form, plain or compressed.
//!
//! [`input`] opens a list. [`form`] decides from its first block how it is laid out, or says what is not clear. [`batches`]
//! cuts it into batches of rows, and [`report`] counts the results of the rows. [`output`] writes a list.

pub mod batches;
#[cfg(test)]
mod cases;
mod edge;
mod error;
mod fields;
pub mod form;
#[cfg(test)]
mod fuzz;
pub mod input;
pub mod like;
pub mod named;
pub mod not_carried;
pub mod output;
pub mod place;
pub mod post;
pub mod refusals;
pub mod report;
pub mod request;
pub mod row;
pub mod time;
pub mod user;

pub use error::ListError;
