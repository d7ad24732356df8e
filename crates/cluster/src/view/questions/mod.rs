//! The questions of a view, by reader: each is answered in the module of its domain.

mod posts;
mod relations;
mod scan;
mod users;
