//! Words that are typed nearly so.

/// Letters of the shortest word that may have one mistake: in shorter ones it makes another name.
const ONE_MISTAKE_FROM: usize = 4;

/// Letters of the shortest word that may have two.
const TWO_MISTAKES_FROM: usize = 8;

/// Whether a word that was typed is a word of a name, but for as many mistakes as its length allows.
pub(super) fn is_nearly(typed: &str, word: &str) -> bool {
    let (length, other) = (typed.chars().count(), word.chars().count());
    let allowed = usize::from(length >= ONE_MISTAKE_FROM) + usize::from(length >= TWO_MISTAKES_FROM);
    length.abs_diff(other) <= allowed && strsim::osa_distance(typed, word) <= allowed
}
