//! Two samples of times, and how far apart they are.

use crate::quantiles::median;

/// What one sample comes to, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The square of the mean's standard error.
    error2: f64,
}

/// Two samples, side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// What was measured first.
    pub one: Sample,
    /// What it is compared with.
    pub other: Sample,
}

impl Sample {
    /// Of at least two times.
    fn of(times_ms: &[f64]) -> Option<Self> {
        let count = times_ms.len() as f64;
        if count < 2.0 {
            return None;
        }
        let mean = times_ms.iter().sum::<f64>() / count;
        let variance = times_ms.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Some(Self { mean, median: median(times_ms.iter().copied())?, error2: variance / count })
    }
}

impl Compared {
    /// Compares two samples; `None` if one has fewer than two times.
    pub fn of(one_ms: &[f64], other_ms: &[f64]) -> Option<Self> {
        Some(Self { one: Sample::of(one_ms)?, other: Sample::of(other_ms)? })
    }

    /// Returns how much longer the first takes in the mean, in milliseconds.
    pub fn difference_of_means(&self) -> f64 {
        self.one.mean - self.other.mean
    }

    /// The same of the medians.
    pub fn difference_of_medians(&self) -> f64 {
        self.one.median - self.other.median
    }

    /// The standard error of the difference of means, in milliseconds.
    pub fn standard_error(&self) -> f64 {
        (self.one.error2 + self.other.error2).sqrt()
    }

    /// Welch's t: the difference of means in standard errors. Below 2 chance explains it.
    pub fn welch_t(&self) -> f64 {
        self.difference_of_means() / self.standard_error().max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_compared_as_in_the_books() {
        // Welch's example of unequal variances, by hand: means 3 and 6, variances 2.5 and 10, five of each.
        let compared = Compared::of(&[1.0, 2.0, 3.0, 4.0, 5.0], &[2.0, 4.0, 6.0, 8.0, 10.0]).unwrap();
        assert!((compared.difference_of_means() + 3.0).abs() < 1e-12);
        assert!((compared.difference_of_medians() + 3.0).abs() < 1e-12);
        assert!((compared.standard_error() - (12.5_f64 / 5.0).sqrt()).abs() < 1e-12);
        assert!((compared.welch_t() + 1.897_366_596).abs() < 1e-6);
        assert_eq!(Compared::of(&[1.0], &[1.0, 2.0]), None);
    }
}
