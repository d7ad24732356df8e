//! What is wrong with a query, and where.

use guanxi_model::limits::NICKNAME_LEN_MAX;
use thiserror::Error;

use super::{PREFIX_CHARS_MIN, QUERY_CHARS_MAX, QUERY_PREFIXES_MAX, QUERY_TERMS_MAX, QUERY_TOKENS_MAX};

/// A query that says nothing that can be searched for.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{kind} at character {position}: expected {}", kind.expected())]
pub struct QueryError {
    /// What is wrong.
    pub kind: QueryErrorKind,
    /// Where, in code points of the query from 0 on: the first character of what is wrong.
    pub position: u32,
}

/// What can be wrong with a query.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum QueryErrorKind {
    /// It has no words, but at most spaces and punctuation.
    #[error("the query is empty")]
    Empty,
    /// It has more than [`QUERY_CHARS_MAX`] code points.
    #[error("the query is too long")]
    TooLong,
    /// A query for a name has more than [`NAME_CHARS_MAX`](crate::NAME_CHARS_MAX) code points.
    #[error("the name is too long")]
    NameTooLong,
    /// It has more than [`QUERY_TERMS_MAX`] terms.
    #[error("too many terms")]
    TooManyTerms,
    /// It has more than [`QUERY_PREFIXES_MAX`] prefixes.
    #[error("too many prefixes")]
    TooManyPrefixes,
    /// Its phrases have more than [`QUERY_TOKENS_MAX`] tokens.
    #[error("too many words")]
    TooManyTokens,
    /// A quote is opened and not closed.
    #[error("unclosed quote")]
    UnclosedQuote,
    /// Nothing that can be searched for stands between two quotes.
    #[error("empty quotes")]
    EmptyQuotes,
    /// No word stands behind a minus.
    #[error("a minus alone")]
    LoneMinus,
    /// No word stands before a star.
    #[error("a star alone")]
    LoneStar,
    /// A prefix has less than [`PREFIX_CHARS_MIN`] characters.
    #[error("the prefix is too short")]
    PrefixTooShort,
    /// The star stands behind what is several words.
    #[error("a star behind several words")]
    PrefixOfSeveralWords,
    /// All its terms are negated, so that nearly everything would match.
    #[error("nothing is asked for")]
    OnlyNegated,
}

impl QueryErrorKind {
    /// Returns what was expected, as part of a sentence.
    pub fn expected(self) -> String {
        match self {
            Self::Empty => "at least one word".to_owned(),
            Self::TooLong => format!("at most {QUERY_CHARS_MAX} characters"),
            Self::NameTooLong => format!("at most {NICKNAME_LEN_MAX} characters"),
            Self::TooManyTerms => format!("at most {QUERY_TERMS_MAX} terms"),
            Self::TooManyPrefixes => format!("at most {QUERY_PREFIXES_MAX} prefixes"),
            Self::TooManyTokens => format!("at most {QUERY_TOKENS_MAX} words and characters"),
            Self::UnclosedQuote => "a closing quote".to_owned(),
            Self::EmptyQuotes => "a word between the quotes".to_owned(),
            Self::LoneMinus => "a word directly behind the minus".to_owned(),
            Self::LoneStar => "a word directly before the star".to_owned(),
            Self::PrefixTooShort => format!("at least {PREFIX_CHARS_MIN} characters before the star"),
            Self::PrefixOfSeveralWords => "a single word before the star".to_owned(),
            Self::OnlyNegated => "at least one term without a minus".to_owned(),
        }
    }
}
