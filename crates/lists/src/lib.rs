//! Lists of edges, posts, likes, users and requests: one a line, read and written in the same form, plain or compressed.
//!
//! [`input`] opens a list. [`form`] decides from its first block how it is laid out, or says what is not clear. [`batches`]
//! cuts it into batches of rows, and [`report`] counts the results of the rows. [`output`] writes a list.
//!
//! # What it is not
//!
//! - It writes to no store. The import commands in `crates/guanxi` do, with the batches that they get here.
//! - It is no dump. `guanxi-rows` has dumps, which hold everything and are read by guanxi alone.
//! - It refuses lines that are no rows, and decides nothing more. A store takes or refuses a row, and a [`report`]
//!   counts that.
//!
//! # Main types
//!
//! - [`input::Input`] is an opened list, plain or compressed. [`form::Form`] is how it is laid out.
//! - [`batches::Batches`] yields rows, refused lines and the [`place::Place`] behind them, where a job goes on.
//! - A [`row::Row`] is what a line may be: an edge, a post, a like, a user, a request. [`named`] reads ids of another
//!   product.
//! - [`output`] writes what the exports of a store say.
//!
//! # Example
//!
//! A list of follows with names of columns, and a line that is no follow.
//!
//! ```
//! use guanxi_lists::batches::Batches;
//! use guanxi_lists::form::{Wish, decide_table};
//! use guanxi_model::ImportEdge;
//!
//! let list = "follower,followee\n1,2\n1,3\n1,0\n".as_bytes();
//! let wish = Wish { kind: "edges", ..Wish::default() };
//! let decided = decide_table(list, true, &wish)?;
//! assert_eq!(decided.facts.columns.as_deref(), Some("source,target"));
//!
//! let mut batches = Batches::<ImportEdge, _>::new(list, decided.form);
//! let batch = batches.next().ok_or("the list has lines")??;
//! assert_eq!(batch.rows.len(), 2);
//! assert_eq!((batch.refused[0].line, batch.refused[0].refusal.reason), (4, "UID_OUT_OF_RANGE"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to begin
//!
//! - `form/decide.rs`: how is a layout decided, and when is the caller asked?
//! - `batches.rs`: what is a batch, and how does an interrupted import go on?
//! - `edge.rs`: how is a line read?
//! - `docs/operations.md`, the sections about imports: what does an operator see of lists?

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
mod json;
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
