//! Names to log in with.

use crate::error::{Error, Reason, Result};
use crate::id::{Gene, ID_EPOCH_MS, Uid};
use crate::limits::LOGIN_NAME_LEN_MAX;
use precis_profiles::UsernameCaseMapped;
use precis_profiles::precis_core::profile::Profile as _;
use std::fmt;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Tells the hash that uids are made of from the one that shards are.
const IMPORTED_SEED: u64 = 1;

/// Milliseconds of four years after 2000, in which nobody registered.
const IMPORTED_MS: u64 = 1 << 37;

/// A name to log in with, in the form in which names are compared: widths and case are mapped, and what looks the same
/// is written the same (PRECIS profile UsernameCaseMapped, RFC 8265 section 3.3).
///
/// Its hash is the gene of its user's uid, so that a login goes straight to the shard that holds both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoginName(String);

impl LoginName {
    /// Normalises a name.
    ///
    /// # Errors
    /// `MISSING_FIELD` for an empty one; `TOO_LONG` beyond [`LOGIN_NAME_LEN_MAX`] bytes, given or normalised;
    /// `INVALID_FIELD` with what is wrong, such as a space or a character that names may not have.
    pub fn new(given: &str) -> Result<Self> {
        const FIELD: &str = "login_name";
        if given.is_empty() {
            return Err(Error::new(Reason::MissingField { field: FIELD }));
        }
        let too_long = || Error::new(Reason::TooLong { field: FIELD, limit: LOGIN_NAME_LEN_MAX });
        // Normalising costs what is given, so that is bounded first.
        if given.len() > LOGIN_NAME_LEN_MAX as usize {
            return Err(too_long());
        }
        let invalid = || {
            let detail =
                "letters, digits and most signs make a name; spaces and compatibility characters do not";
            Error::with_detail(Reason::InvalidField { field: FIELD }, detail)
        };
        let profile = UsernameCaseMapped::new();
        let name = profile.enforce(given).map_err(|_| invalid())?;
        if name.len() > LOGIN_NAME_LEN_MAX as usize {
            return Err(too_long());
        }
        // Some letters become others that are none of a name, such as those of Cherokee, whose small ones are newer than
        // the profile's tables. Whoever typed the form that is shown could not log in.
        if profile.enforce(&*name).map_err(|_| invalid())? != name {
            return Err(invalid());
        }
        Ok(Self(name.into_owned()))
    }

    /// Takes a name that was normalised when it was stored. A newer Unicode may normalise it otherwise; it stays.
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

    fn normal(given: &str) -> Result<String, Reason> {
        LoginName::new(given).map(|name| name.0).map_err(|error| error.reason)
    }

    /// Names with their stored form and gene. These never change: uids and rows on disk hold them.
    #[test]
    fn names_and_their_genes_are_frozen() {
        for (given, stored, gene) in [
            ("alice", "alice", 0xb0),
            ("Alice", "alice", 0xb0),
            ("ＡＬＩＣＥ", "alice", 0xb0),
            ("ΣΊΣΥΦΟΣ", "σίσυφοσ", 0x48),
            ("e\u{301}mile", "émile", 0x9a),
            ("张三", "张三", 0x82),
            ("user@example.org", "user@example.org", 0x25),
            ("foo.bar-baz_1", "foo.bar-baz_1", 0x9e),
        ] {
            let name = LoginName::new(given).unwrap();
            assert_eq!((name.as_str(), name.gene()), (stored, Gene(gene)), "{given}");
        }
    }

    /// Frozen as well: what was imported once is found again by the next import.
    #[test]
    fn uids_of_imported_names_are_frozen_and_of_their_shard() {
        let uid = |given: &str| LoginName::new(given).unwrap().imported_uid();
        for given in ["alice", "张三", "user@example.org"] {
            assert_eq!(uid(given).gene(), LoginName::new(given).unwrap().gene());
            let now = Uid::minted(ID_EPOCH_MS + IMPORTED_MS + 1, 0, Gene(0)).unwrap();
            assert!(uid(given) < now, "no registration comes to it");
        }
        assert_eq!(uid("Alice"), uid("alice"));
        assert_ne!(uid("alice").get() >> 8, uid("alice1").get() >> 8);
        assert_eq!(uid("alice").get(), 248_335_693_094_675_888);
    }

    #[test]
    fn a_name_is_its_own_normal_form() {
        for given in ["Alice", "ＡＬＩＣＥ", "ΣΊΣΥΦΟΣ", "e\u{301}mile", "İstanbul", "ﾃｽﾄ"]
        {
            let name = LoginName::new(given).unwrap();
            assert_eq!(LoginName::new(name.as_str()).unwrap(), name, "{given}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused_with_the_field() {
        let invalid = || Err(Reason::InvalidField { field: "login_name" });
        assert_eq!(normal(""), Err(Reason::MissingField { field: "login_name" }));
        for given in ["\u{13ef}", "a b", " ", "a\0", "a\u{200d}b", "ﬁn", "\u{202e}a", "a\n", "אa"] {
            assert_eq!(normal(given), invalid(), "{given:?}");
        }
        let too_long = Err(Reason::TooLong { field: "login_name", limit: LOGIN_NAME_LEN_MAX });
        assert_eq!(normal(&"a".repeat(LOGIN_NAME_LEN_MAX as usize + 1)), too_long);
        assert!(normal(&"a".repeat(LOGIN_NAME_LEN_MAX as usize)).is_ok());
    }
}
