//! Scores that decay without being touched.
//!
//! A score of `w` at time `t` is worth `w * 2^(-(now - t) / half_life)` later on. What is stored is what does not change with
//! time: `w * 2^((t - epoch) / half_life)`, a number of very different sizes: so exponent and fraction, as a floating-point
//! number has them. All of it is whole numbers, for the same bits on every machine, and greater numbers are greater scores.

use crate::post::PostId;

/// Bits of the fraction.
const FRACTION: u32 = 32;

/// A score, relative to [`Score::EPOCH_MS`]: decay changes nothing of the order of two with one half-life.
///
/// The upper half is the exponent of two, from 1 on; the lower half is the fraction above one. 0 is no score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(u64);

/// `2^(1/2)`, `2^(1/4)`, ... with 62 bits after the point.
const ROOTS: [u64; 20] = {
    let mut roots = [0; 20];
    let (mut last, mut n) = (2_u128 << 62, 0);
    while n < roots.len() {
        last = (last << 62).isqrt();
        roots[n] = last as u64;
        n += 1;
    }
    roots
};

/// `2^(numerator / denominator)` for what is below one, with [`FRACTION`] bits after the point: at least 1, below 2.
fn power(numerator: u64, denominator: u64) -> u64 {
    let (mut rest, mut product) = (u128::from(numerator), 1_u128 << 62);
    for root in ROOTS {
        rest *= 2;
        if rest >= u128::from(denominator) {
            rest -= u128::from(denominator);
            product = (product * u128::from(root)) >> 62;
        }
    }
    (product >> (62 - FRACTION)) as u64
}

impl Score {
    /// No score.
    pub const NONE: Self = Self(0);

    /// The time that scores are relative to, in Unix milliseconds: 2000-01-01.
    pub const EPOCH_MS: u64 = PostId::EPOCH_MS;

    /// Returns what a weight of a time is; earlier times than the epoch count as that.
    pub fn of(weight: u64, at_ms: u64, half_life_ms: u64) -> Self {
        let half_life_ms = half_life_ms.max(1);
        let since = at_ms.saturating_sub(Self::EPOCH_MS);
        let (halves, rest) = (since / half_life_ms, since % half_life_ms);
        let factor = power(rest, half_life_ms);
        Self::normal(u128::from(weight) * u128::from(factor), halves)
    }

    /// `mantissa * 2^(exponent - FRACTION)`.
    fn normal(mantissa: u128, exponent: u64) -> Self {
        let Some(top) = mantissa.checked_ilog2() else { return Self::NONE };
        let shifted =
            if top >= FRACTION { mantissa >> (top - FRACTION) } else { mantissa << (FRACTION - top) };
        let fraction = shifted as u64 & ((1 << FRACTION) - 1);
        // One more than the exponent, so that 0 is left; below one no score is ever.
        let exponent = (exponent + u64::from(top) + 1).saturating_sub(u64::from(FRACTION)).max(1);
        if exponent > u64::from(u32::MAX) { Self(u64::MAX) } else { Self(exponent << FRACTION | fraction) }
    }

    /// Exponent and mantissa, of which the top bit is bit [`FRACTION`].
    const fn parts(self) -> (u64, u64) {
        if self.0 == 0 {
            return (0, 0);
        }
        (self.0 >> FRACTION, self.0 & ((1 << FRACTION) - 1) | 1 << FRACTION)
    }

    /// The sum of two scores of one half-life. What is more than 32 halvings below the other is nothing beside it.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (high, low) = if self >= other { (self, other) } else { (other, self) };
        let ((high_exponent, high), (low_exponent, low)) = (high.parts(), low.parts());
        let apart = high_exponent - low_exponent;
        let low = if apart > u64::from(FRACTION) { 0 } else { low >> apart };
        Self::normal(u128::from(high + low), high_exponent.saturating_sub(1))
    }

    /// Returns how much of another score it is, in hundredths, rounded down; at most 100.
    pub fn percent_of(self, other: Self) -> u64 {
        let ((exponent, mantissa), (of_exponent, of_mantissa)) = (self.parts(), other.parts());
        if self == Self::NONE || self >= other {
            return if self == Self::NONE { 0 } else { 100 };
        }
        let apart = of_exponent - exponent;
        if apart > u64::from(FRACTION) {
            return 0;
        }
        (u128::from(mantissa) * 100 / (u128::from(of_mantissa) << apart)) as u64
    }

    /// The same score as one of another half-life: both are worth the same now.
    #[must_use]
    pub fn with_half_life(self, from_ms: u64, to_ms: u64, now_ms: u64) -> Self {
        if self == Self::NONE || from_ms == to_ms {
            return self;
        }
        let (exponent, mantissa) = self.parts();
        let (from_exponent, from) = Self::of(1, now_ms, from_ms).parts();
        let (to_exponent, to) = Self::of(1, now_ms, to_ms).parts();
        let mantissa = u128::from(mantissa) * u128::from(to) / u128::from(from);
        // Each of the three is one more than it says.
        match (exponent + to_exponent).checked_sub(from_exponent + 1) {
            Some(exponent) => Self::normal(mantissa, exponent),
            None => Self::NONE,
        }
    }

    /// Returns what it is worth at a time, about: for people and programs that read it.
    pub fn worth(self, half_life_ms: u64, now_ms: u64) -> f64 {
        let (exponent, mantissa) = self.parts();
        if exponent == 0 {
            return 0.0;
        }
        let since = now_ms.saturating_sub(Self::EPOCH_MS) as f64 / half_life_ms.max(1) as f64;
        let exponent = (exponent - 1) as f64 - since;
        mantissa as f64 / (1_u64 << FRACTION) as f64 * exponent.exp2()
    }

    /// As it is stored.
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// A stored score.
    pub const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: u64 = 86_400_000;
    const WEEK_MS: u64 = 7 * DAY_MS;
    const NOW_MS: u64 = 1_750_000_000_000;

    /// The same in floating point.
    fn worth(parts: &[(u64, u64)], half_life_ms: u64, now_ms: u64) -> f64 {
        let one = |(weight, at_ms): &(u64, u64)| {
            *weight as f64 * (-((now_ms - at_ms) as f64) / half_life_ms as f64).exp2()
        };
        parts.iter().map(one).sum()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(1e-6)
    }

    #[test]
    fn a_score_is_what_its_parts_are_worth_whatever_time_it_is() {
        let mut seed = 1;
        let mut below = |n: u64| {
            seed = crate::random::mix(seed);
            seed % n
        };
        for round in 0..200 {
            let half_life_ms = [3_600_000, DAY_MS, WEEK_MS, 365 * DAY_MS][round % 4];
            let parts: Vec<(u64, u64)> =
                (0..=below(40)).map(|_| (1 + below(1_000), NOW_MS - below(20 * half_life_ms))).collect();
            let sum = |parts: &[(u64, u64)]| {
                parts
                    .iter()
                    .fold(Score::NONE, |sum, (weight, at)| sum.plus(Score::of(*weight, *at, half_life_ms)))
            };
            let score = sum(&parts);
            for later in [0, half_life_ms / 3, 5 * half_life_ms] {
                let (ours, theirs) =
                    (score.worth(half_life_ms, NOW_MS + later), worth(&parts, half_life_ms, NOW_MS + later));
                assert!(close(ours, theirs), "{ours} {theirs} of {parts:?}");
            }
            let more = score.plus(Score::of(1, NOW_MS, half_life_ms));
            assert!(more > score, "whatever is new counts");
            let other = score.with_half_life(half_life_ms, half_life_ms * 3, NOW_MS);
            assert!(close(other.worth(half_life_ms * 3, NOW_MS), score.worth(half_life_ms, NOW_MS)));
            let back = other.with_half_life(half_life_ms * 3, half_life_ms, NOW_MS);
            assert!(close(back.worth(half_life_ms, NOW_MS), score.worth(half_life_ms, NOW_MS)));
            let percent = score.percent_of(more);
            let ratio = score.worth(half_life_ms, NOW_MS) / more.worth(half_life_ms, NOW_MS) * 100.0;
            assert!((percent as f64 - ratio).abs() <= 1.0, "{percent} {ratio}");
        }
    }

    #[test]
    fn newer_is_more_and_the_ends_are_safe() {
        let of = |weight, at| Score::of(weight, at, WEEK_MS);
        assert!(of(1, NOW_MS) > of(1, NOW_MS - DAY_MS) && of(2, NOW_MS) > of(1, NOW_MS));
        assert_eq!(of(2, NOW_MS - WEEK_MS), of(1, NOW_MS), "half of it is left after a half-life");
        assert_eq!((of(0, NOW_MS), of(5, 0)), (Score::NONE, of(5, Score::EPOCH_MS)));
        let score = of(3, NOW_MS);
        assert_eq!((score.plus(Score::NONE), Score::NONE.plus(score)), (score, score));
        assert_eq!(score.plus(of(1_000, Score::EPOCH_MS)), score, "what is long gone is nothing");
        for (weight, at, half_life_ms) in [(u64::MAX, u64::MAX, 1), (u64::MAX, NOW_MS, 1), (1, NOW_MS, 0)] {
            let most = Score::of(weight, at, half_life_ms);
            assert!(most.plus(most) >= most);
            assert_eq!(most.percent_of(most), 100);
            let _ = most.with_half_life(half_life_ms.max(1), WEEK_MS, NOW_MS);
            let _ = score.with_half_life(WEEK_MS, 1, NOW_MS);
        }
        assert_eq!((Score::NONE.percent_of(score), score.percent_of(Score::NONE)), (0, 100));
        assert_eq!(Score::NONE.with_half_life(1, 2, NOW_MS), Score::NONE);
        assert_eq!(Score::from_raw(score.raw()), score);
    }

    /// Bits on disk: the same on every machine.
    #[test]
    fn scores_have_golden_bits() {
        let raw: Vec<u64> = [(1, NOW_MS), (7, NOW_MS - DAY_MS), (1_000_000, NOW_MS + DAY_MS)]
            .map(|(w, at)| Score::of(w, at, WEEK_MS).raw())
            .to_vec();
        assert_eq!(raw, [5_708_763_654_461, 5_720_306_219_853, 5_794_930_203_732]);
        assert_eq!(Score::from_raw(raw[0]).plus(Score::from_raw(raw[1])).raw(), 5_721_232_214_734);
    }
}
