//! The on-disk layout: keys and values of every row.
//!
//! Keys are fixed-width big-endian so that byte order is list order; values begin with a version or flag byte.
//! Golden bytes in the tests keep old files readable for ever: a change here is a new format version.

mod answers;
mod event;
mod keys;
mod post_keys;
mod posts;
mod values;

pub use answers::{AnswerValue, Outcomes};
pub use event::{decode_event, encode_event, event_at};
pub use keys::*;
pub use post_keys::*;
pub use posts::*;
pub use values::*;

/// The version of this layout, written into the data directory's marker. Format 2 added posts: two tables, and
/// prefixes of records. What format 1 had is unchanged, so a directory of format 1 needs no rewriting.
pub const FORMAT_VERSION: u32 = 2;

#[cfg(test)]
mod tests;
