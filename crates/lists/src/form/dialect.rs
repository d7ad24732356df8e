//! The bytes that end the lines of a list and separate their fields.

use super::super::fields::with_fields;
use std::cmp::Reverse;

/// The separators, those first that stand in other fields the least.
const SEPARATORS: [u8; 4] = [b'\t', b';', b',', b' '];

/// Returns the byte that ends lines: a line feed, with or without a carriage return before it. In a list without line feeds
/// it is a carriage return alone.
pub(super) fn line_end(block: &[u8]) -> u8 {
    if !block.contains(&b'\n') && block.contains(&b'\r') { b'\r' } else { b'\n' }
}

/// Returns the separator of the fields of most lines, and how many fields they have. It is the separator that gives most
/// lines two fields or more, without a quote that is not closed. Where hardly any line has two fields, each line is one
/// field.
pub(super) fn separator(lines: &[&[u8]]) -> (u8, usize) {
    /// One line in so many may be wrong in a list of one field a line.
    const FEW: usize = 10;
    let split = SEPARATORS.map(|separator| (usual_width(lines, separator), separator));
    let best = split.into_iter().enumerate().max_by_key(|(place, ((_, agree), _))| (*agree, Reverse(*place)));
    match best {
        Some((_, ((width, agree), separator))) if agree * FEW >= lines.len().max(1) => (separator, width),
        _ => (b',', 1),
    }
}

/// How many fields most of the lines have that have two or more, and how many lines these are. A line may be short of empty fields at its end.
fn usual_width(lines: &[&[u8]], separator: u8) -> (usize, usize) {
    /// Wider lines count together: no list of follows has them.
    const WIDTH_MAX: usize = 64;
    let mut counts = [0_usize; WIDTH_MAX + 1];
    for line in lines {
        let width = with_fields(line, separator, |fields| if fields.is_broken { 0 } else { fields.count });
        counts[width.min(WIDTH_MAX)] += 1;
    }
    let wide = || counts.into_iter().enumerate().skip(2);
    let usual = wide().max_by_key(|(width, count)| (*count, *width)).map_or(1, |(width, _)| width);
    (usual, wide().map(|(_, count)| count).sum())
}

/// Returns the name of a separator.
pub(super) const fn separator_name(separator: u8) -> &'static str {
    match separator {
        b'\t' => "tabs",
        b';' => "semicolons",
        b',' => "commas",
        _ => "spaces",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_that_of_most_lines() {
        let cases: [(&[&str], u8, usize); 12] = [
            (&["1 2"], b' ', 2),
            (&["1\t2\t3"], b'\t', 3),
            (&["1, 2", "3,4"], b',', 2),
            (&["1;2;2024-05-01 12:30:00Z"], b';', 3),
            (&["1;2;7,5", "3;4;8,5"], b';', 3),
            (&["a,b\tc", "d\te"], b'\t', 2),
            (&["a b,c", "d,e f"], b',', 2),
            (&["\"a,b\";c", "\"d,e\";f"], b';', 2),
            (&["1,2,3", "1;2", "3,4,5"], b',', 3),
            (&["hello", "x"], b',', 1),
            (&["1 2", "x", "y"], b' ', 2),
            (&["a\"b\"\tc d"], b'\t', 2),
        ];
        for (lines, separator_is, width) in cases {
            let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
            assert_eq!(separator(&lines), (separator_is, width), "{lines:?}");
        }
        assert_eq!((line_end(b"1 2\r3 4\r"), line_end(b"1 2\r\n"), line_end(b"1 2")), (b'\r', b'\n', b'\n'));
    }
}
