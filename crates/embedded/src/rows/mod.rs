//! Reading rows of the tables at a snapshot: what memory is filled from, the writer plans over, and reads fall back to.

pub(crate) mod posts;
pub(crate) mod relations;
pub(crate) mod settings;
pub(crate) mod user_relations;
