//! Traditional Chinese characters as simplified ones, character by character.
//!
//! The table is committed, and no crate: those that convert texts for readers look at phrases, so that a neighbour
//! changes what a character becomes and a part of a text would not match the whole. `ferrous-opencc`, which has this
//! table, brings ten crates and a megabyte of phrases with it.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

const TABLE: &str = include_str!("simplified.txt");

static SIMPLIFIED: LazyLock<FxHashMap<char, char>> =
    LazyLock::new(|| TABLE.lines().filter_map(pair).collect());

fn pair(line: &str) -> Option<(char, char)> {
    let mut chars = line.chars();
    let from = chars.next().filter(|from| *from != '#')?;
    Some((from, chars.next()?))
}

/// Returns the simplified character, or the same one.
pub(super) fn simplified(char: char) -> char {
    // The table begins with the first extension of Han.
    if char < '\u{3400}' { char } else { SIMPLIFIED.get(&char).copied().unwrap_or(char) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole_and_leads_nowhere_twice() {
        assert_eq!(SIMPLIFIED.len(), TABLE.lines().filter(|line| !line.starts_with('#')).count());
        for (from, to) in SIMPLIFIED.iter() {
            assert!(*from >= '\u{3400}' && from != to);
            assert_eq!(simplified(*to), *to, "{from} is {to}");
        }
    }

    #[test]
    fn characters_of_several_readings_have_one_form() {
        for (from, to) in [('體', '体'), ('發', '发'), ('髮', '发'), ('瞭', '了'), ('薴', '苎'), ('中', '中')]
        {
            assert_eq!(simplified(from), to);
        }
    }
}
