//! Lists of edges and of posts: one a line, read and written in the same form, plain or compressed.

pub mod batches;
pub mod edge;
pub mod input;
pub mod output;
pub mod post;
pub mod report;
pub mod row;
mod time;
