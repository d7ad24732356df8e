//! Digests of what documents of an index are made of: a document of another text, name or state has another one.

use xxhash_rust::xxh3::xxh3_64;

/// What is digested, so that no two lists of parts have the same bytes. They are on disk, in indexes.
#[derive(Default)]
pub(super) struct Parts(Vec<u8>);

impl Parts {
    /// Adds a text.
    pub(super) fn text(mut self, text: &str) -> Self {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
        self
    }

    /// Adds a number.
    pub(super) fn number(mut self, number: u64) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    /// Adds a number that may be missing.
    pub(super) fn maybe(self, number: Option<u64>) -> Self {
        match number {
            Some(number) => self.number(1).number(number),
            None => self.number(0),
        }
    }

    pub(super) fn digest(&self) -> u64 {
        xxh3_64(&self.0)
    }
}
