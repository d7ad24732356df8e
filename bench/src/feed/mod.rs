//! Feeds: guanxi against seed 003's design on Redis and against PostgreSQL, on the same world, in one run.

mod options;
mod reads;
mod side_by_side;
pub(crate) mod store;

pub(crate) use options::Options;
pub(crate) use side_by_side::main;
