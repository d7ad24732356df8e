//! Which characters of a text a query has found.

use std::ops::Range;

use crate::analysis::Analysis;
use crate::query::{Query, QueryPart, Wanted};

/// Ranges that are highlighted in one text: more than a reader looks at.
pub const HIGHLIGHTS_MAX: usize = 100;

/// Returns the characters of a text from which the tokens come that a query asks for, in code points: ascending, and
/// apart from each other. There are none when the text does not match, and at most the first [`HIGHLIGHTS_MAX`].
///
/// What lies between the words of a phrase is not highlighted. Of a prefix the whole word is.
pub fn highlights(query: &Query, text: &str) -> Vec<Range<u32>> {
    let analysis = Analysis::of(text);
    let mut is_found = vec![false; analysis.units().len()];
    for part in query.parts() {
        let has_some = if part.is_negated {
            analysis.framed().contains(&part.needle)
        } else {
            mark(part, &analysis, &mut is_found)
        };
        if has_some == part.is_negated {
            return Vec::new();
        }
    }
    let found = analysis.units().iter().zip(is_found).filter(|(_, is_found)| *is_found);
    merged(found.map(|(unit, _)| unit.source.clone()))
}

/// Marks the units that a part has found, and returns whether there are any.
fn mark(part: &QueryPart, analysis: &Analysis, is_found: &mut [bool]) -> bool {
    let (text, units) = (analysis.framed(), analysis.units());
    let is_prefix = matches!(part.wanted, Wanted::Prefix(_));
    // Occurrences ascend, and those in runs overlap: what is marked once is not looked at again.
    let mut marked = 0;
    for end in ends(part.needle.as_bytes(), text.as_bytes()) {
        let start = end - part.needle.len();
        let end = if is_prefix { end + text[end..].find(' ').unwrap_or_default() } else { end };
        let first = units.partition_point(|unit| unit.folded.start < start).max(marked);
        marked = units.partition_point(|unit| unit.folded.end <= end).max(first);
        is_found[first..marked].fill(true);
    }
    marked > 0
}

/// Returns where occurrences of a needle end, including those that overlap, in time linear in the length of both
/// (Knuth, Morris and Pratt). A needle of many equal characters in a text of the same would take their product
/// otherwise.
fn ends<'a>(needle: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    // How much of the needle's beginning ends at each of its bytes.
    let mut borders = vec![0; needle.len()];
    for at in 1..needle.len() {
        borders[at] = longer(needle, &borders, borders[at - 1], needle[at]);
    }
    let mut length = 0;
    text.iter().enumerate().filter_map(move |(at, byte)| {
        if length == needle.len() {
            length = borders[length - 1];
        }
        length = longer(needle, &borders, length, *byte);
        (length == needle.len()).then_some(at + 1)
    })
}

/// Returns how much of the needle's beginning ends at a byte, when so much of it ended at the byte before.
fn longer(needle: &[u8], borders: &[usize], mut length: usize, byte: u8) -> usize {
    while length > 0 && needle[length] != byte {
        length = borders[length - 1];
    }
    length + usize::from(needle[length] == byte)
}

/// Joins ascending ranges that touch, up to the limit.
fn merged(ranges: impl Iterator<Item = Range<u32>>) -> Vec<Range<u32>> {
    let mut merged: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        let is_full = merged.len() == HIGHLIGHTS_MAX;
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ if is_full => break,
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(query: &str, text: &str) -> Vec<String> {
        let query = Query::parse(query).unwrap();
        let piece = |range: Range<u32>| text.chars().skip(range.start as usize).take(range.len()).collect();
        highlights(&query, text).into_iter().map(piece).collect()
    }

    #[test]
    fn what_is_found_is_highlighted_as_it_stands_in_the_text() {
        assert_eq!(pieces("strasse", "Die Straße, STRASSE!"), ["Straße", "STRASSE"]);
        assert_eq!(pieces("fine", "a ﬁne day"), ["ﬁne"]);
        assert_eq!(pieces("ガ", "ｱｶﾞﾒ"), ["ｶﾞ"]);
        assert_eq!(pieces("国爱", "中國愛你"), ["國愛"]);
        assert_eq!(pieces("\"rust lang\" ser*", "server in rust-lang"), ["server", "rust", "lang"]);
        assert_eq!(pieces("哈哈", "哈哈哈！哈"), ["哈哈哈"]);
        assert_eq!(pieces("iphone手机", "iPhone手機 手机"), ["iPhone手機"]);
        assert_eq!(pieces("a -b", "a b"), Vec::<String>::new());
        assert_eq!(pieces("a -b", "a c a"), ["a", "a"]);
        assert_eq!(pieces("a b", "a"), Vec::<String>::new());
        assert_eq!(pieces("e", "e\u{301}!"), ["e\u{301}"]);
    }

    #[test]
    fn occurrences_may_overlap() {
        let all = |needle: &str, text: &str| ends(needle.as_bytes(), text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(all("aa", "aaaa"), [2, 3, 4]);
        assert_eq!(all("aba", "ababa aba"), [3, 5, 9]);
        assert_eq!(all("aabaaab", "aabaaabaaab"), [7, 11]);
        assert_eq!(all("a", "bb"), Vec::<usize>::new());
    }

    #[test]
    fn the_number_of_ranges_is_bounded() {
        assert_eq!(pieces("a", &"a ".repeat(HIGHLIGHTS_MAX + 1)).len(), HIGHLIGHTS_MAX);
    }
}
