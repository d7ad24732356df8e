//! The console in a real browser: what its pages do there, that the browser complains of nothing, and that they can be read and
//! used by all.

mod axe;
pub(crate) mod driver;
mod elsewhere;
mod looks;
mod mending;
mod pages;
mod pictures;
mod reach;
mod texts;
mod world;
