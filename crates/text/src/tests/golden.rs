//! Tokens as they were when their version began.
//!
//! When one of these fails, the tokens of some text have changed: give `ANALYSER_VERSION` the next number, and write here
//! what the tokens are now.

use xxhash_rust::xxh3::Xxh3;

use crate::{ANALYSER_VERSION, Analysis, name_keys};

/// The version, and digests of what each character becomes among letters of some scripts, between two characters of a run,
/// and as a name.
const GOLDEN: (u32, u64, u64, u64) =
    (1, 6_167_344_272_475_318_545, 8_588_303_194_810_701_978, 14_760_705_477_879_452_112);

/// A text in many scripts.
const TEXT: &str = "Zoë's Straße, ﬁle №5½: 新手機ｶﾞｷﾞ한국어 don't 👍🏽 ภาษาไทย Ёлка";

/// Position, text and source of each of its tokens.
const TOKENS: &[&str] = &[
    "0 zoe 0..3",
    "1 s 4..5",
    "2 strasse 6..12",
    "3 file 14..17",
    "4 no 18..19",
    "5 5 19..20",
    "6 1 20..21",
    "7 2 20..21",
    "8 新 23..24",
    "8 新手 23..25",
    "10 手 24..25",
    "10 手机 24..26",
    "12 机 25..26",
    "12 机ガ 25..28",
    "14 ガ 26..28",
    "14 ガギ 26..30",
    "16 ギ 28..30",
    "16 ギ한 28..31",
    "18 한 30..31",
    "18 한국 30..32",
    "20 국 31..32",
    "20 국어 31..33",
    "22 어 32..33",
    "23 don 34..37",
    "24 t 38..39",
    "25 👍 40..42",
    "26 ภ 43..44",
    "26 ภา 43..45",
    "28 า 44..45",
    "28 าษ 44..46",
    "30 ษ 45..46",
    "30 ษา 45..47",
    "32 า 46..47",
    "32 าไ 46..48",
    "34 ไ 47..48",
    "34 ไท 47..49",
    "36 ท 48..49",
    "36 ทย 48..50",
    "38 ย 49..50",
    "39 елка 51..55",
];

/// Characters of all planes with assigned ones.
fn every_char() -> impl Iterator<Item = char> {
    ('\0'..='\u{3ffff}').chain('\u{e0000}'..='\u{e0fff}')
}

/// The digest of the tokens of many texts.
fn digest(texts: impl Iterator<Item = String>) -> u64 {
    let mut digest = Xxh3::new();
    for text in texts {
        for token in Analysis::of(&text).tokens() {
            digest.update(token.text.as_bytes());
            digest.update(&token.position.to_le_bytes());
            digest.update(&token.source.start.to_le_bytes());
            digest.update(&token.source.end.to_le_bytes());
        }
        digest.update(b"\n");
    }
    digest.digest()
}

fn digest_of_names() -> u64 {
    let mut digest = Xxh3::new();
    for char in every_char() {
        let keys = name_keys(char.encode_utf8(&mut [0; 4]));
        for key in [keys.words, keys.readings, keys.initials].concat() {
            digest.update(key.as_bytes());
            digest.update(b"\n");
        }
    }
    digest.digest()
}

#[test]
fn tokens_of_every_character_change_with_the_version_only() {
    let in_words = digest(every_char().map(|char| format!("a{char}b е{char}و{char}")));
    let in_runs = digest(every_char().map(|char| format!("中{char}か")));
    assert_eq!((ANALYSER_VERSION, in_words, in_runs, digest_of_names()), GOLDEN);
}

#[test]
fn tokens_of_a_text_change_with_the_version_only() {
    let analysis = Analysis::of(TEXT);
    let tokens =
        analysis.tokens().map(|token| format!("{} {} {:?}", token.position, token.text, token.source));
    assert_eq!(
        (ANALYSER_VERSION, tokens.collect::<Vec<_>>()),
        (1, TOKENS.iter().map(ToString::to_string).collect())
    );
}

#[test]
fn limits_of_tokens_change_with_the_version_only() {
    let lengths = |text: &str| Analysis::of(text).tokens().map(|token| token.text.len()).collect::<Vec<_>>();
    let keys = name_keys("单行长重乐");
    let names = (keys.readings.len(), keys.readings.concat().len(), keys.initials.len());
    assert_eq!((ANALYSER_VERSION, lengths(&"x".repeat(130)), names), (1, vec![64, 64, 2], (16, 314, 12)));
}
