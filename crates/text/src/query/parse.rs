//! The language of queries.

use super::{
    PREFIX_CHARS_MIN, QUERY_CHARS_MAX, QUERY_PREFIXES_MAX, QUERY_TERMS_MAX, QUERY_TOKENS_MAX, QueryError,
    QueryErrorKind, QueryPart, Wanted,
};
use crate::analysis::Analysis;
use crate::class::CharClass;

/// Quotes of programmers and of typographers. Any of them closes what another one has opened: keyboards that correct
/// quotes often get one of both wrong.
fn is_quote(char: char) -> bool {
    matches!(char, '"' | '＂' | '“' | '”' | '„' | '‟' | '«' | '»' | '「' | '」' | '『' | '』')
}

/// That of ASCII, that of mathematics, and that of full width; dashes of typographers stand between words.
fn is_minus(char: char) -> bool {
    matches!(char, '-' | '−' | '－')
}

fn is_star(char: char) -> bool {
    matches!(char, '*' | '＊')
}

/// Reads the parts of a query.
pub(super) fn query(text: &str) -> Result<Vec<QueryPart>, QueryError> {
    let chars: Vec<char> = text.chars().take(QUERY_CHARS_MAX + 1).collect();
    if chars.len() > QUERY_CHARS_MAX {
        return Err(error(QueryErrorKind::TooLong, QUERY_CHARS_MAX));
    }
    let mut parser = Parser { chars: &chars, at: 0, parts: Vec::new() };
    while parser.skip_spaces() {
        let from = parser.at;
        if let Some(part) = parser.term()? {
            parser.add(part, from)?;
        }
    }
    let kind = match parser.parts.as_slice() {
        [] => QueryErrorKind::Empty,
        parts if parts.iter().all(|part| part.is_negated) => QueryErrorKind::OnlyNegated,
        _ => return Ok(parser.parts),
    };
    Err(error(kind, 0))
}

fn error(kind: QueryErrorKind, position: usize) -> QueryError {
    QueryError { kind, position: position as u32 }
}

struct Parser<'a> {
    chars: &'a [char],
    at: usize,
    parts: Vec<QueryPart>,
}

impl<'a> Parser<'a> {
    /// Goes to the next term, and returns whether there is one.
    fn skip_spaces(&mut self) -> bool {
        self.take_while(char::is_whitespace);
        self.at < self.chars.len()
    }

    /// Takes characters as long as they are of a kind.
    fn take_while(&mut self, is_of_kind: impl Fn(char) -> bool) -> &'a [char] {
        let rest = &self.chars[self.at..];
        let length = rest.iter().take_while(|char| is_of_kind(**char)).count();
        self.at += length;
        &rest[..length]
    }

    /// Reads a term; none when it is nothing but punctuation.
    fn term(&mut self) -> Result<Option<QueryPart>, QueryError> {
        let from = self.at;
        let is_negated = is_minus(self.chars[from]);
        self.at += usize::from(is_negated);
        let part = match self.chars.get(self.at) {
            Some(char) if is_quote(*char) => Some(self.phrase(is_negated)?),
            _ => self.word(is_negated)?,
        };
        if is_negated && part.is_none() {
            return Err(error(QueryErrorKind::LoneMinus, from));
        }
        Ok(part)
    }

    fn phrase(&mut self, is_negated: bool) -> Result<QueryPart, QueryError> {
        let opening = self.at;
        self.at += 1;
        let inside = self.take_while(|char| !is_quote(char));
        if self.at == self.chars.len() {
            return Err(error(QueryErrorKind::UnclosedQuote, opening));
        }
        self.at += 1;
        let part = QueryPart::of_words(is_negated, &Analysis::of(&inside.iter().collect::<String>()));
        part.ok_or(error(QueryErrorKind::EmptyQuotes, opening))
    }

    fn word(&mut self, is_negated: bool) -> Result<Option<QueryPart>, QueryError> {
        let from = self.at;
        let typed = self.take_while(|char| !char.is_whitespace() && !is_quote(char));
        let stars = typed.iter().rev().take_while(|char| is_star(**char)).count();
        let analysis = Analysis::of(&typed[..typed.len() - stars].iter().collect::<String>());
        if stars == 0 {
            return Ok(QueryPart::of_words(is_negated, &analysis));
        }
        let kind = match analysis.units() {
            [] => QueryErrorKind::LoneStar,
            // What is found wherever it stands has no need of a star.
            [.., last] if last.class == CharClass::Run => {
                return Ok(QueryPart::of_words(is_negated, &analysis));
            }
            [only] => {
                let word = &analysis.framed()[only.folded.clone()];
                if word.chars().count() >= PREFIX_CHARS_MIN {
                    return Ok(Some(QueryPart::of_prefix(is_negated, word)));
                }
                QueryErrorKind::PrefixTooShort
            }
            _ => QueryErrorKind::PrefixOfSeveralWords,
        };
        Err(error(kind, from))
    }

    /// Adds a part that begins somewhere, unless there are too many.
    fn add(&mut self, part: QueryPart, from: usize) -> Result<(), QueryError> {
        if self.parts.len() == QUERY_TERMS_MAX {
            return Err(error(QueryErrorKind::TooManyTerms, from));
        }
        self.parts.push(part);
        let wanted = || self.parts.iter().map(|part| &part.wanted);
        if wanted().filter(|wanted| matches!(wanted, Wanted::Prefix(_))).count() > QUERY_PREFIXES_MAX {
            return Err(error(QueryErrorKind::TooManyPrefixes, from));
        }
        if wanted().map(Wanted::len).sum::<usize>() > QUERY_TOKENS_MAX {
            return Err(error(QueryErrorKind::TooManyTokens, from));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PhraseToken, Query};
    use super::*;

    fn parts(text: &str) -> Vec<(bool, Wanted)> {
        let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        query.parts().iter().map(|part| (part.is_negated, part.wanted.clone())).collect()
    }

    fn word(text: &str) -> Wanted {
        Wanted::Word(text.to_owned())
    }

    fn phrase(tokens: &[(&str, u32)]) -> Wanted {
        let tokens =
            tokens.iter().map(|(text, offset)| PhraseToken { text: (*text).to_owned(), offset: *offset });
        Wanted::Phrase(tokens.collect())
    }

    #[test]
    fn terms_are_words_phrases_and_prefixes() {
        assert_eq!(parts("Rust  server"), [(false, word("rust")), (false, word("server"))]);
        assert_eq!(parts("a -b"), [(false, word("a")), (true, word("b"))]);
        assert_eq!(parts("\"big cat\""), [(false, phrase(&[("big", 0), ("cat", 1)]))]);
        assert_eq!(parts("a -\"b c\""), [(false, word("a")), (true, phrase(&[("b", 0), ("c", 1)]))]);
        assert_eq!(parts("gua*"), [(false, Wanted::Prefix("gua".to_owned()))]);
        assert_eq!(parts("a −b －c"), [(false, word("a")), (true, word("b")), (true, word("c"))]);
        assert_eq!(parts("rust-lang"), [(false, phrase(&[("rust", 0), ("lang", 1)]))]);
        assert_eq!(parts("#tag !!! @name"), [(false, word("tag")), (false, word("name"))]);
    }

    #[test]
    fn runs_are_pairs_of_characters() {
        assert_eq!(parts("你"), [(false, word("你"))]);
        assert_eq!(parts("你好*"), [(false, word("你好"))]);
        assert_eq!(parts("你好吗"), [(false, phrase(&[("你好", 0), ("好吗", 2)]))]);
        assert_eq!(parts("「你 好吗x」"), [(false, phrase(&[("你", 0), ("好吗", 1), ("x", 4)]))]);
    }

    #[test]
    fn any_quote_closes_a_phrase_and_any_begins_one() {
        for text in ["\"b c\"", "“b c”", "„b c“", "«b c»", "»b c«", "『b c』", "＂b c＂", "“b c\""]
        {
            assert_eq!(parts(text), [(false, phrase(&[("b", 0), ("c", 1)]))], "{text}");
        }
        assert_eq!(parts("a\"b\"c"), [(false, word("a")), (false, word("b")), (false, word("c"))]);
    }

    #[test]
    fn errors_say_what_and_where() {
        let terms = |count: usize, term: &str| format!("{term} ").repeat(count);
        for (text, kind, position) in [
            (String::new(), QueryErrorKind::Empty, 0),
            (" !? ".to_owned(), QueryErrorKind::Empty, 0),
            ("x".repeat(QUERY_CHARS_MAX + 1), QueryErrorKind::TooLong, QUERY_CHARS_MAX),
            (terms(QUERY_TERMS_MAX + 1, "x"), QueryErrorKind::TooManyTerms, 2 * QUERY_TERMS_MAX),
            (terms(QUERY_PREFIXES_MAX + 1, "xx*"), QueryErrorKind::TooManyPrefixes, 4 * QUERY_PREFIXES_MAX),
            // Each of these is four words.
            ("\u{fdfa}".repeat(QUERY_CHARS_MAX / 2), QueryErrorKind::TooManyTokens, 0),
            ("é \"b c".to_owned(), QueryErrorKind::UnclosedQuote, 2),
            ("a \"\"".to_owned(), QueryErrorKind::EmptyQuotes, 2),
            ("a -\"!\"".to_owned(), QueryErrorKind::EmptyQuotes, 3),
            ("你 -".to_owned(), QueryErrorKind::LoneMinus, 2),
            ("a - b".to_owned(), QueryErrorKind::LoneMinus, 2),
            ("a -!".to_owned(), QueryErrorKind::LoneMinus, 2),
            ("a *".to_owned(), QueryErrorKind::LoneStar, 2),
            ("a -**".to_owned(), QueryErrorKind::LoneStar, 3),
            ("ab c*".to_owned(), QueryErrorKind::PrefixTooShort, 3),
            ("rust-la*".to_owned(), QueryErrorKind::PrefixOfSeveralWords, 0),
            ("-a -b".to_owned(), QueryErrorKind::OnlyNegated, 0),
        ] {
            let error = QueryError { kind, position: position as u32 };
            assert_eq!(Query::parse(&text), Err(error), "{text}");
        }
        let message = Query::parse("ab c*").unwrap_err().to_string();
        assert_eq!(
            message,
            "the prefix is too short at character 3: expected at least 2 characters before the star"
        );
    }

    #[test]
    fn limits_themselves_are_allowed() {
        for text in ["x".repeat(QUERY_CHARS_MAX), "你".repeat(QUERY_CHARS_MAX), "x ".repeat(QUERY_TERMS_MAX)]
        {
            assert!(Query::parse(&text).is_ok(), "{text}");
        }
        assert!(Query::parse(&"xx* ".repeat(QUERY_PREFIXES_MAX)).is_ok());
    }
}
