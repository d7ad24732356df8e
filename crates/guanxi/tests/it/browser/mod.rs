//! The console in a real browser: what its pages do there, that the browser complains of nothing, and that they can be read and
//! used by all.

pub(crate) mod driver;
mod pages;
mod reach;
mod world;
