//! Digests of several texts and numbers together.

use xxhash_rust::xxh3::xxh3_64;

/// What is digested, part by part, so that no two lists of the same kinds of parts have the same bytes. Indexes keep these digests on
/// disk.
#[derive(Clone, Debug, Default)]
pub struct DigestParts(Vec<u8>);

impl DigestParts {
    /// Adds a text.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
        self
    }

    /// Adds a number.
    #[must_use]
    pub fn number(mut self, number: u64) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    /// Adds a number that may be missing.
    #[must_use]
    pub fn maybe(self, number: Option<u64>) -> Self {
        match number {
            Some(number) => self.number(1).number(number),
            None => self.number(0),
        }
    }

    /// The digest: XXH3 with 64 bits.
    pub fn digest(&self) -> u64 {
        xxh3_64(&self.0)
    }
}
