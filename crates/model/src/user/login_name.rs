//! Names to log in with.

use crate::id::{Gene, ID_EPOCH_MS, Uid};
use std::fmt;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Tells the hash that uids are made of from the one that shards are.
const IMPORTED_SEED: u64 = 1;

/// Milliseconds of four years after 2000, in which nobody registered.
const IMPORTED_MS: u64 = 1 << 37;

/// A name to log in with, in the form in which names are stored and compared. `guanxi-texts` makes it of a name as a
/// caller gives it.
///
/// Its hash is the gene of its user's uid, so that a login goes straight to the shard that holds both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoginName(String);

impl LoginName {
    /// Takes a name in its stored form. A newer Unicode may normalise a name otherwise; what is stored stays as it is.
    pub const fn stored(name: String) -> Self {
        Self(name)
    }

    /// Returns the normalised name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the uid that an imported account of this name gets unless it brings one: the same for each import. Its time
    /// lies in the first years after 2000, so that no registration meets it. Frozen, since a repeat must find it.
    pub fn imported_uid(&self) -> Uid {
        let hash = xxh3_64_with_seed(self.0.as_bytes(), IMPORTED_SEED);
        let since_ms = 1 + (hash >> 14) % IMPORTED_MS;
        Uid::minted(ID_EPOCH_MS + since_ms, hash as u16, self.gene())
            .expect("the time is after 2000 and before 2069")
    }

    /// Returns the shard of the name and of its user: the low byte of its XXH3 (64 bits, seed 0). Frozen, since uids hold
    /// it.
    pub fn gene(&self) -> Gene {
        Gene(xxh3_64(self.0.as_bytes()) as u8)
    }
}

impl fmt::Display for LoginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(name: &str) -> LoginName {
        LoginName::stored(name.to_owned())
    }

    /// Stored names with their genes. These never change: uids hold them.
    #[test]
    fn genes_of_names_are_frozen() {
        for (name, gene) in [
            ("alice", 0xb0),
            ("σίσυφοσ", 0x48),
            ("émile", 0x9a),
            ("张三", 0x82),
            ("user@example.org", 0x25),
            ("foo.bar-baz_1", 0x9e),
        ] {
            assert_eq!(stored(name).gene(), Gene(gene), "{name}");
        }
    }

    /// Frozen as well: what was imported once is found again by the next import.
    #[test]
    fn uids_of_imported_names_are_frozen_and_of_their_shard() {
        let uid = |name: &str| stored(name).imported_uid();
        for name in ["alice", "张三", "user@example.org"] {
            assert_eq!(uid(name).gene(), stored(name).gene());
            let now = Uid::minted(ID_EPOCH_MS + IMPORTED_MS + 1, 0, Gene(0)).unwrap();
            assert!(uid(name) < now, "no registration comes to it");
        }
        assert_ne!(uid("alice").get() >> 8, uid("alice1").get() >> 8);
        assert_eq!(uid("alice").get(), 248_335_693_094_675_888);
    }
}
