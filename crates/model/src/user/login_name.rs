//! Names to log in with.

use crate::id::{Gene, ID_EPOCH_MS, Uid};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Tells the hash that uids are made of from the one that shards are.
const IMPORTED_SEED: u64 = 1;

/// Milliseconds of four years after 2000, in which no user registered.
const IMPORTED_MS: u64 = 1 << 37;

/// Between the key and the shown form of a stored name. Neither has one: no name has a control character.
const SEPARATOR: char = '\n';

/// A name to log in with. `guanxi-texts` makes it of a name as a caller gives it.
///
/// Its key is the form in which names are compared, so that one name written in two ways is one name: equality, order and
/// rows are of the key alone. The hash of the key is the gene of its user's uid, so that a login goes straight to the
/// shard that holds both. Beside it a name keeps how it was written, to be shown.
#[derive(Clone, Debug)]
pub struct LoginName {
    key: String,
    /// How it is shown, where that is not the key.
    shown: Option<String>,
}

impl LoginName {
    /// Takes a name in its stored form, or a key alone. A newer Unicode may normalise a name otherwise; what is stored
    /// stays as it is.
    pub fn stored(mut text: String) -> Self {
        let at = text.find(SEPARATOR);
        let shown = at.map(|at| text[at + SEPARATOR.len_utf8()..].to_owned());
        text.truncate(at.unwrap_or(text.len()));
        Self { key: text, shown }
    }

    /// Returns a name of a key, and how it is shown; neither has a control character.
    pub fn new(key: String, shown: String) -> Self {
        let shown = (shown != key).then_some(shown);
        Self { key, shown }
    }

    /// Returns the key.
    pub fn as_str(&self) -> &str {
        &self.key
    }

    /// Returns how it is shown: as its user wrote it, composed (NFC).
    pub fn shown(&self) -> &str {
        self.shown.as_ref().unwrap_or(&self.key)
    }

    /// Returns whether it is what somebody typed who looks for its user: how it is shown, or its key in any cases.
    pub fn is_typed(&self, typed: &str) -> bool {
        typed.trim() == self.shown() || Self::key_typed(typed) == self.key
    }

    /// Returns the key of the name that somebody typed, without the widths and compositions that only a login maps.
    pub fn key_typed(typed: &str) -> String {
        // As in a key, a final sigma is any other sigma.
        typed.trim().to_lowercase().replace('ς', "σ")
    }

    /// Returns the text that a user's row holds: the key and, where it is another, the shown form behind a line break.
    pub fn to_stored(&self) -> String {
        match &self.shown {
            Some(shown) => format!("{}{SEPARATOR}{shown}", self.key),
            None => self.key.clone(),
        }
    }

    /// Returns the uid that an imported account of this name gets unless it brings one: the same for each import. Its time
    /// lies in the first years after 2000, so that no registration meets it. Frozen, since a repeat must find it.
    pub fn imported_uid(&self) -> Uid {
        let hash = xxh3_64_with_seed(self.key.as_bytes(), IMPORTED_SEED);
        let since_ms = 1 + (hash >> 14) % IMPORTED_MS;
        Uid::minted(ID_EPOCH_MS + since_ms, hash as u16, self.gene())
            .expect("the time is after 2000 and before 2069")
    }

    /// Returns the shard of the name and of its user: the low byte of its XXH3 (64 bits, seed 0). Frozen, since uids hold
    /// it.
    pub fn gene(&self) -> Gene {
        Gene(xxh3_64(self.key.as_bytes()) as u8)
    }
}

impl fmt::Display for LoginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

impl PartialEq for LoginName {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for LoginName {}

impl PartialOrd for LoginName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LoginName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl Hash for LoginName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
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
            ("νικοσ", 0x49),
            ("émile", 0x9a),
            ("张三", 0x82),
            ("user@example.org", 0x25),
            ("foo.bar-baz_1", 0x9e),
        ] {
            assert_eq!(stored(name).gene(), Gene(gene), "{name}");
        }
    }

    /// The shown form of a name is kept beside the key, and never compared.
    #[test]
    fn a_name_is_its_key_and_keeps_how_it_is_shown() {
        let name = LoginName::new("alice".into(), "Alice".into());
        assert_eq!((name.as_str(), name.shown(), name.to_string().as_str()), ("alice", "Alice", "Alice"));
        assert_eq!((&name, name.gene()), (&stored("alice"), stored("alice").gene()));
        assert_eq!(
            (name.to_stored().as_str(), stored("alice").to_stored().as_str()),
            ("alice\nAlice", "alice")
        );
        let again = LoginName::stored(name.to_stored());
        assert_eq!((again.as_str(), again.shown()), ("alice", "Alice"));
        assert_eq!(LoginName::new("bob".into(), "bob".into()).to_stored(), "bob");
    }

    #[test]
    fn a_name_is_typed_whole_in_any_cases() {
        let name = |key: &str, shown: &str| LoginName::new(key.to_owned(), shown.to_owned());
        for (typed, is) in [
            ("ann.smith", true),
            (" ANN.smith ", true),
            ("Ann.Smith", true),
            ("ann.smit", false),
            ("ann smith", false),
            ("", false),
        ] {
            assert_eq!(name("ann.smith", "Ann.Smith").is_typed(typed), is, "{typed}");
        }
        for typed in ["ΣΊΣΥΦΟΣ", "Σίσυφος", "σίσυφοσ"] {
            assert!(name("σίσυφοσ", "Σίσυφος").is_typed(typed), "{typed}");
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
