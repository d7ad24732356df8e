//! Passwords.

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use zeroize::Zeroizing;

use crate::freeform::is_freeform;

/// UTF-8 bytes that one byte of a text becomes in NFC at most (UAX #15 section 14).
const NFC_GROWTH_MAX: usize = 3;

/// Returns the form in which a password is hashed (PRECIS profile OpaqueString, RFC 8265 section 4.2): every space is the one
/// of ASCII, and what may be typed composed or decomposed is composed (NFC). Case and width stay. `None` for a text with a
/// character that no password has, such as a control character.
///
/// The caller bounds the length first. The form is overwritten when it is dropped.
pub fn normal_password(typed: &str) -> Option<Zeroizing<String>> {
    if !is_freeform(typed) {
        return None;
    }
    // With room from the start, so that growing leaves no copy behind.
    let mut normal = Zeroizing::new(String::with_capacity(NFC_GROWTH_MAX * typed.len()));
    let spaced = typed.chars().map(|char| match char.general_category() {
        GeneralCategory::SpaceSeparator => ' ',
        _ => char,
    });
    normal.extend(spaced.nfc());
    Some(normal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use precis_profiles::OpaqueString;
    use precis_profiles::precis_core::profile::Profile as _;

    #[test]
    fn spaces_are_one_and_composed_and_decomposed_are_one() {
        for (typed, normal) in [
            ("correct horse", Some("correct horse")),
            (" two  spaces ", Some(" two  spaces ")),
            ("cafe\u{301}\u{a0}cre\u{300}me", Some("café crème")),
            ("密码\u{3000}密码", Some("密码 密码")),
            ("Ｗide and CASE", Some("Ｗide and CASE")),
            ("\u{1f914} thinks", Some("\u{1f914} thinks")),
            ("tab\tbed", None),
            ("nul\0", None),
            ("over\u{202e}ride", None),
        ] {
            assert_eq!(normal_password(typed).as_ref().map(|form| form.as_str()), normal, "{typed:?}");
        }
    }

    /// What the standard's own implementation takes has the same form here.
    #[test]
    fn the_form_is_that_of_the_standard() {
        for char in ('\0'..='\u{ffff}').filter(|char| !char.is_ascii_alphanumeric()) {
            let typed = format!("e{char}\u{301} x");
            if let Ok(standard) = OpaqueString::new().enforce(&*typed) {
                let ours = normal_password(&typed).expect("the standard has it");
                assert_eq!(*ours, standard, "{char:?}");
                assert!(ours.len() <= NFC_GROWTH_MAX * typed.len());
            }
        }
    }
}
