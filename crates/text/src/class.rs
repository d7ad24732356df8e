//! What a folded character is: part of a word, part of a run, or a break between them.

use std::sync::LazyLock;

use unicode_properties::{
    GeneralCategory, GeneralCategoryGroup, UnicodeEmoji as _, UnicodeGeneralCategory as _,
};

/// What a folded character is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharClass {
    /// Ends the word before it: spaces, punctuation, signs of currency and mathematics.
    Break,
    /// A letter, mark or number of a script that puts spaces between words: it is found with the whole word.
    Word,
    /// A character that is found wherever it stands: of a script without spaces between words, of Korean, or a symbol.
    Run,
}

/// The classes of the alphabets, which lie before the first character of Chinese and Japanese: looking up a category takes
/// longer than all else that is done with a character.
static ALPHABETS: LazyLock<Vec<CharClass>> = LazyLock::new(|| ('\0'..'\u{3000}').map(of_any).collect());

/// Returns the class of a folded character.
pub(crate) fn class(char: char) -> CharClass {
    ALPHABETS.get(char as usize).copied().unwrap_or_else(|| of_any(char))
}

fn of_any(char: char) -> CharClass {
    match char {
        '0'..='9' | 'a'..='z' | 'A'..='Z' => CharClass::Word,
        '\u{4e00}'..='\u{9fff}' | '가'..='힣' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ー' => CharClass::Run,
        // Beside ASCII: apostrophes, which are letters by name and break words by use, and placeholders for objects that
        // are no text, or for damaged text.
        '\0'..='\u{7f}' | '\u{2bb}'..='\u{2bd}' | '\u{fffc}' | '\u{fffd}' => CharClass::Break,
        _ => by_category(char),
    }
}

fn by_category(char: char) -> CharClass {
    match char.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark | GeneralCategoryGroup::Number => {
            let is_digit = char.general_category() == GeneralCategory::DecimalNumber;
            if is_unspaced(char) && !is_digit { CharClass::Run } else { CharClass::Word }
        }
        _ if char.general_category() == GeneralCategory::OtherSymbol || char.is_emoji_char() => {
            CharClass::Run
        }
        _ => CharClass::Break,
    }
}

/// Returns whether a block is of a script that puts no spaces between words, or of Korean, where particles are joined
/// to words.
fn is_unspaced(char: char) -> bool {
    matches!(char,
        // Thai, Lao.
        '\u{e00}'..='\u{eff}'
        // Burmese, Hangul of old spelling, Khmer.
        | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        // Radicals, signs of Chinese and Japanese, kana, bopomofo, Hangul, and Han from its first extension on.
        | '\u{2e80}'..='\u{2fdf}' | '\u{3000}'..='\u{9fff}'
        // More of Hangul and Burmese.
        | '\u{a960}'..='\u{a97f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' | '\u{ac00}'..='\u{d7ff}'
        // More of Han and kana.
        | '\u{f900}'..='\u{faff}' | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_character_has_its_class() {
        for char in "aZ9éßяёδשعहिქა٣๕২".chars() {
            assert_eq!(class(char), CharClass::Word, "{char:?}");
        }
        for char in "中𠮷々〇あァーㄅ한กัກកမ😀★🇩".chars() {
            assert_eq!(class(char), CharClass::Run, "{char:?}");
        }
        for char in " _-'’ʼ.,。、・「#@+=→€$฿\u{fffd}\n".chars() {
            assert_eq!(class(char), CharClass::Break, "{char:?}");
        }
    }
}
