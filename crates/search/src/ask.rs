//! What is asked of the index, and what it answers beside what the port says.

use crate::SearchError;
use guanxi_model::{Position, PostId};
use guanxi_text::{QUERY_TOKENS_MAX, Query, QueryPart, Wanted};

/// The most ids of one answer; an ask for more gets this many.
pub const PAGE_MAX: usize = 1_000;

/// The most documents with the words that one ask looks at. Where the filters refuse nearly all of them, an answer ends
/// here with fewer ids than it may have, and says where to go on.
pub const LOOKED_MAX: usize = 200_000;

/// The most words that a prefix stands for. A shorter prefix is refused: an answer that leaves out some of its words
/// would lack posts, and no reader would see that.
pub const PREFIX_TERMS_MAX: usize = 256;

/// The most words, phrases and prefixes of one query. A phrase counts each of its words. Every text that can be typed
/// fits.
pub const LEAVES_MAX: usize = QUERY_TOKENS_MAX;

/// How deep a query may be nested.
const DEPTH_MAX: usize = 8;

/// What a post must say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// Every one of these; no part asks for nothing, and any post fits.
    All(Vec<Self>),
    /// This word.
    Word(String),
    /// These words at places that are so far behind that of the first one. At least one.
    Phrase(Vec<(u32, String)>),
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

    /// Returns how many words, phrases and prefixes it has.
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

impl From<&Query> for Expr {
    fn from(query: &Query) -> Self {
        Self::All(query.parts().iter().map(Self::from).collect())
    }
}

impl From<&QueryPart> for Expr {
    fn from(part: &QueryPart) -> Self {
        let wanted = match &part.wanted {
            Wanted::Word(word) => Self::Word(word.clone()),
            Wanted::Phrase(tokens) => {
                Self::Phrase(tokens.iter().map(|token| (token.offset, token.text.clone())).collect())
            }
            Wanted::Prefix(prefix) => Self::Prefix(prefix.clone()),
        };
        if part.is_negated { Self::Not(Box::new(wanted)) } else { wanted }
    }
}

/// Posts by how well they fit, the best one first; of equal ones the newer first.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Scores (BM25: larger is better, comparable within one answer) and posts.
    pub hits: Vec<(f32, PostId)>,
    /// Whether every post with the words was looked at. If not, these are the best of the newest [`LOOKED_MAX`].
    pub whole: bool,
    /// How many documents were looked at.
    pub looked: u64,
    /// Where the index stands.
    pub as_of: Position,
}
