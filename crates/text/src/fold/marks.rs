//! The characters that folding drops: invisible ones, and marks that a reader may leave out when writing by hand.
//!
//! Dropped are accents of Latin and Greek, vowel points of Hebrew, and short vowels of Arabic. Marks that make another
//! letter or another syllable stay: vowels of Thai and of Indic scripts, voiced kana, й and ї, و and ي with hamza.

/// Characters that are not seen or change only how another one looks: soft hyphens, joiners, marks of direction,
/// variation selectors, skin tones, fillers of Hangul, and the stroke that stretches Arabic words.
pub(super) fn is_ignored(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{640}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Marks that are dropped behind most letters.
pub(super) fn is_accent(char: char) -> bool {
    matches!(char,
        // Latin, Greek, and signs around symbols, such as the frame of a key.
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
        // Hebrew.
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        // Arabic.
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}'
        | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}' | '\u{8ca}'..='\u{8e1}'
        | '\u{8e3}'..='\u{8ff}')
}

/// Returns whether a mark is dropped behind a base, which is the last character before it that is no mark.
pub(super) fn is_dropped(base: Option<char>, mark: char) -> bool {
    is_accent(mark) && !base.is_some_and(|base| makes_a_letter(base, mark))
}

/// Returns whether a base and a mark together are a letter of their own.
fn makes_a_letter(base: char, mark: char) -> bool {
    let is_cyrillic =
        matches!(base, '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}');
    match mark {
        // The stress.
        '\u{300}' | '\u{301}' if is_cyrillic => !"аеиоуыэюяєіїАЕИОУЫЭЮЯЄІЇ".contains(base),
        // The dots of ё, which most texts leave out.
        '\u{308}' if is_cyrillic => !matches!(base, 'е' | 'Е'),
        '\u{302}'..='\u{36f}' => is_cyrillic,
        // Hamza above waw and yeh; above and below alef it is left out as often as not.
        '\u{654}' => matches!(base, '\u{648}' | '\u{64a}'),
        _ => false,
    }
}
