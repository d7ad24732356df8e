//! The full-text index of posts: which posts have which words, newest first.
//!
//! Every document is derived from a post, and no text is kept: what comes back is ids. The index stands in a directory
//! of its own with a position of its own, which is part of the commit that holds its documents, so that no crash can
//! separate the two. An index that does not fit says why ([`Unusable`]); the caller then builds another one.
//!
//! One [`PostIndexWriter`] changes an index; any number of [`PostIndex`] search it meanwhile. [`IndexStore`] puts both behind
//! the ports of search, with a thread that commits when it is time. Only `engine` names the
//! library, and only its `disk.rs` opens the directory.

mod ask;
mod doc;
mod engine;
mod error;
mod options;
mod payload;
mod store;

pub use ask::{Best, Expr, LEAVES_MAX, LOOKED_MAX, PAGE_MAX, PREFIX_TERMS_MAX};
pub use doc::{DocToken, DocTokens, IndexedPost, TOKEN_LEN_MAX, TOKENS_MAX};
pub use engine::{DocIndex, DocWriter, PostDocs};
pub use error::{SearchError, Unusable};
pub use options::{FreeBytes, IndexOptions, MEMORY_BYTES_MIN, MOVES_MAX};
pub use store::{IndexStore, StoreOptions};

/// An index of posts.
pub type PostIndex = DocIndex<PostDocs>;
/// The writer of an index of posts.
pub type PostIndexWriter = DocWriter<PostDocs>;
/// An index of posts behind the ports.
pub type PostIndexStore = IndexStore<PostDocs>;
