//! What holds of the crate as a whole.

mod pairs;
mod properties;
