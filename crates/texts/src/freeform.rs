//! The characters that texts for people may have: the FreeformClass of PRECIS (RFC 8264 section 4.3).

use precis_profiles::precis_core::{DerivedPropertyValue, FreeformClass, StringClass as _};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use zeroize::Zeroizing;

/// Returns whether the class has all characters of a text.
///
/// The crate's tables are those of Unicode 6.3. A character that is newer than they are, such as most emoji, is judged by
/// its general category of today, as RFC 8264 section 8 would.
pub(crate) fn is_freeform(text: &str) -> bool {
    let class = FreeformClass::default();
    let is_newer = |char: char| class.get_value_from_char(char) == DerivedPropertyValue::Unassigned;
    if !text.contains(is_newer) {
        return class.allows(text).is_ok();
    }
    if text.chars().any(|char| is_newer(char) && !is_assigned(char)) {
        return false;
    }
    // What the tables do not know stands as a letter for the rules that look at neighbours. The text may be a password.
    let mut known = Zeroizing::new(String::with_capacity(text.len()));
    known.extend(text.chars().map(|char| if is_newer(char) { 'x' } else { char }));
    class.allows(known.as_str()).is_ok()
}

/// Returns whether a character is a letter, mark, number, sign or space of Unicode as the tables of categories know
/// it.
fn is_assigned(char: char) -> bool {
    !matches!(
        char.general_category(),
        GeneralCategory::Unassigned
            | GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::Surrogate
            | GeneralCategory::PrivateUse
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_newer_than_the_tables_are_judged_by_their_category() {
        for text in ["", "a b", "密码", "\u{1f511}", "\u{1f914}", "\u{1fae0}", "\u{20c0}", "ａ"] {
            assert!(is_freeform(text), "{text:?}");
        }
        for text in [
            "ab\0",
            "ab\n",
            "ab\u{202e}",
            "ab\u{200d}",
            "ab\u{378}",
            "ab\u{e000}",
            "ab\u{2028}",
            "\u{1f914}\n",
        ] {
            assert!(!is_freeform(text), "{text:?}");
        }
        // A joiner stands behind a virama.
        assert!(is_freeform("क\u{94d}\u{200d}ष") && is_freeform("\u{1f914}क\u{94d}\u{200d}ष"));
    }
}
