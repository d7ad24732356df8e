//! The inputs that led to something new, and the corpus of a target.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::dice::InputDice;

/// Inputs that are kept and changed: enough for every case of a decoder.
const KEPT_MAX: usize = 2_048;

/// Bytes of an input. Longer ones meet no other case, and take longer.
const LENGTH_MAX: usize = 2_048;

/// Lines of a corpus that is written: people look through it.
const CORPUS_MAX: usize = 64;

/// Bytes of an input that is written into a corpus.
const CORPUS_LENGTH_MAX: usize = 160;

pub(crate) struct InputPool {
    /// Those that every run begins with.
    begin: Vec<Vec<u8>>,
    kept: Vec<Vec<u8>>,
    seen: HashSet<u64>,
}

fn path(target: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests-data/fuzz").join(format!("{target}.txt"))
}

impl InputPool {
    /// The corpus of a target; empty as long as it has none.
    pub(crate) fn read(target: &str) -> Self {
        let text = std::fs::read_to_string(path(target)).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.is_empty());
        let begin = lines
            .map(|line| {
                unescaped(line)
                    .unwrap_or_else(|| panic!("a line of the corpus of {target} is damaged: {line}"))
            })
            .collect();
        Self { begin, kept: Vec::new(), seen: HashSet::new() }
    }

    /// Adds inputs to begin with.
    pub(crate) fn offer(&mut self, seeds: &[&[u8]]) {
        self.begin.extend(seeds.iter().map(|seed| seed.to_vec()));
        self.begin.push(Vec::new());
    }

    /// Returns what every run begins with.
    pub(crate) fn begin(&self) -> Vec<Vec<u8>> {
        self.begin.clone()
    }

    /// Keeps an input that came to something new.
    pub(crate) fn note(&mut self, input: &[u8], outcome: u64) {
        if self.kept.len() < KEPT_MAX && self.seen.insert(outcome) {
            self.kept.push(input.to_vec());
        }
    }

    /// Returns how many are kept.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Another input: one that was kept, changed.
    pub(crate) fn next(&self, dice: &mut InputDice) -> Vec<u8> {
        let (begin, kept) = (&self.begin, &self.kept);
        let mut one = || {
            let at = dice.roll(begin.len() + kept.len());
            begin.get(at).or_else(|| kept.get(at - begin.len())).map_or(&[][..], Vec::as_slice)
        };
        let (one, other) = (one(), one());
        dice.changed(one, other, LENGTH_MAX)
    }

    /// Writes the corpus: what it was, and short inputs that came to something new, as long as there is room.
    pub(crate) fn write(&self, target: &str) {
        let path = path(target);
        let mut text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut short: Vec<&Vec<u8>> =
            self.kept.iter().filter(|input| input.len() <= CORPUS_LENGTH_MAX).collect();
        short.retain(|input| !self.begin.contains(input));
        for input in short.into_iter().take(CORPUS_MAX.saturating_sub(text.lines().count())) {
            writeln!(text, "{}", input.escape_ascii()).expect("a string takes all that is written");
        }
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// Reads what `escape_ascii` writes.
fn unescaped(line: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line.bytes();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                other @ (b'\\' | b'\'' | b'"') => other,
                _ => return None,
            },
            byte => byte,
        };
        bytes.push(byte);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unescaped(&bytes.escape_ascii().to_string()), Some(bytes));
        assert_eq!(unescaped("\\q"), None);
        assert_eq!(unescaped("\\x1"), None);
    }
}
