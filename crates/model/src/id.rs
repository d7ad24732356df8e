//! User ids and their genes.

use crate::error::{Error, Reason};
use std::fmt;

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
    fn only_ids_of_63_bits_above_zero_are_uids() {
        assert_eq!(Uid::new(0).unwrap_err().reason, Reason::UidOutOfRange);
        assert_eq!(Uid::new(1 << 63).unwrap_err().reason, Reason::UidOutOfRange);
        assert_eq!(Uid::new(1).unwrap(), Uid::MIN);
        assert_eq!(Uid::new((1 << 63) - 1).unwrap(), Uid::MAX);
        assert_eq!(Uid::new(0x1234).unwrap().gene(), Gene(0x34));
    }
}
