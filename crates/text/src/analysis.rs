//! Words, runs and their positions: what a text is for the search.

use std::ops::Range;

use crate::class::{CharClass, class};
use crate::fold::segments;

/// Characters of the longest word, after folding. A longer one, such as an encoded file, counts as several words that
/// follow each other, so that a term of an index is at most 256 bytes long.
pub const WORD_CHARS_MAX: usize = 64;

/// How far the positions of two neighbours in one run are apart. All other neighbours are one apart, so that a
/// distance of one tells that there is a break, and nothing else, between two characters.
const STEP_IN_RUN: u32 = 2;

/// A term of a text and where it stands.
///
/// A word is one token. Each character of a run is a token, and so is each pair of neighbours in a run, at the position
/// of the first of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The folded word, character, or pair of characters.
    pub text: &'a str,
    /// Where it stands among the tokens of the text. Neighbours in one run are two apart, all other neighbours are one
    /// apart: a phrase is a part of the text when its tokens stand as far from each other as in the phrase alone.
    pub position: u32,
    /// The characters of the text that it comes from, in code points.
    pub source: Range<u32>,
}

/// A text as the search sees it.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Words and runs with a space before, between and behind them.
    text: String,
    units: Vec<TextUnit>,
}

/// A word, or a character of a run.
#[derive(Clone, Debug)]
pub(crate) struct TextUnit {
    /// Where it stands in the folded text, in bytes.
    pub(crate) folded: Range<usize>,
    pub(crate) class: CharClass,
    pub(crate) position: u32,
    pub(crate) source: Range<u32>,
}

impl Analysis {
    /// Analyses a text, at a cost linear in its length.
    pub fn of(text: &str) -> Self {
        let mut units = Vec::new();
        let text = Writer::write(text, Some(&mut units));
        Self { text, units }
    }

    /// Returns the tokens of the text by ascending position: what an index keeps of it.
    pub fn tokens(&self) -> impl Iterator<Item = Token<'_>> {
        self.units.iter().enumerate().flat_map(|(at, unit)| {
            let one = self.token(unit.folded.clone(), unit, unit);
            let next = self.units.get(at + 1).filter(|next| unit.is_joined_to(next));
            let pair = next.map(|next| self.token(unit.folded.start..next.folded.end, unit, next));
            std::iter::once(one).chain(pair)
        })
    }

    fn token(&self, folded: Range<usize>, first: &TextUnit, last: &TextUnit) -> Token<'_> {
        Token {
            text: &self.text[folded],
            position: first.position,
            source: first.source.start..last.source.end,
        }
    }

    /// The folded text, framed by spaces.
    pub(crate) fn framed(&self) -> &str {
        &self.text
    }

    pub(crate) fn units(&self) -> &[TextUnit] {
        &self.units
    }

    /// Words and runs in order: the folded text of each, and whether it is a run.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (&str, bool)> {
        let pieces = self.units.chunk_by(TextUnit::is_joined_to);
        pieces.filter_map(|piece| {
            let (first, last) = (piece.first()?, piece.last()?);
            Some((&self.text[first.folded.start..last.folded.end], first.class == CharClass::Run))
        })
    }
}

impl TextUnit {
    /// Returns whether both are of one run, and neighbours.
    pub(crate) fn is_joined_to(&self, next: &Self) -> bool {
        next.position == self.position + STEP_IN_RUN
    }
}

/// Returns what texts are that match the same queries: folded words and runs with one space between them.
///
/// What is folded stays the same when it is folded again.
pub fn fold(text: &str) -> String {
    framed(text).trim_matches(' ').to_owned()
}

/// The same with a space before and behind it, for comparisons with what begins or ends with a word.
pub(crate) fn framed(text: &str) -> String {
    Writer::write(text, None)
}

/// What the last thing written is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    /// A word of so many characters.
    Word(usize),
    Run,
}

/// Writes the folded text and, where they are asked for, its units.
struct Writer<'u> {
    text: String,
    units: Option<&'u mut Vec<TextUnit>>,
    open: Open,
    /// That of the next unit.
    position: u32,
}

impl<'u> Writer<'u> {
    fn write(text: &str, units: Option<&'u mut Vec<TextUnit>>) -> String {
        let folded = String::with_capacity(text.len() + 2);
        let mut writer = Self { text: folded, units, open: Open::Nothing, position: 0 };
        writer.text.push(' ');
        segments(text, |first, chars, source| writer.segment(first, chars, source));
        writer.close();
        writer.text
    }

    /// Writes a segment that begins with a character of the text.
    fn segment(&mut self, base: char, chars: &[char], source: Range<u32>) {
        // Only a base with a heap of marks is longer.
        let chars = &chars[..chars.len().min(WORD_CHARS_MAX)];
        let Some(first) = chars.first() else { return };
        let of_first = class(*first);
        let is_one = chars[1..].iter().all(|char| class(*char) == of_first);
        // A trade mark, a unit of measure.
        let is_symbol = chars.len() > 1 && of_first == CharClass::Word && class(base) == CharClass::Run;
        if is_one && !is_symbol {
            return self.part(of_first, chars, source);
        }
        // A symbol that is a word, or one character that is several words, such as a fraction, is joined to none of its
        // neighbours. So what is highlighted of it is a whole part of the text.
        self.close();
        for char in chars {
            self.part(class(*char), &[*char], source.clone());
        }
        self.close();
    }

    fn part(&mut self, class: CharClass, chars: &[char], source: Range<u32>) {
        match class {
            CharClass::Break => self.close(),
            CharClass::Word => self.word(chars, source),
            CharClass::Run => chars.iter().for_each(|char| self.run(*char, source.clone())),
        }
    }

    fn word(&mut self, chars: &[char], source: Range<u32>) {
        let length = match self.open {
            Open::Word(length) if length + chars.len() <= WORD_CHARS_MAX => length,
            _ => {
                self.close();
                self.begin(CharClass::Word, source.clone());
                0
            }
        };
        self.text.extend(chars);
        self.open = Open::Word(length + chars.len());
        self.end(source.end);
    }

    fn run(&mut self, char: char, source: Range<u32>) {
        if self.open == Open::Run {
            self.position += STEP_IN_RUN - 1;
        } else {
            self.close();
        }
        self.begin(CharClass::Run, source.clone());
        self.text.push(char);
        self.open = Open::Run;
        self.end(source.end);
    }

    /// Begins a unit, of which the text is still to be written.
    fn begin(&mut self, class: CharClass, source: Range<u32>) {
        if let Some(units) = &mut self.units {
            let folded = self.text.len()..self.text.len();
            units.push(TextUnit { folded, class, position: self.position, source });
        }
        self.position += 1;
    }

    /// Notes how far the last unit reaches.
    fn end(&mut self, source_end: u32) {
        if let Some(unit) = self.units.as_mut().and_then(|units| units.last_mut()) {
            unit.folded.end = self.text.len();
            unit.source.end = source_end;
        }
    }

    fn close(&mut self) {
        if self.open != Open::Nothing {
            self.text.push(' ');
            self.open = Open::Nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<(String, u32, Range<u32>)> {
        let analysis = Analysis::of(text);
        analysis.tokens().map(|token| (token.text.to_owned(), token.position, token.source)).collect()
    }

    fn token(text: &str, position: u32, source: Range<u32>) -> (String, u32, Range<u32>) {
        (text.to_owned(), position, source)
    }

    #[test]
    fn words_count_by_one_and_runs_by_two() {
        assert_eq!(
            listed("Rust-lang 你好，世iPhone"),
            [
                token("rust", 0, 0..4),
                token("lang", 1, 5..9),
                token("你", 2, 10..11),
                token("你好", 2, 10..12),
                token("好", 4, 11..12),
                token("世", 5, 13..14),
                token("iphone", 6, 14..20),
            ]
        );
    }

    #[test]
    fn a_token_names_all_characters_that_it_comes_from() {
        assert_eq!(listed("ﬁne"), [token("fine", 0, 0..3)]);
        assert_eq!(listed("e\u{301}\u{300}a!"), [token("ea", 0, 0..4)]);
        assert_eq!(listed("ｶﾞ")[0], token("ガ", 0, 0..2));
        assert_eq!(listed("5½"), [token("5", 0, 0..1), token("1", 1, 1..2), token("2", 2, 1..2)]);
        assert_eq!(listed("5㎏"), [token("5", 0, 0..1), token("kg", 1, 1..2)]);
    }

    #[test]
    fn words_and_heaps_of_marks_are_bounded() {
        let long = "x".repeat(WORD_CHARS_MAX * 2 + 1);
        let lengths: Vec<usize> = Analysis::of(&long).tokens().map(|token| token.text.len()).collect();
        assert_eq!(lengths, [WORD_CHARS_MAX, WORD_CHARS_MAX, 1]);
        let heap = format!("क{}", "\u{93c}".repeat(1_000));
        assert!(Analysis::of(&heap).tokens().all(|token| token.text.chars().count() <= WORD_CHARS_MAX));
        assert_eq!(fold(&fold(&heap)), fold(&heap));
    }

    #[test]
    fn folded_text_has_one_space_between_words_and_runs() {
        assert_eq!(fold(" iPhone手機,手機  don't! "), "iphone 手机 手机 don t");
        assert_eq!(fold("!?"), "");
        assert_eq!(framed("a"), " a ");
    }
}
