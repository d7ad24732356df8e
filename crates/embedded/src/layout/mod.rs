//! The on-disk layout: keys and values of every row.
//!
//! Keys are fixed-width big-endian so that byte order is list order; values begin with a version or flag byte.
//! Golden bytes in the tests keep old files readable for ever: a change here is a new format version.

mod event;
mod keys;
mod values;

pub use event::{decode_event, encode_event};
pub use keys::*;
pub use values::*;

/// The version of this layout, written into the data directory's marker.
pub const FORMAT_VERSION: u32 = 1;

#[cfg(test)]
mod tests;
