//! Words of Chinese by how often people use them.

use guanxi_model::random::Rng;

/// Words with their frequencies, the most frequent first.
const DICTIONARY: &str = include_str!("../../data/chinese-words.txt");

/// Words of Chinese.
pub(crate) struct Dictionary {
    words: Vec<&'static str>,
    /// The sum of the frequencies up to each word.
    sums: Vec<u64>,
}

impl Dictionary {
    /// Reads it.
    pub(crate) fn read() -> Self {
        let (mut words, mut sums, mut sum) = (Vec::new(), Vec::new(), 0);
        let mut parts = DICTIONARY.split_ascii_whitespace();
        while let (Some(word), Some(frequency)) = (parts.next(), parts.next()) {
            sum += frequency.parse::<u64>().unwrap_or(0);
            words.push(word);
            sums.push(sum);
        }
        Self { words, sums }
    }

    /// A word, by its frequency.
    pub(crate) fn draw(&self, rng: &mut Rng) -> &'static str {
        let most = self.sums.last().copied().unwrap_or(1);
        let at = rng.below(most as usize) as u64;
        self.words[self.sums.partition_point(|sum| *sum <= at)]
    }

    /// The word of a rank among those of several characters.
    pub(crate) fn compound(&self, rank: usize) -> &'static str {
        let mut compounds = self.words.iter().filter(|word| word.chars().nth(1).is_some());
        compounds.nth(rank).unwrap_or(&self.words[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const DRAWN: f64 = 200_000.0;

    #[test]
    fn words_of_the_dictionary_come_as_often_as_it_says() {
        let dictionary = Dictionary::read();
        assert_eq!((dictionary.words.len(), dictionary.words[0]), (20_000, "了"));
        let (mut rng, mut drawn) = (Rng::new(1), HashMap::<&str, f64>::new());
        for _ in 0..DRAWN as u64 {
            *drawn.entry(dictionary.draw(&mut rng)).or_default() += 1.0;
        }
        let all = dictionary.sums[19_999] as f64;
        for rank in [0, 1, 5, 20, 60] {
            let frequency = dictionary.sums[rank] - if rank == 0 { 0 } else { dictionary.sums[rank - 1] };
            let (wanted, found) = (frequency as f64 / all, drawn[dictionary.words[rank]] / DRAWN);
            assert!((found / wanted - 1.0).abs() < 0.15, "{rank}: {found} instead of {wanted}");
        }
        assert!(dictionary.compound(500).chars().count() > 1);
    }
}
