//! Every read, at a pinned view.

mod log;
mod posts;
pub(crate) mod relations;
