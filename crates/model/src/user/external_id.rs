//! Ids that users have elsewhere.

use crate::error::{Error, Reason, Result};
use crate::id::Gene;
use crate::limits::EXTERNAL_ID_LEN_MAX;
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// The id that a user has in the product that brings it: a UUID, or any other string. It is compared byte by byte.
///
/// Its hash is the gene of the uid that is made for it, so that both lie in one shard, which decides who has it. It
/// tells the identity of a person, so only a call by name shows it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternalId(String);

impl ExternalId {
    /// Takes an id as it was given. The field is the one that errors name.
    ///
    /// # Errors
    /// `MISSING_FIELD` for an empty one; `TOO_LONG` beyond [`EXTERNAL_ID_LEN_MAX`] bytes; `INVALID_FIELD` for one with control
    /// characters or separators of lines, which no list or log shows as they are. Everything else is taken, unassigned
    /// characters too: the id is another product's, and no reader is shown it as a name.
    pub fn new(given: impl Into<String>, field: &'static str) -> Result<Self> {
        let given = given.into();
        if given.is_empty() {
            return Err(Error::new(Reason::MissingField { field }));
        }
        if given.len() > EXTERNAL_ID_LEN_MAX as usize {
            return Err(Error::new(Reason::TooLong { field, limit: EXTERNAL_ID_LEN_MAX }));
        }
        if given.chars().any(|char| char.is_control() || matches!(char, '\u{2028}' | '\u{2029}')) {
            return Err(Error::new(Reason::InvalidField { field }));
        }
        Ok(Self(given))
    }

    /// Returns the id as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the shard of the id and of its user: the low byte of its XXH3 (64 bits, seed 0). Frozen, since uids hold
    /// it.
    pub fn gene(&self) -> Gene {
        Gene(xxh3_64(self.0.as_bytes()) as u8)
    }
}

impl fmt::Debug for ExternalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExternalId(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids with their genes. These never change: uids hold them.
    #[test]
    fn genes_are_frozen() {
        let genes = [
            ("alice", 0xb0),
            ("Alice", 0xf0),
            ("0192d3a4-7b1c-7e55-8f00-1b2c3d4e5f60", 0xf6),
            ("00000000-0000-0000-0000-000000000000", 0xe9),
            ("auth0|5f7c8ec7c33c6c004bbafe82", 0xc1),
            ("张三", 0x82),
        ];
        let ours = genes.map(|(given, _)| (given, ExternalId::new(given, "x").unwrap().gene().0));
        assert_eq!(ours, genes);
    }

    #[test]
    fn an_id_is_kept_byte_by_byte() {
        for given in ["a", " a ", "A", "e\u{301}", "é", "1", "-1", "ext:a", "\"\\", "\u{378}"] {
            assert_eq!(ExternalId::new(given, "x").unwrap().as_str(), given);
        }
        let limit = EXTERNAL_ID_LEN_MAX;
        assert!(ExternalId::new("é".repeat(limit as usize / 2), "x").is_ok());
    }

    #[test]
    fn what_is_no_id_is_refused_with_the_field() {
        let refused = |given: &str| ExternalId::new(given, "uid").unwrap_err().reason;
        assert_eq!(refused(""), Reason::MissingField { field: "uid" });
        for given in ["a\n", "\0", "a\u{7f}", "\u{85}", "a\u{2028}b", "\u{2029}"] {
            assert_eq!(refused(given), Reason::InvalidField { field: "uid" }, "{given:?}");
        }
        let limit = EXTERNAL_ID_LEN_MAX;
        assert_eq!(refused(&"x".repeat(limit as usize + 1)), Reason::TooLong { field: "uid", limit });
    }

    #[test]
    fn an_id_does_not_show_itself() {
        assert_eq!(format!("{:?}", ExternalId::new("secret", "x").unwrap()), "ExternalId(..)");
    }
}
