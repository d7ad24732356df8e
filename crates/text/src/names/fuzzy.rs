//! Words that are typed nearly so.

/// Letters of the shortest word that may have one mistake: in shorter ones it makes another name.
const ONE_MISTAKE_FROM: usize = 4;

/// Letters of the shortest word that may have two.
const TWO_MISTAKES_FROM: usize = 8;

/// Returns whether a word that was typed is a word of a name, but for as many mistakes as its length allows.
pub(super) fn is_nearly(typed: &str, word: &str) -> bool {
    let (length, other, allowed) = (typed.chars().count(), word.chars().count(), mistakes(typed).into());
    length.abs_diff(other) <= allowed && strsim::osa_distance(typed, word) <= allowed
}

/// Returns how many mistakes the length of a word that was typed allows.
pub(super) fn mistakes(typed: &str) -> u8 {
    let length = typed.chars().count();
    u8::from(length >= ONE_MISTAKE_FROM) + u8::from(length >= TWO_MISTAKES_FROM)
}
