//! A query in the words of the product's errors.

use guanxi_model::{Error, Reason, Result};
use guanxi_text::{NameQuery, Query, QueryError, QueryErrorKind};

/// Reads a query.
///
/// # Errors
/// `BAD_QUERY` with the place, and the name of what was expected.
pub(crate) fn parse(text: &str) -> Result<Query> {
    Query::parse(text).map_err(refusal)
}

/// Reads a query for a name.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_name(text: &str) -> Result<NameQuery> {
    NameQuery::parse(text).map_err(refusal)
}

fn refusal(error: QueryError) -> Error {
    let (position, expected) = (error.position, expected(error.kind));
    Error::new(Reason::BadQuery { position, expected })
}

/// The name of what was expected, one of [`FIELDS`](guanxi_model::error::FIELDS).
const fn expected(kind: QueryErrorKind) -> &'static str {
    match kind {
        QueryErrorKind::Empty => "a_word",
        QueryErrorKind::TooLong | QueryErrorKind::NameTooLong => "fewer_characters",
        QueryErrorKind::TooManyTerms => "fewer_terms",
        QueryErrorKind::TooManyPrefixes => "fewer_prefixes",
        QueryErrorKind::TooManyTokens => "fewer_words",
        QueryErrorKind::UnclosedQuote => "a_closing_quote",
        QueryErrorKind::EmptyQuotes => "a_word_between_quotes",
        QueryErrorKind::LoneMinus => "a_word_behind_minus",
        QueryErrorKind::LoneStar => "a_word_before_star",
        QueryErrorKind::PrefixTooShort => "a_longer_prefix",
        QueryErrorKind::PrefixOfSeveralWords => "a_single_word_before_star",
        QueryErrorKind::OnlyNegated => "a_term_without_minus",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guanxi_model::error::FIELDS;

    #[test]
    fn what_is_wrong_with_a_query_is_told_by_names_of_the_api() {
        let many = |one: &str, n: usize| vec![one; n].join(" ");
        for (text, position, name) in [
            (" ! ".to_owned(), 0, "a_word"),
            ("x".repeat(300), 256, "fewer_characters"),
            (many("a", 17), 32, "fewer_terms"),
            (many("ab*", 5), 16, "fewer_prefixes"),
            ("㍿".repeat(256), 0, "fewer_words"),
            ("tea \"green".to_owned(), 4, "a_closing_quote"),
            ("tea \"\"".to_owned(), 4, "a_word_between_quotes"),
            ("tea - green".to_owned(), 4, "a_word_behind_minus"),
            ("tea *".to_owned(), 4, "a_word_before_star"),
            ("a*".to_owned(), 0, "a_longer_prefix"),
            ("a-b*".to_owned(), 0, "a_single_word_before_star"),
            ("-tea".to_owned(), 0, "a_term_without_minus"),
        ] {
            let Err(error) = parse(&text) else { panic!("{text} is a query") };
            assert!(FIELDS.contains(&name), "{name}");
            assert_eq!(error.reason, Reason::BadQuery { position, expected: name }, "{text}");
        }
        parse("tea -\"green tea\" ser*").unwrap();
        for (text, position, expected) in [("!", 0, "a_word"), (&*"x".repeat(129), 128, "fewer_characters")] {
            let Err(error) = parse_name(text) else { panic!("{text} is a name") };
            assert_eq!(error.reason, Reason::BadQuery { position, expected }, "{text}");
        }
        assert_eq!(parse_name("-ann*").unwrap().whole(), "ann", "a name has no signs");
    }
}
