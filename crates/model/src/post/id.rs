//! Post ids: time, node, sequence and the author's gene in 63 bits.

use crate::error::{Error, Reason};
use crate::id::{Gene, ID_EPOCH_MS, Uid};
use std::fmt;

/// Bits below the milliseconds: 6 of the node, 8 of the sequence, 8 of the gene.
const BELOW_MS: u32 = NODE_BITS + SEQUENCE_BITS + GENE_BITS;
const NODE_BITS: u32 = 6;
const SEQUENCE_BITS: u32 = 8;
const GENE_BITS: u32 = 8;

/// Slots of one millisecond above the gene: node and sequence together.
const SLOTS: u64 = 1 << (NODE_BITS + SEQUENCE_BITS);

/// A post id: 1 ..= 2^63 - 1; 41 bits of milliseconds since [`PostId::EPOCH_MS`], 6 of the node, 8 of a sequence,
/// and the low 8 bits of the author's uid. Ids order by time; the gene says which logical shard holds the post.
///
/// Source: Twitter's Snowflake, with the gene of seed 004 below the time so that it does not disturb the order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PostId(u64);

impl PostId {
    /// 2000-01-01 00:00 UTC in Unix milliseconds, where ids begin; they last until 2069.
    pub const EPOCH_MS: u64 = ID_EPOCH_MS;
    /// The smallest id.
    pub const MIN: Self = Self(1);
    /// The largest id.
    pub const MAX: Self = Self(i64::MAX as u64);

    /// Checks a raw id.
    ///
    /// # Errors
    /// [`Reason::PostIdOutOfRange`] for zero and for ids above 2^63 - 1.
    pub const fn new(raw: u64) -> Result<Self, Error> {
        if raw == 0 || raw > Self::MAX.0 {
            return Err(Error::new(Reason::PostIdOutOfRange));
        }
        Ok(Self(raw))
    }

    /// The raw id.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns when it was minted, or the given time of an imported post: Unix milliseconds.
    pub const fn ms(self) -> u64 {
        (self.0 >> BELOW_MS) + Self::EPOCH_MS
    }

    /// The logical shard: the gene of the author.
    pub const fn gene(self) -> Gene {
        Gene((self.0 & 0xff) as u8)
    }

    /// The id after this one, to turn "up to this" into "below that"; `None` after the last.
    pub const fn just_above(self) -> Option<Self> {
        if self.0 < Self::MAX.0 { Some(Self(self.0 + 1)) } else { None }
    }

    /// The id before this one; `None` before the first.
    pub const fn just_below(self) -> Option<Self> {
        if self.0 > Self::MIN.0 { Some(Self(self.0 - 1)) } else { None }
    }

    /// The first id that any post made at a Unix millisecond or later may have; the first and the last of all for times that
    /// are none of ids.
    pub const fn first_at_ms(ms: u64) -> Self {
        let since = ms.saturating_sub(Self::EPOCH_MS);
        let first = if since < 1 << (63 - BELOW_MS) { since << BELOW_MS } else { Self::MAX.0 };
        if first < Self::MIN.0 { Self::MIN } else { Self(first) }
    }

    /// How many ids one gene has in a millisecond.
    pub const PER_MS: u32 = SLOTS as u32;

    /// The last id that a post of `author` at a given Unix millisecond may take; `None` if the time does not fit. A
    /// millisecond whose last id is taken counts as full.
    pub fn last_at_ms(author: Uid, ms: u64) -> Option<Self> {
        let first = Self::at_ms(author, ms).next()?;
        Some(Self(first.0 | (SLOTS - 1) << GENE_BITS))
    }

    /// The ids that a post of `author` at a given Unix millisecond may take, in order; empty if the time does not
    /// fit. An imported post takes the first one that is free.
    pub fn at_ms(author: Uid, ms: u64) -> impl Iterator<Item = Self> {
        let since = ms.checked_sub(Self::EPOCH_MS).filter(|since| *since < 1 << (63 - BELOW_MS));
        let gene = u64::from(author.gene().0);
        since.into_iter().flat_map(move |since| {
            (0..SLOTS).map(move |slot| Self(since << BELOW_MS | slot << GENE_BITS | gene))
        })
    }
}

impl fmt::Debug for PostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl fmt::Display for PostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Mints post ids that strictly increase, also when the wall clock jumps.
///
/// Its owner stores [`PostIds::last`] with each commit and starts again from it, so that ids also increase across
/// restarts. More than 256 ids in a millisecond borrow from the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PostIds {
    /// The last id without its gene: milliseconds and sequence, the node's bits zero.
    last: u64,
}

impl PostIds {
    /// A minter whose ids are all above `last`, as answered by [`PostIds::last`].
    pub const fn after(last: u64) -> Self {
        Self { last }
    }

    /// Returns what to store: every id minted so far is at most this.
    pub const fn last(&self) -> u64 {
        self.last
    }

    /// Mints the next id for an author.
    pub fn mint(&mut self, now_ms: u64, author: Uid) -> PostId {
        let wall = now_ms.saturating_sub(PostId::EPOCH_MS) << BELOW_MS;
        let ms = self.last >> BELOW_MS;
        let sequence = (self.last >> GENE_BITS) & ((1 << SEQUENCE_BITS) - 1);
        let next = if sequence + 1 < 1 << SEQUENCE_BITS {
            ms << BELOW_MS | (sequence + 1) << GENE_BITS
        } else {
            (ms + 1) << BELOW_MS
        };
        // A slot of its own for each id, for every gene: the gene's bits of `last` are all ones.
        let slot = wall.max(next);
        self.last = slot | 0xff;
        PostId(slot | u64::from(author.gene().0))
    }

    /// Moves past an id that was given elsewhere, such as an imported one.
    pub fn observe(&mut self, id: PostId) {
        // Node bits of an imported id would be lost by a step of the sequence, so the step is a whole millisecond.
        if id.0 > self.last {
            self.last = ((id.0 >> BELOW_MS) << BELOW_MS) | (SLOTS - 1) << GENE_BITS | 0xff;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn author(raw: u64) -> Uid {
        Uid::new(raw).unwrap()
    }

    const NOW: u64 = 1_700_000_000_000;

    #[test]
    fn ids_increase_over_jumps_bursts_and_restarts() {
        let mut ids = PostIds::default();
        let mut last = ids.mint(NOW, author(0x1ff));
        assert_eq!((last.ms(), last.gene()), (NOW, Gene(0xff)));
        for step in 0..3_000_u64 {
            let now = match step % 3 {
                0 => NOW,
                1 => NOW - 3_600_000,
                _ => NOW + step / 700,
            };
            if step % 100 == 0 {
                ids = PostIds::after(ids.last());
            }
            let id = ids.mint(now, author(step + 1));
            assert!(id > last && id.gene() == author(step + 1).gene());
            last = id;
        }
    }

    #[test]
    fn a_live_id_is_above_every_id_seen() {
        let mut ids = PostIds::default();
        for id in PostId::at_ms(author(7), NOW) {
            ids.observe(id);
            assert!(ids.clone().mint(NOW, author(3)) > id);
            assert_eq!((id.ms(), id.gene()), (NOW, Gene(7)));
        }
    }

    #[test]
    fn given_times_have_slots_only_in_the_range_of_ids() {
        assert_eq!(PostId::at_ms(author(1), NOW).count(), 16_384);
        assert_eq!(PostId::at_ms(author(1), NOW).count() as u32, PostId::PER_MS);
        assert_eq!(PostId::last_at_ms(author(1), NOW), PostId::at_ms(author(1), NOW).last());
        assert_eq!(PostId::last_at_ms(author(1), u64::MAX), None);
        assert_eq!(PostId::at_ms(author(1), PostId::EPOCH_MS - 1).count(), 0);
        assert_eq!(PostId::at_ms(author(1), u64::MAX).count(), 0);
        assert!(PostId::at_ms(author(256), PostId::EPOCH_MS).all(|id| id.get() < 1 << 22));
    }
}
