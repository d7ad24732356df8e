//! The rules of the product, written on the ports alone.
//!
//! **Invariant:** nothing here names an engine, a query language or a transport.

pub mod feed;
pub mod post;
pub mod relation;
