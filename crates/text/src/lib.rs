//! Searching text: what words are, what a query is, and whether a text or a name matches it.
//!
//! It is pure, and one definition for all who search: the index keeps [`Analysis::tokens`], reads show a hit only if its
//! present text [`matches()`] the query, and [`highlights`] says where.
//!
//! # What it is not
//!
//! - It is no index and ranks nothing. `guanxi-search` keeps the indexes, and answers ids.
//! - It does not decide who may see a hit. `guanxi-centers` does, for each hit.
//! - It does not normalise login names and contacts. `guanxi-texts` does.
//!
//! # Example
//!
//! ```
//! use guanxi_text::{Analysis, Query, QueryError, highlights, matches};
//!
//! let query = Query::parse("strasse 手机 -\"big cat\" ser*")?;
//! let text = "Die Straße: my server, 新手機!";
//! assert!(matches(&query, text));
//! assert_eq!(highlights(&query, text), [4..10, 15..21, 24..26]);
//!
//! let analysis = Analysis::of("Zoë: 你好");
//! let tokens: Vec<(&str, u32)> = analysis.tokens().map(|token| (token.text, token.position)).collect();
//! assert_eq!(tokens, [("zoe", 0), ("你", 1), ("你好", 1), ("好", 3)]);
//! # Ok::<(), QueryError>(())
//! ```
//!
//! # Where to begin
//!
//! - [`Query`]: what may a user type, and how much of it? The section about queries below has the language.
//! - [`Analysis`]: how does a text become tokens? `class.rs` says what a character is, `fold/` what it becomes.
//! - [`matches()`]: does a query find a text?
//! - [`name_match`]: how is a name found that is typed in pinyin, or nearly right?
//!
//! # Words and runs
//!
//! A text is folded, and then cut into words and runs. A word is found when it is asked for whole. A run is found
//! wherever it stands: it is of a script without spaces between words (Han, kana, bopomofo, Thai, Lao, Khmer, Burmese), of
//! Hangul, whose particles are joined to words, or of symbols such as emoji. There are no stop words and there is no
//! stemming: what a person types is what is found.
//!
//! Everything but letters, marks, numbers and symbols is a break. This simple rule is used in place of UAX #29, which
//! keeps `example.com`, `3.14`, `don't` and `snake_case` whole, so that `example` would not find the first. A query of
//! such a word is a phrase of its parts, so that it still finds what it was typed for:
//!
//! | typed | searched | also finds |
//! |---|---|---|
//! | `rust-lang` | `rust`, then `lang` | `rust lang`, `rust_lang` |
//! | `don't` | `don`, then `t` | `don’t` with any apostrophe, but not `dont` |
//! | `l'amour` | `l`, then `amour` | is itself found by `amour` |
//! | `3.14` | `3`, then `14` | `3,14` |
//! | `ann@example.org` | `ann`, then `example`, then `org` | is itself found by `ann` and `example` |
//! | `#tag`, `@name` | `tag`, `name` | the word without the sign |
//! | `C++` | `c` | `C#`, and any other `c` |
//! | `iPhone15` | `iphone15` | |
//! | `iPhone手机` | `iphone`, then the run `手机` | `iPhone 手机`, `iphone手机壳` |
//! | `👍` | the run `👍` | `👍🏽` and `👍👍`; `👩` finds a family with her |
//!
//! A flag is two symbols, so that a pair of flags may hold a third one. Two runs with a break between them are not one
//! run: `好世` does not find `你好，世界`.
//!
//! # Folding
//!
//! - Compatible characters are one (NFKC): full and half width, ligatures, `²`, `㍿`. Case is folded in full: `ß` is `ss`,
//!   and a final sigma is a sigma. `İ`, `I`, `ı` and `i` are one, since a text does not say whether it is Turkish.
//!   A symbol of several letters is a word of its own: `kg` finds `5㎏`, and `guanxi` finds `Guanxi™`.
//! - Accents of Latin and Greek are dropped, and strokes and joined letters which Unicode does not decompose: `ä` is `a`,
//!   `ø` is `o`, `ł` is `l`, `đ` is `d`, `æ` is `ae`. `ä` is not `ae`, which only German has.
//! - Of Cyrillic, `ё` is `е` and stress marks are dropped; `й`, `ї`, `ў`, `ѓ` and `ќ` are letters of their own.
//! - Vowel points of Hebrew and short vowels of Arabic are dropped. `أ`, `إ` and `آ` are `ا`; `ؤ`, `ئ`, `ة` and `ى` stay. Final
//!   letters of Hebrew and digits of other scripts stay as they are.
//! - Marks of Thai and Indic scripts stay, as do voiced kana: without them words are others. Hiragana is not katakana.
//! - Traditional Chinese is simplified character by character, so that no neighbour changes what a character becomes.
//! - What is not seen (soft hyphens, joiners, marks of direction, variation selectors) and skin tones are ignored, and
//!   break no word.
//!
//! # Queries
//!
//! All terms of a query must hold:
//!
//! | term | holds of a text with |
//! |---|---|
//! | `word` | the word, or the run; its parts in a row where it has several |
//! | `"some words"` | these words in a row, with nothing but breaks between them; quotes of typographers do as well |
//! | `word*` | a word that begins so; behind a run the star says nothing |
//! | `-word`, `-"some words"`, `-word*` | none of it |
//!
//! A minus or a star inside of a word is a break. Punctuation alone is ignored, but a minus, a star or quotes without a
//! word are errors, as the person who typed them wanted something. [`QueryError`] says what is wrong and where.
//!
//! # Names
//!
//! A name is found by [`name_match`]: as it is, by the beginning of any of its words, by how it is read in pinyin, and
//! by a word that is typed nearly so. [`MatchKind`] has them in the order in which hits are shown. A query for a name is
//! plain words, without the language above: a [`NameQuery`], which says what an index of [`NameKeys`] is asked for.
//!
//! # Versions
//!
//! An index is good for the version that it was built with: [`ANALYSER_VERSION`]. All tables of Unicode come from crates
//! that the lock file pins, and a test holds the folding of every character: an update that changes one fails it.

mod analysis;
mod class;
mod fold;
#[cfg(test)]
mod fuzz;
mod highlight;
mod matching;
mod names;
mod query;
#[cfg(test)]
mod tests;

/// The version of the tokens: what an index was built with. It changes with any token of any text or name, and then
/// indexes are built anew.
pub const ANALYSER_VERSION: u32 = 1;

pub use analysis::{Analysis, Token, WORD_CHARS_MAX, fold};
pub use highlight::{HIGHLIGHTS_MAX, highlights};
pub use matching::matches;
pub use names::{
    MatchKind, NAME_CHARS_MAX, NEAR_WORDS_MAX, NameKeys, NameQuery, NearWord, READINGS_MAX, name_keys,
    name_match,
};
pub use query::{
    PREFIX_CHARS_MIN, PhraseToken, QUERY_CHARS_MAX, QUERY_PREFIXES_MAX, QUERY_TERMS_MAX, QUERY_TOKENS_MAX,
    Query, QueryError, QueryErrorKind, QueryPart, Wanted,
};
