//! The stored forms of events, outcomes and entries of the audit log, which backends keep in the same bytes, and the pieces that they and the
//! rows of backends are made of.
//!
//! **Invariant:** what was ever written is read for ever. The golden bytes of the embedded backend hold these forms too: a
//! change of any is a new format version there. Numbers are big-endian unless they are varints. Bytes that are no such form
//! are read as `None`, and never a panic.

mod audit;
mod events;
mod outcomes;
mod relations;
mod results;
#[cfg(test)]
mod tests;
mod varint;

pub use audit::{decode_audit_entry, encode_audit_entry};
pub use events::{decode_event, encode_event};
pub use outcomes::{decode_outcomes, encode_outcomes};
pub use relations::{get_terms, kind_code, put_terms, request_kind};
pub use varint::{get_text, get_varint, put_text, put_varint};
