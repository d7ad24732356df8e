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
//! one size. A segment of more than five million documents is never merged. Until its
//! segment is merged, the directory may show the words and names of an erased user.
//!
//! # What it is not
//!
//! - It does not say what a word is. `guanxi-text` does, for texts and for queries.
//! - It does not decide who may see a hit. `guanxi-centers` reads each hit again, and shows those that the viewer may
//!   see.
//! - It does not follow the logs. The follower in `guanxi-centers` does, and hands documents over.
//! - It is no part of a backend. An index belongs to a process, and another process asks it through `guanxi-api`.
//!
//! # Main types
//!
//! - [`PostIndexStore`] and [`UserIndexStore`] are the indexes behind the ports, with a thread each.
//! - A [`PostIndexWriter`] changes an index in a directory, a [`PostIndex`] searches it by an [`Expr`].
//! - [`SearchError`] says what failed, [`Unusable`] why an index must be built anew.
//!
//! # Example
//!
//! ```
//! use guanxi_model::post::PostStats;
//! use guanxi_model::{HistoryId, Position, PostId, Uid};
//! use guanxi_ports::search::{Audience, PostForm, PostState};
//! use guanxi_ports::{Circle, IndexChange, PostAsk, PostDoc};
//! use guanxi_search::{ANALYSER_VERSION, DocToken, Expr, IndexOptions, Pace, PostIndexWriter};
//! use std::sync::Arc;
//!
//! let options = IndexOptions {
//!     analyser: ANALYSER_VERSION,
//!     memory_bytes: 0,
//!     reserve_bytes: 0,
//!     free_bytes: Arc::new(|| Ok(u64::MAX)),
//!     pace: Pace::unbounded(),
//! };
//! let at = |seq| Position::one(HistoryId(1), seq);
//! let dir = tempfile::tempdir()?;
//! let mut writer = PostIndexWriter::create(dir.path(), options, at(0))?;
//!
//! let id = PostId::new(256)?;
//! let post = PostDoc {
//!     id,
//!     author: Uid::new(1)?,
//!     form: PostForm::Post,
//!     audience: Audience::Public,
//!     state: PostState::Live,
//!     created_ms: 0,
//!     stats: PostStats::default(),
//!     revision: 0,
//!     digest: 0,
//!     text: [DocToken { word: "hello".to_owned(), position: 0 }].into_iter().collect(),
//! };
//! writer.apply([IndexChange::Put(post)])?;
//! writer.commit(at(1))?;
//!
//! let query = Expr::Word("hello".to_owned());
//! let (author, replies, from, below, circle) = (None, None, None, None, Circle::All);
//! let ask = PostAsk { query, author, replies, from, below, circle, max: 20 };
//! let found = writer.index().search(&ask)?;
//! assert_eq!(found.ids, [id]);
//! // The answer says up to which event the index knows all posts.
//! assert_eq!(found.as_of, at(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to begin
//!
//! - `store/mod.rs`: which files are there, and when is an index committed?
//! - `engine/writer.rs`: how does a document with its position get onto the disk?
//! - `engine/posts/search.rs`: how is a page found, and what bounds its cost?
//! - `ask.rs`: what may be asked, and how much of it?

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
