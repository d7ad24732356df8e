//! The policy of uids: minted here, foreign, or both beside each other.

use super::LoginName;
use crate::error::{Error, Reason, Result};
use crate::id::{Gene, Uid};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Bits of a uid of a range that follow from the others, so that a foreign uid is recognised by itself: of 65,536 of them one
/// looks as if it had been minted.
const CHECK_BITS: u32 = 16;

/// Uids that a range must hold at least: 2^24 for each gene then, four billion in all.
pub const UID_RANGE_MIN: u64 = 1 << 48;

/// Of the uids of a range this part is for imported accounts, whose uids follow from their names, so that no registration
/// meets them.
const IMPORTED_PART: u64 = 16;

/// Sets the hash of an imported name apart from its gene.
const IMPORTED_SEED: u64 = 0x7569_6473;

/// The origin of the uids of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UidPolicy {
    /// Any uid may be named. Those that are minted here avoid all that are used by then, and no more.
    #[default]
    Both,
    /// Any uid may be named, and none is minted here.
    Foreign,
    /// Of this range only what was minted here may be named; outside of it anything may. Uids are minted in it. If it is all
    /// uids, all of them are minted here.
    Minted(UidRange),
}

/// A range of uids that are minted here: whole blocks of 256, so that it has as many of each gene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UidRange {
    first: u64,
    last: u64,
}

impl UidRange {
    /// All uids.
    pub const ALL: Self = Self { first: 0, last: i64::MAX as u64 };

    /// Takes a range of uids, both ends included. `None` unless it begins at a multiple of 256, ends before one, and holds
    /// [`UID_RANGE_MIN`] or more.
    pub fn new(first: u64, last: u64) -> Option<Self> {
        let is_whole = first.is_multiple_of(256) && last % 256 == 255 && last <= Self::ALL.last;
        let is_large = last.checked_sub(first).is_some_and(|more| more >= UID_RANGE_MIN - 1);
        (is_whole && is_large).then_some(Self { first, last })
    }

    /// Returns the first and the last uid; 0 is no user.
    pub const fn ends(self) -> (u64, u64) {
        (self.first, self.last)
    }

    /// Returns how many uids of one gene there are.
    const fn places(self) -> u64 {
        ((self.last - self.first) / 256 + 1) >> CHECK_BITS
    }

    fn uid(self, place: u64, gene: Gene) -> Option<Uid> {
        let number = place << CHECK_BITS | check(place, gene);
        Uid::new(self.first + number * 256 + u64::from(gene.0)).ok()
    }

    /// Returns whether a uid may be named: it is outside of the range, or may have been minted in it.
    fn admits(self, uid: Uid) -> bool {
        let raw = uid.get();
        if raw < self.first || raw > self.last {
            return true;
        }
        let number = (raw - self.first) / 256;
        number >> CHECK_BITS < self.places()
            && number & ((1 << CHECK_BITS) - 1) == check(number >> CHECK_BITS, uid.gene())
    }
}

/// The bits that follow from a place and a gene. Frozen: uids hold them.
fn check(place: u64, gene: Gene) -> u64 {
    let mut bytes = [gene.0; 9];
    bytes[..8].copy_from_slice(&place.to_be_bytes());
    xxh3_64(&bytes) & ((1 << CHECK_BITS) - 1)
}

impl UidPolicy {
    /// Returns a uid to propose, of a moment or of random bits. The uid may be used already: the code that stores it
    /// checks that.
    ///
    /// # Errors
    /// `UIDS_ARE_FOREIGN`; `INTERNAL` when the clock is outside of 2000 to 2069.
    pub fn mint(self, now_ms: u64, random: u64, gene: Gene) -> Result<Uid> {
        let uid = match self {
            Self::Foreign => return Err(Error::new(Reason::UidsAreForeign)),
            Self::Both => Uid::minted(now_ms, random as u16, gene),
            Self::Minted(range) => {
                let imported = range.places() / IMPORTED_PART;
                range.uid(imported + random % (range.places() - imported), gene)
            }
        };
        uid.ok_or_else(|| Error::with_detail(Reason::Internal, "the clock is outside of 2000 to 2069"))
    }

    /// Returns the uid that an imported account of a name gets unless it brings one: the same for each import.
    ///
    /// # Errors
    /// `UIDS_ARE_FOREIGN`.
    pub fn imported(self, name: &LoginName) -> Result<Uid> {
        match self {
            Self::Foreign => Err(Error::new(Reason::UidsAreForeign)),
            Self::Both => Ok(name.imported_uid()),
            Self::Minted(range) => {
                let hash = xxh3_64_with_seed(name.as_str().as_bytes(), IMPORTED_SEED);
                let place = 1 + hash % (range.places() / IMPORTED_PART - 1);
                range.uid(place, name.gene()).ok_or_else(|| Error::new(Reason::Internal))
            }
        }
    }

    /// Returns whether a uid may be named, by arithmetic alone.
    pub fn admits(self, uid: Uid) -> bool {
        match self {
            Self::Both | Self::Foreign => true,
            Self::Minted(range) => range.admits(uid),
        }
    }

    /// Returns whether data of this policy may be served under another one from now on. What was minted or named under it
    /// must be good under the other: so only data without users may get a range, or another one.
    pub fn may_become(self, other: Self, is_empty: bool) -> bool {
        is_empty || self == other || !matches!(other, Self::Minted(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESERVED: UidPolicy = UidPolicy::Minted(UidRange { first: 1 << 62, last: i64::MAX as u64 });

    fn uid(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    #[test]
    fn a_range_is_large_and_whole() {
        assert_eq!(UidRange::new(0, i64::MAX as u64), Some(UidRange::ALL));
        assert!(UidRange::new(256, UID_RANGE_MIN + 255).is_some());
        for (first, last) in [
            (255, 1 << 50),
            (256, UID_RANGE_MIN + 254),
            (512, UID_RANGE_MIN + 255),
            (1 << 50, 255),
            (1 << 62, u64::MAX),
        ] {
            assert_eq!(UidRange::new(first, last), None, "{first} to {last}");
        }
    }

    #[test]
    fn what_is_minted_is_admitted_and_of_its_gene() {
        for policy in [RESERVED, UidPolicy::Minted(UidRange::ALL)] {
            for n in 0..2_000_u64 {
                let gene = Gene(n as u8);
                let minted = policy.mint(0, n.wrapping_mul(0x9e37_79b9_7f4a_7c15), gene).unwrap();
                assert_eq!(minted.gene(), gene);
                assert!(policy.admits(minted));
                let name = LoginName::stored(format!("name{n}"));
                let imported = policy.imported(&name).unwrap();
                assert_eq!((imported.gene(), imported), (name.gene(), policy.imported(&name).unwrap()));
                assert!(policy.admits(imported) && imported < minted, "of another part");
            }
        }
        let foreign = UidPolicy::Foreign;
        assert_eq!(foreign.mint(0, 1, Gene(1)).unwrap_err().reason, Reason::UidsAreForeign);
        let name = LoginName::stored("alice".into());
        assert_eq!(foreign.imported(&name).unwrap_err().reason, Reason::UidsAreForeign);
        assert_eq!(UidPolicy::Both.imported(&name).unwrap(), name.imported_uid());
    }

    /// Uids are kept for ever: what was minted must be admitted by every later version.
    #[test]
    fn minted_uids_are_frozen() {
        let all = UidPolicy::Minted(UidRange::ALL);
        let minted = [all.mint(0, 0, Gene(7)), all.mint(0, 12_345, Gene(255)), RESERVED.mint(0, 5, Gene(0))];
        assert_eq!(minted.map(|uid| uid.unwrap().get()), GOLDEN);
        let name = LoginName::stored("alice".into());
        assert_eq!(RESERVED.imported(&name).unwrap().get(), GOLDEN_IMPORTED);
    }

    const GOLDEN: [u64; 3] = [576_460_752_312_425_223, 576_460_959_422_908_671, 4_899_916_394_667_982_336];
    const GOLDEN_IMPORTED: u64 = 4_833_137_176_091_361_712;

    #[test]
    fn a_foreign_uid_of_the_range_is_not_admitted() {
        let minted = RESERVED.mint(0, 77, Gene(3)).unwrap();
        let foreign = uid(minted.get() ^ 1 << 30);
        assert!(RESERVED.admits(minted) && RESERVED.admits(uid(42)) && !RESERVED.admits(foreign));
        assert!(UidPolicy::Both.admits(foreign) && UidPolicy::Foreign.admits(foreign));
        let all = UidPolicy::Minted(UidRange::ALL);
        assert!((1..=1_000).filter(|raw| all.admits(uid(*raw))).count() <= 1);
        let admitted = (0..200_000).filter(|n| RESERVED.admits(uid((1 << 62) + n * 977))).count();
        assert!(admitted <= 12, "about one in 65,536: {admitted}");
    }

    #[test]
    fn data_with_users_gets_no_range() {
        let all = UidPolicy::Minted(UidRange::ALL);
        for (from, to, may) in [
            (UidPolicy::Both, UidPolicy::Foreign, true),
            (UidPolicy::Foreign, UidPolicy::Both, true),
            (all, UidPolicy::Both, true),
            (all, all, true),
            (UidPolicy::Both, all, false),
            (UidPolicy::Foreign, RESERVED, false),
            (RESERVED, all, false),
        ] {
            assert_eq!(from.may_become(to, false), may, "{from:?} to {to:?}");
            assert!(from.may_become(to, true));
        }
    }
}
