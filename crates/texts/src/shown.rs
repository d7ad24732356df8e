//! Texts that users choose and others read: nicknames, names of groups and devices, and what a friend request says.
//!
//! They have the characters of the profile Nickname (RFC 8266), which is the FreeformClass of PRECIS: no control characters,
//! and nothing that turns the direction of text around or is not seen, but for joiners where a script wants them. Beside it
//! there are emoji sequences and variation selectors (UTS 51), which the profile is too old for. An accepted text is kept as
//! it was given: such a text leads to no user, so nothing is mapped.

use guanxi_model::limits::{DEVICE_LEN_MAX, GROUP_NAME_LEN_MAX, NICKNAME_LEN_MAX, REQUEST_MESSAGE_LEN_MAX};
use guanxi_model::{Error, Reason, Result};
use unicode_properties::{GeneralCategoryGroup, UnicodeEmoji as _, UnicodeGeneralCategory as _};

use crate::freeform::is_freeform;

const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// What flags of regions begin with, such as that of Wales; tags follow, and the last of those.
const BLACK_FLAG: char = '\u{1f3f4}';
const LAST_TAG: char = '\u{e007f}';

/// Invisible symbols: a pattern of braille without dots, and a note without a head.
const BLANK: [char; 2] = ['\u{2800}', '\u{1d159}'];

/// Returns a nickname, which may be empty.
///
/// # Errors
/// `TOO_LONG`; `INVALID_FIELD` for a character that it may not have, or without a visible one.
pub fn nickname(given: &str) -> Result<String> {
    name("nickname", NICKNAME_LEN_MAX, given)
}

/// Returns the name of a group.
///
/// # Errors
/// As for a nickname. Whether it may be empty is the model's to say.
pub fn group_name(given: &str) -> Result<String> {
    name("name", GROUP_NAME_LEN_MAX, given)
}

/// Returns what a user calls a device, which may be empty.
///
/// # Errors
/// As for a nickname.
pub fn device(given: &str) -> Result<String> {
    name("device", DEVICE_LEN_MAX, given)
}

/// Returns what a friend request says, which may be empty and have lines.
///
/// # Errors
/// `TOO_LONG`; `INVALID_FIELD` for a character that it may not have.
pub fn message(given: &str) -> Result<String> {
    const FIELD: &str = "message";
    check_len(FIELD, REQUEST_MESSAGE_LEN_MAX, given)?;
    let is_readable = given.split('\n').all(is_readable);
    is_readable.then(|| given.to_owned()).ok_or(Error::new(Reason::InvalidField { field: FIELD }))
}

fn name(field: &'static str, limit: u32, given: &str) -> Result<String> {
    check_len(field, limit, given)?;
    let is_seen = given.is_empty() || given.contains(is_visible);
    let is_name = is_seen && is_readable(given);
    is_name.then(|| given.to_owned()).ok_or(Error::new(Reason::InvalidField { field }))
}

/// Looking at joiners costs the square of the length, so that is bounded first.
fn check_len(field: &'static str, limit: u32, given: &str) -> Result<()> {
    if given.len() > limit as usize {
        return Err(Error::new(Reason::TooLong { field, limit }));
    }
    Ok(())
}

/// Returns whether a line has the characters of the class, or sequences of emoji.
fn is_readable(line: &str) -> bool {
    let chars: Vec<char> = line.chars().collect();
    // What is part of a sequence stands as a letter for the rules of the class.
    let known = (0..chars.len()).map(|at| if is_of_sequence(&chars, at) { 'x' } else { chars[at] });
    is_freeform(&known.collect::<String>())
}

/// Returns whether a character stands where only a sequence has it.
fn is_of_sequence(chars: &[char], at: usize) -> bool {
    match chars[at] {
        // One that chooses how the character before it looks: of emoji, of signs, of Han, of Mongolian letters.
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' => {
            at > 0 && is_visible(chars[at - 1])
        }
        ZERO_WIDTH_JOINER => {
            let before = chars[..at].iter().rev().find(|char| !matches!(char, '\u{fe00}'..='\u{fe0f}'));
            before.is_some_and(|char| is_emoji(*char))
                && chars.get(at + 1).is_some_and(|char| is_emoji(*char))
        }
        '\u{e0020}'..=LAST_TAG => {
            let is_tag = |char: &&char| matches!(**char, '\u{e0020}'..=LAST_TAG);
            let first = at - chars[..at].iter().rev().take_while(is_tag).count();
            let last = chars[at..].iter().take_while(is_tag).last();
            first > 0 && chars[first - 1] == BLACK_FLAG && last == Some(&LAST_TAG)
        }
        _ => false,
    }
}

/// Returns whether it is an emoji and no digit, which the standard counts among them for keycaps.
fn is_emoji(char: char) -> bool {
    !char.is_ascii() && char.is_emoji_char()
}

/// Returns whether it is seen by itself: neither a space, nor a mark of the character before, nor blank.
fn is_visible(char: char) -> bool {
    matches!(
        char.general_category_group(),
        GeneralCategoryGroup::Letter
            | GeneralCategoryGroup::Number
            | GeneralCategoryGroup::Punctuation
            | GeneralCategoryGroup::Symbol
    ) && !BLANK.contains(&char)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What people of many languages call themselves, and each kind of emoji sequence.
    const NAMES: [&str; 22] = [
        "Ann B. Smith-O'Hara",
        "张三（北京）",
        "葛\u{e0100}城",
        "さくら・サクラ",
        "김철수",
        "Иван Иванов",
        "می\u{200c}خواهم",
        "محمد ١٢٣",
        "שלום",
        "क\u{94d}\u{200d}ष",
        "श\u{94d}री राम",
        "ශ\u{dca}\u{200d}රී",
        "Ngũgĩ wa Thiong'o",
        "ﬁne ™ ①",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}",
        "\u{1f9d1}\u{1f3fd}\u{200d}\u{1f4bb} dev",
        "\u{2764}\u{fe0f}\u{200d}\u{1f525}",
        "\u{1f1e9}\u{1f1ea}\u{1f1e8}\u{1f1f3}",
        "\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
        "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
        "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3}",
        "\u{1fae8}",
    ];

    #[test]
    fn names_of_all_languages_and_emoji_are_kept_as_they_are() {
        for given in NAMES.into_iter().chain([""]) {
            for read in [nickname, group_name, device, message] {
                assert_eq!(read(given).as_deref(), Ok(given), "{given:?}");
            }
        }
        assert_eq!(message("two\nlines\n").as_deref(), Ok("two\nlines\n"));
        assert!(message(" ").is_ok());
    }

    #[test]
    fn what_nobody_sees_or_what_turns_text_around_is_refused() {
        let invisible =
            ["\u{3164}", "\u{ffa0}", "\u{115f}", "\u{200b}", "\u{ad}", "\u{2060}", "\u{feff}", "\u{34f}"];
        let blank = [" ", "\u{3000}\u{a0}", "\u{2800}\u{2800}", "\u{301}", "\u{fe0f}", "\u{1d159}"];
        for given in invisible.into_iter().chain(blank) {
            assert!(nickname(given).is_err(), "{given:?}");
        }
        let turns =
            ["\u{202a}", "\u{202b}", "\u{202c}", "\u{202d}", "\u{202e}", "\u{2066}", "\u{2067}", "\u{2068}"];
        let others = [
            "\u{2069}", "\u{200e}", "\u{200f}", "\u{61c}", "\n", "\t", "\0", "\u{85}", "\u{2028}", "\u{e001}",
        ];
        let alone = ["\u{200d}", "\u{200c}", "\u{e0067}", "\u{e007f}", "\u{180e}", "\u{378}"];
        for char in turns.into_iter().chain(others).chain(alone).chain(invisible) {
            let given = format!("a{char}b");
            for (read, field) in [
                (nickname as fn(&str) -> Result<String>, "nickname"),
                (group_name, "name"),
                (device, "device"),
            ] {
                assert_eq!(read(&given).unwrap_err().reason, Reason::InvalidField { field }, "{given:?}");
            }
            assert_eq!(message(&given).is_err(), char != "\n", "{given:?}");
        }
        // A joiner between an emoji and a letter, selectors in a row, tags without an end.
        for given in [
            "\u{1f468}\u{200d}a",
            "1\u{200d}2",
            "a\u{fe0f}\u{fe0f}",
            "\u{1f3f4}\u{e0067}\u{e0062}",
            "a\u{e0067}\u{e007f}",
        ] {
            assert!(nickname(given).is_err(), "{given:?}");
        }
    }

    #[test]
    fn each_has_its_limit() {
        for (read, field, limit) in [
            (nickname as fn(&str) -> Result<String>, "nickname", NICKNAME_LEN_MAX),
            (group_name, "name", GROUP_NAME_LEN_MAX),
            (device, "device", DEVICE_LEN_MAX),
            (message, "message", REQUEST_MESSAGE_LEN_MAX),
        ] {
            assert!(read(&"x".repeat(limit as usize)).is_ok());
            assert_eq!(
                read(&"x".repeat(limit as usize + 1)).unwrap_err().reason,
                Reason::TooLong { field, limit }
            );
        }
    }
}
