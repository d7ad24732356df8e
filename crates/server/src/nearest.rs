//! "Did you mean": the nearest known word.

use strsim::osa_distance;

/// Edits up to which a word is taken for a typing mistake; two letters in the wrong order are one edit.
const EDITS_MAX: usize = 2;

/// The known word that is nearest to a mistyped one, if it is near enough.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|candidate| (osa_distance(word, candidate), candidate));
    near.filter(|(edits, _)| *edits <= EDITS_MAX).min().map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_mistake_finds_its_word_and_another_word_does_not() {
        let known = ["listen", "admin_listen", "follow_limit"];
        assert_eq!(nearest("lisen", known.into_iter()), Some("listen"));
        assert_eq!(nearest("ilsetn", known.into_iter()), Some("listen"));
        assert_eq!(nearest("follow_limits", known.into_iter()), Some("follow_limit"));
        assert_eq!(nearest("port", known.into_iter()), None);
    }
}
