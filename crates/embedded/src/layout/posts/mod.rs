//! Posts, and what is known of their authors: keys and values.

mod keys;
mod values;

pub(crate) use keys::*;
pub(crate) use values::*;
