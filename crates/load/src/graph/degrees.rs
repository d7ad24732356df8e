//! Skewed degrees with an exact sum.

use crate::world::SIGMA;
use guanxi_model::random::Rng;

/// How degrees are distributed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Skew {
    /// Log-normal: how many people a person cares to follow.
    LogNormal,
    /// A power law: few are followed by very many.
    PowerLaw,
}

/// Draws `count` degrees from 1 to `max` whose sum is `sum`.
///
/// The parameter that sets the mean is found by bisection over the same random draws, so the result follows from
/// the generator's state alone.
pub(super) fn draw(rng: &mut Rng, skew: Skew, count: usize, sum: usize, max: u32) -> Vec<u32> {
    let raw: Vec<f64> = (0..count)
        .map(|_| match skew {
            Skew::LogNormal => (SIGMA * rng.normal()).exp(),
            Skew::PowerLaw => -rng.unit().ln(),
        })
        .collect();
    let at = |parameter: f64, raw: f64| -> u32 {
        let degree = match skew {
            Skew::LogNormal => (raw * parameter).round(),
            // u^(-p) with u = e^(-raw): the tail has the exponent 1 + 1/p.
            Skew::PowerLaw => (raw * parameter).exp().floor(),
        };
        degree.clamp(1.0, f64::from(max)) as u32
    };
    let (mut low, mut high) = (0.0, 64.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        let total: u64 = raw.iter().map(|&raw| u64::from(at(middle, raw))).sum();
        if total < sum as u64 { low = middle } else { high = middle }
    }
    let mut degrees: Vec<u32> = raw.iter().map(|&raw| at(low, raw)).collect();
    settle(rng, &mut degrees, sum, max);
    degrees
}

/// Adds or takes single edges at random until the sum is exact.
fn settle(rng: &mut Rng, degrees: &mut [u32], sum: usize, max: u32) {
    assert!(
        degrees.len() <= sum && sum <= degrees.len() * max as usize,
        "no {} degrees up to {max} sum to {sum}",
        degrees.len()
    );
    let mut total: usize = degrees.iter().map(|&degree| degree as usize).sum();
    while total != sum {
        let place = rng.below(degrees.len());
        if total < sum && degrees[place] < max {
            degrees[place] += 1;
            total += 1;
        } else if total > sum && degrees[place] > 1 {
            degrees[place] -= 1;
            total -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_degrees_in_range() {
        for skew in [Skew::LogNormal, Skew::PowerLaw] {
            let degrees = draw(&mut Rng::new(3), skew, 10_000, 83_000, 2_000);
            assert_eq!(degrees.iter().sum::<u32>(), 83_000);
            assert!(degrees.iter().all(|degree| (1..=2_000).contains(degree)));
        }
    }

    #[test]
    fn a_power_law_has_the_larger_top() {
        let top = |skew| draw(&mut Rng::new(5), skew, 10_000, 83_000, 5_000).into_iter().max();
        assert!(top(Skew::PowerLaw) > top(Skew::LogNormal));
    }
}
