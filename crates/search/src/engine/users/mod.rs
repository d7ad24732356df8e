//! The index of users.

mod fields;
mod query;
mod search;

pub use fields::UserDocs;
