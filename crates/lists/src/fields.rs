//! The fields of a line of separated values, as spreadsheets and databases write them.

use std::cell::RefCell;

/// Fields of a line that are told apart, as wide as tables of follows are; more are only counted.
pub(super) const FIELDS_MAX: usize = 16;

/// The fields of one line, in order. Spaces around a field are none of it, and those in quotes are.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fields<'a> {
    held: [&'a [u8]; FIELDS_MAX],
    /// A bit for each field that is in quotes.
    quotes: u16,
    /// How many there are, also those beyond.
    pub count: usize,
    /// A quote is not closed, or something stands behind one: the fields are not to be trusted.
    pub is_broken: bool,
}

impl<'a> Fields<'a> {
    const EMPTY: Self = Self { held: [b""; FIELDS_MAX], quotes: 0, count: 0, is_broken: false };

    /// A field; empty beyond the last.
    pub(super) fn get(&self, at: usize) -> &'a [u8] {
        self.held.get(at).copied().unwrap_or_default()
    }

    /// A field that holds a value: databases write `\N` or `NULL` for none, without quotes.
    pub(super) fn value(&self, at: usize) -> &'a [u8] {
        match self.get(at) {
            b"\\N" | b"NULL" if !self.is_quoted(at) => b"",
            field => field,
        }
    }

    /// Returns whether a field is in quotes.
    fn is_quoted(&self, at: usize) -> bool {
        at < FIELDS_MAX && self.quotes & (1 << at) != 0
    }

    fn push(&mut self, field: &'a [u8], is_quoted: bool) {
        if let Some(place) = self.held.get_mut(self.count) {
            *place = if is_quoted { field } else { field.trim_ascii() };
            self.quotes |= u16::from(is_quoted) << self.count;
        }
        self.count += 1;
    }

    /// Leaves out empty fields at the end, as spreadsheets fill short rows.
    fn trimmed(mut self) -> Self {
        while self.count > 1 && self.count <= FIELDS_MAX && self.held[self.count - 1].is_empty() {
            self.count -= 1;
        }
        self
    }
}

/// Hands the fields of a line on. Spaces separate however many there are. Each line is read by itself, so that a quote
/// without its end spoils one line and not the rest of the list.
pub(super) fn with_fields<T>(line: &[u8], separator: u8, read: impl FnOnce(&Fields<'_>) -> T) -> T {
    let line = trimmed(line);
    if line.contains(&b'"') {
        return quoted(line, separator, read);
    }
    let mut fields = Fields::EMPTY;
    if separator == b' ' {
        line.split(|byte| *byte == b' ')
            .filter(|field| !field.is_empty())
            .for_each(|field| fields.push(field, false));
    } else {
        line.split(|byte| *byte == separator).for_each(|field| fields.push(field, false));
    }
    read(&fields.trimmed())
}

/// A line without the spaces around it. A tab may separate an empty field, and stays.
fn trimmed(line: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\r');
    let start = line.iter().position(|byte| !is_space(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
    &line[start..end]
}

/// Where a field is: in its line, or without its doubled quotes in the buffer.
#[derive(Clone, Copy, Default)]
struct Span {
    start: usize,
    end: usize,
    is_copied: bool,
    is_quoted: bool,
}

thread_local! {
    /// The buffer for fields with doubled quotes, kept for the next line.
    static COPIED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn quoted<T>(line: &[u8], separator: u8, read: impl FnOnce(&Fields<'_>) -> T) -> T {
    COPIED.with_borrow_mut(|copied| {
        copied.clear();
        let (mut spans, mut count, mut is_broken) = ([Span::default(); FIELDS_MAX], 0, false);
        let mut at = 0;
        loop {
            at += line[at..].iter().take_while(|byte| **byte == b' ').count();
            if at == line.len() && separator == b' ' {
                break;
            }
            let (span, sound) = if line.get(at) == Some(&b'"') {
                in_quotes(line, at + 1, &mut at, copied)
            } else {
                let end =
                    line[at..].iter().position(|byte| *byte == separator).map_or(line.len(), |n| at + n);
                let span = Span { start: at, end, ..Span::default() };
                at = end;
                (span, true)
            };
            at += line[at..].iter().take_while(|byte| **byte == b' ' && separator != b' ').count();
            is_broken |= !sound || (at < line.len() && line[at] != separator);
            if let Some(place) = spans.get_mut(count) {
                *place = span;
            }
            count += 1;
            if at == line.len() || is_broken {
                break;
            }
            at += 1;
        }
        let mut fields = Fields { is_broken, ..Fields::EMPTY };
        for span in &spans[..count.min(FIELDS_MAX)] {
            let field =
                if span.is_copied { &copied[span.start..span.end] } else { &line[span.start..span.end] };
            fields.push(field, span.is_quoted);
        }
        fields.count = count;
        read(&fields.trimmed())
    })
}

/// The field whose opening quote is before `start`, and whether the quote is closed; leaves `at` behind it.
fn in_quotes(line: &[u8], start: usize, at: &mut usize, copied: &mut Vec<u8>) -> (Span, bool) {
    let from = copied.len();
    let (mut piece, mut next) = (start, start);
    let (end, sound) = loop {
        let Some(quote) = line[next..].iter().position(|byte| *byte == b'"').map(|n| next + n) else {
            break (line.len(), false);
        };
        if line.get(quote + 1) != Some(&b'"') {
            break (quote, true);
        }
        // Two quotes stand for one.
        copied.extend_from_slice(&line[piece..=quote]);
        (piece, next) = (quote + 2, quote + 2);
    };
    *at = (end + 1).min(line.len());
    if copied.len() == from {
        return (Span { start, end, is_copied: false, is_quoted: true }, sound);
    }
    copied.extend_from_slice(&line[piece..end]);
    (Span { start: from, end: copied.len(), is_copied: true, is_quoted: true }, sound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use csv_core::{ReadRecordResult, ReaderBuilder};
    use proptest::prelude::*;

    fn fields(line: &str, separator: u8) -> (Vec<String>, bool) {
        with_fields(line.as_bytes(), separator, |fields| {
            let shown =
                (0..fields.count.min(FIELDS_MAX)).map(|at| String::from_utf8_lossy(fields.get(at)).into());
            (shown.collect(), fields.is_broken)
        })
    }

    #[test]
    fn fields_and_quotes_are_those_of_spreadsheets() {
        let cases: &[(&str, u8, &[&str])] = &[
            ("1 2", b' ', &["1", "2"]),
            ("  1   2  3 \r", b' ', &["1", "2", "3"]),
            ("1\t2", b'\t', &["1", "2"]),
            ("1 \t 2", b'\t', &["1", "2"]),
            ("\t2", b'\t', &["", "2"]),
            ("1, 2 ,3", b',', &["1", "2", "3"]),
            ("1;2;2024-05-01 12:30:00Z", b';', &["1", "2", "2024-05-01 12:30:00Z"]),
            ("\"1\";\"2\";\"\"", b';', &["1", "2"]),
            ("\"1\",2,\"a \"\"b\"\", c\"", b',', &["1", "2", "a \"b\", c"]),
            ("\"1\"   \"2\"", b' ', &["1", "2"]),
            ("\" 1 \", \"\t2 \" ,3", b',', &[" 1 ", "\t2 ", "3"]),
            ("a\t\" b \"", b'\t', &["a", " b "]),
            ("1,2,", b',', &["1", "2"]),
            ("1,2,,,", b',', &["1", "2"]),
            ("1,,2", b',', &["1", "", "2"]),
            ("1\t\t2", b'\t', &["1", "", "2"]),
            ("5\" disc,b\"c", b',', &["5\" disc", "b\"c"]),
            ("\"\"\"\",\"a\"\"\"", b',', &["\"", "a\""]),
            ("", b' ', &[]),
            ("\"\"", b',', &[""]),
        ];
        for (line, separator, expected) in cases {
            let (found, is_broken) = fields(line, *separator);
            let found: Vec<&str> = found.iter().map(String::as_str).collect();
            assert_eq!((&found[..], is_broken), (*expected, false), "{line:?}");
        }
        for line in ["\"1,2", "1,\"2", "\"1\"2,3", "\"a\" \"b\",c", "a,\"b\"\"", "\""] {
            assert!(fields(line, b',').1, "{line:?}");
        }
        assert_eq!(fields("\"x\",2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", b',').0.len(), FIELDS_MAX);
        let value = |line: &str| with_fields(line.as_bytes(), b',', |fields| fields.value(1).to_vec());
        assert_eq!((value("1,\\N"), value("1,NULL"), value("1,")), (vec![], vec![], vec![]));
        assert_eq!((value("1,\"\\N\""), value("1,\"NULL\"")), (b"\\N".to_vec(), b"NULL".to_vec()));
    }

    /// The fields of a line as the reader of the csv crate has them.
    fn by_csv(line: &[u8], separator: u8) -> Vec<Vec<u8>> {
        let mut reader = ReaderBuilder::new().delimiter(separator).build();
        let (mut bytes, mut ends) = (vec![0; line.len() + 1], [0; FIELDS_MAX]);
        let (result, _, written, count) = reader.read_record(line, &mut bytes, &mut ends);
        assert!(matches!(result, ReadRecordResult::InputEmpty));
        let (_, _, _, last) = reader.read_record(b"", &mut bytes[written..], &mut ends[count..]);
        let starts = std::iter::once(0).chain(ends);
        std::iter::zip(starts, ends)
            .take(count + last)
            .map(|(start, end)| bytes[start..end].to_vec())
            .collect()
    }

    proptest! {
        #[test]
        fn a_line_is_read_as_the_reader_of_csv_reads_it(
            fields in proptest::collection::vec(
                prop_oneof!["[a-c0-9:]([a-c :.]{0,6}[a-c])?", "\"([a-c ,;\t]|\"\"){0,6}\""], 1..6),
            separator in prop_oneof![Just(b','), Just(b';'), Just(b'\t')],
        ) {
            let line = fields.join(str::from_utf8(&[separator]).unwrap());
            let mut expected = by_csv(line.as_bytes(), separator);
            while expected.len() > 1 && expected.last().is_some_and(Vec::is_empty) {
                expected.pop();
            }
            let found = with_fields(line.as_bytes(), separator, |fields| {
                assert!(!fields.is_broken);
                (0..fields.count).map(|at| fields.get(at).to_vec()).collect::<Vec<_>>()
            });
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn any_bytes_are_read_without_panic(line in proptest::collection::vec(
            prop_oneof![Just(b'"'), Just(b','), Just(b' '), any::<u8>()], 0..40),
            separator in prop_oneof![Just(b','), Just(b' '), Just(b'\t')])
        {
            with_fields(&line, separator, |fields| fields.count);
        }
    }
}
