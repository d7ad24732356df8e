//! Words like those of English by Zipf's law, and some planted ones.

use guanxi_model::random::{Rng, mix};

/// Words like English ones.
const SPELLED: f64 = 50_000.0;
/// Of how many parts a frequency is counted.
const PARTS: u64 = 1_000_000;

/// A word of so many syllables, of a number.
pub(crate) fn spelled(mut n: u64, syllables: u64) -> String {
    const HEADS: [&str; 13] = ["b", "d", "f", "j", "k", "l", "m", "n", "r", "s", "t", "w", "z"];
    const TAILS: [&str; 7] = ["a", "e", "i", "o", "u", "an", "er"];
    let mut word = String::new();
    for _ in 0..syllables {
        n = mix(n + 1);
        word += HEADS[n as usize % HEADS.len()];
        word += TAILS[(n >> 8) as usize % TAILS.len()];
    }
    word
}

/// A word like those of English: one of rank r is about as likely as 1/r.
pub(crate) fn spelled_by_zipf(rng: &mut Rng) -> String {
    let rank = SPELLED.powf(rng.unit()) as u64;
    spelled(rank, 1 + rank % 3)
}

/// How often a planted word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planted {
    /// In one of ten thousand posts.
    Rare,
    /// In one of a hundred.
    Some,
    /// In one of ten.
    Often,
}

impl Planted {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Rare, Self::Some, Self::Often];

    /// Its share of the posts, of [`PARTS`].
    pub(crate) const fn share(self) -> u64 {
        match self {
            Self::Rare => PARTS / 10_000,
            Self::Some => PARTS / 100,
            Self::Often => PARTS / 10,
        }
    }

    /// How many words there are of it.
    pub(crate) const fn words(self) -> u64 {
        match self {
            Self::Rare => 20,
            Self::Some => 5,
            Self::Often => 2,
        }
    }

    /// A word of it; no drawn one is like it.
    pub(crate) fn word(self, n: u64) -> String {
        let name = match self {
            Self::Rare => "rare",
            Self::Some => "some",
            Self::Often => "often",
        };
        format!("q{name}{n}")
    }

    /// Whether a post has a word of it.
    pub(crate) const fn is_in(self, n: u64, post: u64, seed: u64) -> bool {
        holds(seed ^ (self as u64) << 8 ^ n, post, self.share())
    }
}

/// Words that stand one behind the other in so many of [`PARTS`] of the posts, and apart in ten times as many.
pub(crate) const PHRASE: ([&str; 2], u64) = (["qgreen", "qtea"], PARTS / 1_000);

/// Whether something is so that is so in a share of all numbers.
pub(crate) const fn holds(salt: u64, number: u64, share: u64) -> bool {
    mix(mix(salt).wrapping_add(number)) % PARTS < share
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn the_first_words_by_zipf_are_the_most_frequent_ones() {
        let (mut rng, mut drawn) = (Rng::new(1), HashMap::<String, u32>::new());
        for _ in 0..50_000 {
            *drawn.entry(spelled_by_zipf(&mut rng)).or_default() += 1;
        }
        let of = |rank: u64| drawn.get(&spelled(rank, 1 + rank % 3)).copied().unwrap_or(0);
        assert!(of(1) > of(10) && of(10) > of(200), "{} {} {}", of(1), of(10), of(200));
        assert!(drawn.len() > 5_000, "{}", drawn.len());
    }
}
