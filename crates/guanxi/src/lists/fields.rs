//! The fields of a line of separated values, as spreadsheets and databases write them.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use std::cell::RefCell;

/// Fields of a line that are told apart; more are only counted.
const FIELDS_MAX: usize = 8;

/// The fields of one line, in order, without spaces around them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fields<'a> {
    held: [&'a [u8]; FIELDS_MAX],
    /// How many there are, also those beyond.
    pub count: usize,
}

impl<'a> Fields<'a> {
    const EMPTY: Self = Self { held: [b""; FIELDS_MAX], count: 0 };

    /// A field; empty beyond the last.
    pub(super) fn get(&self, at: usize) -> &'a [u8] {
        self.held.get(at).copied().unwrap_or_default()
    }

    fn push(&mut self, field: &'a [u8]) {
        if let Some(place) = self.held.get_mut(self.count) {
            *place = field.trim_ascii();
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

/// What separates the fields of a line: the first of a semicolon, a comma and a tab that is in it and not in quotes, else
/// spaces, of which several are one.
fn separator(line: &[u8]) -> u8 {
    let mut quotes = false;
    let bare = line.iter().copied().filter(|byte| {
        quotes ^= *byte == b'"';
        !quotes
    });
    let mut bare = bare.filter(|byte| matches!(byte, b';' | b',' | b'\t'));
    bare.next().unwrap_or(b' ')
}

/// Hands the fields of a line on. Each line is read by itself, so that a quote without its end spoils one line and not
/// the rest of the list.
pub(super) fn with_fields<T>(line: &[u8], read: impl FnOnce(&Fields<'_>) -> T) -> T {
    let separator = separator(line);
    if line.contains(&b'"') {
        return quoted(line, separator, read);
    }
    // Without quotes there is nothing that a reader of CSV would do but this.
    let mut fields = Fields::EMPTY;
    if separator == b' ' {
        line.split(|byte| *byte == b' ')
            .filter(|field| !field.is_empty())
            .for_each(|field| fields.push(field));
    } else {
        line.split(|byte| *byte == separator).for_each(|field| fields.push(field));
    }
    read(&fields.trimmed())
}

/// What a line with quotes is read with, kept for the next.
struct Buffers {
    readers: [(u8, Reader); 4],
    bytes: Vec<u8>,
    ends: [usize; FIELDS_MAX],
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::new(Buffers {
        readers: [b';', b',', b'\t', b' '].map(|byte| (byte, ReaderBuilder::new().delimiter(byte).build())),
        bytes: Vec::new(),
        ends: [0; FIELDS_MAX],
    });
}

fn quoted<T>(line: &[u8], separator: u8, read: impl FnOnce(&Fields<'_>) -> T) -> T {
    BUFFERS.with_borrow_mut(|Buffers { readers, bytes, ends }| {
        let (_, reader) =
            readers.iter_mut().find(|(byte, _)| *byte == separator).expect("there is one for each separator");
        reader.reset();
        // Unquoted text is never longer than quoted text.
        bytes.resize(line.len().max(1), 0);
        let (mut input, mut written, mut found) = (line, 0, 0);
        loop {
            let (result, _, wrote, ended) =
                reader.read_record(input, &mut bytes[written..], &mut ends[found..]);
            written += wrote;
            found += ended;
            match result {
                // An empty input tells the reader that the line is over.
                ReadRecordResult::InputEmpty => input = b"",
                ReadRecordResult::Record | ReadRecordResult::End => break,
                // More fields than are told apart.
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    found = FIELDS_MAX + 1;
                    break;
                }
            }
        }
        let mut fields = Fields::EMPTY;
        let mut start = 0;
        for end in &ends[..found.min(FIELDS_MAX)] {
            let field = &bytes[start..*end];
            start = *end;
            if separator != b' ' || !field.is_empty() {
                fields.push(field);
            }
        }
        fields.count += found.saturating_sub(FIELDS_MAX);
        read(&fields.trimmed())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fields(line: &str) -> (Vec<String>, usize) {
        with_fields(line.as_bytes(), |fields| {
            let shown =
                (0..fields.count.min(FIELDS_MAX)).map(|at| String::from_utf8_lossy(fields.get(at)).into());
            (shown.collect(), fields.count)
        })
    }

    #[test]
    fn separators_and_quotes_are_those_of_spreadsheets() {
        let cases: &[(&str, &[&str])] = &[
            ("1 2", &["1", "2"]),
            ("1   2  3", &["1", "2", "3"]),
            ("1\t2", &["1", "2"]),
            ("1 \t 2", &["1", "2"]),
            ("1, 2 ,3", &["1", "2", "3"]),
            ("1;2;2024-05-01 12:30:00Z", &["1", "2", "2024-05-01 12:30:00Z"]),
            ("\"1\";\"2\";\"\"", &["1", "2"]),
            ("\"1\",2,\"a \"\"b\"\", c\"", &["1", "2", "a \"b\", c"]),
            ("\"1\"   \"2\"", &["1", "2"]),
            ("1,2,", &["1", "2"]),
            ("1,2,,,", &["1", "2"]),
            ("1,,2", &["1", "", "2"]),
            ("1\t\t2", &["1", "", "2"]),
            ("\"1,2", &["1,2"]),
            ("", &[]),
            ("\"\"", &[]),
        ];
        for (line, expected) in cases {
            let (found, count) = fields(line);
            let found: Vec<&str> = found.iter().map(String::as_str).collect();
            assert_eq!((&found[..], count), (*expected, expected.len()), "{line:?}");
        }
        assert_eq!(fields("1,2,3,4,5,6,7,8,9,10").1, 10);
        assert_eq!(fields("\"1\",2,3,4,5,6,7,8,9").1, 9);
        assert_eq!(fields("\"1\",2,3,4,5,6,7,8").1, 8);
    }

    proptest! {
        #[test]
        fn a_line_without_quotes_is_read_as_the_reader_of_csv_reads_it(
            line in "[0-9a-c:. ]{0,12}([;,\\t][0-9a-c:. ]{0,8}){0,5}",
        ) {
            let line = line.as_bytes();
            prop_assume!(!line.is_empty());
            let shown = |fields: &Fields<'_>| (fields.held.map(<[u8]>::to_vec), fields.count);
            prop_assert_eq!(with_fields(line, shown), quoted(line, separator(line), shown));
        }

        #[test]
        fn any_bytes_are_read_without_panic(line in proptest::collection::vec(
            prop_oneof![Just(b'"'), Just(b','), Just(b' '), any::<u8>()], 0..40))
        {
            with_fields(&line, |fields| fields.count);
        }
    }
}
