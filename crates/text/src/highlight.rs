//! Which characters of a text a query has found.

use std::ops::Range;

use crate::analysis::{Analysis, TextUnit};
use crate::query::{Part, Query, Wanted};

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
        let found = occurrences(part, analysis.framed());
        if part.is_negated {
            if found.into_iter().next().is_some() {
                return Vec::new();
            }
            continue;
        }
        let mut has_one = false;
        for range in found {
            has_one = true;
            mark(&mut is_found, analysis.units(), range);
        }
        if !has_one {
            return Vec::new();
        }
    }
    let found = analysis.units().iter().zip(is_found).filter(|(_, is_found)| *is_found);
    merged(found.map(|(unit, _)| unit.source.clone()))
}

/// Where a part stands in a folded text, in bytes; occurrences in runs may overlap.
fn occurrences<'a>(part: &'a Part, folded: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + folded.get(from..)?.find(&part.needle)?;
        from = start + folded[start..].chars().next().map_or(1, char::len_utf8);
        let end = start + part.needle.len();
        let is_prefix = matches!(part.wanted, Wanted::Prefix(_));
        let end = if is_prefix { end + folded[end..].find(' ').unwrap_or_default() } else { end };
        Some(start..end)
    })
}

/// Marks the units in a range of the folded text.
fn mark(is_found: &mut [bool], units: &[TextUnit], range: Range<usize>) {
    let first = units.partition_point(|unit| unit.folded.start < range.start);
    let inside = units[first..].iter().take_while(|unit| unit.folded.end <= range.end).count();
    is_found[first..first + inside].fill(true);
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
    fn the_number_of_ranges_is_bounded() {
        assert_eq!(pieces("a", &"a ".repeat(HIGHLIGHTS_MAX + 1)).len(), HIGHLIGHTS_MAX);
    }
}
