//! What is asked of the index, and what it answers.

use crate::SearchError;
use guanxi_model::{Position, PostId, Uid};

/// The most ids of one answer; an ask for more gets this many.
pub const PAGE_MAX: usize = 1_000;

/// The most documents with the words that one ask looks at. Where the filters refuse nearly all of them, an answer ends
/// here with fewer ids than it may have, and says where to go on.
pub const LOOKED_MAX: usize = 200_000;

/// The most words that a prefix stands for. A shorter prefix is refused: an answer that leaves out some of its words
/// would lack posts, and nobody would see it.
pub const PREFIX_TERMS_MAX: usize = 256;

/// The most words, phrases and prefixes of one query. A phrase counts each of its words.
pub const LEAVES_MAX: usize = 64;

/// How deep a query may be nested.
const DEPTH_MAX: usize = 8;

/// What a post must say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// Every one of these; no part asks for nothing, and any post fits.
    All(Vec<Self>),
    /// This word.
    Word(String),
    /// These words, one after the other. At least one.
    Phrase(Vec<String>),
    /// A word that begins so; at most [`PREFIX_TERMS_MAX`] words of the index may. Not empty.
    Prefix(String),
    /// Not this.
    Not(Box<Self>),
}

impl Expr {
    /// Checks the limits.
    ///
    /// # Errors
    /// [`SearchError::BadQuery`], with what is wrong.
    pub(crate) fn check(&self) -> Result<(), SearchError> {
        let leaves = self.leaves(DEPTH_MAX).map_err(SearchError::BadQuery)?;
        if leaves > LEAVES_MAX { Err(SearchError::BadQuery("it has too many words")) } else { Ok(()) }
    }

    /// How many words, phrases and prefixes it has.
    fn leaves(&self, depth: usize) -> Result<usize, &'static str> {
        let below = depth.checked_sub(1).ok_or("it is nested too deep")?;
        match self {
            Self::All(parts) => parts.iter().map(|part| part.leaves(below)).sum(),
            Self::Not(part) => part.leaves(below),
            Self::Phrase(words) if words.is_empty() => Err("a phrase has no word"),
            Self::Prefix(prefix) if prefix.is_empty() => Err("a prefix is empty"),
            Self::Phrase(words) => Ok(words.len()),
            Self::Word(_) | Self::Prefix(_) => Ok(1),
        }
    }
}

/// Whose restricted posts may be proposed. Public ones always may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circle<'a> {
    /// Nobody's.
    Public,
    /// Those of these authors, who stand in rising order. Each of the posts is the caller's to judge.
    Of(&'a [Uid]),
    /// Everybody's: for services, and for proofs.
    All,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostAsk<'a> {
    /// What the posts must say.
    pub query: Expr,
    /// Only posts of this author.
    pub author: Option<Uid>,
    /// Only replies, or only what is none.
    pub replies: Option<bool>,
    /// Only this post and later ones.
    pub from: Option<PostId>,
    /// Only posts before this one: the cursor, [`Found::next`] of the page before.
    pub below: Option<PostId>,
    /// Whose restricted posts count.
    pub circle: Circle<'a>,
    /// How many ids at most; from 1 to [`PAGE_MAX`], others are brought there.
    pub max: usize,
}

/// A page of posts, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The posts. Fewer than were asked for do not mean that there are no more.
    pub ids: Vec<PostId>,
    /// The cursor of the next page; `None` when this was the last one.
    pub next: Option<PostId>,
    /// Where the index stands: events up to here are in the answer.
    pub as_of: Position,
}

impl Found {
    /// Whether there may be more posts after these.
    pub const fn more(&self) -> bool {
        self.next.is_some()
    }
}

/// Posts by how well they fit, the best one first; of equal ones the newer first.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Scores (BM25: larger is better, comparable within one answer) and posts.
    pub hits: Vec<(f32, PostId)>,
    /// Whether every post with the words was looked at. If not, these are the best of the newest [`LOOKED_MAX`].
    pub whole: bool,
    /// Where the index stands.
    pub as_of: Position,
}
