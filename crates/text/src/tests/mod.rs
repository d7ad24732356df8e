//! What holds of the crate as a whole.

mod golden;
mod pairs;
mod properties;
