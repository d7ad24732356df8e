//! Edge lists: one follow per line, read and written in the same form, plain or compressed.

pub mod batches;
pub mod input;
pub mod line;
pub mod output;
pub mod report;
