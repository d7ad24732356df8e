//! "Did you mean": the nearest known word.

/// Edits up to which a word is taken for a typing mistake.
const EDITS_MAX: usize = 2;

/// The known word that is nearest to a mistyped one, if it is near enough.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|candidate| (edits(word, candidate), candidate));
    near.filter(|(edits, _)| *edits <= EDITS_MAX).min().map(|(_, candidate)| candidate)
}

/// The Levenshtein distance of two short words, in bytes.
fn edits(a: &str, b: &str) -> usize {
    let b = b.as_bytes();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_mistake_finds_its_word_and_another_word_does_not() {
        let known = ["listen", "admin_listen", "follow_limit"];
        assert_eq!(nearest("lisen", known.into_iter()), Some("listen"));
        assert_eq!(nearest("follow_limits", known.into_iter()), Some("follow_limit"));
        assert_eq!(nearest("port", known.into_iter()), None);
    }
}
