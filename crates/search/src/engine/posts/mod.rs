//! The index of posts.

mod fields;
mod query;
mod range;
mod search;
mod walk;
mod without;

pub use fields::PostDocs;
