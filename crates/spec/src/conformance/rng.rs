//! Seeded randomness, so that a failing run is named by one number.

use guanxi_model::{Gene, random};

/// The generator with the draws that cases make. Their seeds are known to reach what they test, so the way in which
/// a draw is made of bits stays.
#[derive(Clone, Debug)]
pub struct Rng(random::Rng);

impl Rng {
    /// Returns a generator that always gives the same numbers for a seed.
    pub const fn new(seed: u64) -> Self {
        Self(random::Rng::new(seed))
    }

    /// Returns the next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number below `n`, which is not 0.
    pub const fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// One of some items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// Puts items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// A number as an id of a gene, if all ids of a random world have one.
pub(super) fn in_gene(gene: Option<Gene>, n: u64) -> u64 {
    gene.map_or(n, |Gene(gene)| n << 8 | u64::from(gene))
}
