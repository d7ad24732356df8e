//! Queries: what somebody searches for.

mod error;
mod parse;

pub use error::{QueryError, QueryErrorKind};

use crate::analysis::Analysis;
use crate::class::CharClass;

/// Code points of a query: a long sentence, and few enough for a query to be parsed at each key.
pub const QUERY_CHARS_MAX: usize = 256;

/// Terms of a query: an index looks each up, and a person remembers fewer.
pub const QUERY_TERMS_MAX: usize = 16;

/// Prefixes of a query: each is looked up as all words that begin with it.
pub const QUERY_PREFIXES_MAX: usize = 4;

/// Characters of the shortest prefix, after folding: one letter begins a large part of all words.
pub const PREFIX_CHARS_MIN: usize = 2;

/// Tokens of all phrases of a query. Only characters that fold to several words can make more of a query than it has
/// characters; without this limit one of 256 characters could have a thousand.
pub const QUERY_TOKENS_MAX: usize = QUERY_CHARS_MAX;

/// What is searched for: all parts must hold of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    typed: String,
    parts: Vec<QueryPart>,
}

impl Query {
    /// Reads a query as a person types it; the crate's documentation has the language.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        parse::query(text).map(|parts| Self { typed: text.to_owned(), parts })
    }

    /// Returns the text that it was read from.
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// Returns its parts in their order, at least one of which is not negated.
    pub fn parts(&self) -> &[QueryPart] {
        &self.parts
    }
}

/// One condition of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPart {
    /// Whether a text must not have it.
    pub is_negated: bool,
    /// What it looks for, in tokens.
    pub wanted: Wanted,
    /// The same as a part of the folded text. A word that must begin or end there has its space.
    pub(crate) needle: String,
}

/// What a part looks for among the tokens of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A token, at any position.
    Word(String),
    /// Tokens at positions that differ as these do; at least two, ascending from 0.
    Phrase(Vec<PhraseToken>),
    /// A token of a word that begins with this, or is it.
    Prefix(String),
}

/// A token of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhraseToken {
    /// The token, as an index has it.
    pub text: String,
    /// How far its position is behind that of the first token.
    pub offset: u32,
}

impl Wanted {
    /// Returns how many tokens it looks for.
    fn len(&self) -> usize {
        if let Self::Phrase(tokens) = self { tokens.len() } else { 1 }
    }
}

impl QueryPart {
    /// The whole words and runs of an analysis, consecutive; none when it has none.
    fn of_words(is_negated: bool, analysis: &Analysis) -> Option<Self> {
        let units = analysis.units();
        let (first, last) = (units.first()?, units.last()?);
        let from = first.folded.start - usize::from(first.class == CharClass::Word);
        let to = last.folded.end + usize::from(last.class == CharClass::Word);
        let mut tokens = Vec::new();
        for (at, unit) in units.iter().enumerate() {
            let next = units.get(at + 1).filter(|next| unit.is_joined_to(next));
            let is_last_of_pair = at > 0 && units[at - 1].is_joined_to(unit);
            let end = match next {
                Some(next) => next.folded.end,
                // The pair before has it.
                None if is_last_of_pair => continue,
                None => unit.folded.end,
            };
            let text = analysis.framed()[unit.folded.start..end].to_owned();
            tokens.push(PhraseToken { text, offset: unit.position - first.position });
        }
        let wanted = match tokens.pop() {
            Some(only) if tokens.is_empty() => Wanted::Word(only.text),
            other => {
                tokens.extend(other);
                Wanted::Phrase(tokens)
            }
        };
        Some(Self { is_negated, wanted, needle: analysis.framed()[from..to].to_owned() })
    }

    /// The words that begin with a word.
    fn of_prefix(is_negated: bool, word: &str) -> Self {
        Self { is_negated, wanted: Wanted::Prefix(word.to_owned()), needle: format!(" {word}") }
    }
}
