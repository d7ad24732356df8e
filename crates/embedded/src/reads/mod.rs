//! Every read, at a pinned view.

pub(crate) mod log;
mod posts;
pub(crate) mod relations;
