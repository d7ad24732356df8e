//! Folding: what two spellings of one text have in common.
//!
//! A text is folded segment by segment. A segment is a character with the marks that follow it, so that characters that
//! are composed or dropped together are seen together, and each folded character knows from which characters of the
//! source it comes.

mod han;
mod marks;

use std::iter::once;
use std::ops::Range;
use std::sync::LazyLock;

use caseless::Caseless as _;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use crate::class::{CharClass, class};

/// Calls `sink` with each segment of a text in order: its first character, its folded characters, of which there may be
/// none, and the characters of the text that they come from, counted in code points.
///
/// It costs time linear in the length of the text.
pub(crate) fn segments(text: &str, mut sink: impl FnMut(char, &[char], Range<u32>)) {
    let mut chars = text.chars().peekable();
    let (mut segment, mut folded) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(first) = chars.next() {
        let from = at;
        at += 1;
        // Nothing belongs to a space or a sign: a mark behind one begins a word, as it does at the beginning of a text.
        let is_alone = chars.peek().is_none_or(|next| !continues(*next)) || class(first) == CharClass::Break;
        if is_alone && let Some(char) = quick(first) {
            sink(first, &[char], from..at);
            continue;
        }
        segment.clear();
        segment.push(first);
        while let Some(next) = chars.next_if(|next| !is_alone && continues(*next)) {
            segment.push(next);
            at += 1;
        }
        folded.clear();
        fold_segment(&segment, &mut folded);
        sink(first, &folded, from..at);
    }
}

/// What is known of each character of the alphabets, which lie before this one.
const ALPHABETS_END: u32 = 0x3000;

#[derive(Clone, Copy)]
struct Known {
    continues: bool,
    /// What it folds to where it stands alone, if that is one character.
    folded: Option<char>,
}

/// Normalising takes a hundred nanoseconds a character; looking up takes one.
static ALPHABETS: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let mut folded = Vec::new();
    let known = (0..ALPHABETS_END).filter_map(char::from_u32).map(|char| {
        folded.clear();
        fold_segment(&[char], &mut folded);
        let folded = if let [only] = folded[..] { Some(only) } else { None };
        Known { continues: is_continuing(char), folded }
    });
    known.collect()
});

/// Returns whether a character belongs to the segment of the character before it.
fn continues(char: char) -> bool {
    match char {
        // What most texts consist of.
        '\0'..='\u{ac}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => false,
        _ => ALPHABETS.get(char as usize).map_or_else(|| is_continuing(char), |known| known.continues),
    }
}

fn is_continuing(char: char) -> bool {
    marks::is_ignored(char) || marks::is_accent(char) || composes_back(char)
}

/// Returns whether normalising may move a character, or compose it with one before it.
fn composes_back(char: char) -> bool {
    let mut first = None;
    decompose_compatible(char, |part| first = first.or(Some(part)));
    first.is_some_and(|first| {
        canonical_combining_class(first) != 0 || is_nfc_quick(once(first)) == IsNormalized::Maybe
    })
}

/// Folds what most texts consist of, where it stands alone, as [`fold_segment`] does.
fn quick(char: char) -> Option<char> {
    match char {
        '\0'..='\u{7f}' => Some(char.to_ascii_lowercase()),
        '\u{4e00}'..='\u{9fff}' => Some(han::simplified(char)),
        'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ー' | '가'..='힣' => Some(char),
        _ => ALPHABETS.get(char as usize)?.folded,
    }
}

fn fold_segment(segment: &[char], folded: &mut Vec<char>) {
    let mut base = None;
    let seen = segment.iter().copied().filter(|char| !marks::is_ignored(*char));
    let without_accents = seen.nfkd().filter(|char| {
        if marks::is_ignored(*char) || marks::is_dropped(base, *char) {
            return false;
        }
        if canonical_combining_class(*char) == 0 {
            base = Some(*char);
        }
        true
    });
    // Case may be folded to what is decomposed, such as that of a mark to a letter.
    let letters = without_accents.default_case_fold().flat_map(plain_letters);
    folded.extend(letters.nfkc().map(han::simplified));
}

/// Letters with a stroke and joined letters, which Unicode does not decompose and many keyboards do not have; and the
/// Turkish i without a dot, since capitals do not tell the two.
fn plain_letters(char: char) -> impl Iterator<Item = char> {
    let (first, second) = match char {
        'đ' => ('d', None),
        'ħ' => ('h', None),
        'ı' => ('i', None),
        'ł' => ('l', None),
        'ø' => ('o', None),
        'ŧ' => ('t', None),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        other => (other, None),
    };
    once(first).chain(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut all = String::new();
        segments(text, |_, chars, _| all.extend(chars));
        all
    }

    /// Those of all planes with assigned characters that are no private matter.
    fn every_char() -> impl Iterator<Item = char> {
        ('\0'..='\u{3ffff}').chain('\u{e0000}'..='\u{e0fff}')
    }

    #[test]
    fn case_width_accents_and_composition_are_folded() {
        for (text, expected) in [
            ("Straße STRASSE", "strasse strasse"),
            ("Café Cafe\u{301}", "cafe cafe"),
            ("Łódź Øre Ærø Đà", "lodz ore aero da"),
            ("İstanbul Iğdır", "istanbul igdir"),
            ("ΟΔΟΣ οδός", "οδοσ οδοσ"),
            ("Ёлка ЙОД їжак замо\u{301}к", "елка йод їжак замок"),
            ("ｶﾞｷﾞ ガギ", "ガギ ガギ"),
            ("Ｆｕｌｌ　ﬁ", "full fi"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("שָׁלוֹם", "שלום"),
            ("كِتَابٌ أحمد مؤمن كـــتاب", "كتاب احمد مؤمن كتاب"),
            ("愛國 爱国", "爱国 爱国"),
            ("葛\u{e0100} co\u{ad}op", "葛 coop"),
            ("ก่อน हिन्दी", "ก่อน हिन्दी"),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_folded_stays_for_every_character() {
        for char in every_char() {
            let once = folded(&char.to_string());
            assert_eq!(folded(&once), once, "{char:?} U+{:04X}", char as u32);
        }
    }

    #[test]
    fn the_quick_way_folds_as_the_long_way() {
        for char in every_char() {
            let mut long = Vec::new();
            fold_segment(&[char], &mut long);
            if let Some(quick) = quick(char) {
                assert_eq!(long, [quick], "{char:?}");
            }
            assert_eq!(continues(char), is_continuing(char), "{char:?}");
        }
    }

    #[test]
    fn segments_cover_the_text() {
        let text = "e\u{301}ｶﾞ\u{200d}\u{fe0f}!\u{93c}한\u{1112}\u{1161}";
        let mut ranges = Vec::new();
        segments(text, |_, _, range| ranges.push(range));
        assert_eq!(ranges, [0..2, 2..6, 6..7, 7..8, 8..9, 9..11]);
    }
}
