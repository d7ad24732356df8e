//! The rows of the first block, which decide how a list is laid out.

use super::super::fields::with_fields;
use super::is_nothing;

/// Rows that are looked at: enough to see what is usual, and few enough to do it at once.
const ROWS_MAX: usize = 1_000;

/// Lines of the first block that hold something, with what the list says of itself before them.
pub(super) struct FirstLines<'a> {
    /// The first line, with any content.
    pub first: &'a [u8],
    /// Lines that are neither blank nor comments, at most [`ROWS_MAX`].
    pub rows: Vec<&'a [u8]>,
}

impl<'a> FirstLines<'a> {
    /// The lines of a block, which is all of the list if `is_whole`.
    pub(super) fn of(block: &'a [u8], line_end: u8, is_whole: bool) -> Self {
        let block = block.strip_prefix(b"\xef\xbb\xbf").unwrap_or(block);
        let mut lines: Vec<&[u8]> = block.split(|byte| *byte == line_end).collect();
        if !is_whole && lines.len() > 1 {
            // The block ends within it.
            lines.pop();
        }
        let first = lines.first().copied().unwrap_or_default();
        let rows = lines.into_iter().filter(|line| !is_nothing(line)).take(ROWS_MAX).collect();
        Self { first, rows }
    }
}

/// The look of the ids of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdKind {
    /// Digits alone.
    Number,
    /// UUIDs, with their hyphens.
    Uuid,
    /// `name@host`, as mail and Mastodon have it.
    Address,
    /// Decentralized identifiers, such as those of Bluesky.
    Did,
    /// Anything.
    Text,
}

impl IdKind {
    /// Returns its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Number => "numbers",
            Self::Uuid => "UUIDs",
            Self::Address => "addresses (name@host)",
            Self::Did => "DIDs",
            Self::Text => "text",
        }
    }

    /// Of one id.
    pub(super) fn of(id: &[u8]) -> Self {
        let digits = id.strip_prefix(b"-").unwrap_or(id);
        if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            return Self::Number;
        }
        let hyphen = |at| matches!(at, 8 | 13 | 18 | 23);
        let is_uuid =
            |(at, byte): (usize, &u8)| if hyphen(at) { *byte == b'-' } else { byte.is_ascii_hexdigit() };
        if id.len() == 36 && id.iter().enumerate().all(is_uuid) {
            return Self::Uuid;
        }
        if id.starts_with(b"did:") {
            return Self::Did;
        }
        let at = id.iter().rposition(|byte| *byte == b'@');
        if at.is_some_and(|at| at > 0 && id[at..].contains(&b'.')) { Self::Address } else { Self::Text }
    }

    /// Of all ids of a column; `None` of no ids. Where they differ they are text.
    pub(super) fn of_column(rows: &[&[u8]], separator: u8, column: usize) -> Option<Self> {
        let kind = |row: &&[u8]| {
            with_fields(row, separator, |fields| {
                let id = fields.value(column);
                (!id.is_empty()).then(|| Self::of(id))
            })
        };
        rows.iter().filter_map(kind).reduce(|all, one| if all == one { all } else { Self::Text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_a_block_cuts_is_left_out() {
        let rows = |block: &'static [u8], is_whole| FirstLines::of(block, b'\n', is_whole).rows;
        assert_eq!(rows(b"\xef\xbb\xbf# x\n\n1 2\n3", true), [&b"1 2"[..], b"3"]);
        assert_eq!(rows(b"1 2\n3", false), [&b"1 2"[..]]);
        assert_eq!(rows(b"1 2", false), [&b"1 2"[..]]);
        assert_eq!(FirstLines::of(b"\xef\xbb\xbf# x\n1", b'\n', true).first, b"# x");
    }

    #[test]
    fn ids_are_of_one_kind_or_text() {
        let kind = |rows: &[&str]| {
            let rows: Vec<&[u8]> = rows.iter().map(|row| row.as_bytes()).collect();
            IdKind::of_column(&rows, b',', 0)
        };
        assert_eq!(kind(&["1,x", "-2,y"]), Some(IdKind::Number));
        assert_eq!(kind(&["1,x", "a,y"]), Some(IdKind::Text));
        assert_eq!(kind(&["0192d3a4-7b1c-7e55-8f00-000000000001"]), Some(IdKind::Uuid));
        assert_eq!(kind(&["a@b.org", "@c@d.example"]), Some(IdKind::Address));
        assert_eq!(kind(&["@alice", "b"]), Some(IdKind::Text));
        assert_eq!(kind(&["did:plc:abc"]), Some(IdKind::Did));
        assert_eq!(kind(&[",x", "\\N,y"]), None);
    }
}
