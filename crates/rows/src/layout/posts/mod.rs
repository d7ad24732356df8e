//! Posts, and what is known of their authors: keys and values.

mod keys;
mod values;

pub use keys::*;
pub use values::*;
