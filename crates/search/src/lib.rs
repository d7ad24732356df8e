//! The indexes of search: which posts have which words, newest first, and which users are called so.
//!
//! Every document is derived from a post or user, and no text is kept: what comes back is ids. An index stands in a directory
//! of its own with a position of its own, which is part of the commit that holds its documents, so that no crash can
//! separate the two. An index that does not fit says why ([`Unusable`]); the caller then builds another one.
//!
//! One [`DocWriter`] changes an index; any number of [`DocIndex`] search it meanwhile. [`IndexStore`] puts both behind
//! the ports of search, with a thread that commits when it is time. Only `engine` names the
//! library, and only its `disk.rs` opens the directory.
//!
//! A document that is removed or replaced is found no more from the next commit on. Its words stay in the files of its segment
//! until that is merged with others, which happens once three tenths of its documents are gone or eight segments are of about
//! one size. A segment of more than five million documents is never merged. What an erased user said or was called may be read
//! in the directory until then.

mod ask;
mod doc;
mod engine;
mod error;
mod names;
mod options;
mod pace;
mod payload;
mod store;

pub use ask::{Best, Expr, LEAVES_MAX, LOOKED_MAX, PAGE_MAX, PREFIX_TERMS_MAX};
pub use doc::{DocToken, DocTokens, TOKEN_LEN_MAX, TOKENS_MAX};
pub use engine::{DocIndex, DocKind, DocWriter, PostDocs, Rewriting, UserDocs};
pub use error::{SearchError, Unusable};
pub use guanxi_text::ANALYSER_VERSION;
pub use names::{NameTerms, UserTerms};
pub use options::{FreeBytes, IndexOptions, MEMORY_BYTES_MIN, MOVES_MAX};
pub use pace::Pace;
pub use store::{IndexStore, StoreOptions};

/// An index of posts.
pub type PostIndex = DocIndex<PostDocs>;
/// The writer of an index of posts.
pub type PostIndexWriter = DocWriter<PostDocs>;
/// An index of posts behind the ports.
pub type PostIndexStore = IndexStore<PostDocs>;
/// An index of users.
pub type UserIndex = DocIndex<UserDocs>;
/// The writer of an index of users.
pub type UserIndexWriter = DocWriter<UserDocs>;
/// An index of users behind the ports.
pub type UserIndexStore = IndexStore<UserDocs>;
