//! How far an import is: lines, and what they were.

use std::hash::Hash;
use xxhash_rust::xxh3::Xxh3;

/// Bits of a stored position that hold the hash. The others count 68 billion lines, and a store keeps 63 bits.
const HASH_BITS: u32 = 27;
/// The most lines that a position counts.
pub(super) const LINES_MAX: u64 = (1 << (63 - HASH_BITS)) - 1;

/// A place in a list, behind a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Lines before it.
    pub lines: u64,
    /// The beginning of a hash over all of them: it is the same by chance once in 134 million changes.
    hash: u64,
}

impl Place {
    /// The place as a store keeps it, in the commit of what is before it.
    pub const fn position(self) -> u64 {
        self.lines << HASH_BITS | self.hash
    }

    /// The place that was stored; `None` for one that no import of lists has stored.
    pub const fn stored(position: u64) -> Option<Self> {
        let place = Self { lines: position >> HASH_BITS, hash: position & ((1 << HASH_BITS) - 1) };
        if place.lines == 0 && position != 0 { None } else { Some(place) }
    }
}

/// Hashes lines as they are read.
#[derive(Default)]
pub(super) struct Walked {
    lines: u64,
    hash: Xxh3,
}

impl Walked {
    /// Begins a list that is read in such a form: read otherwise, its lines are others.
    pub(super) fn of(form: &impl Hash) -> Self {
        let mut walked = Self::default();
        form.hash(&mut walked.hash);
        walked
    }

    /// Takes a part of a line, without its end.
    pub(super) fn part(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
    }

    /// The line is over: by its end or that of the list, which are the same for what was read.
    pub(super) fn line(&mut self) {
        self.hash.update(b"\n");
        self.lines += 1;
    }

    /// Lines so far.
    pub(super) const fn lines(&self) -> u64 {
        self.lines
    }

    /// Where it is.
    pub(super) fn place(&self) -> Place {
        let hash = if self.lines == 0 { 0 } else { self.hash.digest() >> (64 - HASH_BITS) };
        Place { lines: self.lines, hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(lines: &[&str]) -> Place {
        let mut walked = Walked::of(&"form");
        for line in lines {
            walked.part(line.as_bytes());
            walked.line();
        }
        walked.place()
    }

    #[test]
    fn a_place_is_stored_in_63_bits_and_is_of_its_lines() {
        let place = walked(&["1 2", "3 4"]);
        assert_eq!(Place::stored(place.position()), Some(place));
        assert_ne!(place, walked(&["1 2", "3 5"]));
        assert_ne!(place, walked(&["1 23", "4"]));
        assert_eq!(walked(&[]), Place::default());
        assert_eq!((Place::stored(0), Place::stored(7)), (Some(Place::default()), None));
        let last = Place { lines: LINES_MAX, hash: (1 << HASH_BITS) - 1 };
        assert_eq!((last.position(), Place::stored(last.position())), (i64::MAX as u64, Some(last)));
    }
}
