//! User ids and their genes.

use crate::error::{Error, Reason};
use std::fmt;

/// 2000-01-01 00:00 UTC in Unix milliseconds, where ids that are made here begin; they last until 2069.
pub const ID_EPOCH_MS: u64 = 946_684_800_000;

/// A user id: 1 ..= 2^63 - 1.
///
/// Any uid may appear in the graph; it does not say that an account exists. Zero and ids with the top bit set
/// are refused where they come in, so code that holds a `Uid` need not check again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(u64);

impl Uid {
    /// The smallest uid.
    pub const MIN: Self = Self(1);
    /// The largest uid, 2^63 - 1: it fits a signed 64-bit column.
    pub const MAX: Self = Self(i64::MAX as u64);

    /// Checks a raw id.
    ///
    /// # Errors
    /// [`Reason::UidOutOfRange`] for zero and for ids above 2^63 - 1.
    pub const fn new(raw: u64) -> Result<Self, Error> {
        if raw == 0 || raw > Self::MAX.0 {
            return Err(Error::new(Reason::UidOutOfRange));
        }
        Ok(Self(raw))
    }

    /// Returns a uid as accounts get them: 41 bits of milliseconds since 2000, 14 of `salt`, and a gene. `None` for a time
    /// before 2000 or after 2069. The uid may be used already: the code that stores it checks that.
    pub fn minted(now_ms: u64, salt: u16, gene: Gene) -> Option<Self> {
        let since = now_ms.checked_sub(ID_EPOCH_MS).filter(|since| *since < 1 << 41)?;
        Self::new(since << 22 | u64::from(salt & 0x3fff) << 8 | u64::from(gene.0)).ok()
    }

    /// The raw id.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The logical shard of this user.
    pub const fn gene(self) -> Gene {
        Gene((self.0 & 0xff) as u8)
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "u{}", self.0)
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The low 8 bits of a uid or post id: its logical shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gene(pub u8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minted_uid_has_time_salt_and_gene() {
        let uid = Uid::minted(ID_EPOCH_MS + 1, 0xffff, Gene(7)).unwrap();
        assert_eq!(uid.get(), 1 << 22 | 0x3fff << 8 | 7);
        assert_eq!(uid.gene(), Gene(7));
        assert_eq!(Uid::minted(ID_EPOCH_MS - 1, 0, Gene(7)), None);
        assert_eq!(Uid::minted(ID_EPOCH_MS, 0, Gene(0)), None, "zero is nobody");
        assert_eq!(Uid::minted(ID_EPOCH_MS + (1 << 41), 0, Gene(0)), None);
        let last = Uid::minted(ID_EPOCH_MS + (1 << 41) - 1, 0x3fff, Gene(255)).unwrap();
        assert_eq!(last, Uid::MAX);
    }

    #[test]
    fn only_ids_of_63_bits_above_zero_are_uids() {
        assert_eq!(Uid::new(0).unwrap_err().reason, Reason::UidOutOfRange);
        assert_eq!(Uid::new(1 << 63).unwrap_err().reason, Reason::UidOutOfRange);
        assert_eq!(Uid::new(1).unwrap(), Uid::MIN);
        assert_eq!(Uid::new((1 << 63) - 1).unwrap(), Uid::MAX);
        assert_eq!(Uid::new(0x1234).unwrap().gene(), Gene(0x34));
    }
}
