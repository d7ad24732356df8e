//! What two dumps of the same world have in common, whichever stores they are of: rows of each kind are counted, and their hashes
//! summed. Where each of the two stores is by itself, rows are taken as the other has them.

use crate::format::{DumpError, DumpReader, DumpSection, RowError};
use crate::layout::{
    IDS_KEY, PostValue, SEEN, STATE_KEY, SeenMark, UIDS_KEY, UNNOTED_KEY, UPGRADE_KEY, encode_number,
    parse_post_key,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::Xxh3;

/// Rows of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DigestedRows {
    /// How many.
    pub count: u64,
    /// The sum of their hashes, modulo 2^128.
    pub sum: u128,
}

/// The rows of a dump by their kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DumpDigest(BTreeMap<(u8, u8), DigestedRows>);

impl DumpDigest {
    /// Takes a row in.
    pub fn add(&mut self, section: DumpSection, key: &[u8], value: &[u8]) {
        let prefix = if section == DumpSection::Records { key.first().copied().unwrap_or(0) } else { 0 };
        let Some(value) = comparable(section, key, value) else { return };
        let mut hash = Xxh3::new();
        hash.update(&(key.len() as u64).to_be_bytes());
        hash.update(key);
        hash.update(&value);
        let rows = self.0.entry((section as u8, prefix)).or_default();
        rows.count += 1;
        rows.sum = rows.sum.wrapping_add(hash.digest128());
    }

    /// Returns how many rows there are of each kind, by what it is called.
    pub fn counts(&self) -> impl Iterator<Item = (String, u64)> {
        self.0.iter().map(|(kind, rows)| (name(*kind), rows.count))
    }

    /// The kinds of which the other has other rows, each with how many there are here and there.
    pub fn differing(&self, other: &Self) -> Vec<(String, u64, u64)> {
        let rows = |digest: &Self, kind| digest.0.get(kind).copied().unwrap_or_default();
        let mut kinds: Vec<_> = self.0.keys().chain(other.0.keys()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let differs = kinds.into_iter().filter(|kind| rows(self, kind) != rows(other, kind));
        differs.map(|kind| (name(*kind), rows(self, kind).count, rows(other, kind).count)).collect()
    }
}

impl DumpReader<'_> {
    /// Reads a whole dump, and returns what its rows come to.
    ///
    /// # Errors
    /// That it is damaged or cannot be read.
    pub fn digest(mut self) -> Result<DumpDigest, DumpError> {
        let mut digest = DumpDigest::default();
        for section in [DumpSection::Forward, DumpSection::Records, DumpSection::Posts] {
            self.rows(section, |key, value| {
                digest.add(section, key, value);
                Ok::<_, RowError<DumpError>>(())
            })?;
        }
        self.finish()?;
        Ok(digest)
    }
}

/// Returns what a kind of rows is called.
fn name((section, prefix): (u8, u8)) -> String {
    match DumpSection::from_byte(section) {
        Some(DumpSection::Forward) => "follows".to_owned(),
        Some(DumpSection::Posts) => "posts".to_owned(),
        _ => format!("records {}", char::from(prefix)),
    }
}

/// A value as both stores have it; none of a row that is of one of them alone.
fn comparable<'a>(section: DumpSection, key: &[u8], value: &'a [u8]) -> Option<Cow<'a, [u8]>> {
    if section == DumpSection::Posts {
        // A cluster does not keep the event that last changed a post.
        let post = parse_post_key(key).and_then(|id| PostValue::decode(id, value));
        return Some(post.map_or(value.into(), |post| PostValue { changed: 0, ..post }.encode().into()));
    }
    let of_one = [STATE_KEY, UNNOTED_KEY, UIDS_KEY, UPGRADE_KEY, IDS_KEY];
    if section == DumpSection::Records && of_one.iter().any(|prefix| key.starts_with(prefix)) {
        return None;
    }
    match key.first().filter(|_| section == DumpSection::Records) {
        Some(&SEEN) => Some(match SeenMark::decode(value) {
            Some(SeenMark::Each(marks)) => match marks.first() {
                Some((_, first)) if marks.len() == 256 && marks.iter().all(|(_, seq)| seq == first) => {
                    encode_number(*first).to_vec().into()
                }
                _ => value.into(),
            },
            _ => value.into(),
        }),
        _ => Some(value.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let (mut one, mut other) = (DumpDigest::default(), DumpDigest::default());
        for digest in [&mut one, &mut other] {
            digest.add(DumpSection::Forward, b"a", b"1");
            digest.add(DumpSection::Records, b"Bx", b"");
        }
        // Of one store alone, or the same in other words.
        one.add(DumpSection::Records, STATE_KEY, b"state");
        one.add(DumpSection::Records, b"s1", &SeenMark::Same(7).encode());
        let marks = (0..=u8::MAX).map(|gene| (gene, 7)).collect();
        other.add(DumpSection::Records, b"s1", &SeenMark::Each(marks).encode());
        assert_eq!(one.differing(&other), []);
        one.add(DumpSection::Forward, b"b", b"1");
        other.add(DumpSection::Forward, b"b", b"2");
        other.add(DumpSection::Records, b"M", b"");
        let differing = [("follows".to_owned(), 2, 2), ("records M".to_owned(), 0, 1)];
        assert_eq!(one.differing(&other), differing);
        assert_eq!(one.counts().collect::<Vec<_>>()[0], ("follows".to_owned(), 2));
    }
}
