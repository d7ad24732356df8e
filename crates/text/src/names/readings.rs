//! How Chinese names are read.

use pinyin::ToPinyinMulti as _;

/// Readings of one name: many characters have two or three, and a name of four such has more than anybody uses.
pub const READINGS_MAX: usize = 16;

/// Returns the readings of the Chinese characters among some folded ones, in a row and without tones, and the initials of
/// each reading; both without repetition, and the most usual first.
///
/// Where there are more than [`READINGS_MAX`], those in which the last characters are read as usual are kept: a surname
/// comes first, and its reading is often a rare one.
pub(super) fn of(chars: impl Iterator<Item = char>) -> (Vec<String>, Vec<String>) {
    let mut all = vec![Reading::default()];
    for char in chars {
        let syllables = syllables(char);
        if syllables.is_empty() {
            continue;
        }
        let longer =
            syllables.iter().flat_map(|syllable| all.iter().map(|reading| reading.followed_by(syllable)));
        all = longer.take(READINGS_MAX).collect();
    }
    let mut readings = Vec::new();
    let mut initials = Vec::new();
    for reading in all.into_iter().filter(|reading| !reading.whole.is_empty()) {
        add(&mut readings, reading.whole);
        add(&mut initials, reading.initials);
    }
    (readings, initials)
}

#[derive(Default)]
struct Reading {
    whole: String,
    initials: String,
}

impl Reading {
    fn followed_by(&self, syllable: &str) -> Self {
        let first = &syllable[..syllable.len().min(1)];
        Self { whole: format!("{}{syllable}", self.whole), initials: format!("{}{first}", self.initials) }
    }
}

/// Returns how a character is read, in ASCII: none when it is not Chinese. `ü` is typed as `v`, or as `u` where a
/// keyboard or a passport has no other.
fn syllables(char: char) -> Vec<String> {
    let mut syllables = Vec::new();
    for plain in char.to_pinyin_multi().into_iter().flatten().map(pinyin::Pinyin::plain) {
        let plain = plain.replace('ê', "e");
        add(&mut syllables, plain.replace('ü', "v"));
        add(&mut syllables, plain.replace('ü', "u"));
    }
    syllables
}

fn add(all: &mut Vec<String>, one: String) {
    if !all.contains(&one) {
        all.push(one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_syllable_is_ascii() {
        for char in '\u{3007}'..='\u{3ffff}' {
            for syllable in syllables(char) {
                assert!(syllable.bytes().all(|byte| byte.is_ascii_lowercase()), "{char} {syllable}");
            }
        }
    }

    #[test]
    fn a_rare_reading_of_a_surname_survives_many_others() {
        let (readings, _) = of("单行长重乐".chars());
        assert_eq!(readings.len(), READINGS_MAX);
        assert!(readings.iter().any(|reading| reading == "shanxingzhangzhongle"), "{readings:?}");
    }
}
