//! What the index holds of a post.

use crate::SearchError;
use guanxi_model::{PostId, Uid};

/// The most tokens of one document.
pub const TOKENS_MAX: usize = 65_536;

/// The longest token, in bytes.
pub const TOKEN_LEN_MAX: usize = 1_024;

/// Whom a post is for, as far as the index tells it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Audience {
    /// Everybody.
    Public,
    /// Followers, friends or a group: who sees it is decided by the caller, post by post.
    Restricted,
}

/// A word at its place in a text, as the analyser gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocToken {
    /// The word, in the form that is searched for; at most [`TOKEN_LEN_MAX`] bytes.
    pub word: String,
    /// Its place, counted in words. Several words may stand at one place.
    pub position: u32,
}

/// The document of one post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostDoc {
    /// The post. Ids order by time, so it says when as well.
    pub id: PostId,
    /// Who wrote it.
    pub author: Uid,
    /// Whether it answers another post.
    pub is_reply: bool,
    /// Whom it is for.
    pub audience: Audience,
    /// The revision of the post that the document was made of.
    pub revision: u32,
    /// A digest of what the document was made of, to compare it with the post.
    pub digest: u64,
    /// The words; at most [`TOKENS_MAX`], in any order. They are indexed, and not kept.
    pub tokens: Vec<DocToken>,
}

impl PostDoc {
    /// Checks the limits.
    ///
    /// # Errors
    /// [`SearchError::DocTooLarge`] when there are too many tokens, or one is too long.
    pub(crate) fn check(&self) -> Result<(), SearchError> {
        let fits = self.tokens.len() <= TOKENS_MAX
            && self.tokens.iter().all(|token| token.word.len() <= TOKEN_LEN_MAX);
        if fits { Ok(()) } else { Err(SearchError::DocTooLarge(self.id)) }
    }
}

/// A change of the index. Doing one twice is doing it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexChange {
    /// This is what stands now; a document of the same post that is there goes.
    Put(PostDoc),
    /// The post has no document.
    Remove(PostId),
}

/// What the index says of a post that it holds, to compare it with the post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedPost {
    /// The post.
    pub id: PostId,
    /// The revision that was put.
    pub revision: u32,
    /// The digest that was put.
    pub digest: u64,
}
